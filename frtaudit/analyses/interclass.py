"""Interclass bias by subject (Pena-Alcantara): d_l2 of each class from the mean of the classes, TAR curves."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from frtaudit.core import Curve, Estimate, Interval, Method, Test, TestMethod
from frtaudit.core.canonical import seed_of
from frtaudit.core.metrics import POINTS
from frtaudit.core.registry import register
from frtaudit.errors import SpecError
from frtaudit.evaluation.class_scores import ClassScores, class_scores, drawn_order, thesis_ends
from frtaudit.evaluation.interclass import CLASS_MOVED, for_population, largest
from frtaudit.evaluation.intervals import empty
from frtaudit.evaluation.system import AnalysisOutput, SystemData
from frtaudit.stats.interclass import d_l2
from frtaudit.stats.interclass.d_l2 import Space

NAME = "interclass"
UNITS = {
    Space.QUANTILE: POINTS,
    Space.TAR: "TAR (0..1) times the root of points of the score range mapped to 0..100",
}
MIN_SUBJECTS = 2
MIN_NUMBER = 2


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class Interclass:
    """d_l2 per class, per pair of classes and at most, in quantile and in TAR space.

    ``B``, ``alpha``: of the thesis's bootstrap of scores; the population interval uses the audit's own B and alpha.
    """

    B: int = 9999
    alpha: float = 0.10
    curve_points: int = 101

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for numbers that no bootstrap and no curve has."""
        if not 0 < self.alpha < 1:
            text = f"found {self.alpha:g}"
            raise SpecError(f"analyses.{NAME}.alpha", text, "a number between 0 and 1, both excluded")
        for key in ("B", "curve_points"):
            if getattr(self, key) < MIN_NUMBER:
                raise SpecError(
                    f"analyses.{NAME}.{key}", f"found {getattr(self, key)}", f"{MIN_NUMBER} or more"
                )

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """All schemas with at least two classes that have mated scores."""
        estimates: list[Estimate] = []
        curves: list[Curve] = []
        notes: list[str] = []
        for schema in system.groups.schemas:
            classes, missing = class_scores(system, schema)
            notes += [
                f"{system.provider}: {schema} {name} has no mated comparison, so no d_l2" for name in missing
            ]
            if len(classes.names) >= MIN_SUBJECTS:
                estimates += self._schema(system, classes, alpha)
                curves += _curves(system, classes, self.curve_points)
        return AnalysisOutput(estimates=tuple(estimates), curves=tuple(curves), notes=tuple(notes))

    def _schema(self, system: SystemData, classes: ClassScores, alpha: float) -> Iterator[Estimate]:
        thesis = self._thesis(system, classes)
        population, test = _population(system, classes, alpha)
        for space in Space:
            values = d_l2.d_l2(classes.scores, classes.score_range, space)
            pairs = d_l2.d_l2_pairs(classes.scores, classes.score_range, space)
            quantile = space is Space.QUANTILE
            for c, name in enumerate(classes.names):
                intervals = (thesis[c], population[c]) if quantile else ()
                yield _estimate(system, classes, name, space, float(values[c]), intervals)
            for first in range(len(classes.names)):
                for second in range(first + 1, len(classes.names)):
                    group = f"{classes.names[first]}|{classes.names[second]}"
                    between = (self._between(system, classes, first, second),) if quantile else ()
                    yield _estimate(system, classes, group, space, float(pairs[first, second]), between)
            most = (largest(thesis), largest(population)) if quantile else ()
            top = _estimate(system, classes, "max", space, float(values.max()), most)
            yield replace(top, test=test, note=classes.uneven(test)) if quantile else top

    def _between(self, system: SystemData, classes: ClassScores, first: int, second: int) -> Interval:
        """The thesis's interval of class minus class: twice that of either class from the mean of the two."""
        two = replace(
            classes,
            names=(classes.names[first], classes.names[second]),
            scores=(classes.scores[first], classes.scores[second]),
            subjects=(classes.subjects[first], classes.subjects[second]),
        )
        half = self._thesis(system, two)[0]
        return replace(half, low=2 * (half.low or 0.0), high=2 * (half.high or 0.0))

    def _thesis(self, system: SystemData, classes: ClassScores) -> tuple[Interval, ...]:
        """The thesis's interval, at its own alpha."""
        lower, upper = thesis_ends(system, classes, self.alpha, self.B)
        note = "from a pointwise band: no test of a difference"
        return tuple(
            Interval.of(
                float(low), float(high), self.alpha, Method.T_BOOTSTRAP, n_resamples=self.B, note=note
            )
            for low, high in zip(lower, upper, strict=True)
        )


def _population(system: SystemData, classes: ClassScores, alpha: float) -> tuple[tuple[Interval, ...], Test]:
    """FORMULAS 8.7: subjects resampled within classes, and the test of equality of all classes."""
    make = partial(
        Test, alpha=alpha, method=TestMethod.CENTRED_CURVES, detectable_unit=CLASS_MOVED, power=d_l2.POWER
    )
    few, number = classes.fewest()
    if number < MIN_SUBJECTS:
        note = f"{few} has fewer than {MIN_SUBJECTS} subjects with mated comparisons"
        return tuple(empty(Method.VERTEX_GAUSSIAN, alpha, note) for _ in classes.names), make(
            p=None, note=note
        )
    order = drawn_order(classes)
    table = d_l2.population_bootstrap(
        tuple(classes.scores[c] for c in order),
        tuple(classes.subjects[c] for c in order),
        classes.score_range,
        alpha=alpha,
        n=system.spec.bootstrap.B,
        rng=np.random.default_rng(seed_of(system.spec.seed, NAME, "population", classes.schema)),
    )
    population = for_population(table.bounds, table.n_resamples, alpha)
    test = make(
        p=table.p_value,
        null_median=table.null_median,
        null_edge=table.null_edge,
        n_resamples=table.n_resamples,
        detectable=table.detectable,
    )
    return tuple(population[place] for place in np.argsort(order)), test


def _estimate(
    system: SystemData,
    classes: ClassScores,
    group: str,
    space: Space,
    value: float,
    intervals: tuple[Interval, ...],
) -> Estimate:
    of, at = (classes.schema, group), {"space": space.value}
    return Estimate.of(system.provider, NAME, "d_l2", value, UNITS[space], of, at=at, intervals=intervals)


def _curves(system: SystemData, classes: ClassScores, points: int) -> Iterator[Curve]:
    """The threshold (0..100) as a function of the TAR, per class and on average, and class minus average."""
    tar = np.linspace(0.0, 1.0, points + 2)[1:-1]
    thresholds = d_l2.threshold_curves(classes.scores, tar, classes.score_range)
    mean = thresholds.mean(axis=0)
    for name, curve in zip((*classes.names, "all"), (*thresholds, mean), strict=True):
        of = (classes.schema, name)
        yield Curve.of(system.provider, "tar", tar, curve, of)
        if name != "all":
            yield Curve.of(system.provider, "tar_difference", tar, curve - mean, of)
