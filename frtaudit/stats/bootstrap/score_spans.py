"""Spans: the tail cut coarsely where no replicate will look, finely where thresholds will lie, and sorted into runs.

Within a span comparisons stand by block of second rows (so that their weights stay in the cache) and bucket, which make
a part, and by first row, which makes a run; where they are many, by block of first rows too, and in a part short runs
come before long ones (so that the processor foresees where they end). Where spans end, and in which order the
comparisons of a span stand, decides how fast the walk is and nothing else.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from frtaudit.core.arrays import Halves, Index, Ints, Words
from frtaudit.stats._numba import inner, kernel
from frtaudit.stats.bootstrap.kernel_arrays import Limits, SortedComparisons, Spans
from frtaudit.stats.similarity.tiles import by_many

NEAR = (0.003, 0.01, 0.03, 0.1, 0.3)  # of the rank of an expected threshold: spans end so near to it
SAMPLES = 1 << 15
BLOCK, WIDEST = 13, 16  # bits: 8192 rows of 64 bytes fit the second-level cache; a row within any block
FIRST = 12  # bits: so many first rows are counted within the first-level cache
RUN = 6  # small blocks are made if a row meets so many of each
MAX_PARTS = 1024  # of a span that is counted, or a piece for each
PIECE, LARGE = 10, 14  # bits: words of a part that stand together, at least and at most
SPARSE = 4  # as many places for runs as this for each comparison: a span of fewer comparisons is not counted but sorted
LONG = 64  # runs so long stand in no order of length
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
    base: Index
    start: Ints
    row: Index
    rows: Halves


class _Cut(NamedTuple):
    """How a span is cut.

    ``first``, ``second``: bits of a row within its block, ``first`` 0 where first rows make no blocks; ``blocks`` of
    second rows; ``piece``: bits of the words that stand together while parts are made.
    """

    first: int
    second: int
    blocks: int
    buckets: int
    piece: int


class _Pieces(NamedTuple):
    """Comparisons by part, in pieces of ``words`` (first and second row within their blocks) of one part each.

    Piece p is the first of part p; ``end`` (parts,): where its last piece ends; ``following``: the piece after each,
    -1 = none.
    """

    words: Words
    end: Ints
    following: Ints


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
    room = np.empty(int(place[laid]), dtype=np.uint16)
    lay = partial(_laid, comparisons, place, alike, room)
    longest_first = by_many(lay, range(laid - 1, -1, -1), threads if room.size > MANY else 1)
    spans = _joined(chunk, longest_first[::-1], room)
    for array in spans:
        array.flags.writeable = False
    return spans


def _laid(comparisons: SortedComparisons, place: Ints, alike: Ints, room: Halves, span: int) -> _Room:
    """Parts and runs of one span, the runs counted from its first; ``room``: for second rows of all."""
    (low, high), rows, buckets = place[span : span + 2].tolist(), alike.size, comparisons.coef.size
    size = high - low
    pairs = comparisons.first[low:high], comparisons.second[low:high], comparisons.bucket[low:high]
    cut, parts = _cut_of(size, rows, buckets)
    some, most = min(size, parts), min(size, rows * cut.blocks * buckets)
    out = _Room(
        np.zeros(2, dtype=np.int64), np.empty(some, dtype=np.int64), np.empty(some, dtype=np.int32),
        np.empty(some, dtype=np.int32), np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int32), room,
    )  # fmt: skip
    if cut.first:
        pieces = _Pieces(
            np.empty(size + (parts << cut.piece), dtype=np.uint32), np.empty(parts, dtype=np.int64),
            np.full((size >> cut.piece) + parts, -1, dtype=np.int64),
        )  # fmt: skip
        _part(*pairs, cut, pieces)
        _lay(pieces, cut, rows, low, out)
    else:
        bits = max(rows - 1, 1).bit_length()
        words = _packed(*pairs, alike, bits, cut)
        _unpacked(_sorted(words, cut.second, cut.second + (parts << bits).bit_length()), bits, cut, low, out)
    n_parts, n_runs = out.made.tolist()
    return _Room(
        out.made, out.run[:n_parts], out.bucket[:n_parts], out.base[:n_parts], out.start[:n_runs],
        out.row[:n_runs], room,
    )  # fmt: skip


def _cut_of(size: int, rows: int, buckets: int) -> tuple[_Cut, int]:
    """How a span of so many comparisons is cut, and its parts at most; a short one into no blocks of first rows."""
    near = _blocks(rows, BLOCK)
    second = BLOCK if size >= RUN * rows * near and near * buckets <= MAX_PARTS else WIDEST
    blocks = _blocks(rows, second)
    if SPARSE * size >= rows * blocks * buckets:
        for first in (FIRST, FIRST + 1):  # more bits never help: few rows have few blocks
            parts = _blocks(rows, first) * blocks * buckets
            if parts <= max(MAX_PARTS, size >> PIECE):
                fits = (size // parts).bit_length() - 2  # two pieces of a part or more, one not full
                return _Cut(first, second, blocks, buckets, min(max(fits, PIECE), LARGE)), parts
    return _Cut(0, second, blocks, buckets, 0), blocks * buckets


def _blocks(rows: int, bits: int) -> int:
    """Blocks of rows, of so many bits each."""
    return ((rows - 1) >> bits) + 1


def _joined(chunk: Ints, rooms: Sequence[_Room], rows: Halves) -> Spans:
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
        base=np.concatenate((none, *(room.base for room in rooms))),
        start=np.concatenate((*(room.start for room in rooms), np.array([rows.size]))),
        row=np.concatenate((none, *(room.row for room in rooms))),
        rows=rows,
    )


@kernel
def _part(first: Index, second: Index, bucket: Halves | Index, cut: _Cut, pieces: _Pieces) -> None:
    """Sort a span into parts: by block of first rows, block of second rows and bucket."""
    words, end, following, parts = pieces.words, pieces.end, pieces.following, pieces.end.size
    low, high, buckets = np.uint32(cut.first), np.uint32(cut.second), np.uint32(cut.buckets)
    within, inside = np.uint32((1 << cut.first) - 1), np.uint32((1 << cut.second) - 1)
    step, piece = np.uint32(cut.blocks * cut.buckets), cut.piece
    last = (1 << piece) - 1
    for part in range(parts):
        end[part] = part << piece
    for q in range(first.size):
        row, other = np.uint32(first[q]), np.uint32(second[q])
        of = np.uint32((row >> low) * step + (other >> high) * buckets + np.uint32(bucket[q]))
        at = end[np.uint64(of)]
        words[np.uint64(at)] = np.uint32(((row & within) << high) | (other & inside))
        at += 1
        if at & last == 0:
            following[(at >> piece) - 1] = parts
            at = parts << piece
            parts += 1
        end[np.uint64(of)] = at


@kernel
def _lay(pieces: _Pieces, cut: _Cut, rows: int, low: int, out: _Room) -> None:
    """Sort each part by first row, and write it."""
    words, end, following = pieces.words, pieces.end, pieces.following
    shift, inside = np.uint32(cut.second), np.uint32((1 << cut.second) - 1)
    written, bits = out.made, cut.piece
    counts, place = np.empty(1 << cut.first, dtype=np.uint32), np.empty(1 << cut.first, dtype=np.uint32)
    for part in range(end.size):
        if end[part] == part << bits:
            continue
        seconds, second = out.rows[low:], part // cut.buckets
        out.run[written[0]], out.bucket[written[0]] = written[1], part % cut.buckets
        out.base[written[0]] = second % cut.blocks << cut.second
        base = second // cut.blocks << cut.first
        here = counts[: min(rows - base, counts.size)]
        here[:] = 0
        piece = part
        while piece >= 0:
            for word in words[piece << bits : min(end[part], (piece + 1) << bits)]:
                here[np.uint64(word >> shift)] += np.uint32(1)
            piece = following[piece]
        pairs = _order(here, place, base - out.base[written[0]], low, out)
        written[0] += 1
        piece = part
        while piece >= 0:
            for word in words[piece << bits : min(end[part], (piece + 1) << bits)]:
                slot = np.uint64(word >> shift)
                at = place[slot]
                seconds[np.uint64(at)] = np.uint16(word & inside)
                place[slot] = at + np.uint32(1)
            piece = following[piece]
        low += pairs


@inner
def _order(counts: Words, place: Words, base: int, low: int, out: _Room) -> int:
    """Write the runs of a part by length, and where the second rows of each begin, from ``low`` on; their number."""
    runs, pairs = np.zeros(LONG + 1, dtype=np.int64), np.zeros(LONG + 1, dtype=np.int64)
    start, row, run, pair, most = out.start, out.row, out.made[1], 0, np.uint32(LONG)
    for count in counts:
        length = np.uint64(min(count, most))
        runs[length] += 1
        pairs[length] += count
    for size in range(1, LONG + 1):
        runs[size], run = run, run + runs[size]
        pairs[size], pair = pair, pair + pairs[size]
    out.made[1] = run
    for first in range(counts.size):
        count = counts[first]
        if count > 0:
            length = np.uint64(min(count, most))
            at, here = pairs[length], np.uint64(runs[length])
            place[first], start[here], row[here] = at, low + at, base + first
            runs[length] += 1
            pairs[length] = at + count
    return pair


@kernel
def _packed(first: Index, second: Index, bucket: Halves | Index, alike: Ints, bits: int, cut: _Cut) -> Ints:
    """Block of second rows, bucket, first row, and second row within its block, of each comparison in one integer.

    The row with fewer rows alike becomes the first: it meets more second rows of one bucket.
    """
    words, inside = np.empty(first.size, dtype=np.int64), (1 << cut.second) - 1
    for q in range(first.size):
        row, other = np.int64(first[q]), np.int64(second[q])
        if alike[row] > alike[other]:
            row, other = other, row
        key = np.int64(bucket[q]) + (other >> cut.second) * cut.buckets
        words[q] = (((key << bits) | row) << cut.second) | (other & inside)
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
def _unpacked(words: Ints, bits: int, cut: _Cut, low: int, out: _Room) -> None:
    """Write the parts of sorted words."""
    start, row, rows, written, mask = out.start, out.row, out.rows, out.made, (1 << bits) - 1
    inside = (1 << cut.second) - 1
    last, run, base = np.int64(-1), written[1], np.int64(0)
    for q in range(words.size):
        head = words[q] >> cut.second
        rows[low + q] = words[q] & inside
        if head != last:
            if last < 0 or head >> bits != last >> bits:
                part = head >> bits
                base = part // cut.buckets << cut.second
                out.run[written[0]], out.bucket[written[0]], out.base[written[0]] = (
                    run,
                    part % cut.buckets,
                    base,
                )
                written[0] += 1
            last = head
            start[run], row[run] = low + q, (head & mask) - base
            run += 1
    written[1] = run
