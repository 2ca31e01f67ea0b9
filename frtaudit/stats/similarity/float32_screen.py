"""The screen: most pairs are settled by a float32 product; those near an edge or above the floor are scored in float64.

The float32 cosine is off by less than a known error. A pair whose bin and side of the floor that error cannot change
is counted as it is; the others are scored again, so that histogram and tail are those of float64 scores.
"""

import numpy as np

from frtaudit.core.arrays import Floats, Index, Ints, Singles, Words
from frtaudit.stats._numba import inner, kernel, reordered
from frtaudit.stats.similarity.scorers import UnitBlocks

ROUNDING = 2.0**-21  # of a bin's number, up to 1024, computed in float32: relative


def screen(
    blocks: UnitBlocks, rows: slice, columns: slice, floor: float, edges: Floats, histogram: Ints,
    room: Singles, i: Index, j: Index, out: Singles,
) -> int:  # fmt: skip
    """Count every pair of two slices in ``histogram`` and keep those with score > ``floor``; the number kept.

    ``room`` (at least rows x columns,) float32 is worked in; ``i``, ``j``, ``out`` receive the pairs kept.
    """
    first, second = blocks.unit[rows], blocks.unit[columns]
    cosine = room[: len(first) * len(second)].reshape(len(first), len(second))
    np.matmul(first, second.T, out=cosine)
    # a vector that is not finite makes its whole row or column so
    if not np.isfinite(cosine[0].sum() + cosine[:, 0].sum()):
        raise ValueError("a block scorer gives finite scores only")
    bins = (edges.size - 1) / (edges[-1] - edges[0])
    error = blocks.error * blocks.scale * bins + ROUNDING * (edges.size - 1)
    cut = (floor - blocks.shift) / blocks.scale - 2 * blocks.error
    return screen_tile(
        cosine, rows.start, columns.start, blocks.vectors, blocks.lengths, blocks.scale, blocks.shift,
        np.float32(bins * blocks.scale), np.float32(bins * (blocks.shift - edges[0])), np.float32(0.5 - error),
        np.float32(cut), floor, bins, edges, histogram, i, j, out,
    )  # fmt: skip


@reordered
def inner_product(first: Floats, second: Singles) -> float:
    """The inner product of two vectors in float64."""
    total = 0.0
    for place in range(first.size):
        total += first[place] * np.float64(second[place])
    return total


@kernel
def bin_of(score: float, scale: float, edges: Floats) -> int:
    """The bin with edge < score <= next edge, the end bins for scores outside; a guess, then exact comparisons."""
    last = edges.size - 2
    place = min(max(int((score - edges[0]) * scale), 0), last)
    while place > 0 and score <= edges[place]:
        place -= 1
    while place < last and score > edges[place + 1]:
        place += 1
    return place


@inner
def _bin_row(
    row: Singles, slope: np.float32, offset: np.float32, reach: np.float32, cut: np.float32, last: int,
    place: Words,
) -> None:  # fmt: skip
    """Bin of each cosine; ``last`` + 1 where it is not within ``reach`` of the bin's middle or lies above the cut."""
    for b in range(row.size):
        at = slope * row[b] + offset
        whole = np.int32(at)
        sure = (abs(at - np.float32(whole) - np.float32(0.5)) <= reach) & (row[b] <= cut)
        place[b] = min(max(whole, np.int32(0)), np.int32(last)) if sure else np.int32(last + 1)


@inner
def _count(place: Words, unsure: int, counts: Words, near: Words) -> int:
    """Count the bins of a row in four tables; list the columns in bin ``unsure``: how many."""
    n = 0
    for b in range(place.size):
        counts[np.uint64(b & 3), np.uint64(place[b])] += np.uint32(1)
        near[np.uint64(n)] = b
        n += int(place[b] == unsure)
    return n


@kernel
def screen_tile(
    cosine: Singles, first_i: int, first_j: int, vectors: Singles, lengths: Floats, scale: float, shift: float,
    slope: np.float32, offset: np.float32, reach: np.float32, cut: np.float32, floor: float, bins: float, edges: Floats,
    histogram: Ints, i: Index, j: Index, out: Singles,
) -> int:  # fmt: skip
    """Count and keep the pairs of a tile: bin number = ``slope`` * cosine + ``offset``, off by < 0.5 - ``reach``."""
    n, width, unsure = 0, cosine.shape[1], edges.size - 1
    place, near = np.empty(width, dtype=np.uint32), np.empty(width, dtype=np.uint32)
    counts, row = np.zeros((4, unsure + 1), dtype=np.uint32), np.empty(vectors.shape[1])
    for a in range(cosine.shape[0]):
        _bin_row(cosine[a], slope, offset, reach, cut, unsure - 1, place)
        for q in range(_count(place, unsure, counts, near)):
            if q == 0:
                for d in range(row.size):  # copying a slice takes Numba two seconds to compile
                    row[d] = vectors[first_i + a, d]
            column = first_j + int(near[q])
            cosine64 = inner_product(row, vectors[column]) / (lengths[first_i + a] * lengths[column])
            score = np.float32(scale * cosine64 + shift + 0.0)
            histogram[bin_of(np.float64(score), bins, edges)] += 1
            if score > floor:
                i[n], j[n], out[n] = first_i + a, column, score
                n += 1
    for b in range(unsure):
        histogram[b] += np.int64(counts[0, b]) + counts[1, b] + counts[2, b] + counts[3, b]
    return n
