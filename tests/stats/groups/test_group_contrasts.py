"""Simultaneous intervals of indices (FORMULAS 8.6)."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.stats.groups import group_contrasts
from frtaudit.stats.groups.differentials import rate_index
from frtaudit.stats.groups.group_contrasts import Box

KINDS = ("max_min", "max_geomean", "log_geomean", "gini")


def drawn(rates: np.ndarray, spread: float, seed: int, n: int = 400) -> np.ndarray:
    """Replicates around the rates on the log scale."""
    noise = np.random.default_rng(seed).standard_normal((n, rates.size))
    return rates * np.exp(spread * noise)


def box_of(lows: list[float], widths: list[float]) -> Box:
    """A rectangle of positive rates."""
    low = np.array(lows)
    return Box(low=low, high=low * (1 + np.array(widths)), critical=2.0)


rates_of_groups = st.integers(2, 5).flatmap(
    lambda size: st.tuples(
        st.lists(st.floats(0.01, 0.4), min_size=size, max_size=size),
        st.lists(st.floats(0.0, 2.0), min_size=size, max_size=size),
        st.lists(st.floats(0.0, 1.0), min_size=size, max_size=size),
    )
)


@given(rates_of_groups, st.sampled_from(KINDS))
def test_range_holds_every_point_of_the_box(parts: tuple[list[float], ...], kind: str) -> None:
    """No vector of rates inside the rectangle has an index outside the range."""
    box = box_of(parts[0], parts[1])
    found = group_contrasts.index_range(lambda rates: rate_index(kind, rates), box)
    inside = box.low + np.array(parts[2]) * (box.high - box.low)
    value = float(rate_index(kind, inside))
    assert found is not None
    assert found[0] <= value * (1 + 1e-6) + 1e-9
    assert value <= found[1] * (1 + 1e-9) + 1e-9


def test_overlapping_rectangle_reaches_equality() -> None:
    """Where one common rate fits every group, the smallest ratio is 1."""
    box = Box(low=np.array([0.1, 0.2, 0.15]), high=np.array([0.3, 0.4, 0.25]), critical=2.0)
    found = group_contrasts.index_range(lambda rates: rate_index("max_min", rates), box)
    assert found is not None
    assert abs(found[0] - 1.0) < 1e-12


def test_too_many_groups_are_refused() -> None:
    """Corners are enumerated only up to twelve groups."""
    many = np.full(group_contrasts.MAX_GROUPS + 1, 0.1)
    assert (
        group_contrasts.index_range(lambda rates: rates.max(axis=-1), Box(low=many, high=many, critical=1.0))
        is None
    )


def test_zero_rate_has_no_log() -> None:
    """A zero rate gives neither ratios nor a rectangle."""
    rates = np.array([0.0, 0.1])
    assert group_contrasts.log_ratios(rates, drawn(np.array([0.1, 0.1]), 0.1, 1), 0.05) is None
    assert group_contrasts.log_box(rates, drawn(np.array([0.1, 0.1]), 0.1, 1), 0.05) is None


def test_constant_replicates_have_no_interval() -> None:
    """Without spread there is nothing to studentise."""
    rates = np.array([0.1, 0.2])
    same = np.tile(rates, (50, 1))
    assert group_contrasts.log_ratios(rates, same, 0.05) is None
    assert group_contrasts.log_box(rates, same, 0.05) is None


def test_undefined_replicates_beyond_two_percent_refuse() -> None:
    """More than 2 % of replicates with a zero rate: no interval."""
    rates = np.array([0.1, 0.2])
    replicates = drawn(rates, 0.1, 3)
    replicates[:20, 0] = 0.0
    assert group_contrasts.log_ratios(rates, replicates, 0.05) is None


def test_pairs_are_exhaustive() -> None:
    """The interval of max/min equals the one made pair by pair."""
    rates = np.array([0.1, 0.2, 0.15])
    replicates = drawn(rates, 0.2, 5)
    logs, centre = np.log(replicates), np.log(rates)
    gaps, errors, sizes = [], [], []
    for first in range(3):
        for second in range(3):
            if first != second:
                gap = logs[:, first] - logs[:, second]
                sizes.append(centre[first] - centre[second])
                errors.append(gap.std(ddof=1))
                gaps.append(np.abs(gap - sizes[-1]) / errors[-1])
    critical = np.quantile(np.max(gaps, axis=0), 0.95)
    lows = np.array(sizes) - critical * np.array(errors)
    highs = np.array(sizes) + critical * np.array(errors)
    found = group_contrasts.log_ratios(rates, replicates, 0.05)
    assert found is not None
    np.testing.assert_allclose(found, np.exp([max(0.0, lows.max()), highs.max()]))


def test_split_gives_back_the_parts() -> None:
    """FMR and FNMR made simultaneous together come apart again."""
    box = Box(low=np.array([1.0, 2.0, 3.0]), high=np.array([2.0, 3.0, 4.0]), critical=2.5)
    first, second = group_contrasts.split(box, 1)
    assert first.low.tolist() == [1.0]
    assert second.high.tolist() == [3.0, 4.0]


def test_gap_of_one_group_is_zero() -> None:
    """One group differs from nobody."""
    assert group_contrasts.gap_range(Box(low=np.array([0.1]), high=np.array([0.2]), critical=2.0)) == (
        0.0,
        0.0,
    )
