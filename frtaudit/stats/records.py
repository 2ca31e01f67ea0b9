"""What the kernels take and fill: arrays that belong together, in tuples, because Numba takes tuples apart."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Index = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint32]


class Walk(NamedTuple):
    """Q comparisons in order of score, C chunks, R runs, 1 + S rules.

    A bucket holds comparisons that add to the same tags with the same coefficient. ``first``, ``second`` (Q,) int32:
    samples; ``bucket`` (Q,) int32; ``fresh`` (Q,) bool: the score differs from the one before; ``chunk_start``
    (C+1,) int64;
    ``single`` (C,) bool: one distinct score; ``order`` (Q,) int32: sorted by chunk, then bucket; ``run_start`` (R+1,),
    ``chunk_run`` (C+1,) int64: stretches of one bucket in ``order``; ``combination`` (buckets,) int32: row of ``tags``;
    ``coef`` (buckets,) float64: 1/(comparisons of the pair of subjects); ``tags`` (M, 1+S) int32: tag 0, then the
    tag under
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

    ``counts``, ``rates`` (tags, L): so far; ``low_*``: before the current chunk; ``part_*``, ``run`` (L,): of a
    combination
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

    ``pending`` (2, rules, L): next target of each replicate, A = none left; ``crossing`` (2, rules, A, L): the
    comparison
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
