"""Numbers into classes: by edges, or by percentiles within the groups of another schema."""

from collections.abc import Sequence

import numpy as np

from frtaudit.core.arrays import Floats, Index, Ints


def by_edges(values: Floats, edges: Sequence[float]) -> Ints:
    """Bin of each value, -1 where it is NaN: bin c holds ``edges[c-1] <= x < edges[c]``.

    >>> by_edges(np.array([19.9, 20.0, 40.0, np.nan]), (20, 40)).tolist()
    [0, 1, 2, -1]
    """
    codes = np.searchsorted(np.asarray(edges, dtype=np.float64), values, side="right").astype(np.int64)
    codes[np.isnan(values)] = -1
    return codes


def by_percentiles(values: Floats, percentiles: Sequence[float], subject_of: Index, group_of: Ints) -> Ints:
    """Bin of each value among the subjects of its group, -1 where the value or the group is unknown.

    ``values`` (N,) float64 per sample; ``subject_of`` (N,) int32; ``group_of`` (K,) int64, -1 = unknown. The cuts are
    type-7 percentiles of the subjects' mean values, so that a subject with many samples counts once.

    >>> subjects = np.array([0, 1, 2, 3], dtype=np.int32)
    >>> by_percentiles(np.array([1.0, 2.0, 30.0, 40.0]), (50,), subjects, np.array([0, 0, 1, 1])).tolist()
    [0, 1, 0, 1]
    """
    known = ~np.isnan(values)
    total = np.bincount(subject_of[known], weights=values[known], minlength=group_of.size)
    count = np.bincount(subject_of[known], minlength=group_of.size)
    means = np.full(group_of.size, np.nan)
    np.divide(total, count, out=means, where=count > 0)
    codes = np.full(values.size, -1, dtype=np.int64)
    for group in np.unique(group_of[(group_of >= 0) & ~np.isnan(means)]):
        cuts = np.percentile(means[(group_of == group) & ~np.isnan(means)], percentiles)
        samples = group_of[subject_of] == group
        codes[samples] = by_edges(values[samples], cuts)
    return codes
