"""What every tile of replicates runs through: both walks of a tail, the targets and the fixed thresholds."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Index, Ints, Scores
from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.stats.bootstrap.denominators import Totals
from frtaudit.stats.bootstrap.kernel_arrays import Limits, Record, SortedComparisons, Spans, empty_sums
from frtaudit.stats.bootstrap.kernels import find_thresholds, sums_at
from frtaudit.stats.bootstrap.plans import Drawn, Rows
from frtaudit.stats.bootstrap.score_spans import expected_ranks, spans_of
from frtaudit.stats.bootstrap.sorted_comparisons import group_rules, mated_comparisons, non_mated_comparisons
from frtaudit.stats.rates.targets import TOLERANCE, Target, exact
from frtaudit.stats.rates.trials import trials


class ReplicateRates(NamedTuple):
    """What L replicates show; W = 2 weightings, 1 + S rules (0 = everybody), A targets, T thresholds, G + 1 groups.

    ``threshold`` (W, 1+S, A, L); ``fmr_target``, ``fnmr_target`` (W, 1+S, A, G+1, L); ``fmr_fixed``, ``fnmr_fixed``
    (W, T, G+1, L); ``below_cutoff`` (W, 1+S, A, L) bool: the threshold lies at or below the floor.
    """

    threshold: Floats
    fmr_target: Floats
    fnmr_target: Floats
    fmr_fixed: Floats
    fnmr_fixed: Floats
    below_cutoff: Flags


class Deep(NamedTuple):
    """What lies below the floor of the tail, NaN elsewhere; V weightings of the layout; as :class:`ReplicateRates`.

    ``threshold`` (V, 1+S, A, L); ``at_target`` (V, 1+S, A, G+1, L) and ``at_fixed`` (V, T, G+1, L): sums of the
    non-mated comparisons above (counts, then rates).
    """

    threshold: Floats
    at_target: Floats
    at_fixed: Floats

    def lanes(self, first: int, count: int) -> "Deep":
        """The replicates ``first`` .. ``first + count - 1``."""
        return Deep(*(part[..., first : first + count] for part in self))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicateLayout:
    """What a tail's replicates have in common.

    ``targets``: exact, in the caller's order; ``thresholds`` (T,) float64, ``cuts`` (T,): non-mated scores above
    each, -1
    = below the floor; ``watched`` (1+S, G+1) bool: groups with comparisons that a rule watches; ``open``: no score
    lies below
    the tail (its floor is -inf); ``weightings``: 1 where both weightings coincide because all pairs of subjects have
    the same number of comparisons, and all subjects of mated ones; else 2.
    """

    mated: SortedComparisons
    non_mated: SortedComparisons
    spans: Spans
    weightings: int
    mated_score: Floats
    tail_score: Scores
    open: bool
    targets: tuple[Fraction, ...]
    thresholds: Floats
    cuts: Ints
    rule: Index
    watched: Flags

    def nothing(self) -> ReplicateRates:
        """The result of no replicate."""
        n_targets, n_fixed, (rules, group_indices) = (
            len(self.targets),
            self.thresholds.size,
            self.watched.shape,
        )
        at_target = np.empty((2, rules, n_targets, group_indices, 0))
        at_fixed = np.empty((2, n_fixed, group_indices, 0))
        below = np.empty((2, rules, n_targets, 0), dtype=np.bool_)
        return ReplicateRates(at_target[:, :, :, 0], at_target, at_target, at_fixed, at_fixed, below)


def layout_of(
    tail: ScoreTail,
    groups: Groups,
    targets: Sequence[Target],
    thresholds: Sequence[float] | Floats,
    rows: Rows,
    threads: int = 1,
) -> ReplicateLayout:
    """Lay out a tail once for all replicates of a plan; ``rows``: where the plan keeps the weight of each sample."""
    fixed = np.array(thresholds, dtype=np.float64)
    mated_score = tail.mated_score.astype(np.float64)
    cuts = np.where(fixed >= tail.cutoff, _above(tail, fixed), -1)
    rule, denominators = group_rules(groups), trials(tail, groups)
    known = cuts[cuts >= 0].astype(np.int64)
    mated_cuts = np.searchsorted(mated_score, fixed, side="right")
    mated = mated_comparisons(tail, groups, mated_cuts, rows.mated)
    exactly = tuple(exact(target) for target in targets)
    needed = None if exactly else int(known.max(initial=0))  # without targets no walk goes further
    non_mated = non_mated_comparisons(tail, groups, known, (rows.non_mated, rows.non_mated), needed, threads)
    once = Totals(denominators.non_mated[:, None], denominators.subject_pairs[:, None])
    ranks = expected_ranks(non_mated, limits_of([target for target in exactly if target < 1], once, rule))
    return ReplicateLayout(
        mated=mated,
        non_mated=non_mated,
        spans=spans_of(non_mated, ranks, known, rows.alike, threads),
        weightings=1 if _alike(tail) else 2,
        mated_score=mated_score,
        tail_score=tail.tail_score,
        open=bool(np.isneginf(tail.cutoff)),
        targets=exactly,
        thresholds=fixed,
        cuts=cuts.astype(np.int64),
        rule=rule,
        watched=(rule == np.arange(1 + len(groups.schemas))[:, None]) & (denominators.non_mated > 0),
    )


def _alike(tail: ScoreTail) -> bool:
    """Whether both weightings coincide; the tail itself may hold comparisons of pairs of subjects of one size only."""
    mated = tail.n_mated
    sizes = tail.n_samples[tail.cells >= 0] if tail.blocks is None else tail.blocks.count
    return np.unique(mated[mated > 0]).size <= 1 and np.unique(sizes[sizes > 0]).size <= 1


def _above(tail: ScoreTail, thresholds: Floats) -> Ints:
    """Scores of the tail above each threshold; NaN is below all."""
    score = tail.tail_score
    above = [
        bisect_left(score, x=True, key=lambda value, t=t: float(value) <= t) for t in thresholds.tolist()
    ]
    return np.where(np.isnan(thresholds), -1, np.array(above, dtype=np.int64))


def run(layout: ReplicateLayout, drawn: Drawn, deep: Deep | None = None) -> ReplicateRates:
    """Thresholds and rates of a tile of replicates; ``deep``: what is known of them below the floor."""
    dead = dead_rules(layout, drawn.non_mated_totals)
    live = [a for a, target in enumerate(layout.targets) if target < 1]
    ascending = sorted(live, key=lambda a: layout.targets[a])
    record = _walk_down(layout, drawn, ascending, dead)
    threshold, fmr = _at_targets(layout, drawn, ascending, dead, record)
    fixed = _at_fixed(layout, drawn, record)
    if deep is not None:
        _fill(threshold, deep.threshold)
        _fill(fmr, ratio_of(deep.at_target, drawn.non_mated_totals))
        _fill(fixed, ratio_of(deep.at_fixed, drawn.non_mated_totals))
    fnmr, fnmr_fixed = _walk_up(layout, drawn, threshold)
    below = np.isnan(threshold) & ~dead[:, None]
    both = 2 // layout.weightings
    return ReplicateRates(
        threshold=threshold.repeat(both, axis=0),
        fmr_target=fmr.repeat(both, axis=0),
        fnmr_target=fnmr.repeat(both, axis=0),
        fmr_fixed=fixed.repeat(both, axis=0),
        fnmr_fixed=fnmr_fixed.repeat(both, axis=0),
        below_cutoff=below.repeat(both, axis=0),
    )


def _fill(known: Floats, more: Floats) -> None:
    np.copyto(known, more, where=~np.isnan(more))


def dead_rules(layout: ReplicateLayout, totals: Totals) -> Flags:
    """Rules (1+S, L) with nothing to divide by: no group to watch, or one of which the replicate has no comparison."""
    empty: Flags = totals.counts == 0
    some = np.logical_or.reduce(layout.watched, axis=1, keepdims=True)
    return ~some | (layout.watched[:, :, None] & empty).any(axis=1)


def _walk_down(layout: ReplicateLayout, drawn: Drawn, ascending: Sequence[int], dead: Flags) -> Record:
    group_indices, lanes = drawn.non_mated_totals.counts.shape
    kinds, fixed = layout.weightings, layout.cuts[layout.cuts >= 0]
    shape = (kinds, len(dead), len(ascending), lanes)
    record = Record(
        pending=np.repeat(np.where(dead, len(ascending), 0)[None], kinds, axis=0),
        exceeded_at=np.full(shape, -1, dtype=np.int64),
        at_target=np.full((*shape[:3], group_indices, lanes), np.nan),
        spans=np.searchsorted(layout.non_mated.chunk_start[layout.spans.chunk], fixed),
        at_span=np.empty((kinds, fixed.size, group_indices, lanes)),
    )
    limits = limits_of([layout.targets[a] for a in ascending], drawn.non_mated_totals, layout.rule)
    left = record.pending.size * len(ascending) - int(record.pending.sum())
    sums = empty_sums(group_indices, layout.non_mated.coef.size, rated=kinds == 2)
    find_thresholds(layout.non_mated, layout.spans, drawn.non_mated, limits, left, sums, record)
    return record


def limits_of(targets: Sequence[Fraction], totals: Totals, rule: Index) -> Limits:
    """The largest sums that meet each target: floor(a n) for counts, a (1 + 1e-12) n for rates (FORMULAS 0)."""
    shape = (len(targets), *totals.counts.shape)
    counts, rates = np.empty(shape, dtype=np.int64), np.empty(shape)
    for place, target in enumerate(targets):
        counts[place] = _floor_times(target, totals.counts)
        rates[place] = float(target) * (1 + TOLERANCE) * totals.rates
    return Limits(counts, rates, rule)


def _floor_times(target: Fraction, totals: Ints) -> Ints:
    """floor(target * total), exact; in Python's integers where 64 bits do not hold the product."""
    top, bottom = target.numerator, target.denominator
    if max(top * int(totals.max(initial=0)), bottom) < 2**63:
        return totals * top // bottom
    return (totals.astype(object) * top // bottom).astype(np.int64)


def _at_targets(
    layout: ReplicateLayout, drawn: Drawn, ascending: Sequence[int], dead: Flags, record: Record
) -> tuple[Floats, Floats]:
    """Thresholds (V, 1+S, A, L) and FMR there (V, 1+S, A, G+1, L)."""
    rules, lanes = dead.shape
    kinds = layout.weightings
    threshold = np.full((kinds, rules, len(layout.targets), lanes), np.nan)
    sums = np.full((kinds, rules, len(layout.targets), *drawn.non_mated_totals.counts.shape), np.nan)
    if layout.tail_score.size:
        scores = layout.tail_score[record.exceeded_at].astype(np.float64)
        threshold[:, :, ascending] = np.where(record.exceeded_at < 0, np.nan, scores)
    if layout.open:
        crossed = (record.exceeded_at >= 0) | dead[:, None]
        threshold[:, :, ascending] = np.where(crossed, threshold[:, :, ascending], -np.inf)
    sums[:, :, ascending] = record.at_target
    if np.isneginf(threshold).any():
        _fill_whole(layout, drawn, threshold, sums)
    rates = ratio_of(sums, drawn.non_mated_totals)
    for a in set(range(len(layout.targets))) - set(ascending):  # a >= 1: everything matches
        threshold[:, :, a] = np.where(dead, np.nan, -np.inf)
        rates[:, :, a] = np.where((drawn.non_mated_totals.counts > 0) & ~dead[:, None], 1.0, np.nan)
    return threshold, rates


def _fill_whole(layout: ReplicateLayout, drawn: Drawn, threshold: Floats, sums: Floats) -> None:
    """Where no score exceeds the target, t* is -inf and every comparison counts."""
    group_indices, lanes = drawn.non_mated_totals.counts.shape
    kinds = np.arange(layout.weightings)
    ends = np.full((kinds.size, lanes), layout.tail_score.size, dtype=np.int64)
    whole, room = (
        np.empty((kinds.size, group_indices, lanes)),
        empty_sums(group_indices, layout.non_mated.coef.size, rated=kinds.size > 1),
    )
    sums_at(layout.non_mated, drawn.non_mated, ends, layout.tail_score.size, kinds, room, whole)
    np.copyto(sums, whole[:, None, None], where=np.isneginf(threshold)[:, :, :, None])


def _walk_up(layout: ReplicateLayout, drawn: Drawn, threshold: Floats) -> tuple[Floats, Floats]:
    """FNMR at the thresholds of the targets (V, 1+S, A, G+1, L) and at the fixed ones (V, T, G+1, L)."""
    kinds = layout.weightings
    group_indices, lanes = drawn.mated_totals.counts.shape
    fixed = np.repeat(np.tile(layout.thresholds, kinds)[:, None], lanes, axis=1)
    wanted = np.concatenate((threshold.reshape(-1, lanes), fixed))
    position = np.searchsorted(layout.mated_score, wanted, side="right")
    position[np.isnan(wanted)] = -1
    half = threshold[0].size // max(lanes, 1), layout.thresholds.size
    weighting = np.repeat(np.tile(np.arange(kinds), 2), np.repeat(half, kinds))
    sums = np.full((len(wanted), group_indices, lanes), np.nan)
    if position.size:
        furthest = int(position.max())
        room = empty_sums(group_indices, layout.mated.coef.size, rated=kinds > 1)
        sums_at(*drawn.mated(layout.mated, furthest), position, furthest, weighting, room, sums)
    split = kinds * half[0]
    moving = sums[:split].reshape(*threshold.shape[:3], group_indices, lanes)
    return (
        ratio_of(moving, drawn.mated_totals),
        ratio_of(sums[split:].reshape(kinds, -1, group_indices, lanes), drawn.mated_totals),
    )


def _at_fixed(layout: ReplicateLayout, drawn: Drawn, record: Record) -> Floats:
    """FMR at the fixed thresholds (V, T, G+1, L), NaN below the floor."""
    known = layout.cuts >= 0
    sums = np.full((layout.weightings, known.size, *drawn.non_mated_totals.counts.shape), np.nan)
    sums[:, known] = record.at_span
    return ratio_of(sums, drawn.non_mated_totals)


def ratio_of(sums: Floats, totals: Totals) -> Floats:
    """Sums (V, ..., G+1, L) over their denominators: counts first, rates second; NaN over nothing."""
    below = np.stack((totals.counts, totals.rates)).astype(np.float64)[: len(sums)]
    below[below == 0] = np.nan
    middle = (1,) * (sums.ndim - below.ndim)
    return sums / below.reshape(len(sums), *middle, *below.shape[1:])
