"""The floor of the tail: what lies below it, and finding it by scoring all pairs again."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from frtaudit.core import Groups, ScoreTail
from frtaudit.core.arrays import Floats
from frtaudit.core.spec import Plan
from frtaudit.evaluation.system import OperatingPoints
from frtaudit.pipeline.thresholds import Named
from frtaudit.stats.bootstrap.resample import replicate
from frtaudit.stats.bootstrap.rescored_batches import Below, below_of
from frtaudit.stats.rates.resolution import beyond_budget, scored_again
from frtaudit.stats.similarity.executor import PassContext
from frtaudit.stats.similarity.sums_below_floor import sums_below


def needs_more(tail: ScoreTail, fixed: Named) -> bool:
    """Whether a fixed threshold lies below the tail's floor without declared sums."""
    known = () if tail.rescored is None else tail.rescored.thresholds
    return any(value < tail.cutoff and value not in known for value, _ in fixed)


def below_floor(
    context: PassContext | None,
    budget: int,
    tail: ScoreTail,
    points: OperatingPoints,
    resolved: Sequence[str | None],
) -> Below | None:
    """Where to look below the floor, if a threshold of interest lies there and the provider can score again."""
    fixed = np.asarray(points.thresholds)
    known = np.array([reason is None for reason in resolved], dtype=bool)
    missing = bool(np.isnan(points.at_target[:, known]).any()) or bool((fixed < tail.cutoff).any())
    return None if context is None or not missing else below_of(context, budget)


def extend_tail(
    below: Below,
    tail: ScoreTail,
    groups: Groups,
    points: OperatingPoints,
    max_points: Floats,
    resolved: Sequence[str | None],
    threads: int,
) -> tuple[OperatingPoints, Floats, ScoreTail]:
    """The thresholds of resolved targets that lie below the floor, and the tail with all sums at them.

    The data are one replicate among others: the one in which everybody is drawn once.
    """
    once = replicate(
        tail, groups, plan=Plan.SUBJECTS, n=1, seed=0, targets=points.targets, thresholds=(), threads=threads,
        subject_weights=np.ones((1, tail.n_samples.size), dtype=np.int64), below=below,
    )  # fmt: skip
    known = np.array([reason is None for reason in resolved], dtype=bool)
    at_target = np.where(np.isnan(points.at_target) & known, once.t_star[:, 0], points.at_target)
    at_max = np.where(np.isnan(max_points) & known, once.t_star_max[:, :, 0], max_points)
    wanted = np.concatenate([at_target.ravel(), at_max.ravel(), points.thresholds])
    wanted = np.unique(wanted[np.isfinite(wanted) & (wanted < tail.cutoff)])
    sums = sums_below(below.context, tail, groups, wanted) if wanted.size else tail.rescored
    return replace(points, at_target=at_target), at_max, replace(tail, rescored=sums)


def budget_notes(
    budget: int, provider: str, tail: ScoreTail, points: OperatingPoints, initial: OperatingPoints
) -> tuple[str, ...]:
    """A note where a declared target lies below what the tail's budget holds, as in the points ``initial``."""
    again = [
        points.targets[a]
        for a in points.declared
        if np.isnan(initial.at_target[0, a]) and not np.isnan(points.at_target[0, a])
    ]
    if again:
        return (f"{provider}: {scored_again(again, budget)}",)
    lost = [points.targets[a] for a in points.declared if np.isnan(points.at_target[0, a])]
    note = beyond_budget(lost, budget, tail.tail_score.size, int(tail.histogram.sum()))
    return () if note is None else (f"{provider}: {note}",)
