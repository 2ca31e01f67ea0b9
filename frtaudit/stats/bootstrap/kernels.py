"""The Numba kernels: walk comparisons in order of score, for 128 replicates at once, and record weighted sums.

A comparison of rows i and j weighs ``sum over c of W[c, i] W[c, j]`` in a replicate (c: copies; one in most plans).
Sums are kept per group: as counts (int64) and, where they differ, as rates (float64: each comparison divided by the
number of comparisons of its pair of subjects). A span is added whole, run by run. A span in which a replicate exceeds
a limit is added again chunk by chunk, and the chunk of the excess score by score, for that replicate alone. Nothing
that is recorded of a replicate depends on the others.

Long because the parts of a kernel stand beside it: Numba joins them into one compiled function.
"""

import numpy as np
import numpy.typing as npt

from frtaudit.core.arrays import Bytes, Flags, Floats, Halves, Index, Ints
from frtaudit.stats._numba import kernel
from frtaudit.stats.bootstrap.kernel_arrays import WIDTH, Limits, Record, SortedComparisons, Spans, Sums, Tile
from frtaudit.stats.bootstrap.simd import AHEAD, add_packed_runs, add_pair, add_runs, fetch
from frtaudit.stats.inlined import inner

Number = npt.NDArray[np.int64] | npt.NDArray[np.float64]


@inner
def _copy(source: Number, to: Number) -> None:
    for group_index in range(source.shape[0]):
        for replicate in range(source.shape[1]):
            to[group_index, replicate] = source[group_index, replicate]


@inner
def _widen(half: Halves, words: Ints, added: Ints, used: Flags, key: int) -> None:
    """Empty the 16-bit sums of a bucket into its 64-bit ones, before they overflow."""
    for replicate in range(WIDTH):
        words[key, replicate] += np.int64(half[key, replicate])
        half[key, replicate] = 0
    added[key] = 0
    used[key] = True


@inner
def _pay_half(half: Halves, key: int, coef: float, part_counts: Ints, part_rates: Floats) -> None:
    """Add the 16-bit sums of a bucket to those of its combination and start afresh."""
    for replicate in range(WIDTH):
        part_counts[replicate] += np.int64(half[key, replicate])
    for replicate in range(WIDTH):
        part_rates[replicate] += coef * np.float64(half[key, replicate])
    for replicate in range(WIDTH):
        half[key, replicate] = 0


@inner
def _pay_words(words: Ints, key: int, coef: float, part_counts: Ints, part_rates: Floats) -> None:
    """The same with the 64-bit sums of a bucket."""
    for replicate in range(WIDTH):
        part_counts[replicate] += words[key, replicate]
    for replicate in range(WIDTH):
        part_rates[replicate] += coef * np.float64(words[key, replicate])
    for replicate in range(WIDTH):
        words[key, replicate] = 0


@inner
def _add_groups(
    group_indices: Index, combination: int, part_counts: Ints, part_rates: Floats, counts: Ints, rates: Floats
) -> None:
    """Add the sums of a combination to its groups and start afresh."""
    for rule in range(group_indices.shape[1]):
        group_index = group_indices[combination, rule]
        if group_index >= 0:
            for replicate in range(WIDTH):
                counts[group_index, replicate] += part_counts[replicate]
            for replicate in range(WIDTH if rates.shape[0] > 0 else 0):
                rates[group_index, replicate] += part_rates[replicate]
    for replicate in range(WIDTH):
        part_counts[replicate] = 0
        part_rates[replicate] = 0.0


@inner
def _pay(comparisons: SortedComparisons, sums: Sums) -> None:
    """Add the sums of all buckets to their groups: buckets to combinations, these to groups."""
    half, words, added, used = sums.half, sums.words, sums.added, sums.used
    part_counts, part_rates, counts, rates = sums.part_counts, sums.part_rates, sums.counts, sums.rates
    combination, coef, group_indices = comparisons.combination, comparisons.coef, comparisons.group_indices
    paid = False
    for key in range(coef.size):
        if added[key] > 0 and used[key]:
            _widen(
                half, words, added, used, key
            )  # one product with the coefficient, whatever was widened before
        if added[key] > 0:
            _pay_half(half, key, coef[key], part_counts, part_rates)
            added[key], paid = 0, True
        if used[key]:
            _pay_words(words, key, coef[key], part_counts, part_rates)
            used[key], paid = False, True
        if paid and (key + 1 == coef.size or combination[key + 1] != combination[key]):
            _add_groups(group_indices, combination[key], part_counts, part_rates, counts, rates)
            paid = False


@inner
def _add_chunk(comparisons: SortedComparisons, tile: Tile, chunk: int, sums: Sums) -> None:
    """Add a chunk to the sums of every replicate, in order of score."""
    weights, rows, most = tile.weights, tile.rows, tile.pairs
    first, second, bucket = comparisons.first, comparisons.second, comparisons.bucket
    half, words, added, used = sums.half, sums.words, sums.added, sums.used
    depth = weights.shape[0] // rows
    for pair in range(comparisons.chunk_start[chunk], comparisons.chunk_start[chunk + 1]):
        key, ahead = bucket[pair], min(pair + AHEAD, first.size - 1)
        fetch(weights, first[ahead])
        fetch(weights, second[ahead])
        for copy in range(depth):
            add_pair(half, key, weights, first[pair] + copy * rows, second[pair] + copy * rows)
            added[key] += 1
            if added[key] == most:
                _widen(half, words, added, used, key)
    _pay(comparisons, sums)


@inner
def _add_span(comparisons: SortedComparisons, spans: Spans, tile: Tile, span: int, sums: Sums) -> None:
    """Add a span to the sums of every replicate, part by part; one without parts chunk by chunk.

    Arrays are taken out of their tuples before the loops: inside, each access would count references.
    """
    weights, packed, reach, most = tile.weights, tile.packed, tile.reach, tile.pairs
    run, bucket, start, row, rows = spans.run, spans.bucket, spans.start, spans.row, spans.rows
    words, used = sums.words, sums.used
    if spans.part[span] == spans.part[span + 1]:
        for chunk in range(spans.chunk[span], spans.chunk[span + 1]):
            _add_chunk(comparisons, tile, chunk, sums)
        return
    for part in range(spans.part[span], spans.part[span + 1]):
        key = bucket[part]
        if packed.shape[0] > 0:
            add_packed_runs(words, key, packed, start, row, rows, run[part], run[part + 1], reach, most)
        else:
            add_runs(words, key, weights, start, row, rows, run[part], run[part + 1], reach, most)
        used[key] = True
    _pay(comparisons, sums)


@inner
def _weight(weights: Bytes, rows: int, depth: int, a: int, b: int, replicate: int) -> np.int64:
    """Weight of one comparison in one replicate."""
    total = np.int64(weights[a, replicate]) * np.int64(weights[b, replicate])
    for copy in range(1, depth):
        low = copy * rows
        total += np.int64(weights[a + low, replicate]) * np.int64(weights[b + low, replicate])
    return total


@inner
def _sum_replicate(
    comparisons: SortedComparisons, tile: Tile, low: int, high: int, replicate: int, sums: Sums
) -> None:
    """Sums of one replicate before comparison ``high`` into ``lane_*``; ``low_*`` holds those before ``low``."""
    weights, rows, depth = tile.weights, tile.rows, tile.weights.shape[0] // tile.rows
    first, second, bucket, group_indices = (
        comparisons.first,
        comparisons.second,
        comparisons.bucket,
        comparisons.group_indices,
    )
    combination, coef = comparisons.combination, comparisons.coef
    counts, rates = sums.lane_counts, sums.lane_rates
    for group_index in range(counts.size):
        counts[group_index] = sums.low_counts[group_index, replicate]
    for group_index in range(rates.size):
        rates[group_index] = sums.low_rates[group_index, replicate]
    for pair in range(low, high):
        weight = _weight(weights, rows, depth, first[pair], second[pair], replicate)
        key = bucket[pair]
        for rule in range(group_indices.shape[1]):
            group_index = group_indices[combination[key], rule]
            if group_index >= 0:  # adding a weight of 0 is quicker than asking whether it is
                counts[group_index] += weight
                if rates.size > 0:
                    rates[group_index] += coef[key] * np.float64(weight)


@inner
def _find_excess(
    comparisons: SortedComparisons,
    tile: Tile,
    chunk: int,
    limits: Limits,
    target: int,
    rule: int,
    weighting: int,
    replicate: int,
    sums: Sums,
) -> tuple[int, int]:
    """The comparison in ``chunk`` at which a limit is first exceeded, and the first comparison with that score.

    Where rounding hides the excess, the last comparison that weighs stands for it.
    """
    weights, rows, depth = tile.weights, tile.rows, tile.weights.shape[0] // tile.rows
    first, second, bucket, group_indices, fresh = (
        comparisons.first,
        comparisons.second,
        comparisons.bucket,
        comparisons.group_indices,
        comparisons.fresh,
    )
    combination, coef, watches = comparisons.combination, comparisons.coef, limits.rule
    counts, rates = sums.lane_counts, sums.lane_rates
    limit_counts, limit_rates = limits.counts, limits.rates
    found = above = top = low = comparisons.chunk_start[chunk]
    _sum_replicate(comparisons, tile, low, low, replicate, sums)
    for pair in range(low, comparisons.chunk_start[chunk + 1]):
        if fresh[pair]:
            top = pair
        key = bucket[pair]
        group_index = group_indices[combination[key], rule]
        if group_index < 0 or watches[group_index] != rule:
            continue
        weight = _weight(weights, rows, depth, first[pair], second[pair], replicate)
        if weight > 0:
            found, above = pair, top
            if weighting == 0:
                counts[group_index] += weight
                over = counts[group_index] > limit_counts[target, group_index, replicate]
            else:
                rates[group_index] += coef[key] * np.float64(weight)
                over = rates[group_index] > limit_rates[target, group_index, replicate]
            if over:
                break
    return found, above


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
    pair, top = _find_excess(comparisons, tile, chunk, limits, target, rule, weighting, replicate, sums)
    record.exceeded_at[weighting, rule, target, replicate] = pair
    record.pending[weighting, rule, replicate] = target + 1
    _sum_replicate(comparisons, tile, comparisons.chunk_start[chunk], top, replicate, sums)
    for group_index in range(limits.rule.size):
        value = sums.lane_rates[group_index] if weighting == 1 else np.float64(sums.lane_counts[group_index])
        record.at_target[weighting, rule, target, group_index, replicate] = value


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
    _copy(sums.counts, sums.high_counts)
    _copy(sums.rates, sums.high_rates)
    _copy(sums.low_counts, sums.counts)
    _copy(sums.low_rates, sums.rates)
    for chunk in range(spans.chunk[span], end):
        _copy(sums.counts, sums.low_counts)
        _copy(sums.rates, sums.low_rates)
        if chunk + 1 < end:
            _add_chunk(comparisons, tile, chunk, sums)
        else:
            _copy(sums.high_counts, sums.counts)
            _copy(sums.high_rates, sums.rates)
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
        _copy(sums.counts, sums.low_counts)
        _copy(sums.rates, sums.low_rates)
        _add_span(comparisons, spans, tile, span, sums)
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
                _sum_replicate(comparisons, tile, low, stop, replicate, sums)
                for group_index in range(sums.lane_counts.size):
                    rate = weighting[point] == 1
                    value = (
                        sums.lane_rates[group_index] if rate else np.float64(sums.lane_counts[group_index])
                    )
                    out[point, group_index, replicate] = value


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
    for chunk in range(chunks + 1):
        low = comparisons.chunk_start[chunk]
        if low > furthest:
            return
        high = comparisons.chunk_start[chunk + 1] if chunk < chunks else low + 1
        _copy(sums.counts, sums.low_counts)
        _copy(sums.rates, sums.low_rates)
        _record_points(comparisons, tile, low, high, position, weighting, sums, out)
        if chunk < chunks:
            _add_chunk(comparisons, tile, chunk, sums)
