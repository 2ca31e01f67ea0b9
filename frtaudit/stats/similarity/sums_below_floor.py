"""Sums at thresholds below the floor of the tail, from a second blocked pass over all pairs."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from frtaudit.core.arrays import Floats, Index, Ints
from frtaudit.core.scores import Groups, NonMatedSums, ScoreTail
from frtaudit.stats._numba import kernel
from frtaudit.stats.rates.sums import above_levels
from frtaudit.stats.similarity.executor import PassContext

STEPS = 4096  # entries of the table that guesses a score's level


def sums_below(context: PassContext, tail: ScoreTail, groups: Groups, thresholds: Floats) -> NonMatedSums:
    """The sums of :class:`NonMatedSums` at ascending ``thresholds`` (T,), over all non-mated comparisons.

    Every strip of subjects is scored against all others (each pair twice, from one computation of its tile),
    so that a subject's sums have one writer. Errors are counted by level: the number of thresholds below the
    score. Sums of integers are kept in float64, exact up to 2^53.
    """
    n_levels, n_indices = thresholds.size + 1, len(groups.names) + 1
    by_group = np.zeros((5, n_levels, n_indices))
    by_subject = np.zeros((2, n_levels, groups.of.shape[0] + 1, tail.n_samples.size))
    # for each of ``STEPS`` equal steps the level of the step before: never above the true level
    low, high = float(thresholds[0]), float(thresholds[-1])
    width = (high - low) / STEPS or 1.0
    level = np.searchsorted(thresholds, low + width * (np.arange(STEPS + 1) - 1), side="left")
    table = thresholds, level.astype(np.int64), low, 1.0 / width
    cut = Cut(n_samples=tail.n_samples, cells=tail.cells, of=groups.of, n_indices=n_indices, table=table)
    work, strips = partial(_score_strip, cut=cut), context.layout.part_ranges
    done = context.executor(work, context, strips, progress=context.progress, what="scoring below the floor")
    for strip, (more, subject_sums) in zip(strips, done, strict=True):
        by_group += more
        first, end = _subjects(context, strip)
        by_subject[..., first:end] = subject_sums
    return NonMatedSums(
        thresholds=thresholds,
        errors=above_levels(by_group[0]).astype(np.int64),
        error_square=above_levels(by_group[1]),
        error_cross=above_levels(by_group[2]),
        far_sum=above_levels(by_group[3]),
        far_square=above_levels(by_group[4]),
        subject_errors=above_levels(by_subject[0]).astype(np.int64),
        subject_far=above_levels(by_subject[1]),
    )


Table = tuple[Floats, Ints, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """What a pass below the floor knows beside its context: a subject's ``n_samples``, ``cells`` and groups ``of``."""

    n_samples: Ints
    cells: Index
    of: Index
    n_indices: int
    table: Table


def _score_strip(context: PassContext, rows: tuple[int, int], *, cut: Cut) -> tuple[Floats, Floats]:
    """What a strip adds to the sums of the groups (5, L, G+1), and those of its own subjects (2, L, 1+S, subjects)."""
    layout, of, table, n, cells = context.layout, cut.of, cut.table, cut.n_samples, cut.cells
    first, end = _subjects(context, rows)
    by_group = np.zeros((5, table[0].size + 1, cut.n_indices))
    by_subject = np.zeros((2, table[0].size + 1, of.shape[0] + 1, end - first))
    start = np.concatenate([[0], np.cumsum(n)]).astype(np.int64)
    gained = np.zeros((9, of.shape[0] + 1, table[0].size + 1))
    for columns in layout.part_ranges:
        blocks = (first, end, *_subjects(context, columns))
        many = rows[1] - rows[0] > 1 or columns[1] - columns[0] > 1
        depth = (blocks[1] - blocks[0], blocks[3] - blocks[2]) if many else (1, 1)
        counted = np.zeros((*depth, table[0].size + 1), dtype=np.int64)
        for row in range(*rows):
            for column in range(*columns):
                corner = (layout.samples(row).start, layout.samples(column).start)
                levels = levels_of(layout.tile(context.block, row, column), *table)
                args = (levels, *corner, blocks, start, n, cells, counted)
                if many:
                    count_tile(*args)
                else:
                    add_tile(*args, of, gained, by_group, by_subject)
        if many:
            add_counted(blocks, n, cells, of, counted, gained, by_group, by_subject)
    return by_group, by_subject


def _subjects(context: PassContext, strip: tuple[int, int]) -> tuple[int, int]:
    """First and end subject of a strip of parts."""
    first, end = context.layout.starts[strip[0]], context.layout.starts[strip[1]]
    return int(context.subject_of[first]), int(context.subject_of[end - 1]) + 1


@kernel
def levels_of(scores: Floats, thresholds: Floats, first: Ints, low: float, scale: float) -> Index:
    """The level of each score of a tile: how many of the ascending thresholds lie below it."""
    levels = np.empty(scores.shape, dtype=np.int32)
    last = float(first.size - 1)
    for i in range(scores.shape[0]):
        for j in range(scores.shape[1]):
            score = np.float64(np.float32(scores[i, j]))
            step = min(max((score - low) * scale, 0.0), last)
            level = first[int(step)]
            while level < thresholds.size and thresholds[level] < score:
                level += 1
            levels[i, j] = level
    return levels


@kernel
def compared(a: int, b: int, n: Ints, cells: Index) -> bool:
    """Whether two subjects have non-mated comparisons."""
    return bool(a != b and n[a] > 0 and n[b] > 0 and cells[a] >= 0 and cells[a] == cells[b])


@kernel
def add_block(a: int, b: int, size: int, of: Index, counted: Ints, x: int, y: int, gained: Floats) -> None:
    """Add what the block {a, b} gains at each level to what subject a has gained; clear ``counted``.

    ``counted[x, y]`` (T+1,): the comparisons of the block at each level; they add up to ``size``. ``gained``
    (9, 1+S, T+1): errors and e/n over all b; errors, e^2, e n, e/n and (e/n)^2 over b > a; blocks of one
    comparison, b < a and b > a.
    """
    errors, level, share = 0, counted.shape[2], 1.0 / size
    while errors < size:
        level -= 1
        more = counted[x, y, level]
        if more == 0:
            continue
        counted[x, y, level] = 0
        square = more * (2 * errors + more)  # (e + more)^2 - e^2
        errors += more
        for scope in range(of.shape[0] + 1):
            if scope > 0 and (of[scope - 1, a] < 0 or of[scope - 1, a] != of[scope - 1, b]):
                continue
            gained[0, scope, level] += more
            gained[1, scope, level] += more * share
            if a < b:
                gained[2, scope, level] += more
                gained[3, scope, level] += square
                gained[4, scope, level] += more * size
                gained[5, scope, level] += more * share
                gained[6, scope, level] += square * share * share


@kernel
def accumulate(a: int, place: int, of: Index, gained: Floats, by_group: Floats, by_subject: Floats) -> None:
    """Add what subject a has gained to its own sums, at ``place``, and to those of its groups; clear it."""
    for scope in range(gained.shape[1]):
        if scope > 0 and of[scope - 1, a] < 0:
            continue
        group_index = 0 if scope == 0 else of[scope - 1, a] + 1
        for level in range(gained.shape[2]):
            once = gained[8, scope, level]
            both = once + gained[7, scope, level]
            by_subject[0, level, scope, place] += gained[0, scope, level] + both
            by_subject[1, level, scope, place] += gained[1, scope, level] + both
            for m in range(5):
                by_group[m, level, group_index] += gained[2 + m, scope, level] + once
    gained[:] = 0.0


@kernel
def add_tile(
    levels: Index, first_i: int, first_j: int, blocks: tuple[int, int, int, int], start: Ints, n: Ints,
    cells: Index, counted: Ints, of: Index, gained: Floats, by_group: Floats, by_subject: Floats,
) -> None:  # fmt: skip
    """Count and add the blocks of a tile of whole subjects; a block of one comparison takes a short way."""
    for a in range(blocks[0], blocks[1]):
        for b in range(blocks[2], blocks[3]):
            if not compared(a, b, n, cells):
                continue
            if n[a] * n[b] > 1:
                for i in range(start[a] - first_i, start[a + 1] - first_i):
                    for j in range(start[b] - first_j, start[b + 1] - first_j):
                        counted[0, 0, levels[i, j]] += 1
                add_block(a, b, n[a] * n[b], of, counted, 0, 0, gained)
                continue
            level = levels[start[a] - first_i, start[b] - first_j]
            side = 8 if a < b else 7
            gained[side, 0, level] += 1
            for s in range(of.shape[0]):
                if of[s, a] >= 0 and of[s, a] == of[s, b]:
                    gained[side, s + 1, level] += 1
        accumulate(a, a - blocks[0], of, gained, by_group, by_subject)


@kernel
def count_tile(
    levels: Index, first_i: int, first_j: int, blocks: tuple[int, int, int, int], start: Ints, n: Ints,
    cells: Index, counted: Ints,
) -> None:  # fmt: skip
    """Count one tile of blocks that span several tiles: ``counted`` (subjects, subjects, T+1)."""
    for a in range(blocks[0], blocks[1]):
        for b in range(blocks[2], blocks[3]):
            if compared(a, b, n, cells):
                end_i = min(start[a + 1] - first_i, levels.shape[0])
                end_j = min(start[b + 1] - first_j, levels.shape[1])
                for i in range(max(start[a] - first_i, 0), end_i):
                    for j in range(max(start[b] - first_j, 0), end_j):
                        counted[a - blocks[0], b - blocks[2], levels[i, j]] += 1


@kernel
def add_counted(
    blocks: tuple[int, int, int, int], n: Ints, cells: Index, of: Index, counted: Ints,
    gained: Floats, by_group: Floats, by_subject: Floats,
) -> None:  # fmt: skip
    """Add blocks that were counted over several tiles."""
    for a in range(blocks[0], blocks[1]):
        for b in range(blocks[2], blocks[3]):
            if compared(a, b, n, cells):
                add_block(a, b, n[a] * n[b], of, counted, a - blocks[0], b - blocks[2], gained)
        accumulate(a, a - blocks[0], of, gained, by_group, by_subject)
