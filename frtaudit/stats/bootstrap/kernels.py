"""The Numba kernels: walk comparisons in order of score, for 128 replicates at once, and record weighted sums.

A comparison of rows i and j weighs ``sum over c of W[c, i] W[c, j]`` in a replicate (c: copies; one in most plans).
Sums are kept per group: as counts (int64) and, where they differ, as rates (float64: each comparison divided by the
number of comparisons of its pair of subjects). A span is added whole, run by run. A span in which a replicate exceeds
a limit is added again chunk by chunk, and the chunk of the excess score by score, for that replicate alone. Nothing
that is recorded of a replicate depends on the others.
"""

import numpy as np

from frtaudit.core.arrays import Floats, Ints
from frtaudit.stats._numba import inner, kernel
from frtaudit.stats.bootstrap.kernel_arrays import Limits, Record, SortedComparisons, Spans, Sums, Tile
from frtaudit.stats.bootstrap.kernel_sums import add_chunk, add_span, copy_into, lift_limits, sum_replicate

EVERYBODY = np.int32(0)  # the rule of everybody, of the type of any: sum_replicate is compiled once


@inner
def _set_limits(limits: Limits, target: int, rule: int, weighting: int, replicate: int, sums: Sums) -> None:
    """Limits of one target, rule, weighting and replicate; other groups have none."""
    lift_limits(sums)
    for group_index in range(limits.rule.size):
        if limits.rule[group_index] == rule and weighting == 0:
            sums.lane_limits[group_index] = np.float64(limits.counts[target, group_index, replicate])
        elif limits.rule[group_index] == rule:
            sums.lane_limits[group_index] = limits.rates[target, group_index, replicate]


@inner
def _last_watched(
    comparisons: SortedComparisons,
    tile: Tile,
    low: int,
    high: int,
    rule: int,
    weighting: int,
    replicate: int,
    sums: Sums,
) -> int:
    """The last comparison that weighs and that ``rule`` watches: every one exceeds a limit of -1."""
    for group_index in range(sums.lane_limits.size):
        if sums.lane_limits[group_index] < np.inf:
            sums.lane_limits[group_index] = -1.0
    last = low
    while low < high:
        low = 1 + sum_replicate(comparisons, tile, low, high, rule, weighting, replicate, sums)
        last = low - 1 if low <= high else last
    return last


@inner
def _record_target(
    comparisons: SortedComparisons,
    tile: Tile,
    chunk: int,
    limits: Limits,
    target: int,
    rule: int,
    weighting: int,
    replicate: int,
    sums: Sums,
    record: Record,
) -> None:
    """Record where in ``chunk`` a replicate exceeds a limit, and its sums strictly above that score."""
    low, high = comparisons.chunk_start[chunk], comparisons.chunk_start[chunk + 1]
    _set_limits(limits, target, rule, weighting, replicate, sums)
    pair = sum_replicate(comparisons, tile, low, high, rule, weighting, replicate, sums)
    hidden = pair == high
    if hidden:  # rounding hides the excess: the last comparison that weighs stands for it
        pair = _last_watched(comparisons, tile, low, high, rule, weighting, replicate, sums)
    top = pair
    while top > low and not comparisons.fresh[top]:
        top -= 1
    if hidden or top < pair:
        lift_limits(sums)
        sum_replicate(comparisons, tile, low, top, rule, weighting, replicate, sums)
    record.exceeded_at[weighting, rule, target, replicate] = pair
    record.pending[weighting, rule, replicate] = target + 1
    for group_index in range(limits.rule.size):
        record.at_target[weighting, rule, target, group_index, replicate] = sums.lane_sums[group_index]


@inner
def _exceeds(
    limits: Limits, counts: Ints, rates: Floats, target: int, group_index: int, weighting: int, replicate: int
) -> bool:
    if weighting == 0:
        return bool(counts[group_index, replicate] > limits.counts[target, group_index, replicate])
    return bool(rates[group_index, replicate] > limits.rates[target, group_index, replicate])


@inner
def _crossed(limits: Limits, counts: Ints, rates: Floats, record: Record) -> bool:
    """Whether a replicate exceeds a limit that it had not exceeded before."""
    pending = record.pending
    for group_index in range(limits.rule.size):
        rule = limits.rule[group_index]
        for weighting in range(pending.shape[0] if rule >= 0 else 0):
            for replicate in range(pending.shape[2]):
                target = pending[weighting, rule, replicate]
                if target < limits.counts.shape[0] and _exceeds(
                    limits, counts, rates, target, group_index, weighting, replicate
                ):
                    return True
    return False


@inner
def _record_chunk(
    comparisons: SortedComparisons, tile: Tile, chunk: int, limits: Limits, sums: Sums, record: Record
) -> int:
    """Record every limit that a replicate exceeds within a chunk and still at the end of its span; their number."""
    watches, pending, counts, rates = limits.rule, record.pending, sums.counts, sums.rates
    high_counts, high_rates, number = sums.high_counts, sums.high_rates, 0
    for group_index in range(watches.size):
        rule = watches[group_index]
        if rule < 0:
            continue
        for replicate in range(pending.shape[2]):
            for weighting in range(pending.shape[0]):
                target = pending[weighting, rule, replicate]
                while (
                    target < limits.counts.shape[0]
                    and _exceeds(limits, counts, rates, target, group_index, weighting, replicate)
                    and _exceeds(limits, high_counts, high_rates, target, group_index, weighting, replicate)
                ):
                    _record_target(
                        comparisons, tile, chunk, limits, target, rule, weighting, replicate, sums, record
                    )
                    target += 1
                    number += 1
    return number


@inner
def _record_sums(span: int, sums: Sums, record: Record) -> int:
    """Record the sums before ``span`` where a fixed threshold wants them; return how many want later ones."""
    later = 0
    for point in range(record.spans.size):
        if record.spans[point] > span:
            later += 1
        elif record.spans[point] == span:
            for group_index in range(sums.counts.shape[0]):
                for replicate in range(record.at_span.shape[3]):
                    record.at_span[0, point, group_index, replicate] = np.float64(
                        sums.counts[group_index, replicate]
                    )
                    if record.at_span.shape[0] > 1:
                        record.at_span[1, point, group_index, replicate] = sums.rates[group_index, replicate]
    return later


@inner
def _search_span(
    comparisons: SortedComparisons,
    spans: Spans,
    tile: Tile,
    span: int,
    limits: Limits,
    sums: Sums,
    record: Record,
) -> int:
    """Walk a span again by chunks, from ``low_*`` to ``counts`` and ``rates``; the number of limits recorded."""
    number, end = 0, spans.chunk[span + 1]
    copy_into(sums.counts, sums.high_counts)
    copy_into(sums.rates, sums.high_rates)
    copy_into(sums.low_counts, sums.counts)
    copy_into(sums.low_rates, sums.rates)
    for chunk in range(spans.chunk[span], end):
        copy_into(sums.counts, sums.low_counts)
        copy_into(sums.rates, sums.low_rates)
        if chunk + 1 < end:
            add_chunk(comparisons, tile, chunk, sums)
        else:
            copy_into(sums.high_counts, sums.counts)
            copy_into(sums.high_rates, sums.rates)
        number += _record_chunk(comparisons, tile, chunk, limits, sums, record)
    return number


@kernel
def find_thresholds(
    comparisons: SortedComparisons,
    spans: Spans,
    tile: Tile,
    limits: Limits,
    left: int,
    sums: Sums,
    record: Record,
) -> None:
    """Walk non-mated comparisons downwards until every replicate has exceeded every limit; fill ``record``.

    ``left``: limits not exceeded yet, all replicates together; ``sums``: of nothing.
    """
    last = spans.chunk.size - 1
    for span in range(last + 1):
        later = _record_sums(span, sums, record)
        if span == last or (left == 0 and later == 0):
            return
        copy_into(sums.counts, sums.low_counts)
        copy_into(sums.rates, sums.low_rates)
        add_span(comparisons, spans, tile, span, sums)
        if left > 0 and _crossed(limits, sums.counts, sums.rates, record):
            left -= _search_span(comparisons, spans, tile, span, limits, sums, record)


@inner
def _record_points(
    comparisons: SortedComparisons,
    tile: Tile,
    low: int,
    high: int,
    position: Ints,
    weighting: Ints,
    sums: Sums,
    out: Floats,
) -> None:
    """Record the sums at every position in ``low`` .. ``high - 1``; ``low_*`` holds those before ``low``."""
    for point in range(position.shape[0]):
        for replicate in range(position.shape[1]):
            stop = position[point, replicate]
            if low <= stop < high:
                sum_replicate(comparisons, tile, low, stop, EVERYBODY, weighting[point], replicate, sums)
                for group_index in range(out.shape[1]):
                    out[point, group_index, replicate] = sums.lane_sums[group_index]


@kernel
def sums_at(
    comparisons: SortedComparisons,
    tile: Tile,
    position: Ints,
    furthest: int,
    weighting: Ints,
    sums: Sums,
    out: Floats,
) -> None:
    """Sums over the first ``position`` (P, L) comparisons into ``out`` (P, G+1, L); position -1 is left alone.

    ``furthest``: the largest position; ``weighting`` (P,): 0 = counts, 1 = rates; ``sums``: of nothing.
    """
    chunks = comparisons.chunk_start.size - 1
    lift_limits(sums)
    for chunk in range(chunks + 1):
        low = comparisons.chunk_start[chunk]
        if low > furthest:
            return
        high = comparisons.chunk_start[chunk + 1] if chunk < chunks else low + 1
        copy_into(sums.counts, sums.low_counts)
        copy_into(sums.rates, sums.low_rates)
        _record_points(comparisons, tile, low, high, position, weighting, sums, out)
        if chunk < chunks:
            add_chunk(comparisons, tile, chunk, sums)
