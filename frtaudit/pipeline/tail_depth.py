"""The floor of the tail: what lies below it, and finding it by scoring all pairs again."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from frtaudit.core import Groups, ScoreTail
from frtaudit.core.arrays import Flags
from frtaudit.core.spec import AuditSpec, Plan
from frtaudit.evaluation.system import OperatingPoints
from frtaudit.pipeline.thresholds import Named
from frtaudit.stats.bootstrap.resample import replicate
from frtaudit.stats.bootstrap.rescored_batches import Rescoring, rescoring_of
from frtaudit.stats.rates.resolution import beyond_budget, scored_again
from frtaudit.stats.similarity.allpairs import ScoredTail
from frtaudit.stats.similarity.sums_below_floor import sums_below


def needs_more(tail: ScoreTail, fixed: Named) -> bool:
    """Whether a fixed threshold lies below the tail's floor without declared sums."""
    known = () if tail.rescored is None else tail.rescored.thresholds
    return any(value < tail.cutoff and value not in known for value, _ in fixed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extended:
    """A ``tail`` with all sums at every known threshold; ``rescore``: how to score again what lies below its floor."""

    tail: ScoreTail
    operating_points: OperatingPoints
    rescore: Rescoring | None = None
    notes: tuple[str, ...] = ()


def extended(
    spec: AuditSpec,
    scores: ScoredTail,
    groups: Groups,
    initial: OperatingPoints,
    resolved: Sequence[str | None],
) -> Extended:
    """The points ``initial``, with the thresholds of resolved targets that lie below the floor of the tail.

    They are found by scoring all pairs again, where the provider can: else they stay NaN, with a note.
    """
    below = below_floor(spec, scores, initial, resolved)
    if below is None:
        notes = _budget_notes(spec.tail_budget, scores.tail, initial, initial)
        return Extended(tail=scores.tail, operating_points=initial, notes=notes)
    points = _points_below(below, scores.tail, groups, initial, resolved, spec.threads)
    wanted = points.finite[points.finite < scores.tail.cutoff]
    sums = sums_below(below.context, scores.tail, groups, wanted) if wanted.size else scores.tail.rescored
    return Extended(
        tail=replace(scores.tail, rescored=sums),
        operating_points=points,
        rescore=below,
        notes=_budget_notes(spec.tail_budget, scores.tail, points, initial),
    )


def below_floor(
    spec: AuditSpec, scores: ScoredTail, points: OperatingPoints, resolved: Sequence[str | None]
) -> Rescoring | None:
    """Where to look below the floor, if a threshold of interest lies there and the provider can score again."""
    missing = bool(np.isnan(points.at_target[:, _known(resolved)]).any())
    missing |= bool((np.asarray(points.thresholds) < scores.tail.cutoff).any())
    return None if scores.context is None or not missing else rescoring_of(scores.context, spec.tail_budget)


def _points_below(
    below: Rescoring,
    tail: ScoreTail,
    groups: Groups,
    points: OperatingPoints,
    resolved: Sequence[str | None],
    threads: int,
) -> OperatingPoints:
    """The data are one replicate among others: the one in which everybody is drawn once."""
    once = replicate(
        tail, groups, plan=Plan.SUBJECTS, n=1, seed=0, targets=points.targets, thresholds=(), threads=threads,
        subject_weights=np.ones((1, tail.n_samples.size), dtype=np.int64), below=below,
    )  # fmt: skip
    known = _known(resolved)
    return replace(
        points,
        at_target=np.where(np.isnan(points.at_target) & known, once.t_star[:, 0], points.at_target),
        at_max=np.where(np.isnan(points.at_max) & known, once.t_star_max[:, :, 0], points.at_max),
    )


def _known(resolved: Sequence[str | None]) -> Flags:
    return np.array([reason is None for reason in resolved], dtype=np.bool_)


def _budget_notes(
    budget: int, tail: ScoreTail, points: OperatingPoints, initial: OperatingPoints
) -> tuple[str, ...]:
    """A note where a declared target lies below what the tail's budget holds, as in the points ``initial``."""
    lost = [a for a in points.declared if np.isnan(points.at_target[0, a])]
    again = [a for a in points.declared if np.isnan(initial.at_target[0, a]) and a not in lost]
    if again:
        return (scored_again([points.targets[a] for a in again], budget),)
    lost_targets = [points.targets[a] for a in lost]
    note = beyond_budget(lost_targets, budget, tail.tail_score.size, int(tail.histogram.sum()))
    return () if note is None else (note,)
