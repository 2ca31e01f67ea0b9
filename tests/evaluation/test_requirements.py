"""Verdicts on bounds, failures among all of them (FORMULAS 8.8, 8.9). Tests requirement_findings, family_size too."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from frtaudit.core import Estimate, Finding, Interval, Method, Target, Verdict
from frtaudit.core.findings import exit_code, verdict_counts
from frtaudit.core.methods import Sided
from frtaudit.core.spec import RequirementSpec, Weighting
from frtaudit.evaluation.family_size import directions, planned
from frtaudit.evaluation.interclass import largest
from frtaudit.evaluation.intervals import from_bounds
from frtaudit.evaluation.requirement_findings import alone
from frtaudit.evaluation.requirements import (
    ADJUSTED_BLURRED,
    BLURRED,
    JudgementContext,
    judge,
)
from frtaudit.stats.intervals.rate_bounds import RateBounds, p_above

LIMIT = 0.03


def interval(
    low: float | None, high: float | None, method: Method = Method.WILSON, **extra: object
) -> Interval:
    """A population interval at one-sided level 0.95."""
    note = None if low is not None else "too few errors"
    return Interval(
        low=low, high=high, level=0.9, method=method, target=Target.POPULATION, note=note, **extra
    )


def estimate(*intervals: Interval, **changes: object) -> Estimate:
    """FNMR at FMR 1e-3 of one system."""
    base = Estimate(
        provider="a",
        analysis="error_rates",
        metric="fnmr_at_fmr",
        schema=None,
        group="all",
        weighting="identity",
        at={"fmr": 0.001},
        value=0.02,
        numerator=20,
        denominator=1000,
        unit="share of comparisons",
        intervals=intervals,
    )
    return replace(base, **changes)


def context(*estimates: Estimate) -> JudgementContext:
    """A bench on which the bounds are those of the estimates themselves."""
    return JudgementContext(
        estimates=estimates,
        ranked={"group": ("x", "y")},
        alpha=0.05,
        weighting=Weighting.IDENTITY,
    )


def judge_one(requirement: RequirementSpec, where: JudgementContext) -> tuple[Finding, ...]:
    """The findings of one requirement."""
    return judge([requirement], where)


def smooth(rate: float, n_eff: float, subjects: int = 50, **changes: object) -> Estimate:
    """An estimate with Wilson's interval at any level."""
    made = from_bounds(RateBounds(rate=rate, n_eff=n_eff, degrees=subjects - 1), 0.05)
    return estimate(made, value=rate, **changes)


REQUIREMENT = RequirementSpec(name="r", metric="fnmr_at_fmr", at={"fmr": 0.001}, limit=LIMIT)


@pytest.mark.parametrize(
    ("low", "high", "verdict", "bound"),
    [
        (0.01, 0.03, Verdict.PASS, 0.03),
        (0.0301, 0.05, Verdict.FAIL, 0.0301),
        (0.03, 0.05, Verdict.INCONCLUSIVE, 0.05),
        (0.01, 0.0300001, Verdict.INCONCLUSIVE, 0.0300001),
    ],
)
def test_the_bound_decides(low: float, high: float, verdict: Verdict, bound: float) -> None:
    """Pass on the upper bound, fail on the lower one, inconclusive between; the estimate never decides."""
    (found,) = judge([REQUIREMENT], context(estimate(interval(low, high))))
    assert (found.verdict, found.bound, found.bound_level, found.estimate) == (
        verdict,
        bound,
        0.95,
        "/estimates/0",
    )


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_at_least_mirrors_at_most(first: float, second: float, limit: float) -> None:
    """Turning rates and limit round turns no verdict."""
    low, high = sorted((first, second))
    least = replace(REQUIREMENT, limit=limit)
    most = replace(least, sense=">=", limit=-limit)
    (one,) = judge([least], context(estimate(interval(low, high))))
    (other,) = judge([most], context(estimate(interval(-high, -low))))
    assert one.verdict is other.verdict


def test_monte_carlo_error_blurs_the_bound() -> None:
    """A bound within three Monte Carlo standard errors of the limit decides nothing."""
    near = interval(0.01, 0.0299, Method.VERTEX, mc_error=0.0001)
    far = interval(0.01, 0.0299, Method.VERTEX, mc_error=0.00001)
    (blurred,) = judge([REQUIREMENT], context(estimate(near)))
    assert blurred.verdict is Verdict.INCONCLUSIVE
    assert blurred.sentence.endswith(f": {BLURRED}.")
    assert judge([REQUIREMENT], context(estimate(far)))[0].verdict is Verdict.PASS


def test_a_failure_that_monte_carlo_error_blurs_after_adjustment_says_so() -> None:
    """The bound at the level of the finding alone breaks the limit, "at least"; after adjustment it lies too near."""
    beyond = interval(0.0301, 0.05, Method.VERTEX, mc_error=0.0005)
    (blurred,) = judge([REQUIREMENT], context(estimate(beyond)))
    assert blurred.verdict is Verdict.INCONCLUSIVE
    assert blurred.is_broken_alone
    assert not blurred.fails_unadjusted
    assert blurred.bound is not None
    assert blurred.bound >= 0.03
    assert " it is at least 3.0" in blurred.sentence
    assert blurred.sentence.endswith(f"(p 0.0500, 0.0500 among 1 finding): {ADJUSTED_BLURRED}.")
    assert alone(blurred).sentence == blurred.sentence.replace(" (p 0.0500, 0.0500 among 1 finding)", "")


def test_the_default_method_decides_where_there_are_several() -> None:
    """Wilson's interval goes before a bootstrap one."""
    both = estimate(interval(0.01, 0.05, Method.VERTEX), interval(0.01, 0.02))
    assert judge([REQUIREMENT], context(both))[0].verdict is Verdict.PASS


def test_no_bounds_is_not_testable() -> None:
    """Withheld intervals, refused values, other targets and constructed thresholds cannot be tested."""
    withheld = estimate(interval(None, None))
    refused = estimate(value=None, numerator=None, denominator=None, note="FMR 1e-9 cannot be resolved")
    fixed = estimate(replace(interval(0.0, 0.01), method=Method.RECENTERED, target=Target.FIXED_IDENTITIES))
    for item in (withheld, refused, fixed):
        (found,) = judge([REQUIREMENT], context(item))
        assert found.verdict is Verdict.NOT_TESTABLE
        assert found.bound is None
    assert "cannot be resolved" in judge([REQUIREMENT], context(refused))[0].sentence
    constructed = estimate(interval(0.0, 0.01), metric="fmr")
    (found,) = judge_one(replace(REQUIREMENT, metric="fmr"), context(constructed))
    assert "by construction" in found.sentence


def test_each_takes_the_ranked_groups_only() -> None:
    """``each`` judges every ranked class of every schema once, and neither everybody nor ``unknown``."""
    groups = [estimate(interval(0.0, 0.01), schema="group", group=name) for name in ("x", "y", "unknown")]
    found = judge_one(replace(REQUIREMENT, group="each"), context(estimate(interval(0.0, 0.01)), *groups))
    assert [item.estimate for item in found] == ["/estimates/1", "/estimates/2"]


def test_nothing_estimated_is_said() -> None:
    """A requirement on a number that the audit does not make is not testable, with a sentence."""
    (found,) = judge_one(replace(REQUIREMENT, at={"fmr": 0.5}), context(estimate(interval(0.0, 0.01))))
    assert (found.verdict, found.estimate) == (Verdict.NOT_TESTABLE, None)


def test_a_finding_is_a_sentence_in_the_report_s_style() -> None:
    """Rates in percent, on their side of the limit; the group by its label; for whom the bound holds."""
    found = smooth(0.0102, 4000, schema="skin_tone", group="x", numerator=1020, denominator=100_000)
    each = replace(REQUIREMENT, group="each")
    where = replace(context(found), ranked={"skin_tone": ("x",)}, labels={"skin_tone": {"x": "Type X"}})
    assert judge_one(each, where)[0].sentence == (
        "a: FNMR of skin tone Type X at FMR 0.1 % is 1.02 % (each subject weighted equally; 1,020 of 100,000); with "
        "95 % confidence it is at most 1.33 % for the population of the test subjects, which "
        "meets the limit of at most 3 %."
    )
    broken = judge_one(replace(each, limit=0.001, sided=Sided.TWO), where)[0].sentence
    assert "; with 95 % two-sided confidence it is at least 0.7" in broken
    assert "which breaks the limit of at most 0.1 % (p < 0.001, < 0.001 among 1 finding)." in broken
    near = judge_one(REQUIREMENT, context(estimate(interval(0.01, 0.0300001))))[0].sentence
    assert "at most 3.00001 % for" in near
    index = smooth(0.3, 50, metric="gini", at={"rate": "fnmr"}, unit="index", schema="group", weighting=None)
    sentence = judge_one(
        replace(each, metric="gini", at={"rate": "fnmr"}, group="all", limit=2.0), context(index)
    )
    assert sentence[0].sentence.startswith("a: Gini coefficient of FNMR by group is 0.300 (")
    assert sentence[0].sentence.endswith("which meets the limit of at most 2.")


def test_diagnostics_never_decide() -> None:
    """Two-level replicates count noise twice and the published plug-in is no default: neither gives a verdict (8.2)."""
    made = estimate(interval(0.01, 0.02, Method.TWO_LEVEL), interval(0.01, 0.02, Method.WILSON_PLUGIN))
    assert judge([REQUIREMENT], context(made))[0].verdict is Verdict.NOT_TESTABLE


@pytest.mark.parametrize(
    ("metric", "chosen", "group", "verdict"),
    [
        ("fmr", "fmr=0.001", "all", Verdict.NOT_TESTABLE),
        ("fnmr", "fnmr=0.1", "all", Verdict.NOT_TESTABLE),
        ("fnmr", "fmr=0.001", "all", Verdict.PASS),
        ("fmr", "fmr=0.001", "x", Verdict.PASS),
    ],
)
def test_a_rate_that_chose_the_threshold_is_not_testable(
    metric: str, chosen: str, group: str, verdict: Verdict
) -> None:
    """At a grid threshold read off these data the rate that it was read off is constructed, other rates are not."""
    at = {"threshold": 0.41, "source": "same_data", "name": chosen}
    made = estimate(interval(0.0, 0.01), metric=metric, at=at, group=group)
    asked = replace(REQUIREMENT, metric=metric, at={"threshold": 0.41}, group=group)
    assert judge([asked], context(made))[0].verdict is verdict


@pytest.mark.parametrize(
    ("asked", "verdict"),
    [
        ({"name": "gate"}, Verdict.PASS),
        ({"threshold": 0.41}, Verdict.PASS),
        ({"threshold": 0.41, "name": "gate"}, Verdict.PASS),
        ({"threshold": 0.41, "source": "file"}, Verdict.PASS),
        ({"name": "door"}, Verdict.NOT_TESTABLE),
        ({"source": "file"}, Verdict.NOT_TESTABLE),
    ],
)
def test_a_threshold_from_elsewhere_is_found_by_its_value_or_its_name(
    asked: dict[str, float | str], verdict: Verdict
) -> None:
    """A name alone is enough, with or without where it came from; another name, or that alone, is not."""
    at = {"threshold": 0.41, "source": "file", "name": "gate"}
    made = estimate(interval(0.0, 0.01), metric="fmr", at=at)
    found = judge([replace(REQUIREMENT, metric="fmr", at=asked, group="all")], context(made))
    assert found[0].verdict is verdict


def test_a_name_alone_is_that_of_a_threshold_from_elsewhere() -> None:
    """Both are called after an FMR target: the other cohort's is judged, that of these data is not taken for it."""
    other, own = (
        estimate(
            interval(0.0, 0.01), metric="fnmr", at={"threshold": value, "source": source, "name": "fmr=0.01"}
        )
        for value, source in ((0.41, "other_cohort"), (0.43, "same_data"))
    )
    asked = replace(REQUIREMENT, metric="fnmr", at={"name": "fmr=0.01"}, group="all")
    found = judge([asked], context(other, own))
    assert [(finding.verdict, finding.family) for finding in found] == [(Verdict.PASS, 1)]


def test_a_threshold_of_two_names_is_one_finding() -> None:
    """A grid value that a file names too is judged once, so that a failure is not adjusted for itself."""
    own = smooth(0.05, 1000, metric="fmr", at={"threshold": 0.45})
    named = replace(own, at={"threshold": 0.45, "source": "file", "name": "vendor"})
    chosen = replace(own, at={"threshold": 0.45, "source": "same_data", "name": "fmr=0.05"})
    by_value = replace(REQUIREMENT, metric="fmr", limit=0.038, at={"threshold": 0.45})
    (alone,) = judge([by_value], context(own))
    assert alone.verdict is Verdict.FAIL
    assert alone.p is not None
    assert 0.025 < alone.p < 0.05
    for several in ((own, named), (named, own), (chosen, named)):
        (found,) = judge([by_value], context(*several))
        assert (found.verdict, found.p, found.p_adjusted, found.family) == (Verdict.FAIL, alone.p, alone.p, 1)
        assert found.estimate != f"/estimates/{[*several, chosen].index(chosen)}"
    by_name = replace(by_value, at={"threshold": 0.45, "name": "vendor"})
    assert [finding.estimate for finding in judge([by_name], context(own, named))] == ["/estimates/1"]
    groups = [replace(named, schema="group", group=name) for name in ("x", "y")]
    assert len(judge([replace(by_value, group="each")], context(*groups))) == 2


rates = st.lists(st.floats(0.001, 0.2), min_size=1, max_size=5)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(rates, st.floats(50, 5000))
def test_failures_are_holms(values: list[float], n_eff: float) -> None:
    """The adjusted p values are statsmodels' Holm of the tests of FORMULAS 8.1; a failure is one at or below alpha."""
    groups = [
        smooth(value, n_eff, schema="group", group="x", provider=f"v{i}") for i, value in enumerate(values)
    ]
    found = judge_one(replace(REQUIREMENT, group="each"), context(*groups))
    capped = [float(p_above(value, n_eff, 49, LIMIT)) for value in values]
    expected = multipletests(capped, method="holm")[1]
    for item, one, all_of in zip(found, capped, expected, strict=True):
        assert item.p == pytest.approx(one, rel=1e-5, abs=1e-12)
        assert item.p_adjusted == pytest.approx(all_of, rel=1e-5, abs=1e-10)
        assert item.family == len(values)
        assert (item.verdict is Verdict.FAIL) == (item.p_adjusted is not None and item.p_adjusted <= 0.05)
        if item.verdict is Verdict.FAIL:
            assert item.bound is not None
            assert item.bound > LIMIT
        assert item.fails_unadjusted == (one <= 0.05 < (item.p_adjusted or 0))


def test_a_pass_does_not_depend_on_the_family() -> None:
    """A pass, its bound and every raw p stay when other findings join the family; a failure may not."""
    alone = judge_one(REQUIREMENT, context(smooth(0.01, 2000), smooth(0.036, 4000, provider="b")))
    others = [smooth(0.031, 2000, provider=f"c{i}") for i in range(9)]
    beside = judge_one(REQUIREMENT, context(smooth(0.01, 2000), smooth(0.036, 4000, provider="b"), *others))
    assert alone[0].verdict is beside[0].verdict is Verdict.PASS
    assert (alone[0].bound, alone[0].p) == (beside[0].bound, beside[0].p)
    assert alone[1].verdict is Verdict.FAIL
    assert beside[1].verdict is Verdict.INCONCLUSIVE
    assert (alone[1].p, beside[1].fails_unadjusted) == (beside[1].p, True)
    assert "fails unadjusted" in beside[1].sentence
    assert beside[1].bound is not None
    assert beside[1].bound > LIMIT


def test_two_sided_requirements_spend_alpha_twice() -> None:
    """A two-sided requirement doubles p and reads its bounds at half of alpha."""
    one, two = (
        judge_one(replace(REQUIREMENT, sided=sided), context(smooth(0.036, 4000)))[0] for sided in Sided
    )
    assert two.p == pytest.approx(2 * (one.p or 0), rel=1e-6)
    assert judge_one(replace(REQUIREMENT, sided=Sided.TWO), context(smooth(0.01, 2000)))[
        0
    ].bound == pytest.approx(RateBounds(rate=0.01, n_eff=2000, degrees=49).high(0.025))


def test_the_family_is_declared() -> None:
    """Its size is requirements x groups x systems, and what cannot be tested keeps its place."""
    each = replace(REQUIREMENT, group="each")
    assert planned([REQUIREMENT, each], {"group": ("x", "y"), "age": ("a", "b", "c")}, 3) == 3 + 15
    assert planned([replace(each, schema="age")], {"group": ("x", "y"), "age": ("a", "b", "c")}, 2) == 6
    thin = estimate(interval(None, None), provider="b")
    found = judge_one(REQUIREMENT, context(smooth(0.036, 4000), thin))
    assert [item.family for item in found] == [2, 2]
    assert found[0].p_adjusted == pytest.approx(2 * (found[0].p or 0))
    assert (found[1].p, found[1].p_adjusted) == (None, None)


@pytest.mark.parametrize(
    ("metric", "at", "group", "count"),
    [("max_min", {"rate": "fnmr"}, "all", 1), ("garbe", {}, "all", 1), ("d_l2", {}, "max", 1)],
)
def test_what_a_schema_has_one_of_is_planned_for_each(
    metric: str, at: dict[str, str], group: str, count: int
) -> None:
    """Without a schema the family holds the index of every schema; d_l2 is that of quantile space."""
    spaces = ("quantile", "tar") if metric == "d_l2" else (None,)
    requirement = RequirementSpec(name="r", metric=metric, at=at, group=group, limit=0.5)
    ranked = {"sex": ("f", "m"), "age": ("o", "y")}
    made = [
        smooth(0.1, 100, metric=metric, schema=schema, group=group, at={**at, **({"space": s} if s else {})})
        for schema in ranked
        for s in spaces
    ]
    found = judge([requirement], replace(context(*made), ranked=ranked))
    assert planned([requirement], ranked, 1) == len(found) == count * len(ranked)
    assert planned([replace(requirement, schema="sex")], ranked, 1) == count


def test_a_schema_that_is_named_is_the_one_that_is_judged() -> None:
    """FMR within classes has a row within all schemas too: it is judged where no schema is named, and planned."""
    requirement = RequirementSpec(name="r", metric="fmr_same_class", at={"fmr": 0.001}, limit=0.5)
    ranked = {"sex": ("f", "m"), "age": ("o", "y")}
    made = [smooth(0.1, 100, metric="fmr_same_class", schema=schema) for schema in (*ranked, None)]
    every = replace(context(*made), ranked=ranked)
    assert planned([requirement], ranked, 1) == len(judge([requirement], every)) == 3
    alone = replace(requirement, schema="age")
    assert [finding.estimate for finding in judge([alone], every)] == ["/estimates/1"]
    assert planned([alone], ranked, 1) == 1
    none = planned([requirement], {}, 1), len(judge([requirement], replace(every, ranked={}, estimates=())))
    assert none == (1, 1)
    of_all = context(smooth(0.1, 100))
    assert (
        len(judge([replace(requirement, metric="fnmr_at_fmr", schema="age")], replace(of_all, ranked=ranked)))
        == 1
    )


def test_what_two_analyses_estimate_is_judged_once() -> None:
    """Of two estimates of the same distance the one with an interval is judged, wherever it stands."""
    requirement = RequirementSpec(name="r", metric="d_l2", at={"space": "tar"}, group="max", limit=0.5)
    bounded = smooth(0.1, 100, metric="d_l2", schema="sex", group="max", at={"space": "tar"})
    bare = replace(bounded, intervals=())
    for made in ((bare, bounded), (bounded, bare)):
        (found,) = judge([requirement], replace(context(*made), ranked={"sex": ("f", "m")}))
        assert found.estimate == f"/estimates/{made.index(bounded)}"
        assert found.verdict is Verdict.PASS
        assert "d_l2 by sex in TAR space is" in found.sentence


def test_what_holds_for_all_comparisons_is_not_judged_on_the_folds_too() -> None:
    """A requirement on EER is one finding; on the folds' pairs where it says so, or where nothing else has it."""
    requirement = RequirementSpec(name="r", metric="eer", limit=0.1)
    of_all = estimate(metric="eer", weighting="pooled", at={})
    of_folds = replace(of_all, analysis="accuracy", at={"pairs": "folds"})
    both = context(of_folds, of_all)
    assert [finding.estimate for finding in judge([requirement], both)] == ["/estimates/1"]
    assert planned([requirement], {}, 1) == len(judge([requirement], both))
    asked = replace(requirement, at={"pairs": "folds"})
    for one, where in ((asked, both), (requirement, context(of_folds))):
        assert [finding.estimate for finding in judge([one], where)] == ["/estimates/0"]


def test_a_class_of_two_schemas_is_planned_in_both() -> None:
    """A class named without its schema is judged wherever it stands."""
    requirement = replace(REQUIREMENT, group="other")
    assert planned([requirement], {"sex": ("f", "other"), "age": ("o", "other"), "c": ("d",)}, 1) == 2


def test_two_sided_requirements_have_two_directions() -> None:
    """Their smallest p is 2/(B+1), so that twice as many replicates are needed."""
    assert directions([REQUIREMENT]) == 1
    assert directions([REQUIREMENT, replace(REQUIREMENT, sided=Sided.TWO)]) == 2


def people(value: float, pairs: int, n_eff: float) -> Estimate:
    """An FMR of a cohort with so many pairs of people, at a fixed threshold."""
    bounds = RateBounds(rate=value, n_eff=n_eff, degrees=99, pair=1 / pairs)
    made = from_bounds(bounds, 0.05, pairs=float(pairs))
    return estimate(
        made,
        value=value,
        metric="fmr",
        at={"threshold": 0.5},
        numerator=round(value * 1e6),
        denominator=10**6,
    )


def test_too_few_people_cannot_show_a_small_rate() -> None:
    """FORMULAS 8.18: "pass" is not testable below -ln(a) w, and the sentence says how many people it takes."""
    asked = RequirementSpec(name="r", metric="fmr", at={"threshold": 0.5}, limit=1e-4)
    (found,) = judge_one(asked, context(people(0.0, 4950, 1e6)))
    assert found.verdict is Verdict.NOT_TESTABLE
    assert "too few subjects" in found.sentence
    assert "246 subjects or more are needed" in found.sentence
    (enough,) = judge_one(asked, context(people(0.0, 246 * 245 // 2, 1e6)))
    assert enough.verdict is Verdict.PASS
    (broken,) = judge_one(asked, context(people(0.01, 4950, 1e5)))
    assert broken.verdict is Verdict.FAIL
    (mirrored,) = judge_one(replace(asked, sense=">="), context(people(0.0, 4950, 1e6)))
    assert mirrored.verdict is Verdict.INCONCLUSIVE


def test_a_strict_limit_is_broken_by_the_limit_itself() -> None:
    """``<`` passes below the limit only, and fails from it on; ``<=`` passes at it and fails above it."""
    strict = replace(REQUIREMENT, strict=True)
    at_it, below, from_it = ((0.01, LIMIT), (0.01, 0.0299), (LIMIT, 0.05))
    found = [judge_one(strict, context(estimate(interval(*bounds))))[0] for bounds in (at_it, below, from_it)]
    assert [item.verdict for item in found] == [Verdict.INCONCLUSIVE, Verdict.PASS, Verdict.FAIL]
    assert "the limit of less than 3 %" in found[0].sentence


def test_a_level_of_its_own_and_both_readings() -> None:
    """The upper end of a two-sided 80 % interval is a one-sided 90 % bound; the one-sided 80 % one stands beside it."""
    requirement = replace(REQUIREMENT, level=0.8, sided=Sided.TWO)
    bounds = RateBounds(rate=0.02, n_eff=1000.0, degrees=49.0)
    (found,) = judge_one(requirement, context(smooth(0.02, 1000.0)))
    assert (found.verdict, found.bound_level) == (Verdict.PASS, pytest.approx(0.8))
    assert (found.bound, found.other_bound) == (
        pytest.approx(bounds.high(0.1)),
        pytest.approx(bounds.high(0.2)),
    )
    (loose,) = judge_one(replace(requirement, sided=Sided.ONE), context(smooth(0.02, 1000.0)))
    assert (loose.bound, loose.other_bound) == (
        pytest.approx(bounds.high(0.2)),
        pytest.approx(bounds.high(0.1)),
    )


def test_the_bound_that_kept_an_interval_beyond_its_limit_from_failing_is_stored() -> None:
    """The largest of six classes has the interval of one class; its one-sided bound is adjusted for the choice."""
    parts = [from_bounds(RateBounds(rate=0.06, n_eff=200.0, degrees=49.0), 0.05) for _ in range(6)]
    chosen = largest(parts)
    assert chosen.low is not None
    assert chosen.one_sided is not None
    adjusted = chosen.one_sided(0.05).low
    assert adjusted is not None
    assert adjusted < LIMIT < chosen.low
    judged = estimate(replace(chosen, p_value=None), value=0.06)
    (finding,) = judge_one(REQUIREMENT, context(judged))
    assert (finding.verdict, finding.near_bound) == (Verdict.INCONCLUSIVE, adjusted)
    (far,) = judge_one(
        replace(REQUIREMENT, limit=0.05), context(judged)
    )  # the interval itself holds the limit
    assert (far.verdict, far.near_bound) == (Verdict.INCONCLUSIVE, None)


def test_a_stricter_level_beside_a_looser_one_keeps_its_step() -> None:
    """Each requirement fails by Holm at its own level, whatever the others are held to."""
    found = smooth(0.06, 400.0)
    requirements = [replace(REQUIREMENT, name=str(level), level=level) for level in (0.8, 0.9999999)]
    first, second = judge(requirements, context(found))
    assert (first.verdict, second.verdict) == (Verdict.FAIL, Verdict.INCONCLUSIVE)
    assert first.p_adjusted == second.p_adjusted
    assert first.bound_level == pytest.approx(0.9)  # of 0.2 over two findings


def test_an_advisory_requirement_fails_nothing() -> None:
    """Its finding says what was found, and counts as no failure."""
    findings = judge_one(replace(REQUIREMENT, advisory=True), context(estimate(interval(0.04, 0.05))))
    assert findings[0].verdict is Verdict.FAIL
    assert (findings[0].advisory, {*verdict_counts(findings).values()}) == (True, {0})
    assert exit_code(verdict_counts(judge_one(REQUIREMENT, context(estimate(interval(0.04, 0.05)))))) == 3


@pytest.mark.parametrize(
    ("value", "measured", "word"), [(0.02, True, "meets"), (0.031, False, "does not meet")]
)
def test_as_measured_stands_beside_the_verdict(value: float, measured: bool, word: str) -> None:
    """The estimate is held against the limit too, and the sentence says why; the verdict is the bound's."""
    read = replace(REQUIREMENT, as_measured=True)
    (found,) = judge_one(
        read, context(estimate(interval(0.01, 0.05), value=value, numerator=None, denominator=None))
    )
    assert (found.verdict, found.measured) == (Verdict.INCONCLUSIVE, measured)
    assert found.sentence.endswith(f" As measured it {word} the limit: the source sets no statistical rule.")


def test_what_a_threshold_sets_is_not_measured() -> None:
    """FMR at its own target meets it by construction: no reading of it is printed."""
    asked = replace(REQUIREMENT, metric="fmr", as_measured=True)
    (found,) = judge_one(asked, context(estimate(interval(0.0, 0.01), metric="fmr")))
    assert (found.verdict, found.measured) == (Verdict.NOT_TESTABLE, None)


@pytest.mark.parametrize(
    ("minimum", "reason"),
    [
        ({"subjects": 245}, "it asks for 245 subjects, and these are 50"),
        ({"comparisons": 30_000}, "it asks for 30,000 comparisons, and these are 1,000"),
        (
            {"subjects": 245, "comparisons": 30_000},
            "it asks for 30,000 comparisons, and these are 1,000; for 245 subjects, and these are 50.",
        ),
        ({"transactions": 1}, "it counts transactions, and this audit counts comparisons"),
    ],
)
def test_too_small_is_not_testable(minimum: dict[str, int], reason: str) -> None:
    """A minimum size that the data miss makes a requirement not testable, whatever they show."""
    where = replace(context(estimate(interval(0.0, 0.001))), subjects={(None, "all"): 50})
    (found,) = judge_one(replace(REQUIREMENT, minimum=minimum), where)
    assert found.verdict is Verdict.NOT_TESTABLE
    assert reason in found.sentence
    enough = replace(REQUIREMENT, minimum={"subjects": 50, "comparisons": 1000})
    assert judge_one(enough, where)[0].verdict is Verdict.PASS


def test_of_names_the_rate_of_a_ratio() -> None:
    """``of: fnmr_at_fmr`` reads the ratio whose ``at`` says fnmr, and no other."""
    ratios = [
        estimate(interval(0.8, 1.1), metric="ratio_to_overall", schema="group", group="x", value=1.0, numerator=None,
                 denominator=None, at={"fmr": 0.001, "rate": rate})
        for rate in ("fmr", "fnmr")
    ]  # fmt: skip
    asked = replace(REQUIREMENT, metric="ratio_to_overall", of="fnmr_at_fmr", group="each", limit=1.25)
    found = judge_one(asked, context(*ratios))
    assert [item.estimate for item in found] == ["/estimates/1"]
    assert found[0].sentence.startswith("a: ratio to overall of FNMR of group x at FMR 0.1 % is 1.00")
