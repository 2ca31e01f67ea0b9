"""Transactions of up to k attempts as comparisons: one accepts where the best of its first k attempts matches.

FAR and FRR of transactions are then FMR and FNMR of these comparisons, and all that is known of those holds: which
transactions share a person, what the cohort may lack, where a threshold lies (FORMULAS 8.1, 8.2, 8.18).
"""

from dataclasses import replace

import numpy as np

from frtaudit.core.arrays import Floats, Index
from frtaudit.core.comparisons import Comparisons
from frtaudit.core.scores import NOT_COMPARED, ScoreTable, ScoreTail
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
    transactions: Transactions, k: int, cells: Index, score_range: tuple[float, float]
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
    best = best_scores(transactions.score, k)
    of = np.concatenate([np.arange(cells.size, dtype=np.int32), transactions.subject])
    order = np.argsort(of, kind="stable")
    place = np.empty(of.size, dtype=np.int64)
    place[order] = np.arange(of.size)
    return from_listed(
        np.where(np.isnan(best), score_range[0], best),
        place[cells.size :],
        place[transactions.claimed],
        subject_of=of[order],
        cells=cells,
        score_range=score_range,
    )


def in_time(transactions: Transactions, timeout: float) -> Transactions:
    """The transactions without the scores of attempts that ended after ``timeout`` seconds.

    >>> one = np.int32([0])
    >>> found = Transactions(subject=one, claimed=one, score=np.array([[0.2, 0.9]]), made=np.int32([2]),
    ...                      seconds=np.array([[30.0, 30.5]]))
    >>> in_time(found, 30).score.tolist()
    [[0.2, nan]]
    """
    if transactions.seconds is None:
        return transactions
    return replace(transactions, score=np.where(transactions.seconds > timeout, np.nan, transactions.score))


def in_one_direction(transactions: Transactions) -> Transactions:
    """Of two people who claimed each other's identity, the transactions of one who claimed the other's.

    Who that is goes by their places in the cohort: the first of the two where the sum is even, else the second, so that
    people stand on either side about as often.

    >>> found = Transactions(subject=np.int32([0, 2, 1]), claimed=np.int32([2, 0, 0]), made=np.int32([1, 1, 1]),
    ...                      score=np.array([[0.1], [0.2], [0.3]]))
    >>> in_one_direction(found).score.ravel().tolist()
    [0.1, 0.3]
    """
    low = np.minimum(transactions.subject, transactions.claimed)
    high = np.maximum(transactions.subject, transactions.claimed)
    pair = low.astype(np.int64) << 31 | high
    upwards = transactions.subject < transactions.claimed
    both = np.isin(pair, np.intersect1d(pair[upwards], pair[transactions.subject > transactions.claimed]))
    return transactions.at_rows(~both | (upwards == ((low + high) % 2 == 0)))


def composed(comparisons: Comparisons, table: ScoreTable | None, subject_of: Index) -> Transactions:
    """The transactions that listed comparisons are the attempts of; failed comparisons have no score.

    ``table``: scores of the ``comparisons``; ``subject_of`` (N,): of each sample. A transaction of which a comparison
    was not made is left out.

    >>> pairs = Comparisons(all_pairs=False, probe=np.int32([1, 2]), reference=np.int32([0, 0]), cells=np.int32([0]),
    ...                     mated=np.array([True, True]), transaction=np.int32([0, 0]))
    >>> table = ScoreTable(score=np.array([0.5, np.nan]), failure=np.int16([-1, 0]), codes=("no_face",))
    >>> composed(pairs, table, np.int32([0, 0, 0])).score.tolist()
    [[0.5, nan]]
    """
    if comparisons.transaction is None or table is None:
        raise ValueError("comparisons of no transaction")
    _, first, place = np.unique(comparisons.transaction, return_index=True, return_inverse=True)
    attempt = np.arange(place.size) - first[place]
    score = np.full((first.size, int(attempt.max(initial=0)) + 1), np.nan)
    score[place, attempt] = table.score
    unmade = np.isin(table.failure, [n for n, code in enumerate(table.codes) if code == NOT_COMPARED])
    transactions = Transactions(
        subject=subject_of[comparisons.probe[first]],
        claimed=subject_of[comparisons.reference[first]],
        score=score,
        made=np.bincount(place, minlength=first.size).astype(np.int32),
    )
    return transactions.at_rows(np.bincount(place, weights=unmade, minlength=first.size) == 0)
