"""The spec that fits an imported test set: its folds, its groups, FMR targets that its comparisons can support."""

from collections import Counter
from dataclasses import replace
from shlex import quote

import numpy as np
import yaml

from frtaudit.core.canonical import Json
from frtaudit.core.text.file_names import file_name
from frtaudit.core.text.names import is_name
from frtaudit.errors import printable
from frtaudit.inputs.importing.values import UNKNOWN, KnownSet

TARGETS = (0.01, 0.001, 0.0001)
COARSE = (0.1, 0.2, 0.5)  # of few comparisons
EXPECTED = 5  # false matches at a target, at least
MIN_CLASSES = 2
NAMED = (
    "error_rates",
    "similarity_roc",
    "differentials",
    "failures",
    "interclass",
    "robustness",
    "identity_check",
)
HEAD = """\
# @package _global_
# {title}, imported. Terms: {terms}
#
# Check it:  frtaudit check --config-dir {folder} audit={name}
# Run it:    frtaudit run --config-dir {folder} audit={name}
# Every field: frtaudit schema spec; what can be named: frtaudit list
"""


def spec_text(known: KnownSet, folder: str) -> str:
    """``audit/imported_NAME.yaml`` for what is written into ``folder``."""
    known = replace(known, title=printable(known.title).replace("${", "$"))  # it may be a file's name
    spec = _nameless(known, folder) if known.samples.subjects is None else _named(known, folder)
    licence = {} if known.terms == UNKNOWN else {"licence": known.terms}
    spec["provenance"] = {"test_data": {"name": known.title, **licence}}
    place = printable(quote(folder))
    head = HEAD.format(title=known.title, terms=printable(known.terms), folder=place, name=audit_name(known))
    return head + yaml.safe_dump(spec, sort_keys=False, allow_unicode=True, width=110)


def audit_name(known: KnownSet) -> str:
    """The name of its spec: never that of a shipped audit."""
    return f"imported_{known.name}"


def _nameless(known: KnownSet, folder: str) -> dict[str, Json]:
    return {
        "defaults": [{"override /cohort": "bob_measure"}, {"override /protocol": "listed"}],
        "question": f"What are the error rates on {known.title} if comparisons are treated as independent?",
        "cohort": {"root": f"{folder}/scores", "nan": "failed"},
        "weighting": "pooled",
        "analyses": {"error_rates": {}},
        "intervals": [{"method": "wilson_iid", "target": "comparisons_iid"}],
        "thresholds": {"fmr": list(fmr_targets(known))},
        "bootstrap": {"B": 1999, "alpha": 0.05},
        "report": {"title": f"Comparisons of {known.title}"},
    }


def _named(known: KnownSet, folder: str) -> dict[str, Json]:
    scored = bool(known.scores)
    cohort: dict[str, Json] = {"root": folder}
    protocol: dict[str, Json] = {}
    if known.pairs is not None:
        if scored:
            protocol["file"] = f"{folder}/pairs.csv"
        else:
            cohort["pairs"] = "pairs.csv"
    folded = known.pairs is not None and known.pairs.fold is not None
    schemas: dict[str, Json] = {  # a name that a spec cannot hold becomes one of a file
        name if is_name(name) else file_name(name): {
            "column": name,
            "classes": [*_classes(known, name)],
            "unknown": ["*"],
            "conflicts": "majority",
        }
        for name in schemas_of(known)
    }
    return {
        "defaults": [
            {"override /cohort": "scores" if scored else "templates"},
            {"override /protocol": "all_pairs" if known.pairs is None else "listed"},
        ],
        "question": f"What are the error rates of each system on {known.title}, and how uncertain are they?",
        "cohort": cohort,
        **({"protocol": protocol} if protocol else {}),
        **({"schemas": schemas} if schemas else {}),
        "analyses": {name: {} for name in (*NAMED, *(("accuracy",) if folded else ()))},
        **({"folds": {"source": "official"}} if folded else {}),
        "thresholds": {"fmr": list(fmr_targets(known))},
        "bootstrap": {"B": 1000, "alpha": 0.05},
        "report": {"title": f"Error rates on {known.title}"},
    }


def schemas_of(known: KnownSet) -> list[str]:
    """The columns of groups that have a name and at least two classes; none whose words a spec would read otherwise."""
    return [
        name
        for name in known.samples.groups
        if name.strip()
        and len(classes := _classes(known, name)) >= MIN_CLASSES
        and "${" not in "".join([name, *classes])
    ]


def _classes(known: KnownSet, name: str) -> list[str]:
    return sorted(set(known.samples.columns[name]) - {""})


def fmr_targets(known: KnownSet) -> list[float]:
    """The FMR targets at which enough false matches can be expected; of few comparisons one coarse target, or none.

    With pairs, their non-mated ones count; without, every pair of images of two people.
    """
    count = non_mated_count(known)
    fine, coarse = ([target for target in some if count * target >= EXPECTED] for some in (TARGETS, COARSE))
    return fine or coarse[:1]


def non_mated_count(known: KnownSet) -> int:
    """How many non-mated comparisons the set has."""
    if known.pairs is not None:
        return 0 if known.pairs.mated is None else int((~known.pairs.mated).sum())
    if known.samples.subjects is None:
        return 0
    sizes = np.array(list(Counter(known.samples.subjects).values()))
    return int((len(known.samples.ids) ** 2 - np.sum(sizes.astype(np.int64) ** 2)) // 2)
