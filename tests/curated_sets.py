"""Rules for a small set, and a synthetic cohort that they suit."""

from dataclasses import replace
from functools import cache

from frtaudit.core import CohortData
from frtaudit.core.spec import SchemaSpec
from frtaudit.datasets.cohorts.traits import Traits
from frtaudit.datasets.pair_rules import Rules, Trait

SCHEMAS = {"group": SchemaSpec(column="group", classes=("amber", "birch"))}
HAIR = Trait(column="hair", confidence="hair_confidence", at_least=0.8)
LIGHT = Trait(column="exposure", tail=30.0, tails={"birch": 35.0})
BASE = Rules(
    matcher="m",
    trait="hair",
    mated_values=("none", "full"),
    non_mated_values=(("full", "full"),),
    traits={"hair": HAIR, "light": LIGHT},
    mated=80,
    non_mated=80,
    balance="group",
    age="age",
    k=4,
)
EXPOSURE = replace(
    BASE,
    trait="light",
    mated_values=("low", "high"),
    non_mated_values=(("high", "high"), ("low", "low")),
    only={"hair": "none"},
    mated=24,
    non_mated=48,
    age_gap=6.0,
)


@cache
def cohort_data(seed: int = 0, subjects: int = 300) -> CohortData:
    """A cohort with traits, some samples under wrong names."""
    source = Traits(subjects=subjects, samples_per_subject=(4, 8), mislabelled=0.02, systems={"m": 0.2})
    return replace(source.load(SCHEMAS, seed), seed=seed)
