from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from frtaudit.stats.groups import differentials
from frtaudit.stats.groups.differentials import RateIndex, fdr, garbe, inequity_rate, rate_index

Floats = npt.NDArray[np.float64]

FMR, FNMR = np.array([1e-3, 2e-3, 5e-4, 4e-3]), np.array([0.01, 0.02, 0.03, 0.015])
EQUAL = {RateIndex.MAX_MIN: 1, RateIndex.MAX_GEOMEAN: 1, RateIndex.LOG_GEOMEAN: 0, RateIndex.GINI: 0}
KINDS = list(RateIndex)

positive = hnp.arrays(np.float64, st.integers(2, 6), elements=st.floats(1e-6, 1))


@pytest.mark.parametrize(
    ("kind", "rates", "want"),
    [
        ("max_min", FMR, 8),
        ("max_geomean", FMR, 2.82842712474619),
        ("max_geomean", FNMR, 1.7320508075688772),
        ("log_geomean", FMR, 1.2041199826559248),
        ("log_geomean", FNMR, 0.6020599913279624),
        ("gini", FMR, 0.5111111111111111),
        ("gini", FNMR, 0.2888888888888889),
    ],
)
def test_indices_have_their_golden_values(kind: str, rates: Floats, want: Any) -> None:
    """Worked values of four rates, base-10 logarithms, Gini with G/(G-1)."""
    assert float(rate_index(kind, rates)) == pytest.approx(want, abs=1e-12)


def test_composites_have_their_golden_values() -> None:
    """FDR, inequity rate and GARBE at weight 0.5."""
    assert float(fdr(FMR, FNMR, 0.5)) == pytest.approx(0.98825, abs=1e-12)
    assert float(inequity_rate(FMR, FNMR, 0.5)) == pytest.approx(4.898979485566357, abs=1e-12)
    assert float(garbe(FMR, FNMR, 0.5)) == pytest.approx(0.4, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@given(rates=positive, scale=st.floats(1e-3, 1))
def test_indices_are_scale_invariant(kind: RateIndex, rates: Floats, scale: float) -> None:
    """Rates times a constant have the same index: with n_k = m recentering a fairness index is a no-op."""
    np.testing.assert_allclose(rate_index(kind, rates * scale), rate_index(kind, rates), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@given(rates=positive, order=st.randoms(use_true_random=False))
def test_indices_do_not_depend_on_the_order_of_groups(kind: RateIndex, rates: Floats, order: Random) -> None:
    """Permuted groups have the same index, and groups stack along leading axes."""
    moved = list(rates)
    order.shuffle(moved)
    both = rate_index(kind, np.array([rates, moved]))
    np.testing.assert_allclose(both[0], both[1], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(both[0], rate_index(kind, rates), rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@given(rate=st.floats(1e-9, 1), count=st.integers(2, 6))
def test_equal_rates_give_exactly_no_difference(kind: RateIndex, rate: float, count: int) -> None:
    """Equal positive rates: 1, 1, 0, 0, without rounding; unequal ones lie above."""
    assert rate_index(kind, np.full(count, rate)) == EQUAL[kind]
    unequal = np.full(count, rate)
    unequal[0] *= 0.5
    assert rate_index(kind, unequal) > EQUAL[kind]


@given(rates=positive)
def test_gini_is_the_mean_difference_in_the_unit_interval(rates: Floats) -> None:
    """Gini = mean absolute difference of distinct groups over twice the mean, in [0, 1]."""
    assume(len(rates) > 1)
    gaps = [abs(a - b) for i, a in enumerate(rates) for b in rates[i + 1 :]]
    want = np.mean(gaps) / (2 * rates.mean())
    found = float(rate_index("gini", rates))
    assert found == pytest.approx(want, rel=1e-9, abs=1e-12)
    assert 0 <= found <= 1


@pytest.mark.parametrize(
    ("rates", "want"),
    [
        ([0.0, 0.2], [np.inf, np.inf, np.inf, 1.0]),
        ([0.0, 0.0], [np.nan] * 4),
        ([np.nan, 0.2], [np.nan] * 4),
        ([0.2], [1.0, 1.0, 0.0, np.nan]),
        ([], [np.nan] * 4),
    ],
)
def test_zero_undefined_and_single_rates(rates: Floats, want: Any) -> None:
    """Edge cases of FORMULAS 1, in the order max/min, max/geomean, log-geomean, Gini."""
    np.testing.assert_array_equal([float(rate_index(kind, rates)) for kind in KINDS], want)


def test_composites_at_zero_and_undefined_rates() -> None:
    """FDR stays finite at zero rates; NaN propagates; the inequity rate is NaN before inf."""
    assert fdr([0, 0], [0, 0.2], 0.5) == 0.9
    assert np.isnan(fdr([np.nan, 0], [0, 0.2], 0.5))
    assert np.isnan(fdr([], [], 0.5))
    assert inequity_rate([0, 0.1], [0.1, 0.1], 0.5) == np.inf
    assert inequity_rate([0, 0.1], [0.1, 0.1], 0.0) == np.inf
    assert np.isnan(inequity_rate([0, 0], [0, 0.1], 0.5))
    assert np.isnan(garbe([0, 0], [0, 0.1], 0.5))
    assert garbe([0, 0.1], [0.1, 0.1], 0.5) == 0.5


@given(fmr=hnp.arrays(np.float64, (3, 4), elements=st.floats(1e-6, 1)), weight=st.floats(0, 1))
def test_composites_read_replicates_along_the_last_axis(fmr: Floats, weight: float) -> None:
    """A stack of replicates gives one value each, the same as one by one."""
    fnmr = fmr[::-1]
    for index in (fdr, inequity_rate, garbe):
        stacked = index(fmr, fnmr, weight)
        assert stacked.shape == (3,)
        one_by_one = [float(index(a, b, weight)) for a, b in zip(fmr, fnmr, strict=True)]
        np.testing.assert_allclose(stacked, one_by_one, rtol=1e-12)


def test_an_unknown_index_is_refused() -> None:
    """An index that does not exist is a ValueError that names it."""
    with pytest.raises(ValueError, match="range"):
        differentials.rate_index("range", [0.1, 0.2])
