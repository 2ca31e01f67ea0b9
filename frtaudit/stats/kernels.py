"""The Numba kernels: walk comparisons in order of score, for a tile of replicates at once, and record weighted sums.

A comparison of samples i and j weighs ``sum over c of W[c, i] W[c, j]`` in a replicate (c: copies; one in most plans).
Sums are kept per tag, twice: as counts (int64) and as rates (float64: each comparison divided by the number of
comparisons of its pair of subjects). Whole chunks are added for all replicates at once; only the chunk in which a
replicate records something is walked again, for that replicate alone. Nothing depends on the width of the tile.
"""

import numpy as np
import numpy.typing as npt

from frtaudit.stats.compiled import kernel
from frtaudit.stats.inlined import inner
from frtaudit.stats.records import Limits, Record, Sums, Tile, Walk

Bytes = npt.NDArray[np.uint8]
Index = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint32]


@kernel
def sort_chunks(bucket: Index, buckets: int, chunk_start: Ints, order: Index) -> None:
    """Counting sort by bucket within each chunk: fill ``order`` (Q,) with comparisons, stable."""
    place = np.zeros(buckets + 1, dtype=np.int64)
    for chunk in range(chunk_start.size - 1):
        low, high = chunk_start[chunk], chunk_start[chunk + 1]
        for key in range(buckets + 1):
            place[key] = 0
        for pair in range(low, high):
            place[bucket[pair] + 1] += 1
        for key in range(buckets):
            place[key + 1] += place[key]
        for pair in range(low, high):
            order[low + place[bucket[pair]]] = pair
            place[bucket[pair]] += 1


@inner
def _add_run(
    weights: Bytes,
    rows: int,
    row_a: Index,
    row_b: Index,
    first: Index,
    second: Index,
    order: Index,
    low: int,
    high: int,
    run: Words,
) -> None:
    """Sum the weights of comparisons ``order[low:high]`` into ``run`` (31 bits suffice: ``walks.LONGEST_RUN``)."""
    for lane in range(run.size):
        run[lane] = 0
    for x in range(low, high):
        pair = np.uint64(order[x])
        for copy in range(weights.shape[0] // rows):
            a = np.uint64(row_a[np.uint64(first[pair])] + copy * rows)
            b = np.uint64(row_b[np.uint64(second[pair])] + copy * rows)
            for lane in range(weights.shape[1]):
                run[lane] += np.uint32(weights[a, lane]) * np.uint32(weights[b, lane])


@inner
def _flush(
    tags: Index, combination: int, part_counts: Ints, part_rates: Floats, counts: Ints, rates: Floats
) -> None:
    """Add a combination's sums of this chunk to its tags and start afresh."""
    for rule in range(tags.shape[1]):
        tag = tags[combination, rule]
        if tag >= 0:
            for lane in range(part_counts.size):
                counts[tag, lane] += part_counts[lane]
                rates[tag, lane] += part_rates[lane]
    for lane in range(part_counts.size):
        part_counts[lane] = 0
        part_rates[lane] = 0.0


@inner
def _keep(sums: Sums) -> None:
    """Keep the sums before a chunk."""
    counts, rates, low_counts, low_rates = sums.counts, sums.rates, sums.low_counts, sums.low_rates
    for tag in range(counts.shape[0]):
        for lane in range(counts.shape[1]):
            low_counts[tag, lane] = counts[tag, lane]
            low_rates[tag, lane] = rates[tag, lane]


@inner
def _add_chunk(walk: Walk, tile: Tile, chunk: int, sums: Sums) -> None:
    """Add a chunk to the sums of every replicate: runs to their combination, combinations to their tags.

    Arrays are taken out of their tuples before the loops: inside, each access would count references.
    """
    weights, rows, row_a, row_b = tile.weights, tile.rows, tile.row_a, tile.row_b
    first, second, order, run_start = walk.first, walk.second, walk.order, walk.run_start
    bucket, combinations, coef, tags = walk.bucket, walk.combination, walk.coef, walk.tags
    part_counts, part_rates, words = sums.part_counts, sums.part_rates, sums.run
    counts, rates = sums.counts, sums.rates
    last = walk.chunk_run[chunk + 1] - 1
    for run in range(walk.chunk_run[chunk], last + 1):
        low, high = run_start[run], run_start[run + 1]
        key = bucket[order[low]]
        _add_run(weights, rows, row_a, row_b, first, second, order, low, high, words)
        scale, combination = coef[key], combinations[key]
        for lane in range(words.size):
            amount = np.int32(words[lane])
            part_counts[lane] += np.int64(amount)
            part_rates[lane] += scale * np.float64(amount)
        if run == last or combinations[bucket[order[high]]] != combination:
            _flush(tags, combination, part_counts, part_rates, counts, rates)


@inner
def _weight(columns: Bytes, rows: int, a: int, b: int, lane: int) -> np.int64:
    """Weight of one comparison in one replicate."""
    total = np.int64(0)
    for copy in range(columns.shape[1] // rows):
        low = copy * rows
        total += np.int64(columns[lane, a + low]) * np.int64(columns[lane, b + low])
    return total


@inner
def _sum_lane(walk: Walk, tile: Tile, low: int, high: int, lane: int, sums: Sums) -> None:
    """Sums of one replicate before comparison ``high`` into ``lane_*``; ``low_*`` holds those before ``low``."""
    columns, rows, row_a, row_b = tile.columns, tile.rows, tile.row_a, tile.row_b
    first, second, bucket, tags = walk.first, walk.second, walk.bucket, walk.tags
    combination, coef = walk.combination, walk.coef
    counts, rates = sums.lane_counts, sums.lane_rates
    for tag in range(counts.size):
        counts[tag] = sums.low_counts[tag, lane]
        rates[tag] = sums.low_rates[tag, lane]
    for pair in range(low, high):
        weight = _weight(columns, rows, row_a[first[pair]], row_b[second[pair]], lane)
        if weight > 0:
            key = bucket[pair]
            for rule in range(tags.shape[1]):
                tag = tags[combination[key], rule]
                if tag >= 0:
                    counts[tag] += weight
                    rates[tag] += coef[key] * np.float64(weight)


@inner
def _find_excess(
    walk: Walk,
    tile: Tile,
    chunk: int,
    limits: Limits,
    target: int,
    rule: int,
    weighting: int,
    lane: int,
    sums: Sums,
) -> tuple[int, int]:
    """The comparison in ``chunk`` at which a limit is first exceeded, and the first comparison with that score.

    Where rounding hides the excess, the last comparison that weighs stands for it.
    """
    columns, rows, row_a, row_b = tile.columns, tile.rows, tile.row_a, tile.row_b
    first, second, bucket, tags, fresh = walk.first, walk.second, walk.bucket, walk.tags, walk.fresh
    combination, coef, watches = walk.combination, walk.coef, limits.rule
    counts, rates = sums.lane_counts, sums.lane_rates
    limit_counts, limit_rates = limits.counts, limits.rates
    found = above = top = low = walk.chunk_start[chunk]
    _sum_lane(walk, tile, low, low, lane, sums)
    for pair in range(low, walk.chunk_start[chunk + 1]):
        if fresh[pair]:
            top = pair
        key = bucket[pair]
        tag = tags[combination[key], rule]
        if tag < 0 or watches[tag] != rule:
            continue
        weight = _weight(columns, rows, row_a[first[pair]], row_b[second[pair]], lane)
        if weight > 0:
            found, above = pair, top
            counts[tag] += weight
            rates[tag] += coef[key] * np.float64(weight)
            over = counts[tag] > limit_counts[target, tag, lane]
            if weighting == 1:
                over = rates[tag] > limit_rates[target, tag, lane]
            if over:
                break
    return found, above


@inner
def _record_target(
    walk: Walk,
    tile: Tile,
    chunk: int,
    limits: Limits,
    target: int,
    rule: int,
    weighting: int,
    lane: int,
    sums: Sums,
    record: Record,
) -> None:
    """Record where in ``chunk`` a replicate exceeds a limit, and its sums strictly above that score."""
    pair = top = walk.chunk_start[chunk]
    if not walk.single[chunk]:
        pair, top = _find_excess(walk, tile, chunk, limits, target, rule, weighting, lane, sums)
    record.crossing[weighting, rule, target, lane] = pair
    record.pending[weighting, rule, lane] = target + 1
    _sum_lane(walk, tile, walk.chunk_start[chunk], top, lane, sums)
    for tag in range(limits.rule.size):
        value = sums.lane_rates[tag] if weighting == 1 else np.float64(sums.lane_counts[tag])
        record.at_target[weighting, rule, target, tag, lane] = value


@inner
def _record_chunk(walk: Walk, tile: Tile, chunk: int, limits: Limits, sums: Sums, record: Record) -> int:
    """Record every limit that a replicate exceeds within a chunk; return their number."""
    watches, pending, counts, rates = limits.rule, record.pending, sums.counts, sums.rates
    limit_counts, limit_rates, found = limits.counts, limits.rates, 0
    for tag in range(watches.size):
        rule = watches[tag]
        if rule < 0:
            continue
        for lane in range(counts.shape[1]):
            for weighting in range(2):
                target = pending[weighting, rule, lane]
                while target < limit_counts.shape[0] and (
                    counts[tag, lane] > limit_counts[target, tag, lane]
                    if weighting == 0
                    else rates[tag, lane] > limit_rates[target, tag, lane]
                ):
                    _record_target(walk, tile, chunk, limits, target, rule, weighting, lane, sums, record)
                    target += 1
                    found += 1
    return found


@inner
def _record_sums(chunk: int, sums: Sums, record: Record) -> int:
    """Record the sums before ``chunk`` where a fixed threshold wants them; return how many want later ones."""
    later = 0
    for point in range(record.chunks.size):
        if record.chunks[point] > chunk:
            later += 1
        elif record.chunks[point] == chunk:
            for tag in range(sums.counts.shape[0]):
                for lane in range(sums.counts.shape[1]):
                    record.at_chunk[0, point, tag, lane] = np.float64(sums.counts[tag, lane])
                    record.at_chunk[1, point, tag, lane] = sums.rates[tag, lane]
    return later


@kernel
def find_thresholds(walk: Walk, tile: Tile, limits: Limits, left: int, sums: Sums, record: Record) -> None:
    """Walk non-mated comparisons downwards until every replicate has exceeded every limit; fill ``record``.

    ``left``: limits not exceeded yet, all replicates together; ``sums``: of nothing.
    """
    chunks = walk.chunk_start.size - 1
    for chunk in range(chunks + 1):
        later = _record_sums(chunk, sums, record)
        if chunk == chunks or (left == 0 and later == 0):
            return
        _keep(sums)
        _add_chunk(walk, tile, chunk, sums)
        if left > 0:
            left -= _record_chunk(walk, tile, chunk, limits, sums, record)


@inner
def _record_points(
    walk: Walk,
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
        for lane in range(position.shape[1]):
            stop = position[point, lane]
            if low <= stop < high:
                _sum_lane(walk, tile, low, stop, lane, sums)
                for tag in range(sums.lane_counts.size):
                    rate = weighting[point] == 1
                    value = sums.lane_rates[tag] if rate else np.float64(sums.lane_counts[tag])
                    out[point, tag, lane] = value


@kernel
def sums_at(
    walk: Walk, tile: Tile, position: Ints, furthest: int, weighting: Ints, sums: Sums, out: Floats
) -> None:
    """Sums over the first ``position`` (P, L) comparisons into ``out`` (P, tags, L); position -1 is left alone.

    ``furthest``: the largest position; ``weighting`` (P,): 0 = counts, 1 = rates; ``sums``: of nothing.
    """
    chunks = walk.chunk_start.size - 1
    for chunk in range(chunks + 1):
        low = walk.chunk_start[chunk]
        if low > furthest:
            return
        high = walk.chunk_start[chunk + 1] if chunk < chunks else low + 1
        _keep(sums)
        _record_points(walk, tile, low, high, position, weighting, sums, out)
        if chunk < chunks:
            _add_chunk(walk, tile, chunk, sums)
