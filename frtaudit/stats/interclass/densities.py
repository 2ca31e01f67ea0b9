"""Densities of scores on a bounded scale: the improved Sheather-Jones bandwidth, reflection at the ends, normality.

Botev, Grotowski and Kroese (2010), Kernel density estimation via diffusion. The scale's ends reflect, for scores and
for the choice of the bandwidth alike; scores exactly on an end are no density, and are counted apart.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from frtaudit.core.arrays import Floats, Ints
from frtaudit.stats._scipy import scipy

BINS = 4096  # of the scale, for the bandwidth
STEPS = 7  # Botev: five steps from the seventh derivative
ENOUGH = 20  # scores, for a bandwidth and for the omnibus test


@dataclass(frozen=True, slots=True, kw_only=True)
class Density:
    """``y`` (G,) at the grid's points, per unit of the scale, integrating to 1 - ``at_low`` - ``at_high``.

    ``bandwidth``: of the Gaussian kernel; None: too few scores, or all alike, and ``y`` is NaN. ``at_low``,
    ``at_high``: shares of scores exactly on the ends of the scale.
    """

    y: Floats
    bandwidth: float | None
    at_low: float
    at_high: float


def density(scores: Floats, grid: Floats, low: float, high: float) -> Density:
    """Gaussian kernel density of ``scores`` (n,) on [low, high] at ``grid`` (G,), reflected at both ends.

    >>> found = density(np.append(np.linspace(20, 60, 99), 0.0), np.linspace(0, 100, 401), 0.0, 100.0)
    >>> found.at_low, round(float(found.y.sum() * 0.25), 2)
    (0.01, 0.99)
    """
    inner = scores[(scores > low) & (scores < high)]
    bandwidth = improved_sheather_jones(inner, low, high)
    at_low, at_high = (float(np.mean(scores == end)) for end in (low, high))
    if bandwidth is None:
        return Density(y=np.full(grid.size, np.nan), bandwidth=None, at_low=at_low, at_high=at_high)
    images = np.concatenate([inner, 2 * low - inner, 2 * high - inner])
    sums = []
    for point in grid:  # a point's images fit the cache
        apart = (point - images) / bandwidth
        sums.append((np.exp(-(apart**2) / 2.0) / np.sqrt(2 * np.pi) / bandwidth).sum())
    return Density(y=np.array(sums) / scores.size, bandwidth=bandwidth, at_low=at_low, at_high=at_high)


def improved_sheather_jones(scores: Floats, low: float, high: float) -> float | None:
    """The bandwidth of Botev et al. on [low, high], in the scores' unit; None for too few or constant scores.

    The root of t = xi gamma^[7](t), t the squared bandwidth over the squared length of the scale, from the cosine
    transform of the scores' histogram; N counts distinct scores.

    >>> ours = improved_sheather_jones(np.random.default_rng(0).normal(50, 10, 4000), 0.0, 100.0)
    >>> 0.95 < ours / (1.06 * 10 * 4000 ** -0.2) < 1.1
    True
    """
    distinct = np.unique(scores).size
    if scores.size < ENOUGH or distinct < 3:
        return None
    counts, _ = np.histogram(scores, bins=BINS, range=(low, high))
    cosine = scipy.fft.dct(counts / scores.size)[1:]
    square = (cosine / 2) ** 2
    at_zero, top = _fixed_point(0.0, distinct, square), 1e-6
    while top < 1:
        if at_zero * _fixed_point(top, distinct, square) < 0:
            brentq = scipy.optimize.brentq(_fixed_point, 0.0, top, args=(distinct, square), xtol=1e-14)
            return float(np.sqrt(brentq)) * (high - low)
        top *= 2
    return None


def _fixed_point(t: float, count: int, square: Floats) -> float:
    """T - xi gamma^[7](t) (Botev et al., equation 29); -inf where smoothing by t leaves no derivative."""
    f = _norm(STEPS, t, square)
    with np.errstate(divide="ignore", over="ignore"):
        for s in range(STEPS - 1, 1, -1):
            odd = float(np.prod(np.arange(1, 2 * s, 2))) / np.sqrt(2 * np.pi)
            time = (2 * (1 + 0.5 ** (s + 0.5)) / 3 * odd / (count * f)) ** (2 / (3 + 2 * s))
            f = _norm(s, time, square)
        return float(t - (2 * count * np.sqrt(np.pi) * f) ** (-0.4))


def _norm(s: int, t: float, square: Floats) -> float:
    """||f^(s)||^2 of the density smoothed by t, from its cosine series on the unit interval."""
    return float(2 * np.pi ** (2 * s) * np.sum(_powers(s) * square * np.exp(-_powers(1) * np.pi**2 * t)))


@cache
def _powers(s: int) -> Floats:
    """k^(2s) of the terms k = 1, 2, ... of the cosine series."""
    return (np.arange(1, BINS, dtype=np.float64) ** 2) ** s


@dataclass(frozen=True, slots=True, kw_only=True)
class Omnibus:
    """D'Agostino and Pearson's K^2 of skewness and kurtosis, and its p value for ``n`` independent values."""

    statistic: float
    p_value: float
    n: int


def omnibus(values: Floats) -> Omnibus | None:
    """The omnibus test of normality (scipy's normaltest); None for fewer than 20 values, or constant ones.

    >>> omnibus(np.arange(19.0)) is None
    True
    """
    if values.size < ENOUGH or np.ptp(values) == 0:
        return None
    statistic, p_value = scipy.stats.normaltest(values)
    return Omnibus(statistic=float(statistic), p_value=float(p_value), n=int(values.size))


def subject_means(scores: Floats, subjects: Ints) -> Floats:
    """One mean score of each subject, ascending by subject: values that are independent.

    >>> subject_means(np.array([1.0, 3.0, 5.0]), np.array([7, 7, 2])).tolist()
    [5.0, 2.0]
    """
    _, code = np.unique(subjects, return_inverse=True)
    return np.asarray(np.bincount(code, weights=scores) / np.bincount(code))
