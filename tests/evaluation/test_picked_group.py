"""The picked group's interval (FORMULAS 8.19)."""

import numpy as np
import pytest
from scipy import stats

from frtaudit.core import Estimate
from frtaudit.core.spec import Weighting
from frtaudit.evaluation.intervals import from_bounds
from frtaudit.evaluation.picked_group import METRIC, highest
from frtaudit.stats.intervals.rate_bounds import RateBounds

RANKED = {"age": ("old", "young", "other")}
ALPHA = 0.05


def rate(group: str, value: float | None, provider: str = "a", **changes: object) -> Estimate:
    """FNMR of a group at FMR 0.1 %, of 400 effective comparisons."""
    bounds = None if value is None else RateBounds(rate=value, n_eff=400.0, degrees=60)
    fields = {
        "provider": provider,
        "analysis": "error_rates",
        "metric": "fnmr_at_fmr",
        "schema": "age",
        "group": group,
        "weighting": "pooled",
        "at": {"fmr": 0.001},
        "value": value,
        "numerator": None,
        "denominator": None,
        "unit": "share of comparisons",
        "intervals": () if bounds is None else (from_bounds(bounds, ALPHA),),
        "note": "nothing" if value is None else None,
        **changes,
    }
    return Estimate(**fields)  # type: ignore[arg-type]  # fields of one estimate


def picked(*found: Estimate) -> list[Estimate]:
    """What is picked of them."""
    return list(highest(found, RANKED, Weighting.POOLED, ALPHA))


def test_the_highest_of_all_that_were_searched_is_picked() -> None:
    """Groups and systems together: level 1 - alpha/(G S); other weightings, groups and points take no part."""
    aside = (
        rate("old", 0.9, weighting="identity"),
        rate("unknown", 0.9),
        rate("old", 0.9, at={"threshold": 0.5}),
        rate("young", None),
    )
    (found,) = picked(
        rate("old", 0.02), rate("young", 0.03), rate("old", 0.05, "b"), rate("other", 0.04), *aside
    )
    assert (found.metric, found.provider, found.group, found.value) == (METRIC, "b", "old", 0.05)
    assert found.at == {"fmr": 0.001, "rate": "fnmr_at_fmr", "searched": 4.0}
    (made,) = found.intervals
    expected = RateBounds(rate=0.05, n_eff=400.0, degrees=60).interval(ALPHA / 4)
    assert (made.low, made.high) == (expected.low, expected.high)
    assert made.level == pytest.approx(1 - ALPHA / 4)


@pytest.mark.parametrize("error", [0.05, 0.01])
def test_bounds_at_another_level_allow_for_the_search_too(error: float) -> None:
    """One-sided bounds at a are those of one rate at a/m, again and again; p is m times that of one rate."""
    ((made,),) = [
        item.intervals for item in picked(rate("old", 0.02), rate("young", 0.03), rate("other", 0.05))
    ]
    plain = RateBounds(rate=0.05, n_eff=400.0, degrees=60)
    assert made.one_sided is not None
    for found in (made.one_sided(error), made.one_sided(0.2).one_sided(error)):  # type: ignore[misc]  # it has one
        assert (found.low, found.high) == (plain.low(error / 3), plain.high(error / 3))
    assert made.p_value is not None
    assert made.p_value(0.03, "<=") == pytest.approx(3 * plain.p_above(0.03))
    assert made.p_value(0.049, "<=") == 1


def test_a_group_of_one_person_may_be_picked_and_nothing_is_known_of_it() -> None:
    """Small groups are not left out (8.19), and of one person's comparisons no bound follows (8.1)."""
    alone = from_bounds(RateBounds(rate=1.0, n_eff=0.0, degrees=1), ALPHA)
    (found,) = picked(rate("old", 0.02), rate("young", 1.0, numerator=1, denominator=1, intervals=(alone,)))
    (made,) = found.intervals
    assert (found.group, made.low, made.high) == ("young", 0.0, 1.0)


def test_one_group_is_not_picked() -> None:
    """Where there is nothing to search, nothing is picked."""
    assert picked(rate("old", 0.02)) == []


@pytest.mark.parametrize("groups", [2, 6, 12])
def test_the_picked_interval_covers(groups: int) -> None:
    """Equal binomial groups: covers at least .94 of 2,000 draws (alarm 1e-3); at the plain level twelve do not."""
    rng, truth, n, runs = np.random.default_rng(groups), 0.05, 400, 2000
    most = rng.binomial(n, truth, (runs, groups)).max(axis=1) / n
    held = {}
    for level in (ALPHA / groups, ALPHA):
        made = [RateBounds(rate=float(value), n_eff=n, degrees=1e6).interval(level) for value in most]
        held[level] = sum(item.low <= truth <= item.high for item in made)
    assert stats.binomtest(held[ALPHA / groups], runs, 0.94, alternative="less").pvalue > 1e-3
    if groups == 12:
        assert stats.binomtest(held[ALPHA], runs, 0.94, alternative="less").pvalue < 1e-3
