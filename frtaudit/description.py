"""What a result says of its inputs: counts of the cohort, digests, versions, notes."""

import platform
from collections.abc import Sequence
from importlib.metadata import version

import numpy as np

from frtaudit.canonical import Json
from frtaudit.core import UNKNOWN, Cohort, Material
from frtaudit.core.spec import AuditSpec
from frtaudit.identity import spec_digest
from frtaudit.trial import Outcome

PACKAGES = ("frtaudit", "numpy", "scipy", "statsmodels", "numba", "pandas", "pyarrow")


def cohort_counts(cohort: Cohort) -> dict[str, Json]:
    """Samples and subjects, in all and by class of each schema."""
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
    return {
        "samples": cohort.n_samples,
        "subjects": cohort.n_subjects,
        "subjects_with_two_samples": int(np.count_nonzero(samples >= 2)),
        "schemas": schemas,
    }


def digests_of(spec: AuditSpec, material: Material) -> dict[str, Json]:
    """The audit's identity, the cohort, and every input by file name."""
    inputs: dict[str, Json] = dict(material.inputs)
    return {
        "spec": spec_digest(spec, material.inputs),
        "cohort": material.cohort.digest,
        "inputs": inputs,
    }


def versions() -> dict[str, str]:
    """Versions of the packages that made the numbers, and of Python."""
    return {name: version(name) for name in PACKAGES} | {"python": platform.python_version()}


def notes_of(spec: AuditSpec, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """What the report prints with the method: notes on the spec first, then those of the analyses, each once."""
    said: list[str] = []
    resamples, alpha = spec.bootstrap.B, spec.bootstrap.alpha
    if abs(alpha * (resamples + 1) - round(alpha * (resamples + 1))) > 1e-9:
        said.append(
            f"alpha (B + 1) = {alpha * (resamples + 1):g} is no integer: percentile bounds are interpolated"
        )
    if spec.requirements:
        said.append("verdicts are not adjusted for their number")
    said += [note for outcome in outcomes for note in outcome.notes]
    return tuple(dict.fromkeys(said))
