import numpy as np
import pytest
from oracles_data import mean_cosine
from scipy import stats

from frtaudit.stats.von_mises_fisher import _cosines, uniform_directions, unit, von_mises_fisher


@pytest.mark.parametrize(
    ("dimension", "kappa"), [(2, 0.5), (3, 2.0), (16, 30.0), (128, 200.0), (128, 5000.0)]
)
def test_mean_cosine_is_the_ratio_of_bessel_functions(dimension: int, kappa: float) -> None:
    """E<x, mu> of 20,000 draws lies within five standard errors of I_{d/2}/I_{d/2-1} (FORMULAS 6)."""
    rng = np.random.default_rng(1)
    means = np.tile(uniform_directions(rng, 1, dimension), (20_000, 1))
    draws = von_mises_fisher(rng, means, np.full(20_000, kappa))
    cosine = np.sum(draws * means, axis=1)
    truth = float(mean_cosine(np.array(kappa), dimension))
    assert abs(cosine.mean() - truth) < 5 * cosine.std() / np.sqrt(20_000)


def test_many_rows_are_drawn_as_one_array_of_them_would_be() -> None:
    """Blocks change no bit: cosines first, then a Gaussian of each row in turn."""
    means = uniform_directions(np.random.default_rng(1), 9000, 4)
    kappa = np.full(9000, 20.0)
    drawn = von_mises_fisher(np.random.default_rng(2), means, kappa)
    rng = np.random.default_rng(2)
    cosine = _cosines(rng, kappa, 4)[:, None]
    tangent = rng.standard_normal(means.shape)
    tangent -= np.sum(tangent * means, axis=1, keepdims=True) * means
    whole = unit(cosine * means + np.sqrt(np.maximum(0.0, 1 - cosine**2)) * unit(tangent))
    assert drawn.tobytes() == whole.tobytes()


def test_draws_follow_scipy() -> None:
    """The cosines with the mean have the distribution of SciPy's sampler (two-sample KS, false alarm 1e-4)."""
    rng = np.random.default_rng(2)
    mean = np.eye(5)[0]
    ours = von_mises_fisher(rng, np.tile(mean, (4000, 1)), np.full(4000, 7.0))
    theirs = stats.vonmises_fisher(mean, 7.0).rvs(4000, random_state=3)
    assert stats.ks_2samp(ours[:, 0], theirs[:, 0]).pvalue > 1e-4
    assert stats.ks_2samp(ours[:, 1], theirs[:, 1]).pvalue > 1e-4


def test_directions_have_unit_length_and_no_preference() -> None:
    """Rows have norm 1 and their mean vanishes as 1/sqrt(n) does (five standard errors)."""
    x = uniform_directions(np.random.default_rng(4), 10_000, 3)
    assert np.allclose(np.linalg.norm(x, axis=1), 1)
    assert np.all(np.abs(x.mean(axis=0)) < 5 / np.sqrt(3 * 10_000))
    assert np.allclose(unit(np.array([[0.0, 2.0]])), [[0, 1]])


def test_a_concentration_that_cannot_be_ends() -> None:
    """A concentration that is not a number stops the rejection sampler with an error, not a hang."""
    with pytest.raises(ArithmeticError, match="does not end"):
        von_mises_fisher(np.random.default_rng(5), np.eye(3)[:1], np.array([np.nan]))


def test_a_concentration_beyond_measure_draws_the_mean() -> None:
    """1e300 neither overflows nor ends without a draw: it draws what its mean is, to six digits."""
    mean = np.eye(3)[:1]
    assert np.allclose(von_mises_fisher(np.random.default_rng(5), mean, np.array([1e300])), mean, atol=1e-5)
