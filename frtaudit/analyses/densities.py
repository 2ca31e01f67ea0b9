"""Densities of the mated scores of each class, and whether they are normal (thesis, "Discussion")."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from frtaudit.core import Curve, Estimate
from frtaudit.core.registry import register
from frtaudit.errors import SpecError
from frtaudit.evaluation.class_scores import ClassScores, class_scores
from frtaudit.evaluation.system import AnalysisOutput, SystemData
from frtaudit.stats.interclass import densities
from frtaudit.stats.interclass.d_l2 import SCALE, to_scale

NAME = "densities"
PER = {
    "score": "scores treated as independent, as in Peña-Alcántara (2022): they are not, so the p value is too small",
    "subject": "one mean score of each subject",
}
FEW = f"fewer than {densities.ENOUGH} different values"


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class Densities:
    """Kernel densities by class, bandwidth by the improved Sheather-Jones rule, reflected at the ends of the scale.

    ``points``: of each curve, where the classes' scores lie on the scale 0..100. The omnibus test of normality is made
    of the scores and of one mean score of each subject.
    """

    points: int = 201
    metrics = ("density_bandwidth", "scores_at_end", "normality_k2", "normality_p")

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for fewer than two points."""
        if self.points < 2:
            raise SpecError(f"analyses.{NAME}.points", f"found {self.points}", "2 or more")

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:  # noqa: ARG002  analyses share a signature
        """Every class that has mated scores."""
        estimates: list[Estimate] = []
        curves: list[Curve] = []
        for schema in system.groups.schemas:
            by_class, _ = class_scores(system, schema)
            for c in range(len(by_class.names)):
                class_estimates, curve = self._class(system, by_class, c)
                estimates += class_estimates
                curves.append(curve)
        return AnalysisOutput(estimates=tuple(estimates), curves=tuple(curves))

    def _class(self, system: SystemData, by_class: ClassScores, c: int) -> tuple[list[Estimate], Curve]:
        scores = to_scale(by_class.scores[c], by_class.score_range)
        # where the classes' scores lie on 0..100, and as much again on both sides, for the tails of few scores
        together = to_scale(np.concatenate(by_class.scores), by_class.score_range)
        low, high = (float(together.min()), float(together.max())) if together.size else (0.0, SCALE)
        beside = high - low or SCALE
        grid = np.linspace(max(low - beside, 0.0), min(high + beside, SCALE), self.points)
        shape = densities.density(scores, grid, 0.0, SCALE)
        make = partial(Estimate.of, system.provider, NAME, of=(by_class.schema, by_class.names[c]))
        note = None if shape.bandwidth is not None else FEW
        estimates = [make("density_bandwidth", shape.bandwidth, note=note)]
        for end, share in (("low", shape.at_low), ("high", shape.at_high)):
            count = round(share * scores.size)
            estimate = make("scores_at_end", share, counts=(count, scores.size), at={"end": end})
            estimates += [estimate] if count else []
        estimates += self._normality(system, by_class, c)
        notes = () if shape.bandwidth is not None else (FEW,)
        of = (by_class.schema, by_class.names[c])
        return estimates, Curve.of(system.provider, "density", grid, shape.y, of, notes=notes)

    def _normality(self, system: SystemData, by_class: ClassScores, c: int) -> Iterator[Estimate]:
        scores = to_scale(by_class.scores[c], by_class.score_range)
        for per, note in PER.items():
            values = scores if per == "score" else densities.subject_means(scores, by_class.subjects[c])
            tested = densities.omnibus(values)
            make = partial(Estimate.of, system.provider, NAME, of=(by_class.schema, by_class.names[c]))
            k2, p = (None, None) if tested is None else (tested.statistic, tested.p_value)
            for metric, value in (("normality_k2", k2), ("normality_p", p)):
                yield make(metric, value, at={"per": per}, note=FEW if value is None else note)
