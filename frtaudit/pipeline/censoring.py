"""Thresholds that scores with a floor, a ceiling or few values cannot tell: refused, each with its reason."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from frtaudit.core import Comparisons, Groups, ScoreTable, ScoreTail
from frtaudit.evaluation.system import WEIGHTINGS, OperatingPoints
from frtaudit.stats.rates import rates as rates_of
from frtaudit.stats.rates.censoring import Censoring, Step, censoring_of, refusal, remark


@dataclass(frozen=True, slots=True, kw_only=True)
class Clipped:
    """What is left of the thresholds: NaN where one is refused.

    ``refused``: (weighting, target) by their places to the reason; ``notes``: what the report says of these scores.
    """

    operating_points: OperatingPoints
    censoring: Censoring = field(default_factory=Censoring)
    refused: Mapping[tuple[int, int], str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def clipped(
    answers: ScoreTable | None,
    compared: Comparisons,
    tail: ScoreTail,
    groups: Groups,
    points: OperatingPoints,
) -> Clipped:
    """Refuse FMR targets whose thresholds the scores of listed comparisons hide; all stay where ``answers`` is None.

    ``answers``: with failures apart, of ``compared``, so that a score which the spec gives to failures is no floor.
    """
    if answers is None:
        return Clipped(operating_points=points)
    censoring = censoring_in(answers, compared)
    steps = dict(_steps(tail, groups, points))
    refused = {at: reason for at, step in steps.items() if (reason := refusal(censoring, step)) is not None}
    hidden = np.zeros(points.at_max.shape, dtype=np.bool_)  # at or below the floor, or at the ceiling
    if censoring.floor is not None:
        hidden |= points.at_max <= censoring.floor.score
    if censoring.ceiling is not None:
        hidden |= points.at_max >= censoring.ceiling.score
    at_target = points.at_target.copy()
    for at in refused:
        at_target[at] = np.nan
    remarks = [remark(steps[0, a]) for a in points.declared if (0, a) in steps and (0, a) not in refused]
    return Clipped(
        operating_points=replace(points, at_target=at_target, at_max=np.where(hidden, np.nan, points.at_max)),
        censoring=censoring,
        refused=refused,
        notes=(*censoring.sentences(), *(text for text in remarks if text is not None)),
    )


def censoring_in(answers: ScoreTable, compared: Comparisons) -> Censoring:
    """What the scores of listed comparisons hide; ``answers``: with failures apart, of ``compared``."""
    scored = answers.failure < 0
    mated, non_mated = (answers.score[scored & (compared.mated == kind)] for kind in (True, False))
    return censoring_of(mated, non_mated)


def _steps(
    tail: ScoreTail, groups: Groups, points: OperatingPoints
) -> Iterator[tuple[tuple[int, int], Step]]:
    """Where each target that has a threshold falls among the non-mated scores, by weighting and target."""
    ascending = tail.tail_score[::-1]
    for w in range(len(WEIGHTINGS)):
        places = np.flatnonzero(np.isfinite(points.at_target[w]))
        at = points.at_target[w, places]
        both = np.stack([at, np.nextafter(at, -np.inf)])
        rates = rates_of.rates(tail, groups, both.ravel())
        rate = (rates.far if w else rates.fmr)[:, 0].reshape(both.shape)
        tied = np.searchsorted(ascending, at, side="right") - np.searchsorted(ascending, at, side="left")
        for k, a in enumerate(places.tolist()):
            step = Step(
                target=points.targets[a],
                threshold=float(at[k]),
                realised=float(rate[0, k]),
                above=float(rate[1, k]),
                tied=int(tied[k]),
                allowed=int(points.targets[a] * ascending.size),
            )
            yield (w, a), step
