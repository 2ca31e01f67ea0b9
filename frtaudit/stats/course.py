"""What every tile of replicates runs through: both walks of a tail, the targets and the fixed thresholds."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.stats.draws import Drawn
from frtaudit.stats.kernels import find_thresholds, sums_at
from frtaudit.stats.records import Limits, Record, Walk, empty_sums
from frtaudit.stats.targets import TOLERANCE, Target, exact
from frtaudit.stats.totals import Totals
from frtaudit.stats.trials import trials
from frtaudit.stats.walks import mated_walk, non_mated_walk, tag_rules

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Found(NamedTuple):
    """What L replicates show; W = 2 weightings, 1 + S rules (0 = everybody), A targets, T thresholds, G + 1 tags.

    ``threshold`` (W, 1+S, A, L); ``fmr_target``, ``fnmr_target`` (W, 1+S, A, G+1, L); ``fmr_fixed``, ``fnmr_fixed``
    (W, T, G+1, L); ``below`` (W, 1+S, A, L) bool: the threshold lies at or below the floor.
    """

    threshold: Floats
    fmr_target: Floats
    fnmr_target: Floats
    fmr_fixed: Floats
    fnmr_fixed: Floats
    below: Flags


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What a tail's replicates have in common.

    ``targets``: exact, in the caller's order; ``thresholds`` (T,) float64, ``cuts`` (T,): non-mated scores above
    each, -1
    = below the floor; ``watched`` (1+S, G+1) bool: tags with comparisons that a rule watches; ``open``: no score
    lies below
    the tail (its floor is -inf).
    """

    mated: Walk
    non_mated: Walk
    mated_score: Floats
    tail_score: Floats
    open: bool
    targets: tuple[Fraction, ...]
    thresholds: Floats
    cuts: Ints
    rule: npt.NDArray[np.int32]
    watched: Flags

    def nothing(self) -> Found:
        """The result of no replicate."""
        n_targets, n_fixed, (rules, tags) = len(self.targets), self.thresholds.size, self.watched.shape
        at_target = np.empty((2, rules, n_targets, tags, 0))
        at_fixed = np.empty((2, n_fixed, tags, 0))
        below = np.empty((2, rules, n_targets, 0), dtype=np.bool_)
        return Found(at_target[:, :, :, 0], at_target, at_target, at_fixed, at_fixed, below)


def course_of(
    tail: ScoreTail, groups: Groups, targets: Sequence[Target], thresholds: Sequence[float] | Floats
) -> Course:
    """Lay out a tail once for all replicates."""
    fixed = np.array(thresholds, dtype=np.float64)
    tail_score = tail.tail_score.astype(np.float64)
    mated_score = tail.mated_score.astype(np.float64)
    cuts = np.where(fixed >= tail.floor, np.searchsorted(-tail_score, -fixed, side="left"), -1)
    rule = tag_rules(groups)
    live = trials(tail, groups).non_mated > 0
    return Course(
        mated=mated_walk(tail, groups, np.searchsorted(mated_score, fixed, side="right")),
        non_mated=non_mated_walk(tail, groups, cuts[cuts >= 0]),
        mated_score=mated_score,
        tail_score=tail_score,
        open=bool(np.isneginf(tail.floor)),
        targets=tuple(exact(target) for target in targets),
        thresholds=fixed,
        cuts=cuts.astype(np.int64),
        rule=rule,
        watched=(rule == np.arange(1 + len(groups.schemas))[:, None]) & live,
    )


def run(course: Course, drawn: Drawn) -> Found:
    """Thresholds and rates of a tile of replicates."""
    dead = _dead(course, drawn.non_mated_totals)
    live = [a for a, target in enumerate(course.targets) if target < 1]
    ascending = sorted(live, key=lambda a: course.targets[a])
    record = _walk_down(course, drawn, ascending, dead)
    threshold, fmr = _at_targets(course, drawn, ascending, dead, record)
    fnmr, fnmr_fixed = _walk_up(course, drawn, threshold)
    return Found(
        threshold=threshold,
        fmr_target=fmr,
        fnmr_target=fnmr,
        fmr_fixed=_at_fixed(course, drawn, record),
        fnmr_fixed=fnmr_fixed,
        below=np.isnan(threshold) & ~dead[:, None],
    )


def _dead(course: Course, totals: Totals) -> Flags:
    """Rules (1+S, L) with nothing to divide by: no tag to watch, or one of which the replicate has no comparison."""
    empty: Flags = totals.counts == 0
    some = np.logical_or.reduce(course.watched, axis=1, keepdims=True)
    return ~some | (course.watched[:, :, None] & empty).any(axis=1)


def _walk_down(course: Course, drawn: Drawn, ascending: Sequence[int], dead: Flags) -> Record:
    tags, lanes = drawn.non_mated_totals.counts.shape
    shape = (2, len(dead), len(ascending), lanes)
    record = Record(
        pending=np.repeat(np.where(dead, len(ascending), 0)[None], 2, axis=0),
        crossing=np.full(shape, -1, dtype=np.int64),
        at_target=np.full((*shape[:3], tags, lanes), np.nan),
        chunks=np.searchsorted(course.non_mated.chunk_start, course.cuts[course.cuts >= 0]),
        at_chunk=np.empty((2, int((course.cuts >= 0).sum()), tags, lanes)),
    )
    limits = _limits([course.targets[a] for a in ascending], drawn.non_mated_totals, course.rule)
    left = record.pending.size * len(ascending) - int(record.pending.sum())
    find_thresholds(course.non_mated, drawn.non_mated, limits, left, empty_sums(tags, lanes), record)
    return record


def _limits(targets: Sequence[Fraction], totals: Totals, rule: npt.NDArray[np.int32]) -> Limits:
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
    course: Course, drawn: Drawn, ascending: Sequence[int], dead: Flags, record: Record
) -> tuple[Floats, Floats]:
    """Thresholds (2, 1+S, A, L) and FMR there (2, 1+S, A, G+1, L)."""
    rules, lanes = dead.shape
    threshold = np.full((2, rules, len(course.targets), lanes), np.nan)
    sums = np.full((2, rules, len(course.targets), *drawn.non_mated_totals.counts.shape), np.nan)
    scores = np.append(course.tail_score, -np.inf if course.open else np.nan)
    threshold[:, :, ascending] = np.where(dead[:, None], np.nan, scores[record.crossing])
    sums[:, :, ascending] = record.at_target
    if np.isneginf(threshold).any():
        _fill_whole(course, drawn, threshold, sums)
    rates = _ratio(sums, drawn.non_mated_totals)
    for a in set(range(len(course.targets))) - set(ascending):  # a >= 1: everything matches
        threshold[:, :, a] = np.where(dead, np.nan, -np.inf)
        rates[:, :, a] = np.where((drawn.non_mated_totals.counts > 0) & ~dead[:, None], 1.0, np.nan)
    return threshold, rates


def _fill_whole(course: Course, drawn: Drawn, threshold: Floats, sums: Floats) -> None:
    """Where no score exceeds the target, t* is -inf and every comparison counts."""
    tags, lanes = drawn.non_mated_totals.counts.shape
    ends = np.full((2, lanes), course.tail_score.size, dtype=np.int64)
    whole = np.empty((2, tags, lanes))
    kinds, room = np.arange(2), empty_sums(tags, lanes)
    sums_at(course.non_mated, drawn.non_mated, ends, course.tail_score.size, kinds, room, whole)
    open_ended = np.isneginf(threshold)[:, :, :, None]
    np.copyto(sums, whole[:, None, None], where=open_ended)


def _walk_up(course: Course, drawn: Drawn, threshold: Floats) -> tuple[Floats, Floats]:
    """FNMR at the thresholds of the targets (2, 1+S, A, G+1, L) and at the fixed ones (2, T, G+1, L)."""
    tags, lanes = drawn.mated_totals.counts.shape
    fixed = np.repeat(np.tile(course.thresholds, 2)[:, None], lanes, axis=1)
    wanted = np.concatenate((threshold.reshape(-1, lanes), fixed))
    position = np.searchsorted(course.mated_score, wanted, side="right")
    position[np.isnan(wanted)] = -1
    half = threshold[0].size // max(lanes, 1), course.thresholds.size
    weighting = np.repeat(np.array([0, 1, 0, 1]), np.repeat(half, 2))
    sums = np.full((len(wanted), tags, lanes), np.nan)
    if position.size:
        furthest, room = int(position.max()), empty_sums(tags, lanes)
        sums_at(course.mated, drawn.mated, position, furthest, weighting, room, sums)
    split = 2 * half[0]
    moving = sums[:split].reshape(*threshold.shape[:3], tags, lanes)
    return (
        _ratio(moving, drawn.mated_totals),
        _ratio(sums[split:].reshape(2, -1, tags, lanes), drawn.mated_totals),
    )


def _at_fixed(course: Course, drawn: Drawn, record: Record) -> Floats:
    """FMR at the fixed thresholds (2, T, G+1, L), NaN below the floor."""
    known = course.cuts >= 0
    sums = np.full((2, known.size, *drawn.non_mated_totals.counts.shape), np.nan)
    sums[:, known] = record.at_chunk
    return _ratio(sums, drawn.non_mated_totals)


def _ratio(sums: Floats, totals: Totals) -> Floats:
    """Sums (2, ..., G+1, L) over their denominators: counts first, rates second; NaN over nothing."""
    below = np.stack((totals.counts, totals.rates)).astype(np.float64)
    below[below == 0] = np.nan
    middle = (1,) * (sums.ndim - below.ndim)
    return sums / below.reshape(2, *middle, *below.shape[1:])
