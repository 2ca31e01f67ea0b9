"""The tail: what is kept of the scores of one provider, made from lists, matrices or blocked all-pairs scoring."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from frtaudit.core.arrays import Floats, Index, Ints
from frtaudit.core.scores import Blocks, Groups, ScoreTail
from frtaudit.stats.rates.histogram import edges_over, histogram_of_sorted


def no_groups(tail: ScoreTail) -> Groups:
    """Groups for a cohort without classification schemas: everybody is index 0."""
    return Groups(schemas=(), names=(), of=np.empty((0, tail.n_samples.size), dtype=np.int32), ranked=())


def from_listed(
    score: npt.ArrayLike,
    probe: npt.ArrayLike,
    reference: npt.ArrayLike,
    *,
    subject_of: npt.ArrayLike,
    cells: npt.ArrayLike,
    score_range: tuple[float, float],
) -> ScoreTail:
    """All scores of listed comparisons: floor -inf, non-mated comparisons counted by block of subjects.

    ``score`` (P,) float64, NaN = failed: left out (they are counted elsewhere); ``probe``, ``reference``
    (P,): cohort sample indices, in either order; a pair listed twice counts twice. ``subject_of`` (N,):
    subject of each cohort sample, non-decreasing; ``cells`` (K,): non-mated comparisons count within one
    cell, -1 = none. Samples without a score are not acquired. ``mated_complete`` is true iff every
    within-subject pair of acquired samples stands once.

    >>> tail = from_listed([.9, .2], [0, 2], [1, 0], subject_of=[0, 0, 1], cells=[0, 0], score_range=(0, 1))
    >>> tail.mated_score.tolist(), tail.tail_score.tolist(), tail.blocks.count.tolist()
    ([0.9], [0.2], [1])
    """
    values = np.asarray(score, dtype=np.float64)
    scored = np.isfinite(values)
    ends = np.stack([np.asarray(probe, dtype=np.int64), np.asarray(reference, dtype=np.int64)])[:, scored]
    subjects = np.asarray(subject_of, dtype=np.int32)
    room = np.asarray(cells, dtype=np.int32)
    met = np.zeros(subjects.size, dtype=bool)
    met[ends] = True
    rows = np.flatnonzero(met)
    place = (np.cumsum(met) - 1).astype(np.int32)[ends]
    i, j = np.minimum(*place), np.maximum(*place)
    of = subjects[rows]
    n_samples = np.bincount(of, minlength=room.size).astype(np.int64)
    tail = _assemble(
        values[scored], i, j, n_samples=n_samples, subject_of=of, rows=rows.astype(np.int32), cells=room,
        score_range=score_range,
    )  # fmt: skip
    key = np.sort(of[tail.tail_i].astype(np.int64) * room.size + of[tail.tail_j])
    start = np.flatnonzero(np.append(True, key[1:] != key[:-1])) if key.size else np.empty(0, dtype=np.int64)
    low, high = np.divmod(key[start], max(room.size, 1))
    count = np.diff(np.append(start, key.size)).astype(np.int64)
    return replace(tail, blocks=Blocks(k=low.astype(np.int32), l=high.astype(np.int32), count=count))


def from_matrix(
    scores: npt.ArrayLike,
    ids: Sequence[object],
    *,
    cells: npt.ArrayLike | None = None,
    score_range: tuple[float, float] | None = None,
) -> ScoreTail:
    """All pairs of a small score matrix, kept exactly in float64: floor -inf, complete.

    ``scores`` (N, N): comparison scores; the diagonal is not read, two orders of a pair are averaged
    (FORMULAS 8.15). ``ids``: N subject names. Subjects are numbered in the order of ``sorted(set(ids))``;
    samples are sorted by subject, so ``tail.rows`` holds the row of the matrix of each sample. ``cells``
    (K,), default one cell; ``score_range`` default: the extremes of the matrix.

    >>> tail = from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["b", "b", "a"])
    >>> tail.rows.tolist(), tail.tail_score.tolist()
    ([2, 0, 1], [0.3, 0.2])
    """
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.shape != (len(ids), len(ids)):
        raise ValueError(
            f"a matrix of shape {matrix.shape} with {len(ids)} ids: one row and one column for each"
        )
    names, subject = np.unique(np.asarray(ids), return_inverse=True)
    rows = np.argsort(subject, kind="stable")
    i, j = (side.astype(np.int32) for side in np.triu_indices(len(subject), k=1))
    values = (matrix[rows[i], rows[j]] + matrix[rows[j], rows[i]]) / 2
    if not bool(np.all(np.isfinite(values))):
        raise ValueError("every comparison of a score matrix has a finite score")
    of = subject[rows].astype(np.int32)
    room = np.zeros(len(names), dtype=np.int32) if cells is None else np.asarray(cells, dtype=np.int32)
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    seen = (low, high) if low < high else (low - 1.0, high + 1.0)
    return _assemble(
        values, i, j, n_samples=np.bincount(of).astype(np.int64), subject_of=of, rows=rows.astype(np.int32),
        cells=room, score_range=score_range or seen,
    )  # fmt: skip


def _assemble(
    score: Floats,
    i: Index,
    j: Index,
    *,
    n_samples: Ints,
    subject_of: Index,
    rows: Index,
    cells: Index,
    score_range: tuple[float, float],
) -> ScoreTail:
    first, second = subject_of[i], subject_of[j]
    mated = first == second
    counted = ~mated & (cells[first] == cells[second]) & (cells[first] >= 0)
    genuine = _ascending(np.flatnonzero(mated), score, i, j)
    other = _ascending(np.flatnonzero(counted), -score, i, j)
    edges, every = edges_over(score_range), int((n_samples * (n_samples - 1) // 2).sum())
    # Complete: each pair of one subject stands once.
    key = i[genuine].astype(np.int64) * int(n_samples.sum()) + j[genuine]
    return ScoreTail(
        n_samples=n_samples,
        subject_of=subject_of,
        rows=rows,
        mated_i=i[genuine],
        mated_j=j[genuine],
        mated_score=score[genuine],
        tail_i=i[other],
        tail_j=j[other],
        tail_score=score[other],
        cutoff=float("-inf"),
        edges=edges,
        histogram=histogram_of_sorted(score[other[::-1]], edges),
        mated_histogram=histogram_of_sorted(score[genuine], edges),
        cells=cells,
        score_range=score_range,
        mated_complete=genuine.size == every and bool(np.unique(key).size == every),
    )


def _ascending(chosen: Ints, score: Floats, i: Index, j: Index) -> Ints:
    """The comparisons chosen by ascending score, ties by (i, j): only what ties is sorted by more than its score."""
    values = score[chosen]
    order = np.argsort(values)
    values, chosen = values[order], chosen[order]
    same = np.zeros(values.size + 1, dtype=bool)
    same[1:-1] = values[1:] == values[:-1]
    tied = np.flatnonzero(same[1:] | same[:-1])
    ends = chosen[tied]
    chosen[tied] = ends[np.lexsort((j[ends], i[ends], values[tied]))]
    return chosen
