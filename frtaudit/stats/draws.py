"""Resampling plans: from a plan to the weights and denominators of a tile of replicates."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.core.spec import Plan
from frtaudit.stats import weights as counter
from frtaudit.stats.records import Tile
from frtaudit.stats.totals import MatedTotals, NonMatedTotals, Totals, mated_totals, non_mated_totals
from frtaudit.stats.walks import HEAVIEST

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
CACHE_LINE = 64  # bytes

Given = npt.NDArray[np.integer] | None


class Drawn(NamedTuple):
    """Weights and denominators of L replicates, for non-mated and mated comparisons."""

    non_mated: Tile
    mated: Tile
    non_mated_totals: Totals
    mated_totals: Totals


Draw = Callable[[int, int], Drawn]
Rows = Callable[[int, int], Bytes]


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
        tail=tail,
        mated=mated_totals(tail, groups),
        non_mated=non_mated_totals(tail, groups),
        seed=seed,
    )


def images(source: Source, given: Given = None) -> Draw:
    """Resample samples within each subject; denominators are constants. ``given`` (B, N) replaces the draws.

    Raises ValueError where a mated comparison is missing or given weights do not sum to n_k for every subject.
    """
    tail = source.tail
    if not tail.mated_complete:
        raise ValueError("the plan images needs every comparison within each subject")
    if given is not None:
        _check_sums(given, tail)
    once = np.ones((tail.n_samples.size, 1), dtype=np.int64)
    fixed = source.non_mated.of(once), source.mated.of(once)
    rows = _rows(given, lambda first, count: counter.draw_within(
        tail.n_samples, seed=source.seed, first=first, count=count
    ))  # fmt: skip
    place = np.arange(tail.subject_of.size, dtype=np.int32)

    def draw(first: int, count: int) -> Drawn:
        tile = _tile(rows(first, count), place.size, place, place)
        return Drawn(tile, tile, _wide(fixed[0], count), _wide(fixed[1], count))

    return draw


def subjects(source: Source, rows: Rows) -> Draw:
    """Resample subjects with all their samples: a non-mated comparison weighs v_k v_l, a mated one v_k."""
    k = source.tail.n_samples.size
    own = np.array(source.tail.subject_of, dtype=np.int32)
    one = np.full(own.size, k, dtype=np.int32)

    def draw(first: int, count: int) -> Drawn:
        copies = rows(first, count)
        ones = np.ones((1, count), dtype=np.uint8)
        amount = copies.astype(np.int64)
        return Drawn(
            _tile(copies, k, own, own),
            _tile(np.vstack((copies, ones)), k + 1, own, one),
            source.non_mated.of(amount),
            source.mated.of(amount),
        )

    return draw


def two_level(source: Source, rows: Rows) -> Draw:
    """Resample subjects, then samples within each copy; mated comparisons stay within a copy."""
    n = source.tail.subject_of.size
    place = np.arange(n, dtype=np.int32)

    def draw(first: int, count: int) -> Drawn:
        copies = rows(first, count)
        within = counter.draw_copies(source.tail.n_samples, copies, seed=source.seed, first=first)
        amount = copies.astype(np.int64)
        return Drawn(
            _tile(_bytes(within.sum(axis=0, dtype=np.int64)), n, place, place),
            _tile(within.reshape(-1, count), n, place, place),
            source.non_mated.of(amount),
            source.mated.of(amount),
        )

    return draw


def copies_of(
    source: Source, plan: Plan, strata: npt.NDArray[np.integer] | None, given: Given = None
) -> Rows:
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


def _rows(given: Given, drawn: Rows) -> Rows:
    if given is None:
        return drawn
    table = _bytes(given)
    return lambda first, count: np.ascontiguousarray(table[first : first + count].T)


def _bytes(values: npt.NDArray[np.integer]) -> Bytes:
    if values.size and not 0 <= values.min() <= values.max() <= np.iinfo(np.uint8).max:
        raise ValueError(f"a weight is {values.min()} or {values.max()}; accepted: 0 to 255")
    return values.astype(np.uint8)


def _check_shape(given: npt.NDArray[np.integer], width: int, name: str) -> None:
    if given.ndim != 2 or given.shape[1] != width:
        raise ValueError(f"{name} has shape {given.shape}; accepted: (B, {width})")


def _check_sums(given: npt.NDArray[np.integer], tail: ScoreTail) -> None:
    _check_shape(given, tail.subject_of.size, "weights")
    ends = np.cumsum(tail.n_samples)
    total = np.pad(np.cumsum(given, axis=1, dtype=np.int64), ((0, 0), (1, 0)))
    if np.any(total[:, ends] - total[:, ends - tail.n_samples] != tail.n_samples):
        raise ValueError("weights of a subject do not sum to its number of samples")


def _tile(weights: Bytes, rows: int, row_a: npt.NDArray[np.int32], row_b: npt.NDArray[np.int32]) -> Tile:
    depth = weights.shape[0] // max(rows, 1)
    if depth * int(weights.max(initial=0)) ** 2 > HEAVIEST:
        raise ValueError(
            f"{depth} copies of weights up to {weights.max()} overflow; accepted: smaller weights"
        )
    return Tile(_aligned(weights), np.ascontiguousarray(weights.T), rows, row_a, row_b)


def _aligned(weights: Bytes) -> Bytes:
    """The same weights from the start of a cache line on: a row of 64 is then one line."""
    room = np.empty(weights.size + CACHE_LINE, dtype=np.uint8)
    start = -room.ctypes.data % CACHE_LINE
    out = room[start : start + weights.size].reshape(weights.shape)
    out[:] = weights
    return out


def _wide(totals: Totals, count: int) -> Totals:
    """The same denominators in each of ``count`` replicates."""
    return Totals(*(np.repeat(part, count, axis=1) for part in totals))
