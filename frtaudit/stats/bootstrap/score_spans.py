"""Spans: the tail cut coarsely where no replicate will look, finely where thresholds will lie, and sorted into runs.

Within a span comparisons stand by block of second rows (so that their weights stay in the cache) and bucket, which make
a part, and by first row, which makes a run. Where spans end decides how fast the walk is and nothing else.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from frtaudit.core.arrays import Index, Ints, Words
from frtaudit.stats._numba import kernel
from frtaudit.stats.bootstrap.kernel_arrays import Limits, SortedComparisons, Spans
from frtaudit.stats.similarity.tiles import by_many

NEAR = (0.003, 0.01, 0.03, 0.1, 0.3)  # of the rank of an expected threshold: spans end so near to it
SAMPLES = 1 << 15
BLOCK = 13  # bits: 8192 rows of 64 bytes fit the second-level cache
RUN, MAX_BUCKETS = 6, 1024  # blocks are made if a row meets so many of each; blocks times buckets
DIGIT = 10  # bits by which words are sorted at a time
LAST = np.uint64((1 << DIGIT) - 1)
MANY = 1 << 20  # comparisons that are worth a second thread


def expected_ranks(comparisons: SortedComparisons, limits: Limits) -> Ints:
    """About where the data themselves exceed each limit: for each rule the least rank among its groups.

    ``limits``: those of the data, L = 1; rates are asked for in the same way as counts. A sample of comparisons is
    counted.
    """
    step = max(1, comparisons.first.size // SAMPLES)
    bucket = comparisons.bucket[::step]
    coef, group_indices = comparisons.coef[bucket], comparisons.group_indices[comparisons.combination[bucket]]
    rank_lists = []
    for rule in range(comparisons.group_indices.shape[1]):
        ranks = np.full((2, len(limits.counts)), comparisons.first.size, dtype=np.int64)
        for group_index in np.flatnonzero(limits.rule == rule):
            inside = group_indices[:, rule] == group_index
            for kind, (amount, limit) in enumerate(((1.0, limits.counts), (coef, limits.rates))):
                total = np.cumsum(inside * amount) * step
                place = np.searchsorted(total, limit[:, group_index, 0], side="right")
                ranks[kind] = np.minimum(ranks[kind], np.minimum(place * step, comparisons.first.size))
        rank_lists.append(ranks.ravel())
    return np.unique(np.concatenate(rank_lists))


class _Room(NamedTuple):
    """Where the parts and runs of a span are written; fields as in ``Spans``; ``made`` (2,): parts and runs so far."""

    made: Ints
    run: Ints
    bucket: Index
    start: Ints
    row: Index
    rows: Index


def spans_of(comparisons: SortedComparisons, ranks: Ints, cuts: Ints, alike: Ints, threads: int = 1) -> Spans:
    """Cut a walk into spans and sort each as far as thresholds are expected.

    ``ranks``: where thresholds are expected; ``cuts``: positions, starts of chunks, at which a span has to end;
    ``alike``: of each row of weights, as in ``Rows``; ``threads`` (0: one per core) change nothing but the time. Spans
    beyond all of these double in length and have no runs: few replicates, if any, reach them.
    """
    ends = [ranks * (1 + share) for share in (*NEAR, *(-share for share in NEAR))]
    wanted = np.concatenate([np.concatenate(ends).astype(np.int64), cuts])
    last = comparisons.chunk_start.size - 1
    furthest = min(int(wanted.max(initial=0)), int(comparisons.chunk_start[-1]))
    beyond = max(furthest, 1) << np.arange(1, comparisons.first.size.bit_length())
    chunks = np.searchsorted(comparisons.chunk_start, np.concatenate([wanted, beyond]))
    chunk = np.unique(np.concatenate([chunks.clip(0, last), [0, last]]))
    place = comparisons.chunk_start[chunk]
    laid = int(np.searchsorted(place, furthest))
    room = np.empty(int(place[laid]), dtype=np.int32)
    lay = partial(_laid, comparisons, place, alike, room)
    longest_first = by_many(lay, range(laid - 1, -1, -1), threads if room.size > MANY else 1)
    spans = _joined(chunk, longest_first[::-1], room)
    for array in spans:
        array.flags.writeable = False
    return spans


def _laid(comparisons: SortedComparisons, place: Ints, alike: Ints, room: Index, span: int) -> _Room:
    """Parts and runs of one span, the runs counted from its first; ``room``: for second rows of all."""
    rows, buckets, (low, high) = alike.size, comparisons.coef.size, place[span : span + 2].tolist()
    blocks = ((rows - 1) >> BLOCK) + 1
    bits, blocked = max(rows - 1, 1).bit_length(), high - low >= RUN * rows * blocks
    step, tail = (buckets, BLOCK) if blocked and blocks * buckets <= MAX_BUCKETS else (0, bits)
    parts = buckets * (blocks if step else 1)
    most = min(high - low, rows * parts)
    out = _Room(
        np.zeros(2, dtype=np.int64), np.empty(parts, dtype=np.int64), np.empty(parts, dtype=np.int32),
        np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int32), room,
    )  # fmt: skip
    pairs = comparisons.first[low:high], comparisons.second[low:high], comparisons.bucket[low:high]
    if bits + tail <= np.iinfo(np.uint32).bits and high - low >= rows * parts:
        words = np.empty(high - low, dtype=np.uint32)
        ends = _parted(*pairs, step, parts, tail, words)
        _counted(words, ends, step, buckets, tail, rows, low, out)
    else:
        words = _sorted(_packed(*pairs, alike, bits, step), bits, bits + (parts << bits).bit_length())
        _unpacked(words, bits, buckets, low, out)
    n_parts, n_runs = out.made.tolist()
    return _Room(
        out.made, out.run[:n_parts], out.bucket[:n_parts], out.start[:n_runs], out.row[:n_runs], room
    )


def _joined(chunk: Ints, rooms: Sequence[_Room], rows: Index) -> Spans:
    """Parts and runs of the spans one after the other; spans without them come last."""
    counts = np.zeros((chunk.size, 2), dtype=np.int64)
    for span, room in enumerate(rooms):
        counts[span + 1 :] += room.made
    run = [room.run + first_run for room, first_run in zip(rooms, counts[:, 1], strict=False)]
    none = np.zeros(0, dtype=np.int32)
    return Spans(
        chunk,
        part=counts[:, 0].copy(),
        run=np.concatenate((*run, counts[-1:, 1])),
        bucket=np.concatenate((none, *(room.bucket for room in rooms))),
        start=np.concatenate((*(room.start for room in rooms), np.array([rows.size]))),
        row=np.concatenate((none, *(room.row for room in rooms))),
        rows=rows,
    )


@kernel
def _parted(
    first: Index, second: Index, bucket: Index, step: int, parts: int, tail: int, words: Words
) -> Ints:
    """Sort a span into parts: block (times ``step``: the buckets, or 0) and bucket. Returns where each begins.

    First and second row go into ``words``, of the second one ``tail`` bits.
    """
    place, mask = np.zeros(parts + 2, dtype=np.int64), (1 << tail) - 1
    for q in range(first.size):
        place[np.uint64((second[q] >> BLOCK) * step + bucket[q] + 2)] += 1
    for part in range(2, parts + 2):
        place[part] += place[part - 1]
    for q in range(first.size):
        of = np.uint64((second[q] >> BLOCK) * step + bucket[q] + 1)
        words[np.uint64(place[of])] = np.uint32((first[q] << tail) | (second[q] & mask))
        place[of] += 1
    return place[: parts + 1]


@kernel
def _counted(
    words: Words, ends: Ints, step: int, buckets: int, tail: int, rows: int, low: int, out: _Room
) -> None:
    """Sort each part by first row, and write it."""
    start, row, written = out.start, out.row, out.made
    place, shift, mask = np.empty(rows, dtype=np.uint32), np.uint32(tail), np.uint32((1 << tail) - 1)
    for part in range(ends.size - 1):
        begin, end, run = ends[part], ends[part + 1], written[1]
        if begin == end:
            continue
        out.run[written[0]], out.bucket[written[0]] = run, part % buckets
        written[0] += 1
        base, seconds = part // buckets << BLOCK if step > 0 else 0, out.rows[low + begin :]
        place[:] = 0
        for q in range(begin, end):
            place[words[q] >> shift] += np.uint32(1)
        following = np.uint32(0)
        for first in range(rows):
            count = place[first]
            place[first] = following
            if count > 0:
                start[run], row[run] = low + begin + following, first
                run += 1
                following += count
        written[1] = run
        for q in range(begin, end):
            slot = words[q] >> shift
            seconds[place[slot]] = base + (words[q] & mask)
            place[slot] += np.uint32(1)


@kernel
def _packed(first: Index, second: Index, bucket: Index, alike: Ints, bits: int, step: int) -> Ints:
    """Block (times ``step``: the buckets, or 0) and bucket, first and second row of each comparison in one integer.

    The row with fewer rows alike becomes the first: it meets more second rows of one bucket.
    """
    words = np.empty(first.size, dtype=np.int64)
    for q in range(first.size):
        row, other = np.int64(first[q]), np.int64(second[q])
        if alike[row] > alike[other]:
            row, other = other, row
        key = np.int64(bucket[q]) + (other >> BLOCK) * step
        words[q] = (((key << bits) | row) << bits) | other
    return words


@kernel
def _sorted(words: Ints, low: int, high: int) -> Ints:
    """Words in order of their bits ``low`` .. ``high - 1``, digit by digit; ``words`` is written over."""
    other, place = np.empty_like(words), np.empty(1 << DIGIT, dtype=np.int64)
    for shift in range(low, high, DIGIT):
        place[:] = 0
        for q in range(words.size):
            place[np.uint64(words[q] >> shift) & LAST] += 1
        following = 0
        for digit in range(place.size):
            count = place[digit]
            place[digit] = following
            following += count
        for q in range(words.size):
            of = np.uint64(words[q] >> shift) & LAST
            other[place[of]] = words[q]
            place[of] += 1
        words, other = other, words
    return words


@kernel
def _unpacked(words: Ints, bits: int, buckets: int, low: int, out: _Room) -> None:
    """Write the parts of sorted words."""
    start, row, rows, written, mask = out.start, out.row, out.rows, out.made, (1 << bits) - 1
    last, run = np.int64(-1), written[1]
    for q in range(words.size):
        head = words[q] >> bits
        rows[low + q] = words[q] & mask
        if head != last:
            if last < 0 or head >> bits != last >> bits:
                out.run[written[0]], out.bucket[written[0]] = run, (head >> bits) % buckets
                written[0] += 1
            last = head
            start[run], row[run] = low + q, head & mask
            run += 1
    written[1] = run
