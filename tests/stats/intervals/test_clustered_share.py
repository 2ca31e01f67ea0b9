"""Shares that come in subjects (FORMULAS 8.1)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from frtaudit.stats.intervals import clustered_share
from frtaudit.stats.intervals.rate_bounds import RateBounds, Score


def share_interval(errors: np.ndarray, trials: np.ndarray) -> Score | None:
    """The interval at 95 %."""
    bounds = clustered_share.share_bounds(errors, trials)
    return None if bounds is None else bounds.interval(0.05)


counts = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 6)), min_size=2, max_size=40)


@given(counts)
def test_interval_holds_the_share(parts: list[tuple[int, int]]) -> None:
    """The interval lies in [0, 1] and holds the estimate, whatever the counts."""
    errors = np.array([min(wrong, size) for wrong, size in parts])
    trials = np.array([size for _, size in parts])
    found = share_interval(errors, trials)
    share = errors.sum() / trials.sum()
    assert found is not None
    assert -1e-12 <= found.low <= share <= found.high <= 1 + 1e-12
    assert found.high > 0


def test_variance_is_that_of_the_mean_when_sizes_are_equal() -> None:
    """One trial each: the usual variance of a mean."""
    errors = np.array([1, 0, 0, 1, 1])
    expected = errors.var(ddof=1) / errors.size
    assert abs(clustered_share.share_variance(errors, np.ones(5, int)) - expected) < 1e-15


def test_nothing_tried_has_no_interval() -> None:
    """Without trials there is no interval; one subject says nothing of others."""
    assert share_interval(np.array([0]), np.array([0])) is None
    alone = share_interval(np.array([0]), np.array([4]))
    assert alone is not None
    assert (alone.low, alone.high) == (0.0, 1.0)
    assert clustered_share.share_bounds(np.array([0]), np.array([4])) == RateBounds(
        rate=0.0, n_eff=0.0, degrees=1.0
    )
    assert clustered_share.share_variance(np.array([1]), np.array([1])) == np.inf
    assert clustered_share.share_variance(np.array([1, 0]), np.array([1, 1])) == 0.25


def test_coverage_of_clustered_failures() -> None:
    """Nominal 0.95 covers at least 0.93 of 400 cohorts; seed fixed, false alarm below 1e-4 at true 0.95."""
    rng = np.random.default_rng(11)
    hits, runs, subjects, size = 0, 400, 60, 5
    for _ in range(runs):
        own = rng.beta(0.6, 5.4, subjects)
        found = share_interval(rng.binomial(size, own), np.full(subjects, size))
        assert found is not None
        hits += found.low <= 0.1 <= found.high
    assert binomtest(hits, runs, 0.95, alternative="less").pvalue > 1e-4


def test_the_effective_number_is_that_of_the_variance() -> None:
    """P (1 - p) over the variance of the share, where ten subjects err and the design effect is above 1."""
    errors, trials = np.repeat([6, 1, 0], [12, 10, 78]), np.full(100, 8)
    bounds = clustered_share.share_bounds(errors, trials)
    assert bounds is not None
    rate = errors.sum() / trials.sum()
    expected = rate * (1 - rate) / clustered_share.share_variance(errors, trials)
    assert bounds.n_eff == pytest.approx(expected)
    assert expected < trials.sum() / 2


def test_few_failures_of_many_subjects_are_nearly_independent() -> None:
    """From ten subjects with failures the design effect is estimated: one each of twelve is no cluster of ten."""
    bounds = clustered_share.share_bounds(np.repeat([1, 0], [12, 88]), np.full(100, 10))
    assert bounds is not None
    assert bounds.n_eff > 900
    few = clustered_share.share_bounds(np.repeat([1, 0], [9, 91]), np.full(100, 10))
    assert few is not None
    assert few.n_eff == 100
    enough = clustered_share.share_bounds(np.repeat([1, 0], [10, 90]), np.full(100, 10))
    assert enough is not None
    assert enough.n_eff > 900


def test_upper_bound_of_subjects_tried_unequally_often() -> None:
    """Where one subject in twenty has 60 trials and the rest two, it misses in at most 0.06 of 2,000 cohorts.

    One subject in twenty fails at 0.95, and these may all be of two trials. Seed fixed; it alarms at p <= 0.001.
    """
    rng, runs, truth = np.random.default_rng(12), 2000, 0.05 * 0.95
    trials = np.where(np.arange(200) % 20 == 0, 60, 2)
    missed = 0
    for _ in range(runs):
        errors = rng.binomial(trials, np.where(rng.random(200) < 0.05, 0.95, 0.0))
        bounds = clustered_share.share_bounds(errors, trials)
        assert bounds is not None
        missed += bounds.high(0.05) < truth
    assert binomtest(missed, runs, 0.06, alternative="greater").pvalue > 1e-3


def test_subjects_that_were_never_tried_change_nothing() -> None:
    """They count neither as subjects nor as trials."""
    errors, trials = np.array([0, 1, 0, 2]), np.array([3, 4, 1, 5])
    with_others = clustered_share.share_bounds(np.append(errors, [0, 0]), np.append(trials, [0, 0]))
    assert with_others == clustered_share.share_bounds(errors, trials)


def test_one_trial_each_is_independent() -> None:
    """Nobody can err twice: each trial counts as one."""
    bounds = clustered_share.share_bounds(np.zeros(50, np.int64), np.ones(50, np.int64))
    assert bounds is not None
    assert bounds.n_eff == 50


def test_a_subject_of_most_trials_does_not_fail_a_true_limit() -> None:
    """One tried 5,000 times among 50 tried once: its own share is no bound of the others'."""
    rng, trials, above = np.random.default_rng(3), np.array([5000, *[1] * 50]), 0
    for _ in range(300):
        errors = rng.binomial(trials, rng.beta(1.8, 4.2, trials.size))
        bounds = clustered_share.share_bounds(errors, trials)
        assert bounds is not None
        above += bounds.low(0.05) > 0.3
    assert binomtest(above, 300, 0.05, alternative="greater").pvalue > 1e-3
