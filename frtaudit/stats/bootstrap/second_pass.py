"""Replicates below the floor of the tail: pairs are scored again and added, batch by batch, and not kept.

One pass gives every replicate its sums at a series of cuts. Between two cuts at which a replicate has exceeded
different numbers of targets lies one of its thresholds: the comparisons there, and no others, are scored once more and
walked, from the sums above them. Ranges that hold more than a batch may are cut finer first. So each number is that of
the walk over a whole tail: counts are the same integers, rates the same up to the order of additions.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from frtaudit.core.arrays import Floats, Ints, Shorts
from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.stats.bootstrap.kernel_arrays import Limits, Record, SortedComparisons, Spans, empty_sums
from frtaudit.stats.bootstrap.kernels import find_thresholds
from frtaudit.stats.bootstrap.plans import Draw, Drawn, Rows
from frtaudit.stats.bootstrap.replicate_layout import Deep, ReplicateLayout, dead_rules, limits_of
from frtaudit.stats.bootstrap.rescored_batches import (
    Rescoring,
    as_tail,
    batches,
    cuts_between,
    rank_at,
    score_at,
)
from frtaudit.stats.bootstrap.score_spans import spans_of
from frtaudit.stats.bootstrap.sorted_comparisons import non_mated_comparisons
from frtaudit.stats.rates.sums import first_not_above
from frtaudit.stats.similarity.pair_scan import Pairs, joined
from frtaudit.stats.similarity.tiles import in_order

CUTS = 128
CUT_BYTES = 1 << 27  # of sums at cuts
AIM = 1.5  # depth of the first pass, in units of the largest target
DEEPER = 4.0
NOWHERE = np.empty(0, dtype=np.int64)


class RescoreInputs(NamedTuple):
    """What is dug below: a tail laid out, and a plan's ``n`` replicates in tiles of ``width``."""

    tail: ScoreTail
    groups: Groups
    layout: ReplicateLayout
    rows: Rows
    draw: Draw
    n: int
    width: int
    threads: int

    @property
    def ascending(self) -> list[int]:
        """Targets below 1, by size."""
        live = [a for a, target in enumerate(self.layout.targets) if target < 1]
        return sorted(live, key=lambda a: self.layout.targets[a])

    def limits(self, drawn: Drawn) -> Limits:
        """What those targets allow in each replicate."""
        targets = [self.layout.targets[a] for a in self.ascending]
        return limits_of(targets, drawn.non_mated_totals, self.layout.rule)

    def laid(self, tail: ScoreTail, positions: Ints) -> tuple[SortedComparisons, Spans]:
        """Comparisons laid out so that sums can be read at ``positions``."""
        rows = self.rows.non_mated, self.rows.non_mated
        comparisons = non_mated_comparisons(tail, self.groups, positions, rows, threads=self.threads)
        return comparisons, spans_of(comparisons, NOWHERE, positions, self.rows.alike, self.threads)

    def tiles(self) -> range:
        """The first replicate of each tile."""
        return range(0, self.n, self.width)

    def drawn(self, first: int) -> tuple[slice, Drawn]:
        """The replicates of a tile, and what the plan draws for them."""
        count = min(self.width, self.n - first)
        return slice(first, first + count), self.draw(first, count)


class ScoreLevels(NamedTuple):
    """Sums above each of M descending ``cuts``, for all replicates.

    ``sums`` (V, M, G+1, n) float64; ``passed`` (V, 1+S, M, n): targets exceeded above each cut, all of them in a
    replicate with nothing to divide by; ``between`` (M-1,): comparisons between neighbouring cuts.
    """

    cuts: Floats
    sums: Floats
    passed: Shorts
    between: Ints


def rescore(inputs: RescoreInputs, below: Rescoring) -> Deep | None:
    """Thresholds, and sums above them and above fixed thresholds, below the floor; None where the tail is whole."""
    layout, tail = inputs.layout, inputs.tail
    if layout.open:
        return None
    fixed = np.flatnonzero(layout.cuts < 0)
    wanted = np.unique(layout.thresholds[fixed][~np.isnan(layout.thresholds[fixed])])[::-1]
    deep = _nothing(inputs)
    top = np.zeros((layout.weightings, 1, layout.watched.shape[1], inputs.n))
    _add(inputs, layout.non_mated, layout.spans, np.array([layout.spans.chunk.size - 1]), top)
    levels = ScoreLevels(np.array([tail.cutoff]), top, _passed(inputs, top), NOWHERE)
    while not np.isneginf(levels.cuts[-1]):
        pending = bool((levels.passed[:, :, -1] < len(inputs.ascending)).any())
        if not (pending or wanted.size):
            return deep
        low = _low(inputs, float(levels.cuts[-1]), wanted, pending=pending)
        levels = _climb_down(inputs, below, levels, low, wanted)
        _read_fixed(layout, fixed, levels, deep)
        wanted = wanted[wanted < low]
        _search(inputs, below, levels, deep)
    _whole(inputs, levels, deep)
    return deep


def _read_fixed(layout: ReplicateLayout, fixed: Ints, levels: ScoreLevels, deep: Deep) -> None:
    for t in fixed:
        for place in np.flatnonzero(levels.cuts == layout.thresholds[t]):
            deep.at_fixed[:, t] = levels.sums[:, place]


def _nothing(inputs: RescoreInputs) -> Deep:
    kinds, (rules, group_indices) = inputs.layout.weightings, inputs.layout.watched.shape
    targets, fixed = len(inputs.layout.targets), inputs.layout.thresholds.size
    return Deep(
        np.full((kinds, rules, targets, inputs.n), np.nan),
        np.full((kinds, rules, targets, group_indices, inputs.n), np.nan),
        np.full((kinds, fixed, group_indices, inputs.n), np.nan),
    )


def _low(inputs: RescoreInputs, high: float, wanted: Floats, *, pending: bool) -> float:
    """How far down the next pass goes: to all fixed thresholds, and to where the targets may lie."""
    if not pending:
        return float(wanted[-1])
    tail, largest = inputs.tail, float(inputs.layout.targets[inputs.ascending[-1]])
    total, here = float(tail.histogram.sum()), rank_at(inputs.tail, high)
    aim = AIM * largest * total
    if here >= aim:
        aim = DEEPER * max(here, 1.0)
    low = float(score_at(tail, np.array([aim]))[0]) if aim < total else -np.inf
    if low >= high:
        low = -np.inf
    return min(low, float(wanted[-1])) if wanted.size else low


def _climb_down(
    inputs: RescoreInputs, below: Rescoring, above: ScoreLevels, low: float, wanted: Floats
) -> ScoreLevels:
    """The series of cuts from the last cut of ``above`` down to ``low``: one pass over all pairs, none kept."""
    high = float(above.cuts[-1])
    room = CUT_BYTES // max(above.sums[:, -1].nbytes, 1)
    cuts = cuts_between(inputs.tail, high, low, int(np.clip(room, 4, CUTS)))
    inner = wanted[(wanted < high) & (wanted > low)]
    cuts = np.concatenate(([high], np.unique(np.concatenate((cuts, inner)))[::-1], [low]))
    sums = np.zeros((above.sums.shape[0], cuts.size, *above.sums.shape[2:]))
    count = np.zeros(cuts.size, dtype=np.int64)
    expected = int(rank_at(inputs.tail, low) - rank_at(inputs.tail, high)) + 1
    for pairs in batches(below, np.array([[low, high]]), expected):
        tail = as_tail(inputs.tail, pairs)
        positions = np.array([first_not_above(tail.tail_score, cut) for cut in cuts], dtype=np.int64)
        comparisons, spans = inputs.laid(tail, positions)
        _add(
            inputs, comparisons, spans, np.searchsorted(comparisons.chunk_start[spans.chunk], positions), sums
        )
        count += positions
    sums += above.sums[:, -1:]
    return ScoreLevels(cuts, sums, _passed(inputs, sums), np.diff(count))


def _add(inputs: RescoreInputs, comparisons: SortedComparisons, spans: Spans, at: Ints, sums: Floats) -> None:
    """Add to ``sums`` (V, M, G+1, n) those before each span ``at`` (M,), for every replicate."""

    def work(first: int) -> None:
        lanes, drawn = inputs.drawn(first)
        kinds, rules, width = len(sums), len(inputs.layout.watched), lanes.stop - lanes.start
        record = _record((kinds, rules, 0, sums.shape[2], width), at)
        room = empty_sums(sums.shape[2], comparisons.coef.size, rated=kinds == 2)
        none = limits_of([], drawn.non_mated_totals, inputs.layout.rule)
        find_thresholds(comparisons, spans, drawn.non_mated, none, 0, room, record)
        sums[..., lanes] += record.at_span

    for _ in in_order(work, inputs.tiles(), inputs.threads):
        pass


def _record(shape: tuple[int, int, int, int, int], at: Ints) -> Record:
    """An empty record of V weightings, rules, targets, groups and lanes; sums are read before the spans ``at``."""
    kinds, rules, targets, group_indices, lanes = shape
    return Record(
        pending=np.zeros((kinds, rules, lanes), dtype=np.int64),
        exceeded_at=np.full((kinds, rules, targets, lanes), -1, dtype=np.int64),
        at_target=np.full(shape, np.nan),
        spans=at.astype(np.int64),
        at_span=np.empty((kinds, at.size, group_indices, lanes)),
    )


def _passed(inputs: RescoreInputs, sums: Floats) -> Shorts:
    """How many targets each rule has exceeded at each cut, (V, 1+S, M, n); all of them where it is dead."""
    watched, targets = inputs.layout.watched, len(inputs.ascending)
    values = np.zeros((len(sums), len(watched), sums.shape[1], inputs.n), dtype=np.int16)
    for first in inputs.tiles():
        lanes, drawn = inputs.drawn(first)
        limits, dead = inputs.limits(drawn), dead_rules(inputs.layout, drawn.non_mated_totals)
        for kind, limit in enumerate((limits.counts, limits.rates)[: len(sums)]):
            for rule, group_index in zip(*np.nonzero(watched), strict=True):
                over = (sums[kind, None, :, group_index, lanes] > limit[:, None, group_index]).sum(axis=0)
                np.maximum(
                    values[kind, rule, :, lanes], over, out=values[kind, rule, :, lanes], casting="unsafe"
                )
            values[kind, :, :, lanes][np.broadcast_to(dead[:, None], values[kind, :, :, lanes].shape)] = (
                targets
            )
    return values


def _search(inputs: RescoreInputs, below: Rescoring, levels: ScoreLevels, deep: Deep) -> None:
    """Find the thresholds that lie between cuts of the series."""
    crossed: list[int] = np.flatnonzero((np.diff(levels.passed, axis=2) != 0).any(axis=(0, 1, 3))).tolist()
    batch: list[int] = []
    for step in crossed:
        if levels.between[step] > below.capacity:
            _search_finer(inputs, below, levels, step, deep)
            continue
        if levels.between[[*batch, step]].sum() > below.capacity:
            _search_kept(inputs, below, levels, batch, deep)
            batch = []
        batch.append(step)
    if batch:
        _search_kept(inputs, below, levels, batch, deep)


def _search_finer(
    inputs: RescoreInputs, below: Rescoring, levels: ScoreLevels, step: int, deep: Deep
) -> None:
    """A step with more comparisons than a batch may hold: a series of its own, or one score alone."""
    part = slice(step, step + 1)
    top = ScoreLevels(levels.cuts[part], levels.sums[:, part], levels.passed[:, :, part], NOWHERE)
    high, low = float(levels.cuts[step]), float(levels.cuts[step + 1])
    finer = _climb_down(inputs, below, top, low, _halves(high, low))
    if finer.cuts.size > 2:
        _search(inputs, below, finer, deep)
        return
    _one_score(inputs, finer, _single_at_most(high), deep)


def _halves(high: float, low: float) -> Floats:
    """A float32 score between two scores that are far enough apart, else none."""
    bottom = max(low, float(np.finfo(np.float32).min))
    middle = np.float32(0.5 * high + 0.5 * bottom).astype(np.float64)
    return np.array([middle]) if low < middle < high else np.empty(0)


def _single_at_most(score: float) -> float:
    """The largest float32 score that is not above ``score``."""
    single = np.float32(score)
    return float(single if float(single) <= score else np.nextafter(single, np.float32(-np.inf)))


def _one_score(inputs: RescoreInputs, step: ScoreLevels, score: float, deep: Deep) -> None:
    """All comparisons of a step have the same score: who exceeds a target here exceeds it at this score."""
    for place, a in enumerate(inputs.ascending):
        here = (step.passed[:, :, 0] <= place) & (step.passed[:, :, 1] > place)
        deep.threshold[:, :, a][here] = score
        np.copyto(deep.at_target[:, :, a], step.sums[:, None, 0], where=here[:, :, None])


def _search_kept(
    inputs: RescoreInputs, below: Rescoring, levels: ScoreLevels, steps: list[int], deep: Deep
) -> None:
    """Score the comparisons of some steps once more, keep them, and walk each step from the sums above it."""
    ends = np.array([[levels.cuts[step + 1], levels.cuts[step]] for step in steps])[::-1]
    joined_pairs = joined(list(batches(below, _merged(ends), int(levels.between[steps].sum()))))
    for step, pairs in _by_step(joined_pairs, levels.cuts, steps):
        comparisons, spans = inputs.laid(as_tail(inputs.tail, pairs), NOWHERE)
        score = as_tail(inputs.tail, pairs).tail_score
        _walk_step(inputs, levels, step, (comparisons, spans), score.astype(np.float64), deep)


def _merged(bounds: Floats) -> Floats:
    """Neighbouring ranges joined."""
    starts = np.append(True, bounds[1:, 0] != bounds[:-1, 1])
    ends = np.append(starts[1:], True)
    return np.column_stack((bounds[starts, 0], bounds[ends, 1]))


def _by_step(pairs: Pairs, cuts: Floats, steps: list[int]) -> Iterator[tuple[int, Pairs]]:
    score = pairs.score.astype(np.float64)
    for step in steps:
        keep = (score <= cuts[step]) & (score > cuts[step + 1])
        yield step, Pairs(pairs.i[keep], pairs.j[keep], pairs.score[keep])


def _walk_step(
    inputs: RescoreInputs,
    levels: ScoreLevels,
    step: int,
    laid: tuple[SortedComparisons, Spans],
    score: Floats,
    deep: Deep,
) -> None:
    """Find what each replicate exceeds within one step."""
    targets = inputs.ascending

    def work(first: int) -> None:
        lanes, drawn = inputs.drawn(first)
        sums = levels.sums[:, step, :, lanes]
        kinds, group_indices, width = sums.shape
        record = _record((kinds, len(inputs.layout.watched), len(targets), group_indices, width), NOWHERE)
        record.pending[:] = levels.passed[:, :, step, lanes]
        room = empty_sums(group_indices, laid[0].coef.size, rated=kinds == 2)
        room.counts[:, :width] = sums[0].astype(np.int64)
        if kinds > 1:
            room.rates[:, :width] = sums[1]
        left = record.pending.size * len(targets) - int(record.pending.sum())
        find_thresholds(*laid, drawn.non_mated, inputs.limits(drawn), left, room, record)
        _keep(targets, record, score, lanes, deep)

    for _ in in_order(work, inputs.tiles(), inputs.threads):
        pass


def _keep(targets: list[int], record: Record, score: Floats, lanes: slice, deep: Deep) -> None:
    for place, a in enumerate(targets):
        crossing = record.exceeded_at[:, :, place]
        here = crossing >= 0
        np.copyto(deep.threshold[:, :, a, lanes], score[crossing], where=here)
        np.copyto(deep.at_target[:, :, a, :, lanes], record.at_target[:, :, place], where=here[:, :, None])


def _whole(inputs: RescoreInputs, levels: ScoreLevels, deep: Deep) -> None:
    """Where all comparisons together do not exceed a target, t* is -inf."""
    for place, a in enumerate(inputs.ascending):
        here = levels.passed[:, :, -1] <= place
        deep.threshold[:, :, a][here] = -np.inf
        np.copyto(deep.at_target[:, :, a], levels.sums[:, None, -1], where=here[:, :, None])
