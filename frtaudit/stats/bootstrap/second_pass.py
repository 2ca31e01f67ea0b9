"""Replicates below the floor of the tail: pairs are scored again and added, batch by batch, and not kept.

One pass gives every replicate its sums at a ladder of cuts. Between two cuts at which a replicate has exceeded
different numbers of targets lies one of its thresholds: the comparisons there, and no others, are scored once more and
walked, from the sums above them. Ranges that hold more than a batch may are cut finer first. So each number is that of
the walk over a whole tail: counts are the same integers, rates the same up to the order of additions.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from frtaudit.core.arrays import Floats, Ints
from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.stats.bootstrap.kernel_arrays import Limits, Record, SortedComparisons, Spans, empty_sums
from frtaudit.stats.bootstrap.kernels import find_thresholds
from frtaudit.stats.bootstrap.plans import Draw, Drawn, Rows
from frtaudit.stats.bootstrap.replicate_layout import Deep, ReplicateLayout, dead_rules, limits_of
from frtaudit.stats.bootstrap.rescored_batches import (
    Below,
    as_tail,
    batches,
    cuts_between,
    rank_at,
    score_at,
)
from frtaudit.stats.bootstrap.score_spans import spans_of
from frtaudit.stats.bootstrap.sorted_comparisons import non_mated_walk
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
    course: ReplicateLayout
    rows: Rows
    draw: Draw
    n: int
    width: int
    threads: int

    @property
    def ascending(self) -> list[int]:
        """Targets below 1, by size."""
        live = [a for a, target in enumerate(self.course.targets) if target < 1]
        return sorted(live, key=lambda a: self.course.targets[a])

    def limits(self, drawn: Drawn) -> Limits:
        """What those targets allow in each replicate."""
        targets = [self.course.targets[a] for a in self.ascending]
        return limits_of(targets, drawn.non_mated_totals, self.course.rule)

    def laid(self, tail: ScoreTail, positions: Ints) -> tuple[SortedComparisons, Spans]:
        """Comparisons laid out so that sums can be read at ``positions``."""
        walk = non_mated_walk(tail, self.groups, positions, (self.rows.non_mated, self.rows.non_mated))
        return walk, spans_of(walk, NOWHERE, positions, self.rows.alike)

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
    passed: npt.NDArray[np.int16]
    between: Ints


def rescore(site: RescoreInputs, below: Below) -> Deep | None:
    """Thresholds, and sums above them and above fixed thresholds, below the floor; None where the tail is whole."""
    course, tail = site.course, site.tail
    if course.open:
        return None
    fixed = np.flatnonzero(course.cuts < 0)
    wanted = np.unique(course.thresholds[fixed][~np.isnan(course.thresholds[fixed])])[::-1]
    deep = _nothing(site)
    top = np.zeros((course.weightings, 1, course.watched.shape[1], site.n))
    _add(site, course.non_mated, course.spans, np.array([course.spans.chunk.size - 1]), top)
    ladder = ScoreLevels(np.array([tail.floor]), top, _passed(site, top), NOWHERE)
    while not np.isneginf(ladder.cuts[-1]):
        pending = bool((ladder.passed[:, :, -1] < len(site.ascending)).any())
        if not (pending or wanted.size):
            return deep
        low = _low(site, float(ladder.cuts[-1]), wanted, pending=pending)
        ladder = _climb_down(site, below, ladder, low, wanted)
        _read_fixed(course, fixed, ladder, deep)
        wanted = wanted[wanted < low]
        _search(site, below, ladder, deep)
    _whole(site, ladder, deep)
    return deep


def _read_fixed(course: ReplicateLayout, fixed: Ints, ladder: ScoreLevels, deep: Deep) -> None:
    for t in fixed:
        for place in np.flatnonzero(ladder.cuts == course.thresholds[t]):
            deep.at_fixed[:, t] = ladder.sums[:, place]


def _nothing(site: RescoreInputs) -> Deep:
    kinds, (rules, tags) = site.course.weightings, site.course.watched.shape
    targets, fixed = len(site.course.targets), site.course.thresholds.size
    return Deep(
        np.full((kinds, rules, targets, site.n), np.nan),
        np.full((kinds, rules, targets, tags, site.n), np.nan),
        np.full((kinds, fixed, tags, site.n), np.nan),
    )


def _low(site: RescoreInputs, high: float, wanted: Floats, *, pending: bool) -> float:
    """How far down the next pass goes: to all fixed thresholds, and to where the targets may lie."""
    if not pending:
        return float(wanted[-1])
    tail, largest = site.tail, float(site.course.targets[site.ascending[-1]])
    total, here = float(tail.histogram.sum()), rank_at(site.tail, high)
    aim = AIM * largest * total
    if here >= aim:
        aim = DEEPER * max(here, 1.0)
    low = float(score_at(tail, np.array([aim]))[0]) if aim < total else -np.inf
    if low >= high:
        low = -np.inf
    return min(low, float(wanted[-1])) if wanted.size else low


def _climb_down(
    site: RescoreInputs, below: Below, above: ScoreLevels, low: float, wanted: Floats
) -> ScoreLevels:
    """The ladder from the last cut of ``above`` down to ``low``: one pass over all pairs, none kept."""
    high = float(above.cuts[-1])
    room = CUT_BYTES // max(above.sums[:, -1].nbytes, 1)
    cuts = cuts_between(site.tail, high, low, int(np.clip(room, 4, CUTS)))
    inner = wanted[(wanted < high) & (wanted > low)]
    cuts = np.concatenate(([high], np.unique(np.concatenate((cuts, inner)))[::-1], [low]))
    sums = np.zeros((above.sums.shape[0], cuts.size, *above.sums.shape[2:]))
    count = np.zeros(cuts.size, dtype=np.int64)
    for pairs in batches(below, np.array([[low, high]]), _expected(site, high, low)):
        tail = as_tail(site.tail, pairs)
        positions = np.array([first_not_above(tail.tail_score, cut) for cut in cuts], dtype=np.int64)
        walk, spans = site.laid(tail, positions)
        _add(site, walk, spans, np.searchsorted(walk.chunk_start[spans.chunk], positions), sums)
        count += positions
    sums += above.sums[:, -1:]
    return ScoreLevels(cuts, sums, _passed(site, sums), np.diff(count))


def _expected(site: RescoreInputs, high: float, low: float) -> int:
    return int(rank_at(site.tail, low) - rank_at(site.tail, high)) + 1


def _add(site: RescoreInputs, walk: SortedComparisons, spans: Spans, at: Ints, sums: Floats) -> None:
    """Add to ``sums`` (V, M, G+1, n) those before each span ``at`` (M,), for every replicate."""

    def work(first: int) -> None:
        lanes, drawn = site.drawn(first)
        kinds, rules, width = len(sums), len(site.course.watched), lanes.stop - lanes.start
        record = _record((kinds, rules, 0, sums.shape[2], width), at)
        room = empty_sums(sums.shape[2], walk.coef.size, rated=kinds == 2)
        none = limits_of([], drawn.non_mated_totals, site.course.rule)
        find_thresholds(walk, spans, drawn.non_mated, none, 0, room, record)
        sums[..., lanes] += record.at_span

    for _ in in_order(work, site.tiles(), site.threads):
        pass


def _record(shape: tuple[int, int, int, int, int], at: Ints) -> Record:
    """An empty record of V weightings, rules, targets, tags and lanes; sums are read before the spans ``at``."""
    kinds, rules, targets, tags, lanes = shape
    return Record(
        pending=np.zeros((kinds, rules, lanes), dtype=np.int64),
        crossing=np.full((kinds, rules, targets, lanes), -1, dtype=np.int64),
        at_target=np.full(shape, np.nan),
        spans=at.astype(np.int64),
        at_span=np.empty((kinds, at.size, tags, lanes)),
    )


def _passed(site: RescoreInputs, sums: Floats) -> npt.NDArray[np.int16]:
    """How many targets each rule has exceeded at each cut, (V, 1+S, M, n); all of them where it is dead."""
    watched, targets = site.course.watched, len(site.ascending)
    found = np.zeros((len(sums), len(watched), sums.shape[1], site.n), dtype=np.int16)
    for first in site.tiles():
        lanes, drawn = site.drawn(first)
        limits, dead = site.limits(drawn), dead_rules(site.course, drawn.non_mated_totals)
        for kind, limit in enumerate((limits.counts, limits.rates)[: len(sums)]):
            for rule, tag in zip(*np.nonzero(watched), strict=True):
                over = (sums[kind, None, :, tag, lanes] > limit[:, None, tag]).sum(axis=0)
                np.maximum(
                    found[kind, rule, :, lanes], over, out=found[kind, rule, :, lanes], casting="unsafe"
                )
            found[kind, :, :, lanes][np.broadcast_to(dead[:, None], found[kind, :, :, lanes].shape)] = targets
    return found


def _search(site: RescoreInputs, below: Below, ladder: ScoreLevels, deep: Deep) -> None:
    """Find the thresholds that lie between cuts of the ladder."""
    crossed: list[int] = np.flatnonzero((np.diff(ladder.passed, axis=2) != 0).any(axis=(0, 1, 3))).tolist()
    held: list[int] = []
    for step in crossed:
        if ladder.between[step] > below.capacity:
            _search_finer(site, below, ladder, step, deep)
            continue
        if ladder.between[[*held, step]].sum() > below.capacity:
            _search_kept(site, below, ladder, held, deep)
            held = []
        held.append(step)
    if held:
        _search_kept(site, below, ladder, held, deep)


def _search_finer(site: RescoreInputs, below: Below, ladder: ScoreLevels, step: int, deep: Deep) -> None:
    """A step with more comparisons than a batch may hold: a ladder of its own, or one score alone."""
    part = slice(step, step + 1)
    top = ScoreLevels(ladder.cuts[part], ladder.sums[:, part], ladder.passed[:, :, part], NOWHERE)
    high, low = float(ladder.cuts[step]), float(ladder.cuts[step + 1])
    finer = _climb_down(site, below, top, low, _halves(high, low))
    if finer.cuts.size > 2:
        _search(site, below, finer, deep)
        return
    _one_score(site, finer, _single_at_most(high), deep)


def _halves(high: float, low: float) -> Floats:
    """A float32 score between two scores that are far enough apart, else none."""
    bottom = max(low, float(np.finfo(np.float32).min))
    middle = np.float32(0.5 * high + 0.5 * bottom).astype(np.float64)
    return np.array([middle]) if low < middle < high else np.empty(0)


def _single_at_most(score: float) -> float:
    """The largest float32 score that is not above ``score``."""
    single = np.float32(score)
    return float(single if float(single) <= score else np.nextafter(single, np.float32(-np.inf)))


def _one_score(site: RescoreInputs, step: ScoreLevels, score: float, deep: Deep) -> None:
    """All comparisons of a step have the same score: who exceeds a target here exceeds it at this score."""
    for place, a in enumerate(site.ascending):
        here = (step.passed[:, :, 0] <= place) & (step.passed[:, :, 1] > place)
        deep.threshold[:, :, a][here] = score
        np.copyto(deep.at_target[:, :, a], step.sums[:, None, 0], where=here[:, :, None])


def _search_kept(
    site: RescoreInputs, below: Below, ladder: ScoreLevels, steps: list[int], deep: Deep
) -> None:
    """Score the comparisons of some steps once more, keep them, and walk each step from the sums above it."""
    ends = np.array([[ladder.cuts[step + 1], ladder.cuts[step]] for step in steps])[::-1]
    found = joined(list(batches(below, _merged(ends), int(ladder.between[steps].sum()))))
    for step, pairs in _by_step(found, ladder.cuts, steps):
        walk, spans = site.laid(as_tail(site.tail, pairs), NOWHERE)
        score = as_tail(site.tail, pairs).tail_score
        _walk_step(site, ladder, step, (walk, spans), score.astype(np.float64), deep)


def _merged(bounds: Floats) -> Floats:
    """Neighbouring ranges joined."""
    starts = np.append(True, bounds[1:, 0] != bounds[:-1, 1])
    ends = np.append(starts[1:], True)
    return np.column_stack((bounds[starts, 0], bounds[ends, 1]))


def _by_step(found: Pairs, cuts: Floats, steps: list[int]) -> Iterator[tuple[int, Pairs]]:
    score = found.score.astype(np.float64)
    for step in steps:
        keep = (score <= cuts[step]) & (score > cuts[step + 1])
        yield step, Pairs(found.i[keep], found.j[keep], found.score[keep])


def _walk_step(
    site: RescoreInputs,
    ladder: ScoreLevels,
    step: int,
    laid: tuple[SortedComparisons, Spans],
    score: Floats,
    deep: Deep,
) -> None:
    """Find what each replicate exceeds within one step."""
    targets = site.ascending

    def work(first: int) -> None:
        lanes, drawn = site.drawn(first)
        sums = ladder.sums[:, step, :, lanes]
        kinds, tags, width = sums.shape
        record = _record((kinds, len(site.course.watched), len(targets), tags, width), NOWHERE)
        record.pending[:] = ladder.passed[:, :, step, lanes]
        room = empty_sums(tags, laid[0].coef.size, rated=kinds == 2)
        room.counts[:, :width] = sums[0].astype(np.int64)
        if kinds > 1:
            room.rates[:, :width] = sums[1]
        left = record.pending.size * len(targets) - int(record.pending.sum())
        find_thresholds(*laid, drawn.non_mated, site.limits(drawn), left, room, record)
        _keep(targets, record, score, lanes, deep)

    for _ in in_order(work, site.tiles(), site.threads):
        pass


def _keep(targets: list[int], record: Record, score: Floats, lanes: slice, deep: Deep) -> None:
    for place, a in enumerate(targets):
        crossing = record.crossing[:, :, place]
        here = crossing >= 0
        np.copyto(deep.threshold[:, :, a, lanes], score[crossing], where=here)
        np.copyto(deep.at_target[:, :, a, :, lanes], record.at_target[:, :, place], where=here[:, :, None])


def _whole(site: RescoreInputs, ladder: ScoreLevels, deep: Deep) -> None:
    """Where all comparisons together do not exceed a target, t* is -inf."""
    for place, a in enumerate(site.ascending):
        here = ladder.passed[:, :, -1] <= place
        deep.threshold[:, :, a][here] = -np.inf
        np.copyto(deep.at_target[:, :, a], ladder.sums[:, None, -1], where=here[:, :, None])
