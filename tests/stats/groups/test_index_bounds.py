"""Tests of frtaudit.stats.groups.index_bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.stats.groups import differentials
from frtaudit.stats.groups.differentials import RateIndex, rate_index
from frtaudit.stats.groups.group_contrasts import Box
from frtaudit.stats.groups.index_bounds import composite_range, index_range


def boxes(seed: int, groups: int) -> tuple[np.ndarray, np.ndarray]:
    """A random rectangle of rates, some of its low ends 0."""
    rng = np.random.default_rng(seed)
    low = rng.random(groups) * rng.choice([0.0, 1.0], groups, p=[0.2, 0.8])
    return low, low + rng.random(groups) * rng.choice([0.0, 0.5])


@given(seed=st.integers(0, 100_000), groups=st.integers(2, 4), kind=st.sampled_from(list(RateIndex)))
def test_no_rates_in_the_rectangle_pass_the_extremes(seed: int, groups: int, kind: RateIndex) -> None:
    """Of 400 vectors of rates within the rectangle, and a grid of it, none gives an index beyond the bounds."""
    low, high = boxes(seed, groups)
    rng = np.random.default_rng(seed + 1)
    drawn = low + rng.random((400, groups)) * (high - low)
    levels = np.clip(np.geomspace(1e-6, 2, 300)[:, None], low, high)
    index = np.asarray(rate_index(kind, np.concatenate([drawn, levels])))
    known = index[~np.isnan(index)]
    found = index_range(kind, low, high)
    if known.size:
        assert found is not None
        assert found[0] <= known.min() + 1e-12
        assert found[1] >= known.max() - 1e-12


@given(seed=st.integers(0, 100_000), kind=st.sampled_from(list(RateIndex)))
def test_the_smallest_value_is_reached(seed: int, kind: RateIndex) -> None:
    """A fine grid of levels comes within its step of the smallest value: the bound is no looser than it must be."""
    low, high = boxes(seed, 3)
    low = np.maximum(low, 0.01)
    high = np.maximum(low, high)
    levels = np.clip(np.geomspace(0.005, 2, 4000)[:, None], low, high)
    found = index_range(kind, low, high)
    assert found is not None
    assert found[0] == pytest.approx(float(np.min(rate_index(kind, levels))), abs=5e-3)


def test_a_point_has_one_value() -> None:
    """Where nothing is uncertain both ends are the index itself."""
    rates = np.array([0.1, 0.3, 0.2])
    for kind in RateIndex:
        assert index_range(kind, rates, rates) == pytest.approx([float(rate_index(kind, rates))] * 2)


@given(seed=st.integers(0, 100_000), metric=st.sampled_from(["fdr", "inequity_rate", "garbe"]))
def test_indices_of_both_rates_stay_within_their_range(seed: int, metric: str) -> None:
    """Rates drawn within both rectangles give no index beyond its bounds."""
    ends = [boxes(seed + turn, 3) for turn in (0, 1)]
    rng = np.random.default_rng(seed + 2)
    fmr, fnmr = (low + rng.random((200, 3)) * (high - low) for low, high in ends)
    index = getattr(differentials, metric)(fmr, fnmr, 0.3)
    first, second = (Box(low=low, high=high, critical=0.0) for low, high in ends)
    found = composite_range(metric, first, second, 0.3)
    known = index[~np.isnan(index)]
    if known.size:
        assert found is not None
        assert found[0] <= known.min() + 1e-12
        assert found[1] >= known.max() - 1e-12


def test_what_cannot_be_bounded_is_none() -> None:
    """One group, 13 groups, or a rate that is not known have no range; nor have composites of them."""
    one, many, open_end = np.array([0.1]), np.full(13, 0.1), np.array([0.1, np.nan])
    assert index_range("gini", one, one) is None
    assert index_range("gini", many, many) is None
    assert index_range("gini", many[:12], many[:12]) == pytest.approx((0, 0))
    assert index_range("gini", open_end, open_end) is None
    assert index_range("gini", np.zeros(2), np.zeros(2)) is None
    box = Box(low=one, high=one, critical=0.0)
    assert composite_range("garbe", box, box, 0.5) is None
