"""The plan of a spec: which sections it allows, and what it refuses."""

from dataclasses import replace

import pytest
from small_audits import spec

from frtaudit.config.load import load_spec
from frtaudit.core.spec import RequirementSpec, Thresholds
from frtaudit.errors import SpecError
from frtaudit.planning.plan import check, plan
from frtaudit.planning.values import Plan, Settings, with_stand_in

REQUIREMENTS = (
    RequirementSpec(name="each", metric="fnmr_at_fmr", limit=0.3, at={"fmr": 0.1}, group="each"),
    RequirementSpec(name="index", metric="max_min", limit=1.5, group="max"),
)
SPEC = spec(requirements=REQUIREMENTS)


def names(found: Plan) -> list[str]:
    return [section.name for section in found.sections]


def test_data_allow_every_section() -> None:
    """With data each provider is a pilot; without scoring the pilots are missing and nothing else moves."""
    whole, bare = plan(SPEC, Settings()), plan(SPEC, Settings(scores=False))
    assert names(bare) == [
        "settings",
        "cohort",
        "resolution",
        "requirement",
        "ratio",
        "unplanned",
        "resamples",
    ]
    assert names(whole) == [*names(bare), *["pilot", "pilot_ratio", "classes"] * 2]
    assert whole.sections[: len(bare.sections)] == bare.sections


def test_family_counts_requirements_groups_and_systems() -> None:
    """Two groups and one index, two systems: six verdicts."""
    section = plan(SPEC, Settings(scores=False)).sections[-1]
    assert section.rows[0][:3] == (6, 0.05, 119)


def test_sizes_need_no_data() -> None:
    """A cohort given by its size is not loaded; a spec need not be named; an unresolved target is a row, no error."""
    made = load_spec(with_stand_in(["thresholds.fmr=[1e-6]"]))
    found = plan(made, Settings(subjects=50, samples=2, limits={"fnmr": 0.01, "fmr": 1e-6}))
    assert names(found) == ["settings", "cohort", "resolution", "requirement", "requirement", "resamples"]
    assert found.sections[2].rows[0][2] == "refused"
    unresolved = plan(spec(thresholds=Thresholds(fmr=(1e-5,))), Settings(scores=False))
    assert unresolved.sections[2].rows[0][2] == "refused"


def test_the_same_plan_again() -> None:
    """Planning twice gives the same sections, pilots included."""
    assert plan(SPEC, Settings()).to_json() == plan(SPEC, Settings()).to_json()


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (["audit=demo"], ["cohort=synthetic", "audit=demo"]),
        (["cohort=scores", "cohort.root=x", "seed=3"], ["audit=templates", "cohort=synthetic", "seed=3"]),
    ],
)
def test_stand_in_takes_the_place_of_the_cohort(words: list[str], kept: list[str]) -> None:
    """What is said of the cohort falls away; a named audit stays."""
    assert with_stand_in(words) == kept


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        (Settings(power=1.0), "--power: found 1; accepted: a number between 0 and 1, both excluded"),
        (Settings(ratio=1.0), "--ratio: found 1; accepted: a number above 1"),
        (
            Settings(expected={"fnr": 0.1}),
            "--expected: no rate is named 'fnr'; accepted: fmr, fnmr, fta, far, frr",
        ),
        (
            Settings(limits={"fmr": 1.5}),
            "--limit: found fmr=1.5; accepted: a rate between 0 and 1, both excluded",
        ),
        (Settings(deff={"fmr": 0.5}), "--deff: found fmr=0.5; accepted: 1 (independent comparisons) or more"),
        (Settings(subjects=1, samples=2), "--subjects: found 1; accepted: 2 or more"),
        (
            Settings(subjects=9),
            "--samples: no value, but --subjects is given; accepted: how many samples each subject has",
        ),
        (Settings(samples=0.5), "--samples: found 0.5; accepted: 1 or more"),
    ],
)
def test_bad_settings_are_one_line(settings: Settings, line: str) -> None:
    """A setting that no plan can have is refused with its option, what was found, and what is accepted."""
    with pytest.raises(SpecError) as caught:
        check(settings)
    assert str(caught.value) == line


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        (
            Settings(samples=4, limits={"fnmr": 0.01, "fta": 0.1}, deff={"fmr": 3}),
            "--deff: fmr=3 changes nothing: this plan has no limit on FMR; accepted: fnmr, fta, or --limit fmr=X",
        ),
        (
            Settings(samples=4, expected={"fmr": 1e-5}),
            "--expected: fmr=1e-05 changes nothing: this plan has no limit on FMR; accepted: --limit fmr=X",
        ),
        (
            Settings(scores=False, limits={"fta": 0.01}, deff={"frr": 2}),
            "--deff: frr=2 changes nothing: this plan has no limit on FRR; accepted: fta, or --samples M --limit frr=X",
        ),
    ],
)
def test_a_setting_that_changes_nothing_is_one_line(settings: Settings, line: str) -> None:
    """An expected rate or a design effect of a rate without a limit is refused, and taken with one."""
    bare = spec(requirements=(), schemas={}, thresholds=Thresholds(fmr=()))
    with pytest.raises(SpecError) as caught:
        plan(bare, settings)
    assert str(caught.value) == f"{line} as well"
    rate = next(iter({**settings.expected, **settings.deff}))
    plan(bare, replace(settings, samples=4, limits={**settings.limits, rate: 0.1}))


def test_transactions_and_a_ratio_that_change_nothing_are_one_line() -> None:
    """Transactions without a limit on FRR, and a ratio without groups, are refused, and taken with them."""
    bare = spec(requirements=(), schemas={}, thresholds=Thresholds(fmr=()))
    with pytest.raises(SpecError) as caught:
        plan(bare, Settings(samples=4, limits={"fnmr": 0.01}, transactions=5))
    text = "5 changes nothing: this plan has no limit on FRR by size; accepted: --limit frr=X as well"
    assert str(caught.value) == f"--transactions: {text}"
    plan(bare, Settings(samples=4, limits={"frr": 0.01}, transactions=5))
    with pytest.raises(SpecError, match="accepted: --samples M --limit frr=X as well"):
        plan(bare, Settings(scores=False, transactions=5))
    with pytest.raises(SpecError) as caught:
        plan(bare, Settings(samples=4, ratio=3.0))
    text = "3 changes nothing: this plan has no groups; accepted: a spec with schemas of two classes or more"
    assert str(caught.value) == f"--ratio: {text}"
    plan(spec(requirements=()), Settings(samples=4, ratio=3.0))


def test_a_rate_of_compared_groups_needs_no_limit() -> None:
    """With groups, FMR and FNMR are compared between them: what is given of both changes the plan."""
    bare = spec(requirements=(), thresholds=Thresholds(fmr=(0.01,)))
    for given in ({"deff": {"fmr": 3}}, {"expected": {"fnmr": 0.02}}, {"expected": {"fmr": 0.02}}):
        assert plan(bare, Settings(scores=False, **given)) != plan(bare, Settings(scores=False))
    with pytest.raises(SpecError, match="--deff: fnmr=3 changes nothing"):
        plan(bare, Settings(scores=False, deff={"fnmr": 3}))


def test_a_design_effect_of_one_is_accepted() -> None:
    """Independent comparisons are a design effect of 1, which is allowed."""
    check(Settings(deff={"fmr": 1.0}))
