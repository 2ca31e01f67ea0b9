"""Weighted sums of comparisons by group, for 128 replicates at once or for one: what the Numba kernels add up."""

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Halves, Index, Ints
from frtaudit.stats._numba import inner
from frtaudit.stats.bootstrap.kernel_arrays import WIDTH, SortedComparisons, Spans, Sums, Tile
from frtaudit.stats.bootstrap.simd import AHEAD, add_packed_runs, add_packed_threes, add_pair, add_runs, fetch


@inner
def copy_into(source: Ints | Floats, to: Ints | Floats) -> None:
    """Copy an array of groups and replicates into another."""
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
def _accumulate_bucket(
    bucket: Halves | Ints, key: int, coef: float, part_counts: Ints, part_rates: Floats
) -> None:
    """Add the 16-bit or 64-bit sums of a bucket to those of its combination and start afresh."""
    for replicate in range(WIDTH):
        part_counts[replicate] += np.int64(bucket[key, replicate])
    for replicate in range(WIDTH):
        part_rates[replicate] += coef * np.float64(bucket[key, replicate])
    for replicate in range(WIDTH):
        bucket[key, replicate] = 0


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
def _accumulate(comparisons: SortedComparisons, sums: Sums) -> None:
    """Add the sums of all buckets to their groups: buckets to combinations, these to groups."""
    half, words, added, used = sums.half, sums.words, sums.added, sums.used
    part_counts, part_rates, counts, rates = sums.part_counts, sums.part_rates, sums.counts, sums.rates
    combination, coef, group_indices = comparisons.combination, comparisons.coef, comparisons.group_indices
    added_some = False
    for key in range(coef.size):
        if added[key] > 0 and used[key]:
            _widen(
                half, words, added, used, key
            )  # one product with the coefficient, whatever was widened before
        if added[key] > 0:
            _accumulate_bucket(half, key, coef[key], part_counts, part_rates)
            added[key], added_some = 0, True
        if used[key]:
            _accumulate_bucket(words, key, coef[key], part_counts, part_rates)
            used[key], added_some = False, True
        if added_some and (key + 1 == coef.size or combination[key + 1] != combination[key]):
            _add_groups(group_indices, combination[key], part_counts, part_rates, counts, rates)
            added_some = False


@inner
def add_chunk(comparisons: SortedComparisons, tile: Tile, chunk: int, sums: Sums) -> None:
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
                _widen(half, words, added, used, int(key))
    _accumulate(comparisons, sums)


@inner
def add_span(comparisons: SortedComparisons, spans: Spans, tile: Tile, span: int, sums: Sums) -> None:
    """Add a span to the sums of every replicate, part by part; one without parts chunk by chunk.

    Arrays are taken out of their tuples before the loops: inside, each access would count references.
    """
    weights, packed, reach, most = tile.weights, tile.packed, tile.reach, tile.pairs
    run, bucket, base, start, row, rows = (
        spans.run, spans.bucket, spans.base, spans.start, spans.row, spans.rows
    )  # fmt: skip
    words, used = sums.words, sums.used
    if spans.part[span] == spans.part[span + 1]:
        for chunk in range(spans.chunk[span], spans.chunk[span + 1]):
            add_chunk(comparisons, tile, chunk, sums)
        return
    for part in range(spans.part[span], spans.part[span + 1]):
        key, to, low, high = bucket[part], base[part], run[part], run[part + 1]
        if packed.shape[0] == 0:
            add_runs(words, key, weights, to, start, row, rows, low, high, reach, most)
        elif tile.threes:
            add_packed_threes(words, key, packed, to, start, row, rows, low, high, reach, most)
        else:
            add_packed_runs(words, key, packed, to, start, row, rows, low, high, reach, most)
        used[key] = True
    _accumulate(comparisons, sums)


@inner
def lift_limits(sums: Sums) -> None:
    """Let :func:`sum_replicate` add all comparisons."""
    for slot in range(sums.lane_limits.size):
        sums.lane_limits[slot] = np.inf


@inner
def sum_replicate(
    comparisons: SortedComparisons,
    tile: Tile,
    low: int,
    high: int,
    rule: int | np.int32,
    weighting: int,
    replicate: int,
    sums: Sums,
) -> int:
    """Sums of one replicate into ``lane_sums``, until one that ``rule`` watches would exceed ``lane_limits``.

    Counts (exact below 2**53) or rates; ``low_*`` holds those before ``low``. Returns the comparison that would exceed
    the limit, or ``high``; comparisons before it are added.
    """
    weights, rows, copies = tile.weights, np.uint64(tile.rows), tile.weights.shape[0] // tile.rows
    first, second, bucket = comparisons.first, comparisons.second, comparisons.bucket
    slot, coef, total, limits = comparisons.slot, comparisons.coef, sums.lane_sums, sums.lane_limits
    for group_index in range(sums.low_counts.shape[0]):
        if weighting == 0:
            total[group_index] = np.float64(sums.low_counts[group_index, replicate])
        else:
            total[group_index] = sums.low_rates[group_index, replicate]
    for pair in range(low, high):
        key, i, j = np.uint64(bucket[pair]), np.uint64(first[pair]), np.uint64(second[pair])
        weight = np.int64(weights[i, replicate]) * np.int64(weights[j, replicate])
        for _ in range(1, copies):
            i, j = i + rows, j + rows
            weight += np.int64(weights[i, replicate]) * np.int64(weights[j, replicate])
        amount = np.float64(weight) if weighting == 0 else coef[key] * np.float64(weight)
        watched = np.uint64(slot[key, rule])
        if total[watched] + amount > limits[watched] and weight > 0:
            return pair
        for of_rule in range(slot.shape[1]):  # adding a weight of 0 is quicker than asking whether it is
            total[np.uint64(slot[key, of_rule])] += amount
    return high
