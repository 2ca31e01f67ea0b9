"""Means over comparisons when people are drawn again: a mated comparison counts with its person, others with both."""

import numpy as np

from frtaudit.core.arrays import Floats, Index, Integers
from frtaudit.stats._scipy import scipy


def weighted_means(value: Floats, first: Index, second: Index, copies: Integers) -> Floats:
    """The mean of ``value`` (P,) in each of B draws, shape (B,); NaN where no comparison is drawn.

    ``first``, ``second``: subjects compared, shape (P,), the same one twice for a mated comparison; ``copies``: how
    often each subject is drawn, shape (B, K). A comparison of k and l counts copies_k copies_l times, one within k
    copies_k times.

    >>> subjects = np.array([0, 0]), np.array([0, 1])
    >>> weighted_means(np.array([1.0, 4.0]), *subjects, np.array([[1, 1], [1, 2]])).tolist()
    [2.5, 3.0]
    """
    size, times = copies.shape[1], copies.astype(np.float64)
    same, sums = first == second, []
    ends = first[~same], second[~same]
    for part in (value, np.ones(value.size)):
        within = np.bincount(first[same], part[same], minlength=size)
        between = scipy.sparse.coo_array((part[~same], ends), shape=(size, size)).tocsr()
        sums.append(times @ within + np.einsum("bk,bk->b", times, (between @ times.T).T))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[0] / sums[1])
