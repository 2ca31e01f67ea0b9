"""FNMR at an FMR target from two arrays of scores: what a list without people can answer.

Nothing is sorted: a sample of the non-mated scores gives a score that lies just below the threshold, one pass keeps the
few scores above it, and the threshold is selected among those.
"""

from math import ceil, floor, sqrt

import numpy as np

from frtaudit.core.arrays import Scores
from frtaudit.stats.rates.targets import Target, exact

FEW = 1 << 17  # scores that are selected from at once
SAMPLE = 1 << 14


def threshold_of(non_mated: Scores, target: Target) -> float:
    """The smallest threshold t with FMR(t) <= target (match iff score > t): a score of the list, or -inf.

    ``non_mated`` (M,): finite scores in any order. NaN for an empty list. FORMULAS 1, compared in integers.

    >>> threshold_of(np.array([.1, .4, .2, .3]), "1/4")
    0.3
    """
    if non_mated.size == 0:
        return float("nan")
    rate = exact(target)
    if rate >= 1:
        return float("-inf")
    return float(_selected(non_mated, floor(rate * non_mated.size)))


def fnmr_at_fmr(mated: Scores, non_mated: Scores, target: Target) -> float:
    """Share of the mated scores at or below the threshold at an FMR target; NaN if either list is empty.

    ``mated`` (P,), ``non_mated`` (M,): finite scores in any order.

    >>> fnmr_at_fmr(np.array([.25, .5]), np.array([.1, .4, .2, .3]), "1/4")
    0.5
    """
    if mated.size == 0 or non_mated.size == 0:
        return float("nan")
    return int(np.count_nonzero(mated <= threshold_of(non_mated, target))) / mated.size


def _selected(scores: Scores, above: int) -> np.floating:
    """The score that has ``above`` scores before it in descending order."""
    if scores.size > FEW:
        upper = scores[scores >= _below(scores, above)]
        if upper.size > above:
            scores = upper
    place = scores.size - 1 - above
    score: np.floating = np.partition(scores, place)[place]
    return score


def _below(scores: Scores, above: int) -> np.floating:
    """A score that almost always lies below the wanted one; where it does not, only time is lost."""
    sample = scores[:: max(1, scores.size // SAMPLE)]
    share = above / scores.size
    rank = ceil(sample.size * share + 6 * sqrt(sample.size * share) + 10)
    place = max(sample.size - rank, 0)
    score: np.floating = np.partition(sample, place)[place]
    return score
