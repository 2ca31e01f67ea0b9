"""The generalised Pareto fit: known parameters, SciPy's survival, weights as repetitions."""

import numpy as np
import pytest
from scipy import stats

from frtaudit.stats.tails.generalised_pareto import ParetoFit, fit


def known(shape: float, n: int, seed: int = 1) -> np.ndarray:
    """Excesses of a known tail of scale 0.05."""
    one = ParetoFit(shape=np.array(shape), scale=np.array(0.05))
    return one.excess(np.random.default_rng(seed).random(n))


@pytest.mark.parametrize("shape", [-0.4, -0.13, 1e-6, 0.2])
def test_parameters_are_found(shape: float) -> None:
    """Of 20,000 excesses, within four standard errors of maximum likelihood: (1 + shape)/sqrt(n) for the shape."""
    found = fit(known(shape, 20_000))
    assert abs(found.shape[0] - shape) < 4 * (1 + shape) / np.sqrt(20_000)
    assert found.scale[0] == pytest.approx(0.05, rel=0.06)


def test_survival_is_scipys() -> None:
    """At excesses within and beyond the end of the tail, and back."""
    for shape in (-0.3, 0.4):
        one = ParetoFit(shape=np.array([shape]), scale=np.array([0.2]))
        at = np.array([0.01, 0.3, 0.9])
        assert one.survival(at) == pytest.approx(stats.genpareto.sf(at, shape, scale=0.2), rel=1e-9)
        assert one.survival(one.excess(1e-4))[0] == pytest.approx(1e-4)


def test_a_weight_is_a_repetition() -> None:
    """Weights over the same grid give the shape that repeated excesses have, to the grid's coarseness."""
    excess = known(-0.2, 300)
    weights = np.random.default_rng(2).integers(0, 3, (1, excess.size)).astype(np.float64)
    weights[0, excess.argmax()] = 1
    weighted, repeated = fit(excess, weights), fit(np.repeat(excess, weights[0].astype(int)))
    assert weighted.shape[0] == pytest.approx(repeated.shape[0], abs=0.02)


def test_resamples_without_an_excess_are_finite() -> None:
    """A row of zeros has parameters, which its share of 0 multiplies."""
    found = fit(known(-0.2, 60), np.zeros((1, 60)))
    assert np.isfinite(found.survival(0.1)).all()
