"""Indices of differential performance over groups (FORMULAS 1): of one rate, or of FMR and FNMR together.

Every function reads groups along the last axis and keeps the axes before it, so that replicates pass in one call. An
undefined rate (NaN) makes the index NaN.
"""

from enum import Enum
from functools import reduce

import numpy as np
import numpy.typing as npt

from frtaudit.core.arrays import Floats


class RateIndex(Enum):
    """Indices of one rate over groups; all are scale invariant."""

    MAX_MIN = "max_min"
    MAX_GEOMEAN = "max_geomean"
    LOG_GEOMEAN = "log_geomean"
    GINI = "gini"


def rate_index(kind: RateIndex | str, rates: npt.ArrayLike) -> Floats:
    """An index of differences between the rates of G groups (002, A.1).

    ``rates`` (..., G), rates >= 0. max/min; max/geometric mean; sum of abs(log10(rate/geometric mean)); Gini with its
    G/(G-1) correction. Returns (...): 1, 1, 0, 0 at equal rates. Some rate 0: inf for the first three; all 0, any
    NaN or
    no group: NaN; Gini of one group: NaN.

    >>> rate_index("max_min", [0.02, 0.01]), rate_index("gini", [[0.3, 0.1], [0.0, 0.2]])
    (array(2.), array([0.5, 1. ]))
    """
    values = np.asarray(rates, dtype=np.float64)
    if values.shape[-1] == 0:
        return np.full(values.shape[:-1], np.nan)
    largest = _largest(values)
    with np.errstate(divide="ignore", invalid="ignore"):
        index = _INDICES[RateIndex(kind)](values, largest)
    return np.asarray(np.where(largest > 0, index, np.nan))


def fdr(fmr: npt.ArrayLike, fnmr: npt.ArrayLike, weight: float) -> Floats:
    """Fairness discrepancy rate, 1 = alike (de Freitas Pereira and Marcel): 1 - [w gap(FMR) + (1-w) gap(FNMR)].

    ``fmr``, ``fnmr`` (..., G); ``weight`` w in [0, 1] of FMR; gap = largest difference of two groups. Returns (...).

    >>> round(float(fdr([0.01, 0.02], [0.1, 0.3], 0.5)), 9)
    0.895
    """
    return np.asarray(1 - (weight * _gap(fmr) + (1 - weight) * _gap(fnmr)))


def inequity_rate(fmr: npt.ArrayLike, fnmr: npt.ArrayLike, weight: float) -> Floats:
    """Inequity rate, 1 = alike (NIST): (max/min FMR)^w (max/min FNMR)^(1-w).

    ``fmr``, ``fnmr`` (..., G); ``weight`` w in [0, 1] of FMR. Returns (...): NaN if either factor is NaN, else inf if
    either is inf, whatever the weight.

    >>> inequity_rate([0.01, 0.04], [0.1, 0.1], 0.5)
    array(2.)
    """
    match, non_match = rate_index(RateIndex.MAX_MIN, fmr), rate_index(RateIndex.MAX_MIN, fnmr)
    undefined = np.isnan(match) | np.isnan(non_match)
    infinite = np.isinf(match) | np.isinf(non_match)
    product = np.where(infinite, np.inf, match**weight * non_match ** (1 - weight))
    return np.asarray(np.where(undefined, np.nan, product))


def garbe(fmr: npt.ArrayLike, fnmr: npt.ArrayLike, weight: float) -> Floats:
    """Gini aggregation rate for biometric equitability, 0 = alike (Howard et al.): w Gini(FMR) + (1-w) Gini(FNMR).

    ``fmr``, ``fnmr`` (..., G); ``weight`` w in [0, 1] of FMR; Gini with G/(G-1). Returns (...).

    >>> garbe([0.01, 0.03], [0.1, 0.1], 0.5)
    array(0.25)
    """
    match, non_match = rate_index(RateIndex.GINI, fmr), rate_index(RateIndex.GINI, fnmr)
    return np.asarray(weight * match + (1 - weight) * non_match)


def _largest(rates: Floats) -> Floats:
    """The maximum over the last axis, which is short: group by group, several times as fast as along the axis."""
    return reduce(np.maximum, _groups(rates))


def _smallest(rates: Floats) -> Floats:
    return reduce(np.minimum, _groups(rates))


def _groups(rates: Floats) -> list[Floats]:
    return [rates[..., group] for group in range(rates.shape[-1])]


def _gap(rates: npt.ArrayLike) -> Floats:
    values = np.asarray(rates, dtype=np.float64)
    if values.shape[-1] == 0:
        return np.full(values.shape[:-1], np.nan)
    return np.asarray(_largest(values) - _smallest(values))


def _max_min(rates: Floats, largest: Floats) -> Floats:
    return np.asarray(largest / _smallest(rates))


def _logs(rates: Floats, largest: Floats) -> Floats:
    """log10 of each rate over the geometric mean; exactly 0 where all rates are equal."""
    scaled = np.log10(rates / largest[..., None])
    return np.asarray(scaled - scaled.mean(axis=-1, keepdims=True))


def _max_geomean(rates: Floats, largest: Floats) -> Floats:
    return np.asarray(np.where(_smallest(rates) == 0, np.inf, 10 ** _largest(_logs(rates, largest))))


def _log_geomean(rates: Floats, largest: Floats) -> Floats:
    return np.asarray(np.where(_smallest(rates) == 0, np.inf, np.abs(_logs(rates, largest)).sum(axis=-1)))


def _gini(rates: Floats, _: Floats) -> Floats:
    """Sum over ordered pairs of abs(r_A - r_B), over 2 G^2 mu, times G/(G-1)."""
    count = rates.shape[-1]
    if count < 2:
        return np.full(rates.shape[:-1], np.nan)
    spread = np.abs(rates[..., :, None] - rates[..., None, :]).sum(axis=(-2, -1))
    return np.asarray(spread / (2 * (count - 1) * rates.sum(axis=-1)))


_INDICES = {
    RateIndex.MAX_MIN: _max_min,
    RateIndex.MAX_GEOMEAN: _max_geomean,
    RateIndex.LOG_GEOMEAN: _log_geomean,
    RateIndex.GINI: _gini,
}
