"""``frtaudit compare RUN...``: from finished runs to the spec of their comparison.

A comparison is an audit like any other: its cohort is the runs (``cohort=runs``), its question the systems'
differences (``analysis=vendor_comparison``), so that it is reported, signed, verified and reproduced as any other.
What the runs share is taken from their results; every word ``key=value`` on the command line goes over it.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from frtaudit.config.guard import LANDS
from frtaudit.core.canonical import Json, dumps, entries, mapping
from frtaudit.core.machine import signals
from frtaudit.core.machine.run_files import RESULT
from frtaudit.core.plain.structure import closest
from frtaudit.core.spec import AuditSpec
from frtaudit.core.text.quoting import quoted
from frtaudit.errors import DataError, SpecError
from frtaudit.inputs.places import need_run
from frtaudit.report.files import refuse_sweep

if TYPE_CHECKING:
    from frtaudit.inputs.run_tables import RunTables

AUDIT = "compare"
UNNAMED = ("scores", "score", "results")  # a system of a score list without a column of systems
KEYS = [*(field.name for field in fields(AuditSpec)), *LANDS, "hydra"]
_TIME = re.compile(r"\d{4}-\d\d-\d\dT")  # a run's folder by default


def parted(words: Sequence[str]) -> tuple[list[tuple[str, Path]], list[str]]:
    """Run folders with the names given to them (``NAME=RUN``, else empty), and overrides (``key=value``).

    Raises :class:`SpecError` for a word that is neither.

    >>> parted(["bootstrap.B=999"])
    ([], ['bootstrap.B=999'])
    """
    runs: list[tuple[str, Path]] = []
    overrides: list[str] = []
    for word in words:
        name, equals, path = word.partition("=")
        if not equals and not word.startswith("~"):
            runs.append(("", Path(word)))
        elif path and (Path(path) / RESULT).is_file():
            runs.append((name, Path(path)))
        elif (key := re.split(r"[.@/\[]", name.lstrip("+~"))[0]) in KEYS:
            overrides.append(word)
        else:
            text = f"{path!r} is not the folder of a finished run, and a spec has no key {key!r}{closest(key, KEYS)}"
            raise SpecError("compare", text, "NAME=RUN with the folder of a finished run, or key=value")
    return runs, overrides


def overrides_of(words: Sequence[str]) -> list[str]:
    """The overrides that compose the comparison of the named runs.

    Raises :class:`SpecError` without a run, :class:`DataError` for a folder that is none.
    """
    runs, given = parted(words)
    return comparison_of(runs, given)


def comparison_of(runs: Sequence[tuple[str, Path]], given: Sequence[str]) -> list[str]:
    """The overrides that compose the comparison of run folders, each with its name or the empty text."""
    if not runs:
        accepted = "folders of finished runs: frtaudit compare RUN RUN, or NAME=RUN ..."
        raise SpecError("compare", "no run", accepted)
    folders = Counter(path.resolve() for _, path in runs)
    twice = next((path for _, path in runs if folders[path.resolve()] > 1), None)
    if twice is not None:
        accepted = "each run once: a run does not differ from itself"
        raise SpecError("compare", f"{str(twice)!r} is given twice", accepted)
    for _, path in runs:
        refuse_sweep(path)
        need_run(path)
    # once there are runs: these load what reads and signs
    from frtaudit.inputs.run_tables import read_run_tables
    from frtaudit.signing.unchanged import refuse_incomplete

    read = []
    for _, path in runs:
        signals.check()
        read.append(read_run_tables(path))
        refuse_incomplete(path)
    words = [f"audit={AUDIT}", f"cohort.runs={_listed([str(path) for _, path in runs])}"]
    names = _names(runs, read)
    if any(names):
        words.append(f"cohort.names={_listed(names)}")
    return [*words, *_shared(read), *given]


def _names(runs: Sequence[tuple[str, Path]], read: "Sequence[RunTables]") -> list[str]:
    """A name for each run: as given, else its folder's where its one system says nothing, else empty.

    A system says nothing if another run has one of that name, or if it is called by a file ``scores.csv``. With a name
    given to one run, the others are called by their folders.
    """
    if any(name for name, _ in runs):
        return [name or path.name for name, path in runs]
    count = Counter(system for run in read for system in run.systems)
    return [
        path.name
        if len(run.systems) == 1
        and (count[run.systems[0]] > 1 or run.systems[0] in UNNAMED)
        and not _TIME.match(path.name)
        else ""
        for (_, path), run in zip(runs, read, strict=True)
    ]


def _shared(read: "Sequence[RunTables]") -> list[str]:
    """What the runs' specs say of thresholds, resampling and weighting; targets and B are those that all have."""
    first = read[0].spec
    specs = [run.spec for run in read]
    declared = [entries(mapping(spec.get("thresholds")).get("fmr")) for spec in specs]
    targets = [[float(str(value)) for value in values] for values in declared]
    common = [value for value in targets[0] if all(value in other for other in targets)]
    if not common:
        raise DataError("compare", "the runs share no FMR target", "runs with a common thresholds.fmr")
    resamples = min(int(str(mapping(spec.get("bootstrap")).get("B", 0))) for spec in specs)
    settings: dict[str, Json] = {
        "seed": first.get("seed", 0),
        "weighting": first.get("weighting", "identity"),
        "failures": first.get("failures", "apart"),
        "thresholds.fmr": common,
        "thresholds.curve": mapping(first.get("thresholds")).get("curve"),
        "bootstrap.B": resamples,
        "bootstrap.alpha": mapping(first.get("bootstrap")).get("alpha"),
        "bootstrap.stratify": mapping(first.get("bootstrap")).get("stratify"),
        "folds.source": "official" if all(len(run.tables["pairs"]) for run in read) else "none",
    }
    return [f"{key}={_word(value)}" for key, value in settings.items() if value is not None]


def _listed(texts: Sequence[str]) -> str:
    return f"[{','.join(quoted(text) for text in texts)}]"


def _word(value: Json) -> str:
    """A value as an override: mappings without quotes round their keys."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{_word(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_word(entry) for entry in value) + "]"
    return "null" if value is None else dumps(value)
