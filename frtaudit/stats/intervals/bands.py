"""Simultaneous bands: bounds that hold at every point of a declared finite grid at once (FORMULAS 8.10)."""

from dataclasses import dataclass, replace

import numpy as np

from frtaudit.core.arrays import Flags, Floats
from frtaudit.core.freeze import FrozenArrays
from frtaudit.core.methods import MAX_UNDEFINED
from frtaudit.stats._scipy import scipy
from frtaudit.stats.intervals.bootstrap_intervals import quantile


@dataclass(frozen=True, slots=True, kw_only=True)
class Band(FrozenArrays):
    """A simultaneous band on a grid of T points; NaN at points outside its set.

    ``inside`` (T,) bool: the points at which it holds; ``centre``, ``low``, ``high`` (T,) float64, unit of the
    statistic, unclipped; ``critical``: c of FORMULAS 8.10, NaN without a point; ``n_resamples``: replicates used.
    """

    inside: Flags
    centre: Floats
    low: Floats
    high: Floats
    critical: float
    n_resamples: int


def simultaneous(replicates: Floats, stat: Floats, vstat: Floats, usable: Flags, alpha: float) -> Band:
    """Centre ``stat`` + mean(gap), half-width c sd(gap): c = (1 - alpha) quantile of max abs(gap_b - mean gap)/sd.

    ``replicates`` (B, T) float64; gap_b = replicate_b - ``vstat``; ``stat``, ``vstat`` (T,): the estimate and its
    V-statistic; ``usable`` (T,) bool: points with at least 10 errors. The band also leaves out points at which the
    replicates do not differ (sd = 0), are infinite, or are undefined (NaN) in more than 2 %; replicates that are
    undefined at a remaining point are left out whole, and more than 2 % of them leave no band. sd with ddof 1,
    quantile of type 7 (FORMULAS 1, 8.10).

    >>> drawn = np.array([[0.1, 0.2], [0.3, 0.2], [0.2, 0.5], [0.2, 0.3]])
    >>> band = simultaneous(drawn, drawn.mean(axis=0), drawn.mean(axis=0), np.array([True, True]), 0.5)
    >>> band.inside.tolist(), round(band.critical, 4), np.round(band.low, 4).tolist()
    ([True, True], 1.2247, [0.1, 0.1268])
    """
    with np.errstate(invalid="ignore"):  # inf - inf is undefined, and counted so
        gaps = np.asarray(replicates, dtype=np.float64) - vstat
    inside = usable & np.isfinite(stat) & np.isfinite(vstat) & _varied(gaps)
    whole = ~np.isnan(gaps[:, inside]).any(axis=1)
    if not inside.any() or np.count_nonzero(~whole) > MAX_UNDEFINED * whole.size:
        nowhere, nothing = np.zeros(stat.size, dtype=np.bool_), np.full(stat.size, np.nan)
        return Band(inside=nowhere, centre=nothing, low=nothing, high=nothing, critical=np.nan, n_resamples=0)
    usable_gaps = gaps[np.ix_(whole, inside)]
    mean, sd = usable_gaps.mean(axis=0), usable_gaps.std(axis=0, ddof=1)
    largest = np.sort(np.abs((usable_gaps - mean) / sd).max(axis=1))
    critical = quantile(largest, 1 - alpha)
    centre = np.full(stat.size, np.nan)
    half = np.full(stat.size, np.nan)
    centre[inside], half[inside] = stat[inside] + mean, critical * sd
    return Band(
        inside=inside,
        centre=centre,
        low=centre - half,
        high=centre + half,
        critical=critical,
        n_resamples=int(np.count_nonzero(whole)),
    )


def on_logit(replicates: Floats, stat: Floats, usable: Flags, alpha: float) -> Band:
    """The same band made on the logit scale and carried back, for replicates of subjects (FORMULAS 8.10).

    ``replicates`` (B, T), ``stat`` (T,): rates in 0..1; nothing is recentred, so that gap_b = logit replicate_b - logit
    ``stat``. A point with a replicate of 0 or 1 is left out: its logit is infinite.

    >>> drawn = np.array([[0.1, 0.2], [0.3, 0.2], [0.2, 0.5], [0.2, 0.0]])
    >>> band = on_logit(drawn, np.array([0.2, 0.2]), np.array([True, True]), 0.5)
    >>> band.inside.tolist(), bool(0 < band.low[0] < band.high[0] < 1)
    ([True, False], True)
    """
    centre = scipy.special.logit(stat)
    band = simultaneous(scipy.special.logit(replicates), centre, centre, usable, alpha)
    centre, low, high = (scipy.special.expit(part) for part in (band.centre, band.low, band.high))
    return replace(band, centre=centre, low=low, high=high)


def _varied(gaps: Floats) -> Flags:
    """Columns whose defined values are finite, not all equal, and at least 98 % of all."""
    unknown = np.isnan(gaps)
    some = unknown.sum(axis=0) <= MAX_UNDEFINED * len(gaps)
    low = np.where(unknown, np.inf, gaps).min(axis=0, initial=np.inf)
    high = np.where(unknown, -np.inf, gaps).max(axis=0, initial=-np.inf)
    return np.asarray(some & np.isfinite(low) & np.isfinite(high) & (low < high))
