"""What a result says of its inputs: counts of the cohort, digests, versions, notes."""

import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType

import numpy as np

from frtaudit.core import UNKNOWN, Cohort, CohortData
from frtaudit.core.canonical import Json, sha256, sha256_file
from frtaudit.core.cohort import Sanitized
from frtaudit.core.identity import spec_digest
from frtaudit.core.plain.records import to_json
from frtaudit.core.spec import AuditSpec
from frtaudit.evaluation.protocols import Provider
from frtaudit.evaluation.system import AnalysisOutput
from frtaudit.inputs.rowfile import row_digests

PACKAGES = ("frtaudit", "numpy", "scipy", "statsmodels", "numba", "pandas", "pyarrow")


def cohort_counts(cohort: Cohort, sanitized: Sanitized | None = None) -> dict[str, Json]:
    """Samples and subjects, in all and by class of each schema; what each step of sanitization left."""
    samples = np.bincount(cohort.subject_of, minlength=cohort.n_subjects)
    schemas: dict[str, Json] = {}
    for schema in cohort.classifications.values():
        rows: list[Json] = []
        for code, name in enumerate((*schema.classes, UNKNOWN)):
            chosen = schema.codes == (code if name != UNKNOWN else -1)
            label = schema.labels[code] if name != UNKNOWN else UNKNOWN
            rows.append(
                {
                    "group": name,
                    "label": label,
                    "subjects": int(np.count_nonzero(chosen)),
                    "samples": int(samples[chosen].sum()),
                    "subjects_with_two_samples": int(np.count_nonzero(chosen & (samples >= 2))),
                }
            )
        supers: dict[str, Json] = {name: list(parts) for name, parts in schema.super_classes.items()}
        schemas[schema.name] = {"groups": rows, "super_classes": supers}
    counts: dict[str, Json] = {
        "samples": cohort.n_samples,
        "subjects": cohort.n_subjects,
        "subjects_with_two_samples": int(np.count_nonzero(samples >= 2)),
        "schemas": schemas,
    }
    return counts if sanitized is None else counts | {"sanitized": to_json(sanitized)}


def counts_of(cohort_data: CohortData) -> dict[str, Json]:
    """:func:`cohort_counts` of the cohort data; no subject where the scores have no subjects.

    With ``collection`` where ``frtaudit collect`` gathered the scores.
    """
    collected: dict[str, Json] = (
        {} if cohort_data.collection is None else {"collection": dict(cohort_data.collection)}
    )
    if cohort_data.named:
        return cohort_counts(cohort_data.cohort, cohort_data.sanitized) | collected
    return collected | {"samples": 0, "subjects": 0, "subjects_with_two_samples": 0, "schemas": {}}


def made_of(cohort_data: CohortData, inputs: Mapping[str, str]) -> dict[str, Json]:
    """``templates``: what made those that the audit reads, where ``frtaudit embed`` did."""
    templates: dict[str, Json] = {
        name: dict(facts) for name, facts in cohort_data.made.items() if f"templates/{name}.json" in inputs
    }
    return {"templates": templates} if templates else {}


def inputs_of(spec: AuditSpec, cohort_data: CohortData, providers: Sequence[Provider]) -> dict[str, str]:
    """File name to sha256 of every file that the audit reads: the cohort's, and those that the spec names.

    Templates of providers not audited are left out. Of two different files of one name the second stands under
    the field that names it.
    """
    inputs = used_files(spec, cohort_data, providers)
    named: dict[str, str | None] = {
        "protocol": getattr(spec.protocol, "file", None),
        "protocol.reviewed": getattr(spec.protocol, "reviewed", None),
        "thresholds": spec.thresholds.file,
        "folds": spec.folds.file,
        "seal": spec.seal,
    }
    for name, test_set in spec.test_sets.items():
        named |= {f"test_sets.{name}.pairs": getattr(test_set.pairs, "file", None)}
        named |= {f"test_sets.{name}.pairs.reviewed": getattr(test_set.pairs, "reviewed", None)}
        named |= {f"test_sets.{name}.folds": test_set.folds.file}
    for name, analysis in spec.analyses.items():
        named |= {f"analyses.{name}.reviewed": getattr(analysis, "reviewed", None)}
    for where, path in named.items():
        if path is not None and Path(path).is_file():
            name, digest = Path(path).name, sha256_file(Path(path))
            inputs[name if inputs.get(name, digest) == digest else f"{where}.file/{name}"] = digest
    return inputs


def used_files(spec: AuditSpec, cohort_data: CohortData, providers: Sequence[Provider]) -> dict[str, str]:
    """The cohort's files among them."""
    used = {str(getattr(provider, "templates", None) or provider.name) for provider in providers}
    lists = [spec.protocol, *(test_set.pairs for test_set in spec.test_sets.values())]
    makers = [*spec.analyses.values(), *(getattr(pairing, "rules", None) for pairing in lists)]
    # analyses and protocols look at these templates, whether their systems are audited or not
    used |= {str(name) for maker in makers if (name := getattr(maker, "matcher", None)) is not None}
    idle = {
        f"templates/{name}{suffix}"
        for name in cohort_data.templates
        if name not in used
        for suffix in (".npz", ".json")
    }
    return {
        name: value
        for name, value in cohort_data.inputs.items()
        if "/".join(Path(name).parts[-2:]) not in idle
    }


def rows_of(cohort_data: CohortData, inputs: Mapping[str, str]) -> dict[str, Json]:
    """Digests of the rows of the cohort's files, by file name: what tells later which row was changed."""
    read = {
        name: row_digests(cohort_data.paths[name]) for name in sorted(cohort_data.paths) if name in inputs
    }
    return {name: to_json(digests) for name, digests in read.items() if digests is not None}


def digests_of(
    spec: AuditSpec,
    cohort_data: CohortData,
    inputs: Mapping[str, str],
    outputs: Mapping[str, bytes] = MappingProxyType({}),
) -> dict[str, Json]:
    """The audit's identity, the cohort, every input and its rows, and every list that was made, by file name."""
    rows = rows_of(cohort_data, inputs)
    output_digests: dict[str, Json] = {name: sha256(data) for name, data in sorted(outputs.items())}
    return {
        "spec": spec_digest(spec, inputs),
        "cohort": cohort_data.cohort.digest,
        "inputs": dict(inputs),
        **({"rows": rows} if rows else {}),
        **({"outputs": output_digests} if output_digests else {}),
    }


def versions() -> dict[str, str]:
    """Versions of the packages that made the numbers, and of Python."""
    return {name: version(name) for name in PACKAGES} | {"python": platform.python_version()}


def notes_of(spec: AuditSpec, outcomes: Sequence[AnalysisOutput]) -> tuple[str, ...]:
    """What the report prints with the method: notes on the spec first, then those of the analyses, each once."""
    notes: list[str] = []
    alpha = spec.bootstrap.alpha
    rank = alpha * (spec.bootstrap.B + 1)
    if abs(rank - round(rank)) > 1e-9:
        notes.append(f"alpha (B + 1) = {rank:g} is no integer: percentile bounds are interpolated")
    if spec.requirements:
        has_levels = any(requirement.level is not None for requirement in spec.requirements)
        extra = ", or at a level of their own" if has_levels else ""
        notes.append(
            f"requirements are judged at alpha = {alpha:g}{extra}: a pass each by itself, a failure by Holm over all "
            "findings"
        )
    notes += [note for outcome in outcomes for note in outcome.notes]
    return tuple(dict.fromkeys(notes))
