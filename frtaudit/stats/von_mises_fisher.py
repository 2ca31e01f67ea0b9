"""Directions on a sphere: uniform ones, and von Mises-Fisher draws around them (FORMULAS 6)."""

from collections.abc import Iterator

import numpy as np

from frtaudit.core.arrays import Floats
from frtaudit.core.machine import signals

_ROUNDS = 1000
_BLOCK = 4096  # rows at a time: temporary arrays of all of them would take most of the time
_STRAIGHT = 1e12  # draws of this concentration are the mean to six digits; far beyond, its terms overflow


def uniform_directions(rng: "np.random.Generator", n: int, dimension: int) -> Floats:
    """``n`` independent uniform unit vectors, shape (n, dimension), float64: normalised Gaussians.

    >>> uniform_directions(np.random.default_rng(0), 2, 3).shape
    (2, 3)
    """
    return unit(rng.standard_normal((n, dimension)))


def unit(vectors: Floats) -> Floats:
    """The rows divided by their Euclidean norms; no row may be zero.

    >>> unit(np.array([[3.0, 4.0]])).tolist()
    [[0.6, 0.8]]
    """
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float64)


def blocks(n: int) -> Iterator[slice]:
    """The rows of a large array, some thousands at a time; a signal that was noted is acted on before each.

    >>> list(blocks(5000))
    [slice(0, 4096, None), slice(4096, 8192, None)]
    """
    for start in range(0, n, _BLOCK):
        signals.check()
        yield slice(start, start + _BLOCK)


def von_mises_fisher(rng: "np.random.Generator", means: Floats, kappa: Floats) -> Floats:
    """One draw from vMF(means[i], kappa[i]) for each row; shapes (N, D), (N,) -> (N, D), unit rows, D >= 2.

    The cosine with the mean is drawn by Wood's rejection (Simulation of the von Mises Fisher distribution, 1994), the
    rest uniformly in the tangent space: a Gaussian vector without its component along the mean.

    >>> x = von_mises_fisher(np.random.default_rng(0), np.array([[0.0, 0.0, 1.0]]), np.array([1e6]))
    >>> bool(x[0, 2] > 0.99)
    True
    """
    cosine = _cosines(rng, np.minimum(kappa, _STRAIGHT), means.shape[1])[:, None]
    drawn = np.empty(means.shape)
    for rows in blocks(len(means)):
        mean, along = means[rows], cosine[rows]
        tangent = rng.standard_normal(mean.shape)
        tangent -= np.sum(tangent * mean, axis=1, keepdims=True) * mean
        sine = np.sqrt(np.maximum(0.0, 1 - along**2))
        drawn[rows] = unit(along * mean + sine * unit(tangent))
    return drawn


def _cosines(rng: "np.random.Generator", kappa: Floats, dimension: int) -> Floats:
    """<x, mu> of each draw, by Wood's rejection from the envelope of a transformed beta variable."""
    m = dimension - 1
    b = m / (2 * kappa + np.sqrt(4 * kappa**2 + m**2))
    x0 = (1 - b) / (1 + b)
    c = kappa * x0 + m * np.log1p(-(x0**2))
    result = np.empty_like(kappa)
    open_ = np.arange(kappa.size)
    for _ in range(_ROUNDS):
        if not open_.size:
            return result
        z = rng.beta(m / 2, m / 2, open_.size)
        bo, ko, xo = b[open_], kappa[open_], x0[open_]
        w = (1 - (1 + bo) * z) / (1 - (1 - bo) * z)
        accept = ko * w + m * np.log1p(-xo * w) - c[open_] >= np.log(rng.random(open_.size))
        result[open_[accept]] = w[accept]
        open_ = open_[~accept]
    raise ArithmeticError("the rejection sampler does not end; are all concentrations finite and positive?")
