"""Spans: the tail cut coarsely where no replicate will look, finely where thresholds will lie, and sorted into runs.

Within a span comparisons stand by block of second rows (so that their weights stay in the cache), by bucket, by first
row. Where spans end decides how fast the walk is and nothing else.
"""

import numpy as np
import numpy.typing as npt

from frtaudit.stats.compiled import kernel
from frtaudit.stats.inlined import inner
from frtaudit.stats.records import Limits, Spans, Walk

Index = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

NEAR = (0.01, 0.03, 0.1, 0.3)  # spans end at these shares of its rank on either side of an expected threshold
SAMPLES = 1 << 15
BLOCK = 13  # bits: 8192 rows of 64 bytes fit the second-level cache
WORTH = 256  # comparisons of a bucket in a block, at least, for blocks to be made


def expected_ranks(walk: Walk, limits: Limits) -> Ints:
    """About where the data themselves exceed each limit: for each rule the least rank among its tags.

    ``limits``: those of the data, L = 1; rates are asked for in the same way as counts. A sample of comparisons is
    counted.
    """
    step = max(1, walk.first.size // SAMPLES)
    bucket = walk.bucket[::step]
    coef, tags = walk.coef[bucket], walk.tags[walk.combination[bucket]]
    found = []
    for rule in range(walk.tags.shape[1]):
        ranks = np.full((2, len(limits.counts)), walk.first.size, dtype=np.int64)
        for tag in np.flatnonzero(limits.rule == rule):
            held = tags[:, rule] == tag
            for kind, (amount, limit) in enumerate(((1.0, limits.counts), (coef, limits.rates))):
                total = np.cumsum(held * amount) * step
                place = np.searchsorted(total, limit[:, tag, 0], side="right")
                ranks[kind] = np.minimum(ranks[kind], np.minimum(place * step, walk.first.size))
        found.append(ranks.ravel())
    return np.unique(np.concatenate(found))


def spans_of(walk: Walk, ranks: Ints, cuts: Ints, rows: int) -> Spans:
    """Cut a walk into spans and sort each.

    ``ranks``: where thresholds are expected; ``cuts``: positions, starts of chunks, at which a span has to end;
    ``rows``: rows of weights.
    """
    ends = [ranks * (1 + share) for share in (*NEAR, *(-share for share in NEAR))]
    wanted = np.concatenate([np.concatenate(ends).astype(np.int64), cuts])
    chunks = np.clip(np.searchsorted(walk.chunk_start, wanted), 0, walk.chunk_start.size - 1)
    chunk = np.unique(np.concatenate([chunks, [0, walk.chunk_start.size - 1]]))
    place = walk.chunk_start[chunk]
    blocks = ((rows - 1) >> BLOCK) + 1
    sorted_rows = np.empty(walk.first.size, dtype=np.int32)
    found = lay_runs(walk.first, walk.second, walk.bucket, walk.coef.size, place, rows, blocks, sorted_rows)
    run, start, row, bucket = found
    spans = Spans(chunk=chunk, run=run, start=start, row=row, bucket=bucket, rows=sorted_rows)
    for array in spans:
        array.flags.writeable = False
    return spans


@inner
def _starts(count: Ints, size: int) -> None:
    """Counts, one place late, become starts."""
    for key in range(size):
        count[key + 1] += count[key]


@inner
def _sort_by_first(
    first: Index, second: Index, bucket: Index, low: int, size: int, n_rows: int, count: Ints,
    pairs: Ints, keys: Index,
) -> None:  # fmt: skip
    count[: n_rows + 1] = 0
    for q in range(low, low + size):
        count[first[q] + 1] += 1
    _starts(count, n_rows)
    for q in range(low, low + size):
        at = count[first[q]]
        count[first[q]] = at + 1
        pairs[at] = (np.int64(first[q]) << 32) | np.int64(second[q])
        keys[at] = bucket[q]


@inner
def _sort_by_key(
    pairs: Ints, keys: Index, size: int, buckets: int, blocks: int, count: Ints, heads: Ints, rows: Index
) -> None:
    """By block and bucket; ``heads`` get bucket and first row, ``rows`` the second."""
    count[: blocks * buckets + 1] = 0
    for x in range(size):
        block = (pairs[x] & 0xFFFFFFFF) >> BLOCK if blocks > 1 else 0
        count[block * buckets + keys[x] + 1] += 1
    _starts(count, blocks * buckets)
    for x in range(size):
        second = pairs[x] & 0xFFFFFFFF
        key = (second >> BLOCK if blocks > 1 else 0) * buckets + keys[x]
        at = count[key]
        count[key] = at + 1
        heads[at] = (np.int64(keys[x]) << 32) | (pairs[x] >> 32)
        rows[at] = second


@kernel
def lay_runs(
    first: Index, second: Index, bucket: Index, buckets: int, place: Ints, n_rows: int, blocks: int,
    rows: Index,
) -> tuple[Ints, Ints, Index, Index]:  # fmt: skip
    """Sort each span ``place[p] .. place[p+1]`` by (block, bucket, first): two stable counting sorts.

    Fills ``rows`` (Q,) with second rows; returns the first run of each span, and start, first row and bucket of each
    run.
    """
    longest = 0
    for span in range(place.size - 1):
        longest = max(longest, place[span + 1] - place[span])
    pairs, keys = np.empty(longest, dtype=np.int64), np.empty(longest, dtype=np.int32)
    heads = np.empty(longest, dtype=np.int64)
    count = np.empty(max(n_rows, blocks * buckets) + 1, dtype=np.int64)
    run, total = np.zeros(place.size, dtype=np.int64), 0
    start = np.empty(first.size + 1, dtype=np.int64)
    row, of = np.empty(first.size, dtype=np.int32), np.empty(first.size, dtype=np.int32)
    for span in range(place.size - 1):
        low, size = place[span], place[span + 1] - place[span]
        parted = blocks > 1 and size >= WORTH * blocks * buckets
        _sort_by_first(first, second, bucket, low, size, n_rows, count, pairs, keys)
        _sort_by_key(pairs, keys, size, buckets, blocks if parted else 1, count, heads, rows[low : low + size])
        for x in range(size):
            if x == 0 or heads[x] != heads[x - 1]:
                start[total] = low + x
                row[total] = heads[x] & 0xFFFFFFFF
                of[total] = heads[x] >> 32
                total += 1
        run[span + 1] = total
    start[total] = first.size
    return run, start[: total + 1].copy(), row[:total].copy(), of[:total].copy()
