"""Intervals of a pooled rate in closed form, as published, and the methods that a spec may ask for by name.

The i.i.d. interval treats comparisons as independent. The published plug-in (FORMULAS 2) divides p(1-p) by a
variance that knows which comparisons share a subject.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from frtaudit.core.methods import Method
from frtaudit.stats._scipy import scipy
from frtaudit.stats.intervals.rate_bounds import Score


def wilson_iid(errors: int, trials: int, alpha: float) -> Score:
    """Wilson interval of ``errors`` in ``trials`` independent comparisons; 0 at no error, 1 at all errors.

    Level 1 - alpha, two-sided; ``trials`` >= 1. statsmodels' ``proportion_confint`` gives the same, and imports pandas.

    >>> round(wilson_iid(0, 223, 0.05).high, 6)
    0.016935
    """
    return wilson_score(errors / trials, float(trials), critical_value(alpha))


def wilson_score(rate: float, n_eff: float, critical: float) -> Score:
    """Wilson interval of ``rate`` on ``n_eff`` comparisons with a critical value of the caller (FORMULAS 2).

    centre (p + z^2/2n)/(1 + z^2/n), half-width z sqrt(p(1-p)/n + z^2/4n^2)/(1 + z^2/n).

    >>> score = wilson_score(0.5, 100.0, 1.96)
    >>> round(score.low, 4), round(score.high, 4)
    (0.4038, 0.5962)
    """
    square = critical**2
    scale = 1 + square / n_eff
    centre = (rate + square / (2 * n_eff)) / scale
    half = critical * math.sqrt(rate * (1 - rate) / n_eff + square / (4 * n_eff**2)) / scale
    low = 0.0 if rate == 0 else max(centre - half, 0.0)
    high = 1.0 if rate == 1 else min(centre + half, 1.0)
    return Score(low=low, high=high, n_eff=n_eff)


def wilson_plugin(
    errors: int, trials: int, variance: float, alpha: float, *, cap: bool = True, rate: float | None = None
) -> Score:
    """The published dependent Wilson interval with its boundary rules (FORMULAS 2): n_eff = p(1-p)/variance.

    ``errors``, ``trials``: pooled counts, unordered comparisons; ``variance``:
    :func:`~.dependence.plugin_variance` (FNMR) or :func:`~.dependence.truncated_variance` (FMR) of the same
    rate; ``cap``: n_eff := min(n_eff, trials); ``rate``: p where it is not errors/trials (identity
    weighting). No error or nothing but errors: n_eff = trials, which treats comparisons as independent; one
    error (or all but one) replaces that one limit by -ln(1-alpha)/trials.

    >>> round(wilson_plugin(1, 40, 0.00065546875, 0.05).low, 7)
    0.0012823
    """
    p = errors / trials if rate is None else rate
    n_eff = float(trials)
    if 0 < p < 1 and variance > 0:
        n_eff = p * (1 - p) / variance
    if cap:
        n_eff = min(n_eff, float(trials))
    score = wilson_score(p, n_eff, critical_value(alpha))
    poisson = -math.log1p(-alpha) / trials
    return Score(
        low=poisson if errors == 1 < trials else score.low,
        high=1 - poisson if errors == trials - 1 > 0 else score.high,
        n_eff=n_eff,
    )


@lru_cache(maxsize=64)
def critical_value(alpha: float) -> float:
    """Two-sided critical value of the normal."""
    return float(-scipy.special.ndtri(alpha / 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class PooledRate:
    """What an interval in closed form is made of.

    ``errors``, ``trials``: pooled counts, ``trials`` >= 1; ``variance``: the published plug-in; ``n_eff``: the
    effective number of comparisons of ``wilson`` (8.1), not of ``wilson_plugin``; 0 where nothing
    is known, and every interval is [0, 1].
    """

    errors: int
    trials: int
    variance: float
    n_eff: float


# Of a pooled rate, at alpha.
CLOSED_FORM: Mapping[Method, Callable[[PooledRate, float], Score]] = {
    Method.WILSON_IID: lambda rate, alpha: wilson_iid(rate.errors, rate.trials, alpha),
    Method.WILSON_PLUGIN: lambda rate, alpha: wilson_plugin(rate.errors, rate.trials, rate.variance, alpha),
}
