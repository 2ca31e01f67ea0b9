"""Tests of frtaudit.testing.study.misses."""

from frtaudit.stats.intervals.rate_bounds import RateBounds
from frtaudit.testing.study.misses import Claim, Misses, line, missed
from frtaudit.testing.study.sets.one_sided import ERRORS


def test_each_bound_is_held_against_its_own_error() -> None:
    """A count that 1.2 times nominal explains is none; one beyond it is named by side and error."""
    assert not Misses(cohorts=3000, lower=(190, 95, 20, 2), upper=(0, 0, 0, 0)).broken
    beyond = Misses(cohorts=3000, lower=(300, 75, 15, 1), upper=(0, 0, 0, 20))
    assert beyond.broken == ("lower 0.05", "upper 0.0005")


def test_a_truth_outside_the_bounds_is_missed_on_its_side() -> None:
    """Ten errors of a hundred: nothing misses .1, the lower bounds miss 0, the upper ones .9."""
    bounds = RateBounds(rate=0.1, n_eff=100.0, degrees=99.0)
    assert not missed(bounds, 0.1).any()
    assert missed(bounds, 0.0).tolist() == [[1.0] * len(ERRORS), [0.0] * len(ERRORS)]
    assert missed(bounds, 0.9).tolist() == [[0.0] * len(ERRORS), [1.0] * len(ERRORS)]


def test_a_broken_claim_is_marked() -> None:
    """A claim whose exact p is at most 0.001 is said not to hold."""
    made = Claim(scene="s", claim="covers", found=0.05, cohorts=100, limit=0.95, p=1e-9)
    assert line(made) == "s: covers 0.050 of 100 (limit 0.95, p 1e-09): DOES NOT HOLD"
