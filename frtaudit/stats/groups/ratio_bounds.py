"""How far a ratio of sums can be moved by choosing what goes into it: fractional programs with a limit to each pool.

A rate is errors over comparisons. Where some people could belong to a class or not, or a declared number of labels be
wrong, its extremes are those of (E + sum e_u) / (M + sum m_u) over the choices of u. Dinkelbach (1967): the largest
ratio r is where the best choice of sum (e_u - r m_u) adds up to zero, and each step towards it is a choice by rank.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Floats
from frtaudit.core.freeze import FrozenArrays

STEPS = 200  # Dinkelbach's steps grow faster than geometrically: ten are many
STILL = 1e-15


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool(FrozenArrays):
    """Things of which at most ``limit`` may be chosen (None: all): ``errors``, ``trials`` (U,) float64 that each adds.

    Both are negative for what is taken out.
    """

    errors: Floats
    trials: Floats
    limit: int | None = None


def largest_ratio(errors: float, trials: float, pools: Sequence[Pool]) -> float:
    """The largest (E + sum e_u) / (M + sum m_u) over all choices from the pools, at most 1; NaN without a trial.

    1.0 where a choice may leave nothing to divide by: then nothing is known.

    >>> pool = Pool(errors=np.array([2.0, 0.0]), trials=np.array([4.0, 10.0]))
    >>> largest_ratio(1, 10, [pool]), largest_ratio(1, 10, [])
    (0.21428571428571427, 0.1)
    """
    taken = 0.0
    for pool in pools:
        out = np.sort(np.minimum(pool.trials, 0.0))
        taken += float(out[: pool.limit].sum())
    if taken < 0 and trials + taken <= 0:  # what is taken out could be all that there is
        return 1.0
    ratio = _start(errors, trials, pools)
    for _ in range(STEPS):
        if not ratio < 1:
            break
        moved = [_chosen(pool, ratio) for pool in pools]
        over, under = errors + sum(part[0] for part in moved), trials + sum(part[1] for part in moved)
        if under <= 0 or over / under <= ratio * (1 + STILL):
            break
        ratio = over / under
    return ratio if math.isnan(ratio) else min(ratio, 1.0)


def smallest_ratio(errors: float, trials: float, pools: Sequence[Pool]) -> float:
    """The smallest such ratio: 1 minus the largest of what is no error; at least 0.

    >>> pool = Pool(errors=np.array([2.0, 0.0]), trials=np.array([4.0, 10.0]))
    >>> round(smallest_ratio(1, 10, [pool]), 12)
    0.05
    """
    turned = [Pool(errors=pool.trials - pool.errors, trials=pool.trials, limit=pool.limit) for pool in pools]
    right = largest_ratio(trials - errors, trials, turned)
    return right if math.isnan(right) else max(0.0, 1.0 - right)


def _start(errors: float, trials: float, pools: Sequence[Pool]) -> float:
    """The ratio without a choice; where there is none, that of the best single thing."""
    if trials > 0:
        return errors / trials
    best = float("nan")
    for pool in pools:
        used = (pool.trials > 0) | (pool.errors > 0)
        if used.any() and (pool.limit is None or pool.limit > 0):
            with np.errstate(divide="ignore"):
                ratio = float((pool.errors[used] / pool.trials[used]).max())
            best = ratio if math.isnan(best) else max(best, ratio)
    return best


def _chosen(pool: Pool, ratio: float) -> tuple[float, float]:
    """What the best choice at a ratio adds to errors and trials."""
    gain = pool.errors - ratio * pool.trials
    order = np.argsort(-gain, kind="stable")[: pool.limit]
    taken = order[gain[order] > 0]
    return float(pool.errors[taken].sum()), float(pool.trials[taken].sum())
