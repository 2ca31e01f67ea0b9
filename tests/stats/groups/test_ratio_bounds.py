"""Tests of frtaudit.stats.groups.ratio_bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles_robustness import every_choice

from frtaudit.stats.groups.ratio_bounds import Pool, largest_ratio, smallest_ratio


@given(seed=st.integers(0, 100_000), limit=st.sampled_from([None, 0, 1, 2]))
def test_extremes_equal_those_of_every_choice(seed: int, limit: int | None) -> None:
    """Smallest and largest ratio are those found by going through all choices, what is taken out included."""
    rng = np.random.default_rng(seed)
    joins = rng.integers(0, 9, 4).astype(float)
    leaves = rng.integers(0, 5, 3).astype(float)
    pools = [
        Pool(errors=np.floor(joins * rng.random(4)), trials=joins, limit=limit),
        Pool(errors=-np.floor(leaves * rng.random(3)), trials=-leaves, limit=2),
    ]
    trials = 40.0
    errors = float(rng.integers(8, 30))
    slow = every_choice(errors, trials, [(pool.errors, pool.trials, pool.limit) for pool in pools])
    assert largest_ratio(errors, trials, pools) == pytest.approx(min(max(slow), 1.0), abs=1e-12)
    assert smallest_ratio(errors, trials, pools) == pytest.approx(max(min(slow), 0.0), abs=1e-12)


def test_with_nothing_of_its_own_the_best_and_worst_single_thing_decide() -> None:
    """A class without comparisons takes the extremes of those who could join it."""
    pool = Pool(errors=np.array([1.0, 3.0, 0.0]), trials=np.array([4.0, 4.0, 0.0]))
    assert largest_ratio(0, 0, [pool]) == 0.75
    assert smallest_ratio(0, 0, [pool]) == 0.25


def test_nothing_at_all_is_no_ratio() -> None:
    """Without a trial anywhere the ratio is NaN."""
    assert np.isnan(largest_ratio(0, 0, []))
    assert np.isnan(smallest_ratio(0, 0, []))


def test_what_may_all_be_taken_out_leaves_nothing_known() -> None:
    """Where a choice could leave no trial the range is all of 0 to 1."""
    pool = Pool(errors=np.array([-1.0, -1.0]), trials=np.array([-5.0, -5.0]), limit=2)
    assert largest_ratio(2, 10, [pool]) == 1.0
    assert smallest_ratio(2, 10, [pool]) == 0.0
