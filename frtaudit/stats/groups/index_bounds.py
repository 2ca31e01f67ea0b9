"""Extremes of indices of differential performance over a rectangle of rates, zero rates included, without a grid.

:func:`frtaudit.stats.groups.group_contrasts.index_range` does this for intervals of positive rates on 513 levels;
bounds must be
outer ones, so here the smallest value is found at every place where it can lie.
"""

from collections.abc import Iterator
from itertools import pairwise, product

import numpy as np

from frtaudit.core.arrays import Floats
from frtaudit.stats.groups.differentials import RateIndex, rate_index
from frtaudit.stats.groups.group_contrasts import Box, gap_range

Range = tuple[float, float]

MAX_GROUPS = 12  # corners: 2^G


def index_range(kind: RateIndex | str, low: Floats, high: Floats) -> Range | None:
    """Smallest and largest value of an index of one rate over low <= rate <= high.

    ``low``, ``high`` (G,) float64, rates >= 0. The largest value of these quasi-convex indices is at a corner, the
    smallest at rates clipped to one common level. None above 12 groups, below two, or where every choice is undefined.

    >>> index_range("max_min", np.array([0.1, 0.2]), np.array([0.3, 0.4]))
    (1.0, 4.0)
    >>> index_range("gini", np.array([0.0, 0.2]), np.array([0.1, 0.2]))[1]
    1.0
    """
    if not 2 <= low.size <= MAX_GROUPS or not (np.isfinite(low).all() and np.isfinite(high).all()):
        return None
    levels = np.array(sorted({*low.tolist(), *high.tolist(), *_kinks(low, high)}))
    filled = np.asarray(rate_index(kind, np.clip(levels[:, None], low, high)))
    corners = np.asarray(rate_index(kind, np.array(list(product(*zip(low, high, strict=True))))))
    known, ends = filled[~np.isnan(filled)], corners[~np.isnan(corners)]
    if not known.size or not ends.size:
        return None
    return float(known.min()), float(max(ends.max(), known.max()))


def _kinks(low: Floats, high: Floats) -> Iterator[float]:
    """Levels at which the logarithmic index bends: the mean of the logs meets the level or a rate that stays put.

    Between two neighbours among the ends of the rectangle the same rates move with the level; there the other indices
    are monotone, and the sum of abs(log - mean of logs) is convex and piecewise linear in the log of the level.
    """
    for left, right in pairwise(sorted({*low[low > 0].tolist(), *high[high > 0].tolist()})):
        middle = np.sqrt(left * right)
        fixed = np.concatenate([low[low > middle], high[high < middle]])
        moving = low.size - fixed.size
        if not fixed.size or not moving or not np.all(fixed > 0):
            continue
        logs = np.log(fixed)
        bends = [logs.mean(), *((low.size * logs - logs.sum()) / moving)]
        yield from (float(level) for level in np.exp(bends) if left < level < right)


def composite_range(metric: str, fmr: Box, fnmr: Box, weight: float) -> Range | None:
    """Extremes of ``fdr``, ``inequity_rate`` or ``garbe`` when both rates lie in their rectangles; ``weight``: FMR's.

    >>> box = Box(low=np.array([0.1, 0.2]), high=np.array([0.1, 0.2]), critical=0.0)
    >>> [round(end, 12) for end in composite_range("fdr", box, box, 0.5)]
    [0.9, 0.9]
    """
    if metric == "fdr":
        first, second = gap_range(fmr), gap_range(fnmr)
        low, high = (1 - weight * first[end] - (1 - weight) * second[end] for end in (1, 0))
        return low, high
    kind = RateIndex.MAX_MIN if metric == "inequity_rate" else RateIndex.GINI
    parts = [index_range(kind, box.low, box.high) for box in (fmr, fnmr)]
    if parts[0] is None or parts[1] is None:
        return None
    ends = zip(parts[0], parts[1], strict=True)
    if metric == "garbe":
        low, high = (weight * left + (1 - weight) * other for left, other in ends)
        return low, high
    low, high = (
        float("inf") if np.inf in (left, other) else left**weight * other ** (1 - weight)
        for left, other in ends
    )
    return low, high
