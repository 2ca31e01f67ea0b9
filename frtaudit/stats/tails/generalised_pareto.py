"""The generalised Pareto distribution of excesses over a threshold, fitted by Zhang and Stephens' estimator (2009).

Survival of an excess y: (1 + shape y/scale)^(-1/shape), exp(-y/scale) at shape 0; a negative shape ends the tail at
-scale/shape. The estimator weighs a grid of theta = -shape/scale by its profile likelihood (equations 7 and 8 of
Technometrics 51(3)): it always exists, and a fit on resampled weights is one product of matrices.
"""

from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Floats
from frtaudit.core.freeze import FrozenArrays

SMALLEST = 1e-9  # of theta times the mean excess: the distribution is exponential to rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class ParetoFit(FrozenArrays):
    """``shape``, ``scale`` (B,) float64: of B fits, the scale in units of the score."""

    shape: Floats
    scale: Floats

    def survival(self, excess: Floats | float) -> Floats:
        """P(Y > ``excess``) under each fit; 0 from the end of the tail on.

        >>> ParetoFit(shape=np.array([-0.5]), scale=np.array([1.0])).survival(1.0).tolist()
        [0.25]
        """
        inside = np.maximum(self.shape * excess / self.scale, -1.0)
        with np.errstate(divide="ignore"):
            return np.asarray(np.exp(-np.log1p(inside) / self.shape))

    def excess(self, survival: Floats | float) -> Floats:
        """The excess that a share ``survival`` of the distribution is above.

        >>> ParetoFit(shape=np.array([-0.5]), scale=np.array([1.0])).excess(0.25).tolist()
        [1.0]
        """
        with np.errstate(divide="ignore"):
            return np.asarray(self.scale / self.shape * np.expm1(-self.shape * np.log(survival)))


def fit(excess: Floats, weights: Floats | None = None) -> ParetoFit:
    """One fit for each row of ``weights`` (B, k) >= 0 on ``excess`` (k,) > 0; a single one without weights.

    >>> rng = np.random.default_rng(1)
    >>> found = fit(ParetoFit(shape=np.array(-0.2), scale=np.array(0.1)).excess(rng.random(20_000)))
    >>> round(float(found.shape[0]), 2), round(float(found.scale[0]), 2)
    (-0.2, 0.1)
    """
    each = np.ones((1, excess.size)) if weights is None else weights
    total = np.maximum(each.sum(axis=1), 1.0)
    # theta_j = 1/x_n + (1 - sqrt(m/(j - 1/2)))/(3 x*), x* the first quartile, m = 20 + sqrt(n)
    ordered = np.sort(excess)
    m = 20 + int(np.sqrt(ordered.size))
    quartile = ordered[max(int(ordered.size / 4 + 0.5) - 1, 0)]
    steps: Floats = 1 - np.sqrt(m / (np.arange(1, m + 1) - 0.5))
    grid = np.asarray(1 / ordered[-1] + steps / (3 * quartile))
    shape = each @ np.log1p(-np.outer(excess, grid)) / total[:, None]
    likelihood = excess.size * (np.log(np.maximum(-grid / np.where(shape, shape, -grid), 1e-300)) - shape - 1)
    posterior = np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
    theta = posterior @ grid / posterior.sum(axis=1)
    theta = np.where(np.abs(theta) * excess.mean() < SMALLEST, SMALLEST / excess.mean(), theta)
    shape = (each * np.log1p(-np.outer(theta, excess))).sum(axis=1) / total
    shape = np.where(shape, shape, -theta * excess.mean())
    return ParetoFit(shape=shape, scale=-shape / theta)
