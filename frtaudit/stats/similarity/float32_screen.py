"""The screen: most pairs are settled by a float32 product; those near an edge or above the floor are scored in float64.

The float32 cosine is off by less than a known error. A pair whose bin and side of the floor that error cannot change
is counted as it is; the others are scored again, so that histogram and tail are those of float64 scores.
"""

import numpy as np

from frtaudit.core.arrays import Bytes, Floats, Index, Ints, Singles
from frtaudit.stats._numba import kernel
from frtaudit.stats.inlined import inner, reordered
from frtaudit.stats.similarity.scorers import UnitBlocks

STRIDE = 32  # pairs looked at together
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
    if not np.isfinite(cosine.sum()):
        raise ValueError("a block scorer gives finite scores only")
    bins = (edges.size - 1) / (edges[-1] - edges[0])
    error = blocks.error * blocks.scale * bins + ROUNDING * (edges.size - 1)
    cut = (floor - blocks.shift) / blocks.scale - 2 * blocks.error
    return screen_tile(
        cosine, rows.start, columns.start, blocks.vectors, blocks.lengths, blocks.scale, blocks.shift,
        np.float32(bins * blocks.scale), np.float32(bins * (blocks.shift - edges[0])), np.float32(error),
        np.float32(cut), floor, edges, histogram, i, j, out,
    )  # fmt: skip


@reordered
def exact_cosine(vectors: Singles, lengths: Floats, a: int, b: int) -> float:
    """The cosine of two vectors in float64."""
    total = 0.0
    for place in range(vectors.shape[1]):
        total += np.float64(vectors[a, place]) * np.float64(vectors[b, place])
    return float(total / (lengths[a] * lengths[b]))


@inner
def bin_from(guess: int, score: float, edges: Floats) -> int:
    """The bin with edge < score <= next edge, the end bins for scores outside, from a guess."""
    place, last = int(guess), edges.size - 2
    while place > 0 and score <= edges[place]:
        place -= 1
    while place < last and score > edges[place + 1]:
        place += 1
    return place


@inner
def _bin_row(
    row: Singles, slope: np.float32, offset: np.float32, error: np.float32, cut: np.float32, last: int,
    place: Index, near: Bytes,
) -> None:  # fmt: skip
    """Bin of each cosine, and whether the error could change it or the cosine lies above the cut."""
    high = np.float32(1) - error
    for b in range(row.size):
        at = slope * row[b] + offset
        whole = np.int32(at)
        rest = at - np.float32(whole)
        near[b] = (rest < error) | (rest > high) | (row[b] > cut)
        place[b] = min(max(whole, np.int32(0)), np.int32(last))


@inner
def _any(near: Bytes, start: int) -> bool:
    some = np.uint8(0)
    for b in range(start, start + STRIDE):
        some |= near[b]
    return bool(some > 0)


@kernel
def screen_tile(
    cosine: Singles, first_i: int, first_j: int, vectors: Singles, lengths: Floats, scale: float, shift: float,
    slope: np.float32, offset: np.float32, error: np.float32, cut: np.float32, floor: float, edges: Floats,
    histogram: Ints, i: Index, j: Index, out: Singles,
) -> int:  # fmt: skip
    """Count and keep the pairs of a tile: bin number = ``slope`` * cosine + ``offset``, off by less than ``error``."""
    n, width = 0, cosine.shape[1]
    place, near = np.empty(width, dtype=np.int32), np.zeros(width + STRIDE, dtype=np.uint8)
    counts = np.zeros((4, edges.size - 1), dtype=np.int64)
    for a in range(cosine.shape[0]):
        _bin_row(cosine[a], slope, offset, error, cut, edges.size - 2, place, near)
        for b in range(width):
            counts[b & 3, place[b]] += 1
        for start in range(0, width, STRIDE):
            if not _any(near, start):
                continue
            for b in range(start, min(start + STRIDE, width)):
                if near[b]:
                    exact = scale * exact_cosine(vectors, lengths, first_i + a, first_j + b) + shift
                    score = np.float32(exact + 0.0)
                    counts[b & 3, place[b]] -= 1
                    counts[b & 3, bin_from(int(place[b]), float(score), edges)] += 1
                    if score > floor:
                        i[n] = first_i + a
                        j[n] = first_j + b
                        out[n] = score
                        n += 1
    for b in range(edges.size - 1):
        histogram[b] += counts[0, b] + counts[1, b] + counts[2, b] + counts[3, b]
    return n
