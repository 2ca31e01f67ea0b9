"""What the kernels take and fill: arrays that belong together, in tuples, because Numba takes tuples apart."""

from typing import NamedTuple

import numpy as np

from frtaudit.core.arrays import Bytes, Flags, Floats, Halves, Index, Ints

WIDTH = 128  # replicates of a tile
LINE = 128  # bytes: two cache lines, loaded together


class SortedComparisons(NamedTuple):
    """Q comparisons in order of score, C chunks, 1 + S rules.

    A bucket holds comparisons that add to the same groups with the same coefficient. ``first``, ``second`` (Q,) int32:
    rows of weights; ``bucket`` (Q,) uint16, or int32 if there are many; ``fresh`` (Q,) bool: the score differs from
    the one before; ``chunk_start`` (C+1,) int64; ``combination`` (buckets,) int32, ascending: row of
    ``group_indices``; ``coef`` (buckets,) float64: 1/(comparisons of the pair of subjects); ``group_indices`` (M, 1+S)
    int32: index 0, then the group under each schema, -1 = none; ``slot`` (buckets, 1+S) int32: the same by bucket,
    G+1 = none.
    """

    first: Index
    second: Index
    bucket: Halves | Index
    fresh: Flags
    chunk_start: Ints
    combination: Index
    coef: Floats
    group_indices: Index
    slot: Index


class Spans(NamedTuple):
    """The same comparisons in P spans of whole chunks; a span is cut into parts, a part into runs.

    A part holds comparisons of one bucket and one block of second rows, a run those of one first row. ``chunk``
    (P+1,): first chunk of each span; ``part`` (P+1,): its first part (the last spans may have none); ``run`` (Q+1,)
    int64: first run of each part; ``bucket`` (Q,) int32: its bucket; ``base`` (Q,) int32: where its block begins;
    ``start`` (R+1,) int64: places of each run in ``rows`` uint16, the second rows; ``row`` (R,) int32: its first row;
    both kinds of rows are counted from ``base``.
    """

    chunk: Ints
    part: Ints
    run: Ints
    bucket: Index
    base: Index
    start: Ints
    row: Index
    rows: Halves


class Tile(NamedTuple):
    """Weights of L <= 128 replicates, in C copies of ``rows`` rows.

    ``weights`` (C*rows, 128) uint8; ``packed`` (C*rows, 64) uint8: the same, two in a byte (lanes b and 64 + b), no row
    where a weight exceeds 15; ``threes``: three packed weights always sum to 15 at most; ``reach``: rows whose weights
    sum to a byte at most; ``pairs``: products of two weights that fit 16 bits together.
    """

    weights: Bytes
    packed: Bytes
    rows: int
    threes: bool
    reach: int
    pairs: int


class Limits(NamedTuple):
    """What must not be exceeded.

    ``counts``, ``rates`` (A, G+1, L): by target, ascending; ``rule`` (G+1,): the rule that watches a group, -1 = none.
    """

    counts: Ints
    rates: Floats
    rule: Index


class Sums(NamedTuple):
    """Running sums, and room to work in; where rates are not wanted, arrays of rates have no row.

    ``counts``, ``rates`` (G+1, 128): so far; ``low_*``: before the current chunk; ``high_*``: at the end of the
    current span; ``half`` (buckets, 128) uint16 and ``added`` (buckets,): sums of each bucket and how many products
    they hold; ``words`` (buckets, 128), ``used`` (buckets,): what they have been emptied into; ``part_*`` (128,): of a
    combination; ``lane_sums``, ``lane_limits`` (G+2,): of one replicate, the last of no group.
    """

    counts: Ints
    rates: Floats
    low_counts: Ints
    low_rates: Floats
    high_counts: Ints
    high_rates: Floats
    half: Halves
    added: Ints
    words: Ints
    used: Flags
    part_counts: Ints
    part_rates: Floats
    lane_sums: Floats
    lane_limits: Floats


class Record(NamedTuple):
    """What the non-mated walk finds, in V weightings (counts; then rates, where they differ).

    ``pending`` (V, rules, L): next target of each replicate, A = none left; ``exceeded_at`` (V, rules, A, L): the
    comparison that exceeds the limit, -1 = none; ``at_target`` (V, rules, A, G+1, L): sums strictly above its
    score; ``at_span`` (V, T, G+1, L): sums before span ``spans`` (T,).
    """

    pending: Ints
    exceeded_at: Ints
    at_target: Floats
    spans: Ints
    at_span: Floats


def empty_sums(group_indices: int, buckets: int, *, rated: bool = True) -> Sums:
    """Sums of nothing, with or without rates."""
    kinds = group_indices if rated else 0
    return Sums(
        counts=np.zeros((group_indices, WIDTH), dtype=np.int64),
        rates=np.zeros((kinds, WIDTH)),
        low_counts=np.zeros((group_indices, WIDTH), dtype=np.int64),
        low_rates=np.zeros((kinds, WIDTH)),
        high_counts=np.zeros((group_indices, WIDTH), dtype=np.int64),
        high_rates=np.zeros((kinds, WIDTH)),
        half=np.zeros((buckets, WIDTH), dtype=np.uint16),
        added=np.zeros(buckets, dtype=np.int64),
        words=np.zeros((buckets, WIDTH), dtype=np.int64),
        used=np.zeros(buckets, dtype=np.bool_),
        part_counts=np.zeros(WIDTH, dtype=np.int64),
        part_rates=np.zeros(WIDTH),
        lane_sums=np.zeros(group_indices + 1),
        lane_limits=np.full(group_indices + 1, np.inf),
    )


def aligned_zeros(rows: int, width: int) -> Bytes:
    """Zeros (rows, width) from the start of a cache line on."""
    room = np.zeros(rows * width + LINE, dtype=np.uint8)
    start = -room.ctypes.data % LINE
    return room[start : start + rows * width].reshape(rows, width)
