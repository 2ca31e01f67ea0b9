"""The shape of a violin."""

import numpy as np

from frtaudit.stats.interclass.violins import shape_of


def test_a_violin_lies_between_the_extremes_and_peaks_where_scores_are() -> None:
    """The grid ends at the extremes; the density is highest near the mode and integrates to nearly one."""
    scores = np.random.default_rng(0).normal(0.4, 0.05, 2000)
    grid, height = shape_of(scores) or (np.zeros(0), np.zeros(0))
    assert (grid[0], grid[-1]) == (scores.min(), scores.max())
    assert abs(grid[height.argmax()] - 0.4) < 0.03
    assert 0.95 < np.trapezoid(height, grid) <= 1.001


def test_nothing_to_draw() -> None:
    """Few scores, or scores that are all alike, have no shape."""
    assert shape_of(np.array([0.1, 0.2, 0.3, 0.4])) is None
    assert shape_of(np.full(9, 0.3)) is None
