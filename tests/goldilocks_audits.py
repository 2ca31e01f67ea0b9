"""Audits of 004, made once and shared: overlap of training and test sets, curated sets."""

from dataclasses import replace
from functools import cache

from small_audits import audit, spec

from frtaudit.analyses.train_test_overlap import TrainTestOverlap
from frtaudit.audit import Audited
from frtaudit.cohorts.traits import TrainingShape, Traits
from frtaudit.core.spec import AuditSpec, Folds, FoldSource

SHAPE = TrainingShape(identities=90, samples=4, overlap=0.4, copied=0.5, split=0.3, noise=0.1)
COHORT = Traits(
    subjects=60,
    dimension=128,
    concentration=(500.0, 700.0),
    effects=(0.1, 0.1),
    systems={"one": 0.1, "two": 0.2},
    training={"wild": SHAPE, "tame": replace(SHAPE, overlap=0.0)},
)


def overlap_spec(**changes: object) -> AuditSpec:
    """The small audit with training sets and folds."""
    base = spec(cohort=COHORT, schemas={}, folds=Folds(source=FoldSource.DISJOINT, k=3))
    return replace(base, analyses={"overlap": TrainTestOverlap(**changes)})  # type: ignore[arg-type]  # its fields


@cache
def overlap_audit() -> Audited:
    """The audit."""
    return audit(overlap_spec())
