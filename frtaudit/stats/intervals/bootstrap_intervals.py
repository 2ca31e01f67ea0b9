"""Intervals from replicates: naive, recentered, Gaussian, percentile (FORMULAS 1), and their Monte Carlo error.

Infinite replicates keep their place in the order; undefined (NaN) ones are counted, and more than 2 % of them refuse
the
interval (None). Bounds are not clipped.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from frtaudit.core.arrays import Flags, Floats
from frtaudit.core.methods import MAX_UNDEFINED
from frtaudit.stats._scipy import scipy

Bounds = tuple[float, float]


def quantile(ordered: Floats, probability: float) -> float:
    """Hyndman and Fan's type 7 quantile of ascending values, infinities included.

    ``ordered`` (B,) float64 without NaN, B >= 1. Between a finite value and an infinite one the infinite one counts.

    >>> quantile(np.array([0.0, 1.0, np.inf]), 0.5), quantile(np.array([0.0, 1.0, np.inf]), 0.75)
    (1.0, inf)
    """
    place = (ordered.size - 1) * probability
    low = int(np.floor(place))
    below, above = float(ordered[low]), float(ordered[min(low + 1, ordered.size - 1)])
    share = place - low
    if share == 0 or below == above or np.isneginf(below):
        return below
    return below + (above - below) * share


def percentile(replicates: Floats, alpha: float) -> Bounds | None:
    """Percentile interval [q(alpha/2), q(1 - alpha/2)] of the replicates (FORMULAS 1, naive and identity-level).

    Of images (002, its baseline) it is biased and may exclude the estimate itself.

    ``replicates`` (B,) float64, unit of the statistic; ``alpha`` = 1 - level. None when more than 2 % are NaN.

    >>> percentile(np.arange(101.0), 0.1)
    (5.0, 95.0)
    """
    defined = _defined(replicates)
    if defined is None:
        return None
    return quantile(defined, alpha / 2), quantile(defined, 1 - alpha / 2)


def recentered(replicates: Floats, stat: float, vstat: float, alpha: float) -> Bounds | None:
    """002's recentered interval: ``stat`` + quantiles of the gaps, gap_b = replicate_b - ``vstat`` (FORMULAS 1).

    ``stat``: the estimate (U-statistic); ``vstat``: its V-statistic at the same threshold; not reversed ("basic").

    >>> recentered(np.array([0.1, 0.2, 0.3]), 0.25, 0.2, 1.0)
    (0.25, 0.25)
    """
    bounds = percentile(_gaps(replicates, vstat), alpha)
    return None if bounds is None else (stat + bounds[0], stat + bounds[1])


def gaussian(replicates: Floats, stat: float, vstat: float, alpha: float) -> Bounds | None:
    """002's Gaussian interval: ``stat`` + mean(gap) -+ z sd(gap), sd with ddof 1 (FORMULAS 1).

    None also when a replicate is infinite or fewer than two are defined.

    >>> low, high = gaussian(np.array([0.1, 0.2, 0.3]), 0.25, 0.2, 0.05)
    >>> round(low, 6), round(high, 6)
    (0.054004, 0.445996)
    """
    gaps = _defined(_gaps(replicates, vstat))
    if gaps is None or gaps.size < 2 or not np.isfinite(gaps).all() or not np.isfinite(stat):
        return None
    centre, half = stat + float(gaps.mean()), float(-scipy.special.ndtri(alpha / 2) * gaps.std(ddof=1))
    return centre - half, centre + half


def normalized_uncertainty(replicates: Floats, stat: float, vstat: float, ddof: int = 1) -> float:
    """002's normalized uncertainty sd(gap)/``stat``; NaN when ``stat`` is 0 or the deviation is undefined.

    >>> round(normalized_uncertainty(np.array([0.1, 0.2, 0.3]), 0.25, 0.2), 9)
    0.4
    """
    gaps = _defined(_gaps(replicates, vstat))
    if stat == 0 or gaps is None or gaps.size <= ddof or not np.isfinite(gaps).all():
        return float("nan")
    return float(gaps.std(ddof=ddof)) / stat


def mc_error(replicates: Floats, alpha: float) -> float:
    """Monte Carlo standard error of a percentile interval's bounds: the larger of both (Maritz and Jarrett 1978).

    The standard deviation that the sample quantile would have under resampling the replicates, exactly, by weights of
    the order statistics from the beta distribution. A shift of the replicates leaves it unchanged, so that it serves
    the
    recentered interval too. NaN where no interval is given; inf where infinite replicates reach the bound.

    >>> round(mc_error(np.arange(1000.0), 0.05), 1)
    5.0
    """
    defined = _defined(replicates)
    if defined is None:
        return float("nan")
    return max(_quantile_error(defined, alpha / 2), _quantile_error(defined, 1 - alpha / 2))


class Moments(NamedTuple):
    """Of finite replicates: their number, standard deviation, skewness and kurtosis; NaN where they do not vary."""

    size: int
    spread: float
    skewness: float
    kurtosis: float

    @classmethod
    def of(cls, replicates: Floats) -> "Moments":
        """``replicates`` (B,) float64.

        >>> Moments.of(np.array([1.0, 1.0, 4.0, np.inf])).skewness > 0
        True
        """
        finite = replicates[np.isfinite(replicates)]
        spread = float(finite.std()) if finite.size > 1 else 0.0
        if spread == 0:
            return cls(finite.size, *3 * (float("nan"),))
        scaled = (finite - finite.mean()) / spread
        return cls(finite.size, spread, float(np.mean(scaled**3)), float(np.mean(scaled**4)))

    def gaussian_error(self, alpha: float) -> float:
        """See :func:`gaussian_error`."""
        z = float(-scipy.special.ndtri(alpha / 2))
        inner = (1 + z * abs(self.skewness) + z**2 * (self.kurtosis - 1) / 4) / max(self.size, 1)
        return self.spread * float(np.sqrt(inner))


def gaussian_error(replicates: Floats, alpha: float) -> float:
    """Monte Carlo standard error of mean -+ z sd of the replicates: the larger of both bounds' (delta method).

    Var(mean -+ z sd) = sd^2/B (1 -+ z skewness + z^2 (kurtosis - 1)/4). NaN with fewer than two finite replicates.

    >>> round(gaussian_error(np.arange(1000.0), 0.05), 1)
    12.1
    """
    return Moments.of(replicates).gaussian_error(alpha)


def variance_error(replicates: Floats) -> float:
    """Monte Carlo standard error of the replicates' variance: sqrt((m4 - variance^2)/B).

    >>> round(variance_error(np.array([0.0, 1.0, 2.0, 3.0])), 3)
    0.5
    """
    centred = np.square(replicates - replicates.mean())
    return float(np.sqrt(centred.var() / centred.size))


def _gaps(replicates: Floats, vstat: float) -> Floats:
    with np.errstate(invalid="ignore"):  # inf - inf is undefined, and counted so
        return np.asarray(replicates, dtype=np.float64) - vstat


def _defined(replicates: Floats) -> Floats | None:
    """Replicates that are defined, ascending; None when there are too few."""
    values = np.asarray(replicates, dtype=np.float64)
    defined = values[~np.isnan(values)]
    if defined.size == 0 or values.size - defined.size > MAX_UNDEFINED * values.size:
        return None
    return np.sort(defined)


def _quantile_error(ordered: Floats, probability: float) -> float:
    n = ordered.size
    rank = int(np.floor(n * probability + 0.5))
    rank = min(max(rank, 1), n)
    share, used = _order_shares(n, rank)
    if not np.isfinite(ordered[used]).all():
        return float("inf")
    centred = ordered[used] - ordered[rank - 1]
    exponent = int(np.frexp(np.abs(centred).max())[1])  # a power of two: no rounding, no overflow
    scaled = np.ldexp(centred, -exponent)
    first, second = float(share @ scaled), float(share @ scaled**2)
    return float(np.ldexp(np.sqrt(max(second - first**2, 0.0)), exponent))


@lru_cache(maxsize=64)
def _order_shares(n: int, rank: int) -> tuple[Floats, Flags]:
    """How often each of ``n`` ordered values is the ``rank``-th of a resample, above 1e-12; and which those are."""
    share = np.diff(scipy.special.betainc(rank, n - rank + 1, np.arange(n + 1) / n))
    used = share > 1e-12
    return share[used], used
