"""Spans: the tail cut coarsely where no replicate will look, finely where thresholds will lie, and sorted into runs.

Within a span comparisons stand by block of second rows (so that their weights stay in the cache), by bucket, by first
row. Where spans end decides how fast the walk is and nothing else.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from frtaudit.stats.compiled import kernel
from frtaudit.stats.records import Limits, Spans, Walk
from frtaudit.stats.vectors import AHEAD

Halves = npt.NDArray[np.uint32]
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
BLOCK = 12  # bits: 4096 rows of 128 bytes fit the second-level cache
RUN, MOST = 4, 1024  # blocks are made if a row meets so many of each, and blocks times buckets are not more

PART = 256  # long spans are sorted part by part: so many comparisons a part on average, or more


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


class _Room(NamedTuple):
    """Where runs are written; fields as in ``Spans``."""

    start: Ints
    row: Index
    bucket: Index
    second: Index


def spans_of(walk: Walk, ranks: Ints, cuts: Ints, rows: int) -> Spans:
    """Cut a walk into spans and sort each as far as thresholds are expected.

    ``ranks``: where thresholds are expected; ``cuts``: positions, starts of chunks, at which a span has to end;
    ``rows``: rows of weights. Spans beyond all of these double in length and have no runs: few replicates, if any,
    reach them.
    """
    ends = [ranks * (1 + share) for share in (*NEAR, *(-share for share in NEAR))]
    wanted = np.concatenate([np.concatenate(ends).astype(np.int64), cuts])
    last = walk.chunk_start.size - 1
    furthest = min(int(wanted.max(initial=0)), int(walk.chunk_start[-1]))
    beyond = max(furthest, 1) << np.arange(1, walk.first.size.bit_length())
    chunks = np.searchsorted(walk.chunk_start, np.concatenate([wanted, beyond]))
    chunk = np.unique(np.concatenate([chunks.clip(0, last), [0, last]]))
    place = walk.chunk_start[chunk]
    run, start, row, bucket, sorted_rows = _laid(walk, place, int(np.searchsorted(place, furthest)), rows)
    spans = Spans(chunk=chunk, run=run, start=start, row=row, bucket=bucket, rows=sorted_rows)
    for array in spans:
        array.flags.writeable = False
    return spans


def _laid(walk: Walk, place: Ints, laid: int, rows: int) -> tuple[Ints, Ints, Index, Index, Index]:
    """Runs of the first ``laid`` spans: first run of each span; start, first row and bucket of each; second rows."""
    buckets, blocks, size = walk.coef.size, ((rows - 1) >> BLOCK) + 1, int(place[laid])
    out = _Room(
        np.empty(size + 1, dtype=np.int64), np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32),
        np.zeros(size + AHEAD, dtype=np.int32),
    )  # fmt: skip
    run, bits = np.zeros(place.size, dtype=np.int64), max(rows - 1, 1).bit_length()
    halves = np.empty(int(np.diff(place[: laid + 1]).max(initial=0)), dtype=np.uint32)
    for span, (low, high) in enumerate(pairwise(place[: laid + 1].tolist())):
        blocked = high - low >= RUN * rows * blocks and blocks * buckets <= MOST
        step, parts, tail = (
            buckets * blocked,
            buckets * (blocks if blocked else 1),
            BLOCK if blocked else bits,
        )
        pairs = walk.first[low:high], walk.second[low:high], walk.bucket[low:high]
        if bits + tail <= np.iinfo(np.uint32).bits and high - low >= PART * parts:
            ends = _parted(*pairs, step, parts, tail, halves)
            for start, end in pairwise(ends.tolist()):
                halves[start:end].sort()
            run[span + 1] = _unparted(halves, ends, step, buckets, tail, low, run[span], out)
        else:
            words = _packed(*pairs, bits, step)
            words.sort()
            run[span + 1] = _unpacked(words, bits, buckets, low, run[span], out)
    run[laid + 1 :] = run[laid]
    total = int(run[laid])
    out.start[total] = size
    return run, out.start[: total + 1].copy(), out.row[:total].copy(), out.bucket[:total].copy(), out.second


@kernel
def _parted(
    first: Index, second: Index, bucket: Index, step: int, parts: int, tail: int, words: Halves
) -> Ints:
    """Sort a span into parts: block (times ``step``: the buckets, or 0) and bucket. Returns where each begins.

    First and second row go into ``words``, of the second one ``tail`` bits.
    """
    place, mask = np.zeros(parts + 2, dtype=np.int64), (1 << tail) - 1
    for q in range(first.size):
        place[(second[q] >> BLOCK) * step + bucket[q] + 2] += 1
    for part in range(2, parts + 2):
        place[part] += place[part - 1]
    for q in range(first.size):
        part = (second[q] >> BLOCK) * step + bucket[q] + 1
        words[place[part]] = np.uint32((first[q] << tail) | (second[q] & mask))
        place[part] += 1
    return place[: parts + 1]


@kernel
def _unparted(
    words: Halves, ends: Ints, step: int, buckets: int, tail: int, low: int, run: int, out: _Room
) -> int:
    """Runs of sorted parts, written from ``run`` on. Returns the number of runs so far."""
    start, row, of, seconds = out.start, out.row, out.bucket, out.second
    for part in range(ends.size - 1):
        last, base = np.int64(-1), np.int64(part // buckets << BLOCK if step > 0 else 0)
        for q in range(ends[part], ends[part + 1]):
            word = np.int64(words[q])
            seconds[low + q] = base + (word & ((1 << tail) - 1))
            if word >> tail != last:
                last = word >> tail
                start[run], row[run], of[run] = low + q, last, part % buckets
                run += 1
    return run


@kernel
def _packed(first: Index, second: Index, bucket: Index, bits: int, step: int) -> Ints:
    """Block (times ``step``: the buckets, or 0) and bucket, first and second row of each comparison in one integer."""
    words = np.empty(first.size, dtype=np.int64)
    for q in range(first.size):
        key = np.int64(bucket[q]) + np.int64(second[q] >> BLOCK) * step
        words[q] = (((key << bits) | np.int64(first[q])) << bits) | np.int64(second[q])
    return words


@kernel
def _unpacked(words: Ints, bits: int, buckets: int, low: int, run: int, out: _Room) -> int:
    """Runs of sorted words, written from ``run`` on. Returns the number of runs so far."""
    start, row, of, seconds = out.start, out.row, out.bucket, out.second
    last = np.int64(-1)
    for q in range(words.size):
        head = words[q] >> bits
        seconds[low + q] = words[q] & ((1 << bits) - 1)
        if head != last:
            last = head
            start[run], row[run], of[run] = low + q, head & ((1 << bits) - 1), (head >> bits) % buckets
            run += 1
    return run
