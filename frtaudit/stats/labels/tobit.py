"""A mixture of two normal distributions of scores that are cut off at one end or both (Tobin's model, by EM)."""

import numpy as np
import scipy

from frtaudit.core.arrays import Floats

STEPS, ENOUGH = 500, 1e-7
NARROWEST = 1e-3  # of the spread of all scores, so that no part collapses onto a few equal ones
HALF_LOG = 0.5 * np.log(2 * np.pi)


def cut_mixture(
    scores: Floats, floor: float | None, ceiling: float | None, start: Floats
) -> tuple[Floats, Floats]:
    """Means and standard deviations (2,), (2,) of the two parts before they were cut off, means ascending.

    ``scores``: shape (P,), those at ``floor`` or below it and at ``ceiling`` or above stand for all beyond; ``start``:
    two means. A score that is cut off counts with the first two moments of a normal beyond the cut: with
    a = (floor - mu)/sd and h = phi(a)/Phi(a), E[X] = mu - sd h and E[(X - mu)^2] = sd^2 (1 - a h).

    >>> rng = np.random.default_rng(1)
    >>> scores = np.maximum(np.concatenate([rng.normal(50, 5, 4000), rng.normal(80, 4, 1000)]), 50)
    >>> cut_mixture(scores, 50.0, None, np.array([50.0, 80.0]))[0].round().tolist()
    [50.0, 80.0]
    """
    low = np.zeros(scores.size, dtype=np.bool_) if floor is None else scores <= floor
    high = np.zeros(scores.size, dtype=np.bool_) if ceiling is None else scores >= ceiling
    inner = scores[~low & ~high]
    ends = [
        (float(cut), sign, int(held.sum()))
        for cut, sign, held in ((floor, 1, low), (ceiling, -1, high))
        if cut is not None
    ]
    spread = float(scores.std())
    mean, width, share = start.astype(np.float64), np.full(2, spread / 2), np.full(2, 0.5)
    for _ in range(STEPS):
        parts = [_inside(inner, mean, width, share), *(_beyond(*end, mean, width, share) for end in ends)]
        count, first, second = (np.sum([part[k] for part in parts], axis=0) for k in range(3))
        share, moved = count / count.sum(), first / count
        square = (
            second / count - (moved - mean) ** 2
        )  # moments stand about the old means, first of them added
        width = np.sqrt(np.maximum(square, (NARROWEST * spread) ** 2))
        done = float(np.max(np.abs(moved - mean))) < ENOUGH * spread
        mean = moved
        if done:
            break
    order = np.argsort(mean, kind="stable")
    return mean[order], width[order]


def _inside(scores: Floats, mean: Floats, width: Floats, share: Floats) -> tuple[Floats, Floats, Floats]:
    """Count, sum, and sum of squares about the mean of the scores that are seen, each by part, shape (2,)."""
    apart = scores[:, None] - mean
    density = np.log(share) - np.log(width) - 0.5 * (apart / width) ** 2
    weight = np.exp(density - scipy.special.logsumexp(density, axis=1, keepdims=True))
    return weight.sum(axis=0), weight.T @ scores, (weight * apart**2).sum(axis=0)


def _beyond(
    cut: float, sign: int, held: int, mean: Floats, width: Floats, share: Floats
) -> tuple[Floats, Floats, Floats]:
    """The same of the ``held`` scores below the floor (``sign`` 1) or above the ceiling (-1)."""
    at = sign * (cut - mean) / width
    mass = np.log(share) + scipy.special.log_ndtr(at)
    weight = held * np.exp(mass - scipy.special.logsumexp(mass))
    hazard = np.exp(-0.5 * at**2 - HALF_LOG - scipy.special.log_ndtr(at))
    return weight, weight * (mean - sign * width * hazard), weight * width**2 * (1 - at * hazard)
