"""The histogram of scores: declared edges over the provider's range, bins closed on the right.

A bin holds edge < score <= next edge, so that the count above an edge is the number of matches at that
threshold. Scores outside the range are counted in the end bins.
"""

import numpy as np

from frtaudit.core.arrays import Floats, Ints, Scores

BINS = 1024  # 1/512 wide on -1..1


def edges_over(score_range: tuple[float, float]) -> Floats:
    """1025 equally spaced edges from the lowest to the highest score, float64, in score units.

    >>> edges_over((-1.0, 1.0))[[0, 513, 1024]].tolist()
    [-1.0, 0.001953125, 1.0]
    """
    low, high = score_range
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ValueError(f"a score range is finite and ascending: {low} to {high}")
    return np.linspace(low, high, BINS + 1)


def histogram_of(scores: Scores, edges: Floats) -> Ints:
    """Scores in each bin (edge < score <= next edge), shape (H,), int64.

    >>> histogram_of(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 1.0])).tolist()
    [2, 1]
    """
    place = np.searchsorted(edges, scores.astype(np.float64), side="left") - 1
    return np.bincount(np.clip(place, 0, edges.size - 2), minlength=edges.size - 1).astype(np.int64)


def histogram_of_sorted(ascending: Scores, edges: Floats) -> Ints:
    """The same of scores in ascending order: edges are searched among scores.

    >>> histogram_of_sorted(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 1.0])).tolist()
    [2, 1]
    """
    inner = np.searchsorted(ascending, edges[1:-1], side="right")
    return np.diff(inner, prepend=0, append=ascending.size).astype(np.int64)


def above_edges(histogram: Ints) -> Ints:
    """Scores above each edge, shape (H+1,), int64; exact at the H-1 inner edges."""
    return np.concatenate([np.cumsum(histogram[::-1])[::-1], [0]]).astype(np.int64)
