"""Pairs of samples: all mated ones, and non-mated ones, drawn or the most alike, without the whole matrix."""

from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Floats, Index, Ints, Singles
from frtaudit.core.freeze import FrozenArrays
from frtaudit.stats._scipy import scipy

BLOCK = 2048


def mated_pairs(subject: Index | Ints) -> tuple[Index, Index]:
    """Every pair of samples of one subject, by subject; ``subject`` (N,) non-decreasing.

    >>> [side.tolist() for side in mated_pairs(np.array([0, 0, 1, 1]))]
    [[0, 2], [1, 3]]
    """
    counts = np.searchsorted(subject, subject, side="right") - np.arange(subject.size) - 1
    first = np.repeat(np.arange(subject.size), counts)
    starts = np.cumsum(counts) - counts
    second = np.arange(counts.sum()) - np.repeat(starts, counts) + first + 1
    return first.astype(np.int32), second.astype(np.int32)


def components(first: Ints, second: Ints, size: int) -> Ints:
    """Which connected component each of ``size`` nodes is in, (size,); ``first``, ``second``: the ends of each edge.

    >>> components(np.array([0, 2]), np.array([1, 2]), 3).tolist()
    [0, 0, 1]
    """
    edges = scipy.sparse.coo_array((np.ones(first.size), (first, second)), shape=(size, size))
    _, component = scipy.sparse.csgraph.connected_components(edges, directed=False)
    return np.asarray(component, dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs(FrozenArrays):
    """Pairs by sample: ``first``, ``second`` (P,) int64, ``score`` (P,) float64; ``within``: how many there were."""

    first: Ints
    second: Ints
    score: Floats
    within: int

    @property
    def whole(self) -> bool:
        """Whether none was left out."""
        return self.within == self.score.size


def most_alike(
    vectors: Singles, subject: Index | Ints, samples: Ints, other: Ints, highest: float, most: int
) -> Pairs:
    """The ``most`` non-mated pairs of ``samples`` with ``other`` that score highest, up to ``highest``.

    ``vectors`` (N, D) float32, unit; ``subject`` (N,); ``samples``, ``other``: ascending sample indices; a pair stands
    once. By falling score, ties by sample. Ties at the last place all stay. Memory: one block of ``samples`` by
    ``other``, and four times ``most``.

    >>> unit = np.float32([[1, 0], [0.8, 0.6], [0, 1]])
    >>> found = most_alike(unit, np.array([0, 1, 2]), np.arange(3), np.arange(3), 1.0, 1)
    >>> found.first.tolist(), found.second.tolist(), found.whole
    ([0], [1], False)
    """
    parts: list[tuple[Ints, Ints, Floats]] = []
    size, cut, within = 0, -np.inf, 0
    for start in range(0, samples.size, BLOCK):
        rows = samples[start : start + BLOCK]
        block = vectors[rows] @ vectors[other].T
        keep = (block <= highest) & (subject[rows][:, None] != subject[other][None, :])
        keep &= ~(
            np.isin(other, samples)[None, :]
            & np.isin(rows, other)[:, None]
            & (rows[:, None] >= other[None, :])
        )
        within += int(np.count_nonzero(keep))
        i, j = np.nonzero(keep & (block >= cut))
        parts.append((rows[i], other[j], block[i, j].astype(np.float64)))
        size += i.size
        if size > 4 * most:
            parts, cut = _highest(parts, most)
            size = parts[0][2].size
    if size > most:
        parts, _ = _highest(parts, most)
    if not parts:
        parts = [(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))]
    first, second, score = (np.concatenate(part) for part in zip(*parts, strict=True))
    first, second = np.minimum(first, second), np.maximum(first, second)
    order = np.lexsort((second, first, -score))
    return Pairs(first=first[order], second=second[order], score=score[order], within=within)


def _highest(
    parts: list[tuple[Ints, Ints, Floats]], most: int
) -> tuple[list[tuple[Ints, Ints, Floats]], float]:
    first, second, score = (np.concatenate(part) for part in zip(*parts, strict=True))
    cut = float(np.partition(score, score.size - most)[score.size - most])
    keep = score >= cut
    return [(first[keep], second[keep], score[keep])], cut


def drawn_pairs(
    subject: Index | Ints, samples: Ints, other: Ints, most: int, rng: "np.random.Generator"
) -> tuple[Ints, Ints]:
    """At most ``most`` distinct non-mated pairs of a sample of ``samples`` and one of ``other``, in the order drawn.

    Up to eight tries for each wanted pair: where few pairs exist, some may be missed.

    >>> first, second = drawn_pairs(np.array([0, 1, 1]), np.arange(3), np.arange(3), 9, np.random.default_rng(0))
    >>> sorted(zip(first.tolist(), second.tolist()))
    [(0, 1), (0, 2)]
    """
    if not samples.size or not other.size:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    a, b = samples[rng.integers(0, samples.size, 8 * most)], other[rng.integers(0, other.size, 8 * most)]
    low, high = np.minimum(a, b).astype(np.int64), np.maximum(a, b).astype(np.int64)
    _, once = np.unique(low * subject.size + high, return_index=True)
    once = np.sort(once)
    once = once[subject[low[once]] != subject[high[once]]][:most]
    return low[once], high[once]


def scores_of(vectors: Singles, first: Ints, second: Ints, chunk: int = 1 << 16) -> Floats:
    """Scores of listed pairs of unit ``vectors``, shape (P,), float64.

    >>> scores_of(np.float32([[1, 0], [0, 1]]), np.array([0]), np.array([1])).tolist()
    [0.0]
    """
    values = np.empty(first.size)
    for start in range(0, first.size, chunk):
        part = slice(start, start + chunk)
        values[part] = np.einsum("ij,ij->i", vectors[first[part]], vectors[second[part]], dtype=np.float64)
    return values
