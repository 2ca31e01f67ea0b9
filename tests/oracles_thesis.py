"""Slow twin of stats/thesis: resamples written out score by score, ranks from exact fractions."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

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
