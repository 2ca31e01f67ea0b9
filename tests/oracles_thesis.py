"""Slow twin of stats/thesis: resamples written out score by score, ranks from exact fractions."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from scipy import stats

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def breakpoints(sizes: Sequence[int]) -> list[Fraction]:
    """Every i/n of every size, once."""
    return sorted({Fraction(i, n) for n in sizes for i in range(1, n + 1)})


def counts_of(sizes: Sequence[int], rng: np.random.Generator) -> list[Ints]:
    """How often each score of each class is drawn in one literal resample."""
    return [np.bincount(rng.integers(n, size=n), minlength=n) for n in sizes]


def curve(scores: Floats, u: Sequence[Fraction]) -> Floats:
    """x_(ceil(n u)) of the scores."""
    ordered = np.sort(scores)
    return np.array([ordered[math.ceil(point * len(ordered)) - 1] for point in u])


def squares(classes: Sequence[Floats], counts: Sequence[Sequence[Ints]]) -> Floats:
    """Sum over resamples of (Delta* - Delta)^2, shape (C, U); ``counts[b][c]``: how often each score is drawn."""
    at = breakpoints([len(one) for one in classes])

    def delta(of: Sequence[Floats]) -> Floats:
        curves = np.stack([curve(one, at) for one in of])
        return np.asarray(curves - curves.mean(axis=0))

    own, total = delta(classes), np.zeros((len(classes), len(at)))
    for drawn in counts:
        written = [np.repeat(one, count) for one, count in zip(classes, drawn, strict=True)]
        total += np.square(delta(written) - own)
    return total


def mean_squares(classes: Sequence[Floats]) -> Floats:
    """What a resample adds to :func:`squares` on average, without a draw: shape (C, U).

    The r-th smallest of n draws is at most x_(i) with probability P(Binomial(n, i/n) >= r); classes are independent.
    """
    at, share = breakpoints([len(one) for one in classes]), 1 / len(classes)
    mean, variance = np.empty((2, len(classes), len(at)))
    for c, one in enumerate(classes):
        ordered, n = np.sort(one), len(one)
        for k, point in enumerate(at):
            below = stats.binom.sf(math.ceil(point * n) - 1, n, np.arange(n + 1) / n)
            moved = ordered - ordered[math.ceil(point * n) - 1]
            mean[c, k] = np.diff(below) @ moved
            variance[c, k] = np.diff(below) @ moved**2 - mean[c, k] ** 2
    others = share**2 * variance.sum(axis=0)
    return np.asarray((1 - 2 * share) * variance + others + (mean - mean.mean(axis=0)) ** 2)
