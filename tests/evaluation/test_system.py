"""One system that is audited. Tests also protocols, by which plug-ins take part."""

from dataclasses import replace

import pytest
from small_audits import interval, put, spec, system_of

from frtaudit.core import Method, Target
from frtaudit.core.spec import Plan
from frtaudit.evaluation.intervals import PLAN_OF
from frtaudit.evaluation.system import DEFAULT_INTERVALS, POOLED, WEIGHTINGS
from frtaudit.pipeline.components import load_providers


def test_everybody_comes_first() -> None:
    """Index 0 is everybody, index g + 1 the g-th group."""
    assert system_of().every_group() == [(0, None, "all"), (1, "group", "x"), (2, "group", "y")]


def test_classes_are_those_that_are_compared() -> None:
    """The classes of a schema carry their groups; one that is not ranked, and another schema, are left out."""
    system = system_of()
    assert system.classes("group") == [(1, "x"), (2, "y")]
    assert system.classes("other") == []
    fewer = replace(system, groups=replace(system.groups, ranked=(False, True)))
    assert fewer.classes("group") == [(2, "y")]


def test_the_spec_decides_about_intervals() -> None:
    """The spec's intervals are used, in its order; without any, three defaults: Wilson, vertex, recentered."""
    wanted = (interval("naive", "fixed_identities"), interval("wilson", "population"))
    assert put(spec(intervals=wanted), "two").intervals == wanted
    assert system_of().intervals == DEFAULT_INTERVALS
    assert [item.method.value for item in DEFAULT_INTERVALS] == ["wilson", "vertex", "recentered"]


def test_methods_are_drawn_by_plans_that_serve_their_target() -> None:
    """Methods for these identities resample images; methods for the population resample subjects too."""
    for method, plan in PLAN_OF.items():
        fixed = Target.FIXED_IDENTITIES in method.serves
        assert (plan is Plan.IMAGES) == fixed
    assert WEIGHTINGS[POOLED].value == "pooled"
    assert Method.WILSON_IID not in PLAN_OF


def test_a_trial_knows_its_cohort() -> None:
    """The cohort audited is the material's."""
    system = system_of()
    assert system.cohort is system.cohort_data.cohort
    assert system.cohort.n_subjects == 24


@pytest.mark.parametrize("provider", ["one", "two"])
def test_providers_offer_what_a_trial_asks(provider: str) -> None:
    """A registered provider has a name, a range, recommended thresholds with a version, failures and scores."""
    system = system_of(provider)
    (offered,) = [item for item in load_providers(system.spec, system.cohort_data) if item.name == provider]
    assert offered.score_range == (-1.0, 1.0) == system.tail.score_range
    assert dict(offered.recommended) == {}
    assert offered.thresholds_version is None
    assert system.failed == offered.failed(system.cohort_data, 0)
