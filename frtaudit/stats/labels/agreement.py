"""Agreement of two reviewers: Cohen's kappa with an interval that allows for queries of several faces.

Cohen (1960), A coefficient of agreement for nominal scales; the variance is that of Fleiss, Cohen and Everitt (1969)
where each face is a query of its own, by the influence function of kappa summed over each query.
"""

from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Ints
from frtaudit.stats._scipy import scipy


@dataclass(frozen=True, slots=True, kw_only=True)
class Kappa:
    """``value`` is NaN where both reviewers gave one answer to every face; ``low``, ``high``: then NaN as well.

    Where one reviewer gave one answer to every face ``value`` is 0 whatever the other gave, and has no interval.
    """

    value: float
    low: float
    high: float


def table_of(labels: Ints, other: Ints, answers: int) -> Ints:
    """Counts of answers 0 .. ``answers`` - 1, shape (A, A): a row for each answer of ``labels``."""
    table = np.zeros((answers, answers), dtype=np.int64)
    np.add.at(table, (labels, other), 1)
    return table


def kappa(labels: Ints, other: Ints, query: Ints, alpha: float) -> Kappa:
    """Kappa of N faces with answers ``labels`` and ``other``, shape (N,) each, in queries ``query``, shape (N,).

    The bounds are kappa -+ t sd with Q - 1 degrees of freedom, at most 1. Without a disagreement sd is 0: the lower
    bound is then kappa at the highest share of disagreements that one query of Q would show none of.

    >>> kappa(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 0]), np.arange(4), 0.05).value
    0.5
    """
    size = int(max(labels.max(initial=0), other.max(initial=0))) + 1
    counts = table_of(labels, other, size)
    share = counts / labels.size
    first, second = share.sum(axis=1), share.sum(axis=0)
    agreed, expected = float(np.trace(share)), float(first @ second)
    if expected == 1.0:
        return Kappa(value=np.nan, low=np.nan, high=np.nan)
    if labels.size in (*counts.sum(axis=0), *counts.sum(axis=1)):  # agreed is expected
        return Kappa(value=0.0, low=np.nan, high=np.nan)
    from statsmodels.stats.inter_rater import cohens_kappa  # imports pandas

    value = float(cohens_kappa(counts, return_results=False))
    names, place = np.unique(query, return_inverse=True)
    if names.size < 2:
        return Kappa(value=value, low=np.nan, high=np.nan)
    if agreed == 1.0:
        most = 1 - (alpha / 2) ** (1 / names.size)
        return Kappa(value=1.0, low=1 - most / (1 - expected), high=1.0)
    influence = ((labels == other) - agreed) / (1 - expected) - (1 - agreed) / (1 - expected) ** 2 * (
        second[labels] + first[other] - 2 * expected
    )
    sums = np.bincount(place, weights=influence)
    sd = np.sqrt(names.size / (names.size - 1) * np.square(sums).sum()) / labels.size
    half = float(scipy.stats.t.ppf(1 - alpha / 2, names.size - 1) * sd)
    return Kappa(value=value, low=value - half, high=min(value + half, 1.0))
