import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from frtaudit.testing import ScoredCohort, coverage, invariance, monotonicity, tally
from frtaudit.testing.strategies import scored_cohorts

Z = float(stats.norm.isf(0.025))


def interval_of_mean(run: int) -> tuple[float, float]:
    """The z-interval of a mean of ten normals."""
    mean = float(np.random.default_rng([8, run]).standard_normal(10).mean())
    return mean - Z / np.sqrt(10), mean + Z / np.sqrt(10)


def test_an_honest_interval_holds() -> None:
    """The z-interval holds its nominal level: with seed 8, and falsely refused with probability 0.001 at most."""
    assert coverage(interval_of_mean, 0.0, runs=1000, floor=0.95).holds


def test_a_narrow_interval_is_refused_and_its_misses_are_counted_apart() -> None:
    """Half the width covers two thirds: refused; misses on both sides add up with the hits."""

    def narrow(run: int) -> tuple[float, float]:
        low, high = interval_of_mean(run)
        return (low + high) / 2 - (high - low) / 4, (low + high) / 2 + (high - low) / 4

    found = coverage(narrow, 0.0, runs=1000, floor=0.95)
    assert not found.holds
    assert found.lower_misses > 100 < found.upper_misses
    assert found.covered + found.lower_misses + found.upper_misses == 1000
    assert found.error == pytest.approx(np.sqrt(found.share * (1 - found.share) / 1000))


def test_intervals_withheld_are_no_hits() -> None:
    """A run without interval counts among the runs alone; none given at all holds nothing."""
    some = tally([0.0, np.nan], [1.0, np.nan], [0.5, 0.5], floor=0.5)
    assert (some.runs, some.given, some.covered, some.holds) == (2, 1, 1, True)
    none = coverage(lambda _: None, 0.0, runs=3, floor=0.1)
    assert not none.holds
    assert np.isnan(none.share)


@given(scored_cohorts())
def test_a_pooled_rate_is_invariant(cohort: ScoredCohort) -> None:
    """FNMR by group passes all changes: its names follow the groups'."""

    def fnmr(one: ScoredCohort) -> dict[str, float]:
        i, j = np.triu_indices(len(one.subjects), k=1)
        mated = one.subjects[i] == one.subjects[j]
        found = {}
        for name in np.unique(one.groups).tolist():
            chosen = one.scores[i, j][mated & (one.groups[i] == name)]
            found[name] = float(np.mean(chosen <= 0.5)) if chosen.size else np.nan
        return found

    assert invariance(fnmr, cohort, np.random.default_rng(0)) == ()


def test_dependence_on_order_or_names_is_named() -> None:
    """Each harmful dependence is caught under its name."""
    rng = np.random.default_rng(1)
    scores = rng.random((4, 4))
    cohort = ScoredCohort(
        scores=scores + scores.T,
        subjects=np.array(["s", "s", "t", "u"]),
        groups=np.array(["a", "a", "b", "b"]),
    )
    first = invariance(lambda one: {"x": float(one.scores[0, 1])}, cohort, np.random.default_rng(2))
    assert first == ("samples in another order",)
    kept = invariance(lambda one: {"a": float("a" in one.groups)}, cohort, np.random.default_rng(3))
    assert kept == ("groups renamed",)
    lopsided = ScoredCohort(scores=scores, subjects=cohort.subjects, groups=cohort.groups)
    upper = invariance(
        lambda one: {"x": float(np.triu(one.scores).sum())}, lopsided, np.random.default_rng(4)
    )
    assert "both orders of each pair exchanged" in upper


def test_a_fall_is_found_where_a_rise_was_claimed() -> None:
    """The first offending neighbours are returned; equal values offend neither claim."""
    assert monotonicity(lambda x: -((x - 2) ** 2), [0, 1, 2, 3]) == (2, 3)
    assert monotonicity(lambda _: 1.0, [0, 1, 2]) is None
    assert monotonicity(lambda x: -x, [0, 1, 2], rising=False) is None


def test_what_no_check_can_judge_is_refused() -> None:
    """A truth of NaN, bounds in the wrong order or of another number; arrays of two bounds are taken."""
    with pytest.raises(ValueError, match="^the truth is NaN"):
        tally([0.1], [0.9], np.nan, floor=0.9)
    with pytest.raises(ValueError, match="^run 1: low 0.9 is above high 0.1"):
        tally([0.1, 0.9], [0.9, 0.1], 0.5, floor=0.9)
    with pytest.raises(ValueError, match=r"shapes \(2,\) and \(1,\)"):
        tally([0.1, 0.2], [0.9], 0.5, floor=0.9)
    with pytest.raises(ValueError, match=r"^run 0: the interval has shape \(3,\)"):
        coverage(lambda _: (0.0, 0.5, 1.0), 0.5, runs=2, floor=0.9)
    assert coverage(lambda _: np.array([0.0, 1.0]), 0.5, runs=2, floor=0.9).covered == 2


def test_a_bound_of_nan_is_not_monotone() -> None:
    """The pair that has it is returned, whichever way is claimed."""
    bounds = {1: 5.0, 2: np.nan, 3: 1.0}
    for rising in (True, False):
        assert monotonicity(bounds.__getitem__, [1, 2, 3], rising=rising) == (1, 2)
