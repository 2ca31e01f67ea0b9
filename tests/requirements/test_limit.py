"""Verdicts are decided on bounds (FORMULAS 8.8)."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core import Estimate, Interval, Method, Target, Verdict
from frtaudit.core.spec import RequirementSpec, Weighting
from frtaudit.requirements.limit import Bench, judge, text_beside

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


def bench(*estimates: Estimate) -> Bench:
    """A bench on which the bounds are those of the estimates themselves."""
    return Bench(
        estimates=estimates,
        bounds=estimates,
        ranked={"group": ("x", "y")},
        alpha=0.05,
        weighting=Weighting.IDENTITY,
    )


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
    (found,) = judge(REQUIREMENT, bench(estimate(interval(low, high))))
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
    (one,) = judge(least, bench(estimate(interval(low, high))))
    (other,) = judge(most, bench(estimate(interval(-high, -low))))
    assert one.verdict is other.verdict


def test_monte_carlo_error_blurs_the_bound() -> None:
    """A bound within three Monte Carlo standard errors of the limit decides nothing."""
    near = interval(0.01, 0.0299, Method.VERTEX, mc_error=0.0001)
    far = interval(0.01, 0.0299, Method.VERTEX, mc_error=0.00001)
    assert judge(REQUIREMENT, bench(estimate(near)))[0].verdict is Verdict.INCONCLUSIVE
    assert judge(REQUIREMENT, bench(estimate(far)))[0].verdict is Verdict.PASS


def test_the_default_method_decides_where_there_are_several() -> None:
    """Wilson's interval goes before a bootstrap one."""
    both = estimate(interval(0.01, 0.05, Method.VERTEX), interval(0.01, 0.02))
    assert judge(REQUIREMENT, bench(both))[0].verdict is Verdict.PASS


def test_no_bounds_is_not_testable() -> None:
    """Withheld intervals, refused values, other targets and constructed thresholds cannot be tested."""
    withheld = estimate(interval(None, None))
    refused = estimate(value=None, numerator=None, denominator=None, note="FMR 1e-9 cannot be resolved")
    fixed = estimate(replace(interval(0.0, 0.01), method=Method.RECENTERED, target=Target.FIXED_IDENTITIES))
    for item in (withheld, refused, fixed):
        (found,) = judge(REQUIREMENT, bench(item))
        assert found.verdict is Verdict.NOT_TESTABLE
        assert found.bound is None
    assert "cannot be resolved" in judge(REQUIREMENT, bench(refused))[0].sentence
    constructed = estimate(interval(0.0, 0.01), metric="fmr")
    (found,) = judge(replace(REQUIREMENT, metric="fmr"), bench(constructed))
    assert "by construction" in found.sentence


def test_each_takes_the_ranked_groups_only() -> None:
    """``each`` judges every ranked class of every schema once, and neither everybody nor ``unknown``."""
    groups = [estimate(interval(0.0, 0.01), schema="group", group=name) for name in ("x", "y", "unknown")]
    found = judge(replace(REQUIREMENT, group="each"), bench(estimate(interval(0.0, 0.01)), *groups))
    assert [item.estimate for item in found] == ["/estimates/1", "/estimates/2"]


def test_nothing_estimated_is_said() -> None:
    """A requirement on a number that the audit does not make is not testable, with a sentence."""
    (found,) = judge(replace(REQUIREMENT, at={"fmr": 0.5}), bench(estimate(interval(0.0, 0.01))))
    assert (found.verdict, found.estimate) == (Verdict.NOT_TESTABLE, None)


@given(st.floats(1e-9, 1), st.floats(1e-9, 1))
def test_rounding_never_crosses_the_limit(value: float, limit: float) -> None:
    """What is printed stands on the same side of the limit as the number."""
    shown = float(text_beside(value, limit))
    assert (shown > limit) == (value > limit)
    assert (shown < limit) == (value < limit)


def test_diagnostics_never_decide() -> None:
    """Two-level replicates count noise twice and the published plug-in is no default: neither gives a verdict (8.2)."""
    made = estimate(interval(0.01, 0.02, Method.TWO_LEVEL), interval(0.01, 0.02, Method.WILSON_PLUGIN))
    assert judge(REQUIREMENT, bench(made))[0].verdict is Verdict.NOT_TESTABLE


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
    assert judge(asked, bench(made))[0].verdict is verdict
