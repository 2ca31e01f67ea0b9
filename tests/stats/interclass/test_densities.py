import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from frtaudit.stats.interclass.densities import density, improved_sheather_jones, omnibus, subject_means

GRID = np.linspace(0, 100, 2001)


def test_the_bandwidth_agrees_with_an_independent_one() -> None:
    """Within half a percent of KDEpy's root of the same equation, read on the scale that it was solved on.

    KDEpy 1.1.12 gives 1.684360 and 0.670988 for these data: it solves on a grid of (data range + 2 max(6, half of it))
    and multiplies the root by the data range alone. Multiplied by the grid's range they are the numbers below; on
    normal data those are close to the best bandwidth, and KDEpy's are half of it.
    """
    rng = np.random.default_rng(0)
    one = 10 * rng.normal(size=(500, 1)).ravel() + 50
    two = np.concatenate([rng.normal(20, 3, 300), rng.normal(70, 8, 200)])
    assert improved_sheather_jones(one, 0, 100) == pytest.approx(3.368720, rel=5e-3)
    assert improved_sheather_jones(two, 0, 100) == pytest.approx(1.341976, rel=5e-3)


@pytest.mark.parametrize("n", [500, 4000])
def test_normal_scores_get_nearly_the_best_bandwidth(n: int) -> None:
    """For a normal density the mean over ten samples is within 8 % of 1.06 sd n^(-1/5)."""
    found = [improved_sheather_jones(np.random.default_rng(s).normal(50, 9, n), 0, 100) for s in range(10)]
    assert np.mean([one for one in found if one]) == pytest.approx(1.06 * 9 * n**-0.2, rel=0.08)


@given(st.integers(0, 50), st.floats(0.5, 20), st.integers(-20, 20))
def test_the_bandwidth_follows_the_scale(seed: int, factor: float, shift: int) -> None:
    """Scores and scale stretched and moved together stretch the bandwidth."""
    scores = np.random.default_rng(seed).beta(4, 2, 120) * 100
    one = improved_sheather_jones(scores, 0, 100)
    other = improved_sheather_jones(scores * factor + shift, shift, 100 * factor + shift)
    assert one is not None
    assert other == pytest.approx(one * factor, rel=0.02)


def test_the_density_keeps_its_mass_inside_the_ends() -> None:
    """Scores piled near both ends: reflected, the density integrates to the share of scores not on an end."""
    rng = np.random.default_rng(1)
    scores = np.concatenate(
        [np.abs(rng.normal(0, 4, 300)), 100 - np.abs(rng.normal(0, 2, 300)), [0.0] * 30, [100.0] * 10]
    )
    found = density(scores, GRID, 0, 100)
    assert (found.at_low, found.at_high) == (30 / 640, 10 / 640)
    assert np.trapezoid(found.y, GRID) == pytest.approx(600 / 640, abs=1e-3)
    near = 2 * stats.norm.pdf(0, 0, 4) * 300 / 640
    assert found.y[0] == pytest.approx(near, rel=0.25)


def test_too_few_scores_have_no_density() -> None:
    """Fewer than 20 scores, or scores all alike, have no bandwidth, and the curve says so by NaN."""
    assert improved_sheather_jones(np.arange(19.0), 0, 100) is None
    found = density(np.full(50, 40.0), GRID, 0, 100)
    assert found.bandwidth is None
    assert np.isnan(found.y).all()


def test_the_omnibus_test_is_scipys() -> None:
    """K^2 and p are scipy's normaltest; skewed scores are told from normal ones."""
    rng = np.random.default_rng(2)
    normal, skewed = omnibus(rng.normal(size=300)), omnibus(rng.exponential(size=300))
    assert normal is not None
    assert skewed is not None
    assert (normal.statistic, normal.p_value) == pytest.approx(
        tuple(stats.normaltest(np.random.default_rng(2).normal(size=300)))
    )
    assert normal.p_value > 0.01 > skewed.p_value
    assert omnibus(np.full(30, 1.0)) is None


def test_one_mean_for_each_subject() -> None:
    """Means are by subject, however their scores are scattered."""
    assert subject_means(np.array([1.0, 2.0, 4.0, 5.0]), np.array([3, 1, 3, 1])).tolist() == [3.5, 2.5]


@pytest.mark.parametrize(
    ("values", "counts"),
    [
        ([8, 17, 18, 23, 58, 80, 86], [4, 4, 5, 4, 5, 7, 4]),
        ([14.037, 41.037, 57.037, 62.037, 76.037], [12, 14, 6, 14, 8]),
    ],
)
def test_few_values_without_a_bandwidth_warn_of_nothing(values: list[float], counts: list[int]) -> None:
    """Steps of the search in which nothing is left of the derivatives divide by zero, as they may."""
    with np.errstate(divide="raise", over="raise"):
        assert improved_sheather_jones(np.repeat(np.array(values, float), counts), 0.0, 100.0) is None
