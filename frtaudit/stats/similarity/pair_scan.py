"""The scan: one pass over all pairs that keeps mated scores, the histogram, and the non-mated scores above a floor."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from frtaudit.core.arrays import Floats, Index, Ints, Singles
from frtaudit.stats._numba import kernel
from frtaudit.stats.similarity.device import DeviceBlocks
from frtaudit.stats.similarity.executor import PassContext
from frtaudit.stats.similarity.float32_screen import bin_of, screen
from frtaudit.stats.similarity.scorers import UnitBlocks
from frtaudit.stats.similarity.tiles import in_order

TOGETHER = 4  # jobs of 16 tiles in one block: 64 tiles of 512 x 512, the pairs of 4,096 x 4,096 samples
BLOCKS = 4000  # above so many the blocks grow instead: who hands them over has about 0.01 s of work with each


@dataclass(frozen=True, slots=True)
class Pairs:
    """Comparisons: samples ``i`` < ``j`` (Q,) int32 and ``score`` (Q,) float32."""

    i: Index
    j: Index
    score: Singles


@dataclass(frozen=True, slots=True)
class Scan:
    """``pairs``: those above the floor, in tile order, None when they were more than allowed; ``histogram``: of all."""

    pairs: tuple[Pairs, ...] | None
    count: int
    histogram: Ints


def scan_mated(context: PassContext) -> Pairs:
    """All mated comparisons, ascending by score, ties by (i, j)."""
    layout = context.layout
    tiles = [(r, c) for first, end in layout.part_ranges for r in range(first, end) for c in range(r, end)]

    def work(tile: tuple[int, int]) -> Pairs:
        scores = layout.tile(context.block, *tile)
        first_i, first_j = (int(layout.starts[part]) for part in tile)
        i, j = mated_places(scores.shape[0], scores.shape[1], first_i, first_j, context.subject_of)
        return Pairs(i, j, (scores[i - first_i, j - first_j] + 0.0).astype(np.float32))

    pairs = joined(list(in_order(work, tiles, context.threads)))
    order = np.lexsort((pairs.j, pairs.i, pairs.score))
    return Pairs(pairs.i[order], pairs.j[order], pairs.score[order])


def scan_non_mated(context: PassContext, floor: float, capacity: int) -> Scan:
    """The histogram of the non-mated comparisons, and those with score > ``floor`` if they are at most ``capacity``."""
    work = partial(_scan_job, floor=floor, open_context=_open(context))
    jobs, progress = context.layout.jobs(), context.progress
    together = max(TOGETHER, len(jobs) // BLOCKS)
    histogram = np.zeros(context.edges.size - 1, dtype=np.int64)
    batches: list[Pairs] = []
    count = 0
    for pairs, counts in context.executor(
        work, context, jobs, together=together, progress=progress, what="scoring"
    ):
        histogram += counts
        count += pairs.i.size
        if count > capacity:
            batches.clear()
        else:
            batches.append(pairs)
    return Scan(tuple(batches) if count <= capacity else None, count, histogram)


def scan_tile(context: PassContext, row: int, column: int, floor: float) -> Pairs:
    """The non-mated comparisons of one tile with score > ``floor``."""
    pairs, _ = _scan_job(context, (row, column, column + 1), floor=floor, open_context=_open(context))
    return pairs


def _open(context: PassContext) -> bool:
    """Whether all samples are in one cell."""
    return bool(context.cells.size and context.cells.min() == context.cells.max() >= 0)


def _scan_job(
    context: PassContext, job: tuple[int, int, int], *, floor: float, open_context: bool
) -> tuple[Pairs, Ints]:
    layout, (row, first, end) = context.layout, job
    histogram = np.zeros(context.edges.size - 1, dtype=np.int64)
    scale = (context.edges.size - 1) / (context.edges[-1] - context.edges[0])
    batches = []
    largest = int(np.diff(layout.starts).max()) ** 2
    i, j = np.empty(largest, dtype=np.int32), np.empty(largest, dtype=np.int32)
    out, tile = np.empty(largest, dtype=np.float32), np.empty(largest, dtype=np.float32)
    for column in range(first, end):
        apart = open_context and layout.strip_of[row] != layout.strip_of[column]
        if apart and isinstance(context.block, DeviceBlocks):  # and so are the columns that follow
            block = slice(int(layout.starts[column]), int(layout.starts[end]))
            pairs = context.block.screen(layout.samples(row), block, floor, context.edges, histogram)
            batches.append(Pairs(*pairs))
            break
        if apart and isinstance(context.block, UnitBlocks):
            slices = layout.samples(row), layout.samples(column)
            n = screen(context.block, *slices, floor, context.edges, histogram, tile, i, j, out)
            batches.append(Pairs(i[:n].copy(), j[:n].copy(), out[:n].copy()))
            continue
        scores = layout.tile(context.block, row, column)
        start_i, start_j = int(layout.starts[row]), int(layout.starts[column])
        if apart:
            n = scan_open(scores, start_i, start_j, floor, scale, context.edges, histogram, i, j, out)
        else:
            n = scan_checked(
                scores, start_i, start_j, context.subject_of, context.cells, floor, scale, context.edges,
                histogram, i, j, out,
            )  # fmt: skip
        batches.append(Pairs(i[:n].copy(), j[:n].copy(), out[:n].copy()))
    return joined(batches), histogram


def joined(parts: Sequence[Pairs]) -> Pairs:
    """Parts one after the other."""
    return Pairs(
        np.concatenate([np.empty(0, dtype=np.int32), *(part.i for part in parts)]),
        np.concatenate([np.empty(0, dtype=np.int32), *(part.j for part in parts)]),
        np.concatenate([np.empty(0, dtype=np.float32), *(part.score for part in parts)]),
    )


@kernel
def mated_places(
    rows: int, columns: int, first_i: int, first_j: int, subject_of: Index
) -> tuple[Index, Index]:
    """Samples i < j of one subject in a tile."""
    count = 0
    for turn in range(2):
        i = np.empty(count, dtype=np.int32)
        j = np.empty(count, dtype=np.int32)
        count = 0
        for a in range(first_i, first_i + rows):
            for b in range(max(first_j, a + 1), first_j + columns):
                if subject_of[a] != subject_of[b]:
                    break
                if turn == 1:
                    i[count] = a
                    j[count] = b
                count += 1
    return i, j


@kernel
def scan_open(
    scores: Floats, first_i: int, first_j: int, floor: float, scale: float, edges: Floats,
    histogram: Ints, i: Index, j: Index, out: Singles,
) -> int:  # fmt: skip
    """Every entry of the tile is a non-mated comparison: count it; keep it if > ``floor``; the number kept."""
    n = 0
    for a in range(scores.shape[0]):
        for b in range(scores.shape[1]):
            score = np.float32(scores[a, b] + 0.0)
            histogram[bin_of(np.float64(score), scale, edges)] += 1
            if score > floor:
                i[n] = first_i + a
                j[n] = first_j + b
                out[n] = score
                n += 1
    return n


@kernel
def scan_checked(
    scores: Floats, first_i: int, first_j: int, subject_of: Index, room: Index, floor: float, scale: float,
    edges: Floats, histogram: Ints, i: Index, j: Index, out: Singles,
) -> int:  # fmt: skip
    """As :func:`scan_open`, for pairs i < j of two subjects in one cell."""
    n = 0
    for a in range(scores.shape[0]):
        row = first_i + a
        if room[row] < 0:
            continue
        for b in range(scores.shape[1]):
            column = first_j + b
            if column <= row or subject_of[row] == subject_of[column] or room[row] != room[column]:
                continue
            score = np.float32(scores[a, b] + 0.0)
            histogram[bin_of(np.float64(score), scale, edges)] += 1
            if score > floor:
                i[n] = row
                j[n] = column
                out[n] = score
                n += 1
    return n
