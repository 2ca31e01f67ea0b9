"""The Numba kernels: walk comparisons in order of score, for a tile of replicates at once, and record weighted sums.

A comparison of samples i and j weighs ``sum over c of W[c, i] W[c, j]`` in a replicate (c: copies; one in most plans).
Sums are kept per tag, twice: as counts (int64) and as rates (float64: each comparison divided by the number of
comparisons of its pair of subjects). Whole chunks are added for all replicates at once; only the chunk in which a
replicate records something is walked again, for that replicate alone. Nothing depends on the width of the tile.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from frtaudit.stats.compiled import kernel
from frtaudit.stats.inlined import inner

Bytes = npt.NDArray[np.uint8]
Index = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint32]


class Walk(NamedTuple):
    """Q comparisons in order of score, C chunks, R runs, 1 + S rules. A tuple, because Numba takes tuples apart.

    A bucket holds comparisons that add to the same tags with the same coefficient. ``first``, ``second`` (Q,) int32:
    samples; ``bucket`` (Q,) int32; ``fresh`` (Q,) bool: the score differs from the one before; ``chunk_start`` (C+1,) int64;
    ``single`` (C,) bool: one distinct score; ``order`` (Q,) int32: sorted by chunk, then bucket; ``run_start`` (R+1,),
    ``chunk_run`` (C+1,) int64: stretches of one bucket in ``order``; ``combination`` (buckets,) int32: row of ``tags``;
    ``coef`` (buckets,) float64: 1/(comparisons of the pair of subjects); ``tags`` (M, 1+S) int32: tag 0, then the tag under
    each schema, -1 = none.
    """

    first: Index
    second: Index
    bucket: Index
    fresh: Flags
    chunk_start: Ints
    single: Flags
    order: Index
    run_start: Ints
    chunk_run: Ints
    combination: Index
    coef: Floats
    tags: Index


class Tile(NamedTuple):
    """Weights of L replicates, in C copies of ``rows`` rows.

    ``weights`` (C*rows, L) uint8, and transposed: ``columns`` (L, C*rows); ``row_a``, ``row_b`` (N,) int32: row of a
    sample as first and as second of a comparison.
    """

    weights: Bytes
    columns: Bytes
    rows: int
    row_a: Index
    row_b: Index


class Limits(NamedTuple):
    """What must not be exceeded.

    ``counts``, ``rates`` (A, tags, L): by target, ascending; ``rule`` (tags,): the rule that watches a tag, -1 = none.
    """

    counts: Ints
    rates: Floats
    rule: Index


class Sums(NamedTuple):
    """Running sums, and room to work in.

    ``counts``, ``rates`` (tags, L): so far; ``low_*``: before the current chunk; ``part_*``, ``run`` (L,): of a combination
    and of a run; ``lane_*`` (tags,): of one replicate.
    """

    counts: Ints
    rates: Floats
    low_counts: Ints
    low_rates: Floats
    part_counts: Ints
    part_rates: Floats
    run: Words
    lane_counts: Ints
    lane_rates: Floats


class Record(NamedTuple):
    """What the non-mated walk finds.

    ``pending`` (2, rules, L): next target of each replicate, A = none left; ``crossing`` (2, rules, A, L): the comparison
    that exceeds the limit, -1 = none; ``at_target`` (2, rules, A, tags, L): sums strictly above its score; ``at_chunk``
    (2, T, tags, L): sums before chunk ``chunks`` (T,).
    """

    pending: Ints
    crossing: Ints
    at_target: Floats
    chunks: Ints
    at_chunk: Floats


def empty_sums(tags: int, lanes: int) -> Sums:
    """Sums of nothing, for ``tags`` tags and ``lanes`` replicates."""
    return Sums(
        counts=np.zeros((tags, lanes), dtype=np.int64),
        rates=np.zeros((tags, lanes)),
        low_counts=np.zeros((tags, lanes), dtype=np.int64),
        low_rates=np.zeros((tags, lanes)),
        part_counts=np.zeros(lanes, dtype=np.int64),
        part_rates=np.zeros(lanes),
        run=np.zeros(lanes, dtype=np.uint32),
        lane_counts=np.zeros(tags, dtype=np.int64),
        lane_rates=np.zeros(tags),
    )


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
def _add_pairs(walk: Walk, tile: Tile, low: int, high: int, run: Words) -> None:
    """Add the weights of comparisons ``order[low:high]`` to ``run`` (31 bits suffice: ``walks.LONGEST_RUN``)."""
    weights, rows = tile.weights, tile.rows
    for x in range(low, high):
        pair = np.uint64(walk.order[x])
        for copy in range(weights.shape[0] // rows):
            a = np.uint64(tile.row_a[np.uint64(walk.first[pair])] + copy * rows)
            b = np.uint64(tile.row_b[np.uint64(walk.second[pair])] + copy * rows)
            for lane in range(weights.shape[1]):
                run[lane] += np.uint32(weights[a, lane]) * np.uint32(weights[b, lane])


@inner
def _flush(walk: Walk, combination: int, sums: Sums) -> None:
    """Add a combination's sums of this chunk to its tags and start afresh."""
    for rule in range(walk.tags.shape[1]):
        tag = walk.tags[combination, rule]
        if tag >= 0:
            for lane in range(sums.run.size):
                sums.counts[tag, lane] += sums.part_counts[lane]
                sums.rates[tag, lane] += sums.part_rates[lane]
    for lane in range(sums.run.size):
        sums.part_counts[lane] = 0
        sums.part_rates[lane] = 0.0


@inner
def _keep(sums: Sums) -> None:
    """Keep the sums before a chunk."""
    for tag in range(sums.counts.shape[0]):
        for lane in range(sums.counts.shape[1]):
            sums.low_counts[tag, lane] = sums.counts[tag, lane]
            sums.low_rates[tag, lane] = sums.rates[tag, lane]


@inner
def _add_chunk(walk: Walk, tile: Tile, chunk: int, sums: Sums) -> None:
    """Add a chunk to the sums of every replicate, run by run, and a combination's runs before its tags."""
    _keep(sums)
    last = walk.chunk_run[chunk + 1] - 1
    for run in range(walk.chunk_run[chunk], last + 1):
        low, high = walk.run_start[run], walk.run_start[run + 1]
        bucket = walk.bucket[walk.order[low]]
        for lane in range(sums.run.size):
            sums.run[lane] = 0
        _add_pairs(walk, tile, low, high, sums.run)
        scale, combination = walk.coef[bucket], walk.combination[bucket]
        for lane in range(sums.run.size):
            amount = np.int32(sums.run[lane])
            sums.part_counts[lane] += np.int64(amount)
            sums.part_rates[lane] += scale * np.float64(amount)
        if run == last or walk.combination[walk.bucket[walk.order[high]]] != combination:
            _flush(walk, combination, sums)


@inner
def _weight(walk: Walk, tile: Tile, pair: int, lane: int) -> int:
    """Weight of one comparison in one replicate."""
    a, b = tile.row_a[walk.first[pair]], tile.row_b[walk.second[pair]]
    total = 0
    for low in range(0, tile.columns.shape[1], tile.rows):
        total += np.int64(tile.columns[lane, a + low]) * np.int64(tile.columns[lane, b + low])
    return total


@inner
def _sum_lane(walk: Walk, tile: Tile, low: int, high: int, lane: int, sums: Sums) -> None:
    """Sums of one replicate before comparison ``high`` into ``lane_*``; ``low_*`` holds those before ``low``."""
    for tag in range(sums.lane_counts.size):
        sums.lane_counts[tag] = sums.low_counts[tag, lane]
        sums.lane_rates[tag] = sums.low_rates[tag, lane]
    for pair in range(low, high):
        weight = _weight(walk, tile, pair, lane)
        if weight > 0:
            bucket = walk.bucket[pair]
            for rule in range(walk.tags.shape[1]):
                tag = walk.tags[walk.combination[bucket], rule]
                if tag >= 0:
                    sums.lane_counts[tag] += weight
                    sums.lane_rates[tag] += walk.coef[bucket] * np.float64(weight)


@inner
def _over(count: int, rate: float, limits: Limits, target: int, weighting: int, tag: int, lane: int) -> bool:
    """Whether a sum exceeds its limit: the count, or by ``weighting`` 1 the rate."""
    if weighting == 0:
        return count > limits.counts[target, tag, lane]
    return rate > limits.rates[target, tag, lane]


@inner
def _any_over(limits: Limits, target: int, rule: int, weighting: int, lane: int, sums: Sums) -> bool:
    """Whether any tag that ``rule`` watches exceeds its limit in a replicate."""
    for tag in range(limits.rule.size):
        if limits.rule[tag] == rule:
            if _over(sums.counts[tag, lane], sums.rates[tag, lane], limits, target, weighting, tag, lane):
                return True
    return False


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

    Where rounding hides the excess, the last comparison stands for it.
    """
    top = low = walk.chunk_start[chunk]
    _sum_lane(walk, tile, low, low, lane, sums)
    for pair in range(low, walk.chunk_start[chunk + 1]):
        if walk.fresh[pair]:
            top = pair
        bucket = walk.bucket[pair]
        tag = walk.tags[walk.combination[bucket], rule]
        if tag >= 0 and limits.rule[tag] == rule:
            weight = _weight(walk, tile, pair, lane)
            sums.lane_counts[tag] += weight
            sums.lane_rates[tag] += walk.coef[bucket] * np.float64(weight)
            if _over(sums.lane_counts[tag], sums.lane_rates[tag], limits, target, weighting, tag, lane):
                return pair, top
    return walk.chunk_start[chunk + 1] - 1, top


@inner
def _record_lane(
    walk: Walk,
    tile: Tile,
    chunk: int,
    limits: Limits,
    rule: int,
    weighting: int,
    lane: int,
    sums: Sums,
    record: Record,
) -> int:
    """Record every limit that a replicate exceeds within a chunk; return their number."""
    first = target = record.pending[weighting, rule, lane]
    while target < limits.counts.shape[0] and _any_over(limits, target, rule, weighting, lane, sums):
        pair = top = walk.chunk_start[chunk]
        if not walk.single[chunk]:
            pair, top = _find_excess(walk, tile, chunk, limits, target, rule, weighting, lane, sums)
        record.crossing[weighting, rule, target, lane] = pair
        _sum_lane(walk, tile, walk.chunk_start[chunk], top, lane, sums)
        for tag in range(limits.rule.size):
            value = sums.lane_rates[tag] if weighting == 1 else np.float64(sums.lane_counts[tag])
            record.at_target[weighting, rule, target, tag, lane] = value
        target += 1
    record.pending[weighting, rule, lane] = target
    return target - first


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
        _add_chunk(walk, tile, chunk, sums)
        if left > 0:
            for weighting in range(2):
                for rule in range(walk.tags.shape[1]):
                    for lane in range(sums.run.size):
                        left -= _record_lane(walk, tile, chunk, limits, rule, weighting, lane, sums, record)


@inner
def _record_point(
    walk: Walk,
    tile: Tile,
    low: int,
    stop: int,
    point: int,
    lane: int,
    weighting: int,
    sums: Sums,
    out: Floats,
) -> None:
    _sum_lane(walk, tile, low, stop, lane, sums)
    for tag in range(sums.lane_counts.size):
        value = sums.lane_rates[tag] if weighting == 1 else np.float64(sums.lane_counts[tag])
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
        high = low + 1
        if chunk < chunks:
            high = walk.chunk_start[chunk + 1]
            _add_chunk(walk, tile, chunk, sums)
        else:
            _keep(sums)
        for point in range(position.shape[0]):
            for lane in range(position.shape[1]):
                if low <= position[point, lane] < high:
                    _record_point(
                        walk, tile, low, position[point, lane], point, lane, weighting[point], sums, out
                    )
