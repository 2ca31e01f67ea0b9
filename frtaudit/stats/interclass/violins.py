"""The shape of a violin: a Gaussian kernel density on an even grid."""

import numpy as np

from frtaudit.core.arrays import Floats
from frtaudit.stats._scipy import scipy

MIN_SCORES = 5


def shape_of(scores: Floats, points: int = 81) -> tuple[Floats, Floats] | None:
    """Grid and density from the smallest to the largest score, each (points,); Scott's bandwidth.

    The density is cut at the extremes seen, and not made up for there: it shows scores, it estimates nothing. None for
    fewer than five scores, or scores that are all alike.

    >>> grid, height = shape_of(np.array([0.1, 0.2, 0.3, 0.4, 0.5]), 3)
    >>> grid.round(2).tolist(), bool(height[1] > height[0])
    ([0.1, 0.3, 0.5], True)
    """
    if scores.size < MIN_SCORES or float(np.ptp(scores)) < 1e-9:
        return None
    grid = np.linspace(float(scores.min()), float(scores.max()), points)
    return grid, np.asarray(scipy.stats.gaussian_kde(scores)(grid), dtype=np.float64)
