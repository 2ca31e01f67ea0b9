from dataclasses import replace

import pytest
from small_audits import interval, put, spec, trial_of

from frtaudit.core import Method, Target
from frtaudit.core.spec import Plan
from frtaudit.evaluation.intervals import PLAN_OF
from frtaudit.evaluation.system import DEFAULT_INTERVALS, POOLED, WEIGHTINGS
from frtaudit.pipeline.components import load_providers


def test_everybody_comes_first() -> None:
    """Tag 0 is everybody, tag g + 1 the g-th group."""
    assert trial_of().tags() == [(0, None, "all"), (1, "group", "x"), (2, "group", "y")]


def test_classes_are_those_that_are_compared() -> None:
    """The classes of a schema carry their tags; one that is not ranked, and another schema, are left out."""
    trial = trial_of()
    assert trial.classes("group") == [(1, "x"), (2, "y")]
    assert trial.classes("other") == []
    fewer = replace(trial, groups=replace(trial.groups, ranked=(False, True)))
    assert fewer.classes("group") == [(2, "y")]


def test_the_spec_decides_about_intervals() -> None:
    """The spec's intervals are used, in its order; without any, three defaults: Wilson, vertex, recentered."""
    wanted = (interval("naive", "fixed_identities"), interval("wilson", "population"))
    assert put(spec(intervals=wanted), "two").intervals == wanted
    assert trial_of().intervals == DEFAULT_INTERVALS
    assert [item.method.value for item in DEFAULT_INTERVALS] == ["wilson", "vertex", "recentered"]


def test_methods_are_drawn_by_plans_that_serve_their_target() -> None:
    """Methods for these identities resample images; methods for the population resample subjects too."""
    for method, plan in PLAN_OF.items():
        fixed = Target.FIXED_IDENTITIES in method.serves
        assert (plan is Plan.IMAGES) == fixed
    assert WEIGHTINGS[POOLED].value == "pooled"
    assert Method.WILSON_IID not in PLAN_OF


def test_a_trial_knows_its_cohort() -> None:
    """The cohort on trial is the material's."""
    trial = trial_of()
    assert trial.cohort is trial.material.cohort
    assert trial.cohort.n_subjects == 24


@pytest.mark.parametrize("provider", ["one", "two"])
def test_providers_offer_what_a_trial_asks(provider: str) -> None:
    """A registered provider has a name, a range, recommended thresholds with a version, failures and scores."""
    trial = trial_of(provider)
    (system,) = [item for item in load_providers(trial.spec, trial.material) if item.name == provider]
    assert system.score_range == (-1.0, 1.0) == trial.tail.score_range
    assert dict(system.recommended) == {}
    assert system.thresholds_version is None
    assert trial.failed == system.failed(trial.material, 0)
