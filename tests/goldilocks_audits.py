"""Audits of 004, made once and shared: overlap of training and test sets, curated sets."""

from dataclasses import replace
from functools import cache

from small_audits import audit, spec

from frtaudit.analyses.accuracy import Accuracy
from frtaudit.analyses.dataset_card import DatasetCard
from frtaudit.analyses.train_test_overlap import TrainTestOverlap
from frtaudit.core.spec import AuditSpec, FoldClaim, Folds, FoldSource, PairSetSpec, SchemaSpec, Thresholds
from frtaudit.datasets.cohorts.traits import TrainingShape, Traits
from frtaudit.datasets.pair_rules import Rules, Trait
from frtaudit.datasets.protocols.curated import Curated
from frtaudit.datasets.protocols.sampled import Sampled
from frtaudit.pipeline.audit import Audited

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


RULES = Rules(
    matcher="one",
    trait="hair",
    mated_values=("none", "full"),
    non_mated_values=(("full", "full"),),
    traits={"hair": Trait(column="hair", confidence="hair_confidence", at_least=0.8)},
    mated=24,
    non_mated=24,
    balance="group",
    age="age",
    age_gap=8.0,
    k=3,
)


def curate_spec(**changes: object) -> AuditSpec:
    """A curated set and its random control, with a training set; two systems."""
    cohort = Traits(
        subjects=120,
        dimension=48,
        systems={"one": 0.2, "two": 0.4},
        training={"wild": TrainingShape(identities=60)},
    )
    folds = Folds(source=FoldSource.OFFICIAL, claim=FoldClaim.DISJOINT, overlap=True)
    control = Sampled(mated=24, per_image=3, balance="group", k=3)
    made = spec(
        cohort=cohort,
        protocol=Curated(rules=RULES),
        schemas={"group": SchemaSpec(column="group", classes=("amber", "birch"))},
        thresholds=Thresholds(fmr=()),
        test_sets={"curated": PairSetSpec(folds=folds), "control": PairSetSpec(pairs=control, folds=folds)},
    )
    analyses = {
        "accuracy": Accuracy(deals=20),
        "dataset_card": DatasetCard(),
        "train_test_overlap": TrainTestOverlap(),
    }
    return replace(made, analyses=analyses, **changes)  # type: ignore[arg-type]  # fields of a spec


@cache
def curate_audit() -> Audited:
    """The audit of :func:`curate_spec`."""
    return audit(curate_spec())
