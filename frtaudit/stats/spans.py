"""Spans: the tail cut coarsely where no replicate will look, finely where thresholds will lie, and sorted into runs.

Within a span comparisons stand by block of second rows (so that their weights stay in the cache), by bucket, by first
row. Where spans end decides how fast the walk is and nothing else.
"""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from frtaudit.stats.compiled import kernel
from frtaudit.stats.records import Limits, Spans, Walk
from frtaudit.stats.vectors import AHEAD

Index = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

NEAR = (
    0.003,
    0.01,
    0.03,
    0.1,
    0.3,
)  # spans end at these shares of its rank on either side of an expected threshold
SAMPLES = 1 << 15
BLOCK = 13  # bits: 8192 rows of 64 bytes fit the second-level cache
RUN, MOST = 4, 1024  # blocks are made if a row meets so many of each, and blocks times buckets are not more


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
    bits, buckets = max(rows - 1, 1).bit_length(), walk.coef.size
    blocks = ((rows - 1) >> BLOCK) + 1
    blocked = (np.diff(place) >= RUN * rows * blocks) & (blocks * buckets <= MOST)
    words = _packed(walk.first, walk.second, walk.bucket, place, np.where(blocked, buckets, 0), bits)
    for low, high in pairwise(place):
        words[low:high].sort()
    sorted_rows = np.zeros(words.size + AHEAD, dtype=np.int32)
    run, start, row, bucket = _unpacked(words, place, bits, buckets, sorted_rows)
    spans = Spans(chunk=chunk, run=run, start=start, row=row, bucket=bucket, rows=sorted_rows)
    for array in spans:
        array.flags.writeable = False
    return spans


@kernel
def _packed(first: Index, second: Index, bucket: Index, place: Ints, step: Ints, bits: int) -> Ints:
    """Block (times ``step``: the buckets, or 0) and bucket, first and second row of each comparison in one integer."""
    words = np.empty(first.size, dtype=np.int64)
    for span in range(step.size):
        for q in range(place[span], place[span + 1]):
            key = np.int64(bucket[q]) + np.int64(second[q] >> BLOCK) * step[span]
            words[q] = (((key << bits) | np.int64(first[q])) << bits) | np.int64(second[q])
    return words


@kernel
def _unpacked(
    words: Ints, place: Ints, bits: int, buckets: int, rows: Index
) -> tuple[Ints, Ints, Index, Index]:
    """Runs of sorted words: the first run of each span; start, first row and bucket of each; ``rows`` are filled."""
    start = np.empty(words.size + 1, dtype=np.int64)
    row, bucket = np.empty(words.size, dtype=np.int32), np.empty(words.size, dtype=np.int32)
    run, total = np.zeros(place.size, dtype=np.int64), 0
    for span in range(place.size - 1):
        last = np.int64(-1)
        for q in range(place[span], place[span + 1]):
            head = words[q] >> bits
            rows[q] = words[q] & ((1 << bits) - 1)
            if head != last:
                last = head
                start[total] = q
                row[total] = head & ((1 << bits) - 1)
                bucket[total] = (head >> bits) % buckets
                total += 1
        run[span + 1] = total
    start[total] = words.size
    return run, start[: total + 1].copy(), row[:total].copy(), bucket[:total].copy()
