"""Transactions of up to k attempts as comparisons: one accepts where the best of its first k attempts matches.

FAR and FRR of transactions are then FMR and FNMR of these comparisons, and all that is known of those holds: which
transactions share a person, what the cohort may lack, where a threshold lies (FORMULAS 8.1, 8.2, 8.18).
"""

import numpy as np

from frtaudit.core.arrays import Floats, Index
from frtaudit.core.scores import ScoreTail
from frtaudit.core.transactions import Transactions
from frtaudit.stats.similarity.tail import from_listed


def best_scores(score: Floats, k: int) -> Floats:
    """The highest score of the first ``k`` attempts, shape (T,), NaN where none has one; ``score``: (T, A).

    >>> best_scores(np.array([[0.2, np.nan, 0.9], [np.nan, np.nan, 0.5]]), 2).tolist()
    [0.2, nan]
    """
    best = np.where(np.isnan(score[:, :k]), -np.inf, score[:, :k]).max(axis=1)
    return np.where(np.isneginf(best), np.nan, best)


def transaction_tail(
    found: Transactions, k: int, cells: Index, score_range: tuple[float, float]
) -> ScoreTail:
    """Transactions of up to ``k`` attempts as mated (genuine) and non-mated (impostor) comparisons.

    One without a score in its first ``k`` attempts has the lowest score of the range: no threshold accepts it.
    ``cells`` (K,): impostor transactions count within one cell of subjects, -1 = none.

    >>> found = Transactions(subject=np.int32([0, 1]), claimed=np.int32([0, 0]), made=np.int32([2, 1]),
    ...                      score=np.array([[0.2, 0.9], [0.4, np.nan]]))
    >>> tail = transaction_tail(found, 2, np.zeros(2, dtype=np.int32), (0, 1))
    >>> tail.mated_score.tolist(), tail.tail_score.tolist()
    ([0.9], [0.4])
    """
    best = best_scores(found.score, k)
    of = np.concatenate([np.arange(cells.size, dtype=np.int32), found.subject])  # references, then probes
    order = np.argsort(of, kind="stable")
    place = np.empty(of.size, dtype=np.int64)
    place[order] = np.arange(of.size)
    return from_listed(
        np.where(np.isnan(best), score_range[0], best),
        place[cells.size :],
        place[found.claimed],
        subject_of=of[order],
        cells=cells,
        score_range=score_range,
    )
