"""The common support: the samples, or the listed comparisons, that every system of a comparison has scored."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from frtaudit.core.arrays import Array, Flags, Floats, Index, Ints
from frtaudit.core.scores import ScoreTail
from frtaudit.stats.rates.histogram import histogram_of_sorted
from frtaudit.stats.rates.trials import complete_pairs
from frtaudit.stats.similarity.tail import from_listed


def acquired(tail: ScoreTail, samples: int) -> Flags:
    """Which of the cohort's samples a system acquired, shape (N,).

    >>> from frtaudit.stats.similarity.tail import from_matrix
    >>> acquired(from_matrix([[1, 0.5], [0.5, 1]], ["a", "b"]), 3).tolist()
    [True, True, False]
    """
    is_acquired = np.zeros(samples, dtype=np.bool_)
    is_acquired[tail.rows] = True
    return is_acquired


def restricted(tail: ScoreTail, keep: Flags) -> ScoreTail:
    """The tail of the kept samples alone, where every pair was compared.

    ``keep``: shape (N,), bool, by cohort index. Scores above the floor stay exact; below it nothing was kept but
    counts, which cannot be distinguished by sample: they are put in the lowest bin. Raises ValueError for listed
    comparisons, whose support is a matter of comparisons (:func:`listed`).

    >>> from frtaudit.stats.similarity.tail import from_matrix
    >>> tail = from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["a", "a", "b"])
    >>> restricted(tail, np.array([True, False, True])).tail_score.tolist()
    [0.2]
    """
    if tail.blocks is not None:
        raise ValueError("listed comparisons are restricted by comparison, not by sample")
    selected = keep[tail.rows]
    if selected.all():
        return tail
    place = (np.cumsum(selected) - 1).astype(np.int32)
    mated = selected[tail.mated_i] & selected[tail.mated_j]
    above = selected[tail.tail_i] & selected[tail.tail_j]
    subject_of = tail.subject_of[selected]
    n_samples = np.bincount(subject_of, minlength=tail.n_samples.size).astype(np.int64)
    score = tail.tail_score[above]
    histogram = histogram_of_sorted(score[::-1], tail.edges)
    histogram[0] += complete_pairs(n_samples, tail.cells) - score.size
    mated_score = tail.mated_score[mated]
    return replace(
        tail,
        n_samples=n_samples,
        subject_of=subject_of,
        rows=tail.rows[selected],
        mated_i=place[tail.mated_i[mated]],
        mated_j=place[tail.mated_j[mated]],
        mated_score=mated_score,
        tail_i=place[tail.tail_i[above]],
        tail_j=place[tail.tail_j[above]],
        tail_score=score,
        histogram=histogram,
        mated_histogram=histogram_of_sorted(mated_score, tail.edges),
        rescored=None,
    )


def listed(
    score: Floats, keep: Flags, tail: ScoreTail, ends: tuple[Index, Index], subject_of: Index
) -> ScoreTail:
    """The tail of the kept comparisons of a list.

    ``score`` (P,): of the listed comparisons, NaN = failed; ``keep`` (P,); ``tail``: made of all of them; ``ends``:
    probe and reference (P,), cohort indices; ``subject_of`` (N,): of the cohort.
    """
    score = np.where(keep, score, np.nan)
    return from_listed(score, *ends, subject_of=subject_of, cells=tail.cells, score_range=tail.score_range)


def mated_by_pair(tail: ScoreTail) -> tuple[Ints, Floats, Ints]:
    """Mated comparisons in the order of their samples: key (P,) int64, score (P,) float64, subject (P,) int64.

    The key is the same for the same two samples of the cohort, whichever system scored them.

    >>> from frtaudit.stats.similarity.tail import from_matrix
    >>> mated_by_pair(from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["a", "a", "b"]))[1].tolist()
    [0.9]
    """
    first, second = (tail.rows[side].astype(np.int64) for side in (tail.mated_i, tail.mated_j))
    key = (np.minimum(first, second) << 31) | np.maximum(first, second)
    order = np.argsort(key, kind="stable")
    subject = tail.subject_of[tail.mated_i].astype(np.int64)
    return key[order], tail.mated_score[order].astype(np.float64), subject[order]


def contents(tail: ScoreTail) -> bytes:
    """Every kept score with the samples that it compares, as bytes: equal for systems that answer alike."""
    parts: Sequence[Array] = (
        tail.rows[tail.mated_i],
        tail.rows[tail.mated_j],
        tail.mated_score.astype(np.float64),
        tail.rows[tail.tail_i],
        tail.rows[tail.tail_j],
        tail.tail_score.astype(np.float64),
    )
    return b"".join(np.ascontiguousarray(part).tobytes() for part in parts)
