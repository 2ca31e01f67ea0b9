import itertools

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from frtaudit.stats.intervals import bootstrap_intervals

Floats = npt.NDArray[np.float64]

finite = hnp.arrays(np.float64, st.integers(1, 40), elements=st.floats(-1, 1))
alphas = st.floats(0.001, 0.999)


@given(values=finite, alpha=alphas)
def test_percentile_is_numpys_type_7(values: Floats, alpha: float) -> None:
    """On finite replicates the bounds are NumPy's linear quantiles."""
    low, high = bootstrap_intervals.percentile(values, alpha)
    np.testing.assert_allclose([low, high], np.quantile(values, [alpha / 2, 1 - alpha / 2]), atol=1e-12)
    assert low <= high or alpha == 1


@given(values=finite, stat=st.floats(0, 1), vstat=st.floats(0, 1), alpha=alphas)
def test_recentered_is_naive_shifted_by_the_v_statistic_gap(
    values: Floats, stat: float, vstat: float, alpha: float
) -> None:
    """Recentered = naive + (ROC_n - ROCbar_n), both bounds (FORMULAS 1)."""
    naive = np.array(bootstrap_intervals.percentile(values, alpha))
    shifted = np.array(bootstrap_intervals.recentered(values, stat, vstat, alpha))
    np.testing.assert_allclose(shifted, naive + stat - vstat, atol=1e-12)


@given(value=st.floats(-1e6, 1e6), n=st.integers(1, 50), alpha=alphas)
def test_equal_replicates_give_their_value(value: float, n: int, alpha: float) -> None:
    """All-equal replicates give exactly that value at both bounds, and no Monte Carlo error."""
    values = np.full(n, value)
    assert bootstrap_intervals.percentile(values, alpha) == (value, value)
    assert bootstrap_intervals.mc_error(values, alpha) == 0


def test_infinite_replicates_keep_their_place() -> None:
    """An infinite replicate is an order statistic; a quantile that touches it is infinite."""
    values = np.array([np.inf, *range(1, 40)], dtype=np.float64)
    low, high = bootstrap_intervals.percentile(values, 0.1)
    assert np.isfinite(low)
    assert high == 38.05
    assert bootstrap_intervals.percentile(values, 0.02)[1] == np.inf
    assert bootstrap_intervals.percentile(-values, 0.02)[0] == -np.inf
    assert bootstrap_intervals.percentile(np.full(3, np.inf), 0.5) == (np.inf, np.inf)
    assert bootstrap_intervals.mc_error(values, 0.02) == np.inf


def test_undefined_replicates_are_dropped_up_to_two_percent() -> None:
    """2 of 100 NaN replicates leave the interval of the other 98; 3 of 100 refuse every interval."""
    values = np.arange(100.0)
    values[[3, 50]] = np.nan
    assert bootstrap_intervals.percentile(values, 0.1) == bootstrap_intervals.percentile(
        values[~np.isnan(values)], 0.1
    )
    values[7] = np.nan
    assert bootstrap_intervals.percentile(values, 0.1) is None
    assert bootstrap_intervals.recentered(values, 0.5, 0.4, 0.1) is None
    assert bootstrap_intervals.gaussian(values, 0.5, 0.4, 0.1) is None
    assert np.isnan(bootstrap_intervals.mc_error(values, 0.1))
    assert np.isnan(bootstrap_intervals.normalized_uncertainty(values, 0.5, 0.4))
    assert bootstrap_intervals.percentile(np.array([]), 0.1) is None


def test_a_gap_between_infinities_is_undefined() -> None:
    """Replicates and V-statistic both inf: no gap is defined, no interval given."""
    assert bootstrap_intervals.recentered(np.full(5, np.inf), np.inf, np.inf, 0.1) is None


@given(values=finite, stat=st.floats(0.01, 1), vstat=st.floats(0, 1))
def test_gaussian_is_mean_gap_and_its_deviation(values: Floats, stat: float, vstat: float) -> None:
    """ROC_n + mean(gap) -+ z sd(gap), ddof 1; sd(gap)/ROC_n is the normalized uncertainty."""
    assume(values.size > 1)
    low, high = bootstrap_intervals.gaussian(values, stat, vstat, 0.05)
    gap = values - vstat
    np.testing.assert_allclose((low + high) / 2, stat + gap.mean(), atol=1e-12)
    np.testing.assert_allclose((high - low) / 2, 1.959963984540054 * gap.std(ddof=1), atol=1e-12)
    for ddof in (0, 1):
        found = bootstrap_intervals.normalized_uncertainty(values, stat, vstat, ddof=ddof)
        np.testing.assert_allclose(found, gap.std(ddof=ddof) / stat, atol=1e-12)


def test_gaussian_needs_finite_replicates_and_two_of_them() -> None:
    """Neither an infinite replicate nor a single one has a standard deviation."""
    assert bootstrap_intervals.gaussian(np.array([1.0, np.inf]), 1.0, 1.0, 0.1) is None
    assert bootstrap_intervals.gaussian(np.array([1.0]), 1.0, 1.0, 0.1) is None
    half = stats.norm.ppf(0.95) / np.sqrt(2)  # the deviation of 1 and 2 is sqrt(1/2)
    two = bootstrap_intervals.gaussian(np.array([1.0, 2.0]), 1.0, 1.0, 0.1)
    np.testing.assert_allclose(two, [1.5 - half, 1.5 + half])
    assert bootstrap_intervals.gaussian(np.array([1.0, 2.0]), np.nan, 1.0, 0.1) is None
    assert np.isnan(bootstrap_intervals.normalized_uncertainty(np.array([1.0, 2.0]), 0.0, 1.0))
    assert np.isnan(bootstrap_intervals.normalized_uncertainty(np.array([1.0]), 1.0, 1.0))


@pytest.mark.parametrize("probability", [0.025, 0.1, 0.975])
def test_quantile_error_is_the_spread_of_repeated_bootstraps(probability: float) -> None:
    """The mean error over 400 sets of 500 normal replicates is the quantile's true spread within 15 %.

    The spread is known to 3.5 %, Maritz and Jarrett's estimate is a few per cent too large in the tails; fixed seed.
    """
    sets = np.sort(np.random.default_rng(2).standard_normal((400, 500)))
    spread = np.std([bootstrap_intervals.quantile(one, probability) for one in sets], ddof=1)
    errors = np.mean([bootstrap_intervals._quantile_error(one, probability) for one in sets])
    assert errors / spread == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize(("probability", "rank"), [(0.4, 2), (0.2, 1), (0.7, 4)])
def test_quantile_error_is_that_of_all_resamples(probability: float, rank: int) -> None:
    """Of five values: the spread of the ``rank``-th of a resample, over the 3,125 that there are."""
    values = np.array([0.1, 0.3, 0.35, 1.2, 2.0])
    ranked = [sorted(resample)[rank - 1] for resample in itertools.product(values, repeat=5)]
    assert bootstrap_intervals._quantile_error(values, probability) == pytest.approx(np.std(ranked))


def test_mc_error_is_the_larger_of_both_bounds() -> None:
    """A skewed set of replicates: the bound in the long tail decides, on whichever side."""
    skewed = np.sort(np.random.default_rng(4).exponential(size=400))
    for values in (skewed, np.sort(-skewed)):
        both = [bootstrap_intervals._quantile_error(values, p) for p in (0.05, 0.95)]
        assert bootstrap_intervals.mc_error(values, 0.1) == max(both) > 3 * min(both)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("power", [-900, -3, 900])
def test_mc_error_keeps_every_scale(power: int) -> None:
    """Thresholds are on the scale of the scores, whatever it is: the error scales with them, exactly."""
    values = np.random.default_rng(4).exponential(size=400)
    error = bootstrap_intervals.mc_error(values, 0.1)
    assert bootstrap_intervals.mc_error(np.ldexp(values, power), 0.1) == np.ldexp(error, power) > 0


@given(values=finite, shift=st.floats(-5, 5))
def test_mc_error_does_not_move_with_the_replicates(values: Floats, shift: float) -> None:
    """A shift leaves the Monte Carlo error, so that it serves the recentered interval."""
    moved = bootstrap_intervals.mc_error(values + shift, 0.1)
    np.testing.assert_allclose(moved, bootstrap_intervals.mc_error(values, 0.1), atol=1e-6)


def test_percentile_covers_a_normal_mean() -> None:
    """Bootstrap means of 100 normal values cover the mean in 95 % of 400 sets (false alarms 1e-4)."""
    rng = np.random.default_rng(3)
    hits = 0
    for sample in rng.standard_normal((400, 100)):
        drawn = sample[rng.integers(0, 100, (199, 100))].mean(axis=1)
        low, high = bootstrap_intervals.percentile(drawn, 0.05)
        hits += low <= 0 <= high
    assert stats.binomtest(hits, 400, 0.94).pvalue > 1e-4


def test_monte_carlo_errors_of_moments() -> None:
    """Both errors are the spread of what they are of over many sets of replicates, to a tenth."""
    rng = np.random.default_rng(8)
    sets = rng.gamma(4.0, size=(4000, 300))
    upper = sets.mean(axis=1) + stats.norm.isf(0.025) * sets.std(axis=1, ddof=1)
    error = np.mean([bootstrap_intervals.gaussian_error(drawn, 0.05) for drawn in sets[:400]])
    assert error == pytest.approx(upper.std(), rel=0.1)
    spread = np.mean([bootstrap_intervals.variance_error(drawn) for drawn in sets[:400]])
    assert spread == pytest.approx(sets.var(axis=1).std(), rel=0.15)
    assert np.isnan(bootstrap_intervals.gaussian_error(np.ones(9), 0.05))


def test_monte_carlo_errors_are_the_formulas() -> None:
    """sd/sqrt(B) sqrt(1 + z |skewness| + z^2 (kurtosis - 1)/4), infinite replicates left out; sqrt((m4 - v^2)/B)."""
    values = np.array([0.0, 0.0, 1.0, 3.0, 10.0, np.inf])
    known, z = values[:-1], stats.norm.isf(0.025)
    inner = 1 + z * stats.skew(known) + z**2 * (stats.kurtosis(known, fisher=False) - 1) / 4
    expected = known.std() * np.sqrt(inner / 5)
    for drawn in (values, -values):
        assert bootstrap_intervals.gaussian_error(drawn, 0.05) == pytest.approx(expected)
    assert np.isnan(bootstrap_intervals.gaussian_error(values[-2:], 0.05))
    assert bootstrap_intervals.Moments.of(values).size == 5
    fourth = np.mean((known - 2.8) ** 4)
    assert bootstrap_intervals.variance_error(known) == pytest.approx(
        np.sqrt((fourth - known.var() ** 2) / 5)
    )
