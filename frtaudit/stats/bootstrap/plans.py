"""Resampling plans: from a plan to the weights and denominators of a tile of replicates."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from frtaudit.core.arrays import Bytes, Index, Integers, Ints
from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.core.spec import Plan
from frtaudit.stats._numba import kernel
from frtaudit.stats.bootstrap import weights as counter
from frtaudit.stats.bootstrap.denominators import (
    MatedTotals,
    NonMatedTotals,
    Totals,
    mated_totals,
    non_mated_totals,
)
from frtaudit.stats.bootstrap.kernel_arrays import LINE, WIDTH, SortedComparisons, Tile, aligned_zeros

NIBBLE = 15  # the heaviest weight of which two fit a byte
THREE = 3  # rows that are added before their nibbles are taken apart
NONE = aligned_zeros(0, WIDTH // 2)


class Rows(NamedTuple):
    """Row of weights of each sample (N,) int32: in non-mated comparisons, and as first and second of mated ones.

    ``alike`` (rows of non-mated weights,) int64: how many of these rows belong to subjects with as many samples.
    """

    non_mated: Index
    mated: tuple[Index, Index]
    alike: Ints


def rows_of(tail: ScoreTail, plan: Plan) -> Rows:
    """Samples have weights of their own, or under plans that keep subjects whole those of their subject."""
    arange = np.arange(tail.subject_of.size, dtype=np.int32)
    if plan in (Plan.IMAGES, Plan.TWO_LEVEL):
        return Rows(arange, (arange, arange), _alike(tail.n_samples[tail.subject_of]))
    subject, values = np.array(tail.subject_of), np.full(arange.size, tail.n_samples.size, dtype=np.int32)
    return Rows(subject, (subject, values), _alike(tail.n_samples))


def _alike(sizes: Ints) -> Ints:
    _, kind, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    return counts[kind].astype(np.int64)


Mated = Callable[[SortedComparisons, int], tuple[SortedComparisons, Tile]]


class Drawn(NamedTuple):
    """Weights and denominators of L replicates, for non-mated and mated comparisons.

    ``mated``: from mated comparisons and the largest position at which a sum is wanted to the same comparisons, by
    rows of the weights that come with them.
    """

    non_mated: Tile
    mated: Mated
    non_mated_totals: Totals
    mated_totals: Totals


Draw = Callable[[int, int], Drawn]
Copies = Callable[[int, int], Bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What a plan draws for: the tail, its denominators, the seed."""

    tail: ScoreTail
    mated: MatedTotals
    non_mated: NonMatedTotals
    seed: int


def source_of(tail: ScoreTail, groups: Groups, seed: int) -> Source:
    """The source of one tail; its denominators are found once."""
    return Source(
        tail=tail, mated=mated_totals(tail, groups), non_mated=non_mated_totals(tail, groups), seed=seed
    )


def images(source: Source, given: Integers | None = None) -> Draw:
    """Resample samples within each subject; denominators are constants. ``given`` (B, N) replaces the draws.

    Raises ValueError where a mated comparison is missing or given weights do not sum to n_k for every subject.
    """
    tail = source.tail
    if not tail.mated_complete:
        raise ValueError("the plan images needs every comparison within each subject")
    if given is not None:
        _check_sums(given, tail)
    once = np.ones((tail.n_samples.size, 1), dtype=np.uint8)
    fixed = source.non_mated.of(once), source.mated.of(once)
    rows = _rows(given, lambda first, count: counter.draw_within(
        tail.n_samples, seed=source.seed, first=first, count=count
    ))  # fmt: skip

    def draw(first: int, count: int) -> Drawn:
        tile = _tile(rows(first, count), tail.subject_of.size)
        return Drawn(tile, _whole(tile), _wide(fixed[0], count), _wide(fixed[1], count))

    return draw


def subjects(source: Source, rows: Copies) -> Draw:
    """Resample subjects with all their samples: a non-mated comparison weighs v_k v_l, a mated one v_k."""
    k = source.tail.n_samples.size

    def draw(first: int, count: int) -> Drawn:
        copies = rows(first, count)
        ones = np.ones((1, count), dtype=np.uint8)
        whole = _whole(_tile(np.vstack((copies, ones)), k + 1, by_runs=False))
        return Drawn(_tile(copies, k), whole, source.non_mated.of(copies), source.mated.of(copies))

    return draw


def two_level(source: Source, rows: Copies) -> Draw:
    """Resample subjects, then samples within each copy; mated comparisons stay within a copy.

    Mated comparisons that are asked for have weights of their own; where they are more than the samples of their
    subjects, or one would not fit a byte, copies of these subjects are kept apart. A sample weighs no more in a copy
    than in all of them, so that the limits of the sums hold for both.
    """
    sizes, subject_of, seed = source.tail.n_samples, source.tail.subject_of, source.seed

    def draw(first: int, count: int) -> Drawn:
        copies = rows(first, count)
        tile = _tile(counter.draw_summed(sizes, copies, seed=seed, first=first), subject_of.size)

        def mated(comparisons: SortedComparisons, furthest: int) -> tuple[SortedComparisons, Tile]:
            asked = comparisons.first[: furthest + 1], comparisons.second[: furthest + 1]
            is_asked = np.zeros(sizes.size, dtype=np.bool_)
            is_asked[subject_of[asked[0]]] = True
            few = 0 < asked[0].size <= sizes[is_asked].sum()
            products = counter.draw_products(sizes, copies, *asked, seed=seed, first=first) if few else None
            if products is not None:
                place = np.minimum(np.arange(comparisons.first.size, dtype=np.int32), asked[0].size)
                placed = _placed(comparisons, place, np.full_like(place, asked[0].size))
                return placed, tile._replace(weights=_aligned(products), packed=NONE, rows=len(products))
            who = np.flatnonzero(is_asked)
            within = counter.draw_copies(sizes, copies, seed=seed, first=first, who=who)
            place = np.zeros(subject_of.size, dtype=np.int32)
            place[is_asked[subject_of]] = np.arange(within.shape[1], dtype=np.int32)
            placed = _placed(comparisons, place[comparisons.first], place[comparisons.second])
            weights, samples = _aligned(within.reshape(-1, count)), max(within.shape[1], 1)
            return placed, tile._replace(weights=weights, packed=NONE, rows=samples)

        return Drawn(tile, mated, source.non_mated.of(copies), source.mated.of(copies))

    return draw


def _placed(comparisons: SortedComparisons, first: Index, second: Index) -> SortedComparisons:
    """The same comparisons by other rows, in arrays as theirs: kernels are compiled for one kind of array."""
    first.flags.writeable = second.flags.writeable = False
    return comparisons._replace(first=first, second=second)


def _whole(tile: Tile) -> Mated:
    """The weights of all mated comparisons, drawn already."""
    return lambda comparisons, _furthest: (comparisons, tile)


def copies_of(source: Source, plan: Plan, strata: Integers | None, given: Integers | None = None) -> Copies:
    """Copies (K, L) uint8 of each subject under a subject-level plan; ``given`` (B, K) replaces the draws."""
    k, seed = source.tail.n_samples.size, source.seed
    if given is not None:
        _check_shape(given, k, "subject_weights")
    if plan is Plan.DOUBLE_OR_NOTHING:
        return _rows(given, lambda first, count: counter.draw_coins(k, seed=seed, first=first, count=count))
    stratum = np.zeros(k, dtype=np.int64) if strata is None else strata
    if stratum.shape != (k,):
        raise ValueError(f"strata has shape {stratum.shape}; accepted: one stratum for each of {k} subjects")
    return _rows(
        given, lambda first, count: counter.draw_between(stratum, seed=seed, first=first, count=count)
    )


def _rows(given: Integers | None, drawn: Copies) -> Copies:
    if given is None:
        return drawn
    table = _bytes(given)
    return lambda first, count: np.ascontiguousarray(table[first : first + count].T)


def _bytes(values: Integers) -> Bytes:
    if values.size and not 0 <= values.min() <= values.max() <= np.iinfo(np.uint8).max:
        raise ValueError(f"a weight is {values.min()} or {values.max()}; accepted: 0 to 255")
    return values.astype(np.uint8)


def _check_shape(given: Integers, width: int, name: str) -> None:
    if given.ndim != 2 or given.shape[1] != width:
        raise ValueError(f"{name} has shape {given.shape}; accepted: (B, {width})")


def _check_sums(given: Integers, tail: ScoreTail) -> None:
    _check_shape(given, tail.subject_of.size, "weights")
    ends = np.cumsum(tail.n_samples)
    total = np.pad(np.cumsum(given, axis=1, dtype=np.int64), ((0, 0), (1, 0)))
    if np.any(total[:, ends] - total[:, ends - tail.n_samples] != tail.n_samples):
        raise ValueError("weights of a subject do not sum to its number of samples")


def _tile(weights: Bytes, rows: int, *, by_runs: bool = True) -> Tile:
    """``by_runs``: packed too, as spans of runs take it."""
    heaviest = max(int(weights.max(initial=0)), 1)
    aligned = _aligned(weights)
    packed = aligned_zeros(weights.shape[0] if by_runs and heaviest <= NIBBLE else 0, WIDTH // 2)
    _pack(aligned, packed)
    return Tile(
        weights=aligned,
        packed=packed,
        rows=max(rows, 1),
        threes=THREE * heaviest <= NIBBLE,
        reach=np.iinfo(np.uint8).max // heaviest,
        pairs=np.iinfo(np.uint16).max // heaviest**2,
    )


def _aligned(weights: Bytes) -> Bytes:
    """The weights in rows of 128 lanes, from the start of a cache line on."""
    if weights.shape[1] == WIDTH and weights.ctypes.data % LINE == 0 and weights.flags.c_contiguous:
        return weights
    aligned = aligned_zeros(weights.shape[0], WIDTH)
    aligned[:, : weights.shape[1]] = weights
    return aligned


@kernel
def _pack(weights: Bytes, packed: Bytes) -> None:
    """Two lanes to a byte: b and 64 + b."""
    half = packed.shape[1]
    for row in range(packed.shape[0]):
        for byte in range(half):
            packed[row, byte] = weights[row, byte] | weights[row, half + byte] << np.uint8(4)


def _wide(totals: Totals, count: int) -> Totals:
    """The same denominators in each of ``count`` replicates."""
    return Totals(*(np.repeat(part, count, axis=1) for part in totals))
