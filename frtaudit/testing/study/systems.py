"""From a drawn cohort to the data of a system, by the audit's own path: a provider scores it, replicates are drawn."""

from collections.abc import Mapping, Sequence
from string import ascii_lowercase

import numpy as np

from frtaudit.core import Classification, Cohort, CohortData
from frtaudit.core.arrays import Integers
from frtaudit.core.cohort import Templates
from frtaudit.core.spec import (
    AuditSpec,
    Bootstrap,
    Folds,
    FoldSource,
    Grid,
    GridKind,
    IntervalSpec,
    Thresholds,
)
from frtaudit.datasets.protocols.all_pairs import AllPairs
from frtaudit.datasets.providers.cosine import Cosine
from frtaudit.evaluation.system import SystemData
from frtaudit.pipeline.evaluate import evaluate_system, groups_of
from frtaudit.testing.populations import Sampled

SYSTEM = "system"
UNLIKE, ALIKE = "unlike", "alike"  # classes that differ, and labels dealt at random


def cohort_of(sampled: Sampled, codes: Mapping[str, Integers]) -> CohortData:
    """A cohort of schemas, ``codes`` (K,) by schema name, classes a, b, .. (two or more); one system's templates."""
    n, k = len(sampled.vectors), int(sampled.subject_of.max()) + 1
    schemas = {}
    for name, code in codes.items():
        letters = tuple(ascii_lowercase[: max(2, int(code.max()) + 1)])
        schemas[name] = Classification(
            name=name, classes=letters, labels=letters, codes=code.astype(np.int16)
        )
    cohort = Cohort(
        sample_ids=tuple(f"sample {i}" for i in range(n)),
        subject_ids=tuple(f"subject {i}" for i in range(k)),
        subject_of=sampled.subject_of.astype(np.int32),
        classifications=schemas,
        digest="",
    )
    templates = Templates(rows=np.arange(n, dtype=np.int32), vectors=sampled.vectors.astype(np.float32))
    return CohortData(cohort=cohort, templates={SYSTEM: lambda: templates})


def spec_of(
    *,
    targets: Sequence[float],
    thresholds: Sequence[float],
    intervals: tuple[IntervalSpec, ...],
    n: int,
    seed: int,
    folds: bool,
) -> AuditSpec:
    """The spec of one cohort's audit; one thread, for workers are processes."""
    return AuditSpec(
        name="guarantees",
        cohort=None,
        protocol=AllPairs(),
        analyses={},
        seed=seed,
        thresholds=Thresholds(
            fmr=tuple(targets), grid=Grid(kind=GridKind.EXPLICIT, values=tuple(thresholds))
        ),
        bootstrap=Bootstrap(B=n, alpha=0.05),
        intervals=intervals,
        folds=Folds(source=FoldSource.DISJOINT if folds else FoldSource.NONE),
        threads=1,
    )


def system_of(cohort_data: CohortData, spec: AuditSpec, name: str = SYSTEM) -> SystemData:
    """Evaluate a system, over all pairs of samples."""
    comparisons = AllPairs().comparisons(cohort_data)
    return evaluate_system(spec, Cosine(name=name), cohort_data, comparisons, groups_of(cohort_data.cohort))
