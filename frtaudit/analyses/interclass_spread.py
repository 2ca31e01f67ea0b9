"""Interclass bias beyond the classes' d_l2 in quantile space: TAR space, the pooled FMR axis, pairs, weights, ratios.

Stands beside ``interclass``, which has the thesis's d_l2 of each class; both write the metric ``d_l2``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from frtaudit.core import Estimate, Interval, Method
from frtaudit.core.arrays import Floats
from frtaudit.core.canonical import seed_of
from frtaudit.core.metrics import POINTS, unit_of
from frtaudit.core.registry import register
from frtaudit.errors import SpecError
from frtaudit.evaluation.class_scores import ClassScores, check_shares, class_scores, shares_of, thesis_ends
from frtaudit.evaluation.interclass import classes_alike, for_population, largest
from frtaudit.evaluation.system import AnalysisOutput, SystemData
from frtaudit.stats.interclass import d_l2, d_l2_spaces
from frtaudit.stats.interclass.class_curves import Classes
from frtaudit.stats.interclass.d_l2 import Space
from frtaudit.stats.interclass.d_l2_spaces import Axis, Spread
from frtaudit.stats.rates.resolution import MIN_EXPECTED

NAME = "interclass_spread"
FMR_AXIS = "fmr_axis"
UNITS = {
    "quantile": POINTS,
    "tar": "TAR (0..1) times the root of points of the score range mapped to 0..100",
    FMR_AXIS: "decades of the pooled FMR",
}
NO_INTERVAL = "a ratio of distances: under equality of the classes it is a ratio of noise"
OF_TWO = "by construction: two classes have the same distance from their mean"
AtKey = dict[str, float | str]


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class InterclassSpread:
    """d_l2 in TAR space and on the pooled FMR axis, population intervals of pairs, sd and ratio over classes.

    ``B``, ``alpha``: of the thesis's interval, as in ``interclass``; ``ceiling``: the FMR above which the FMR axis
    tells no difference (default: the largest declared FMR target); ``shares``: schema to class to its share in overall:
    where declared, distances from that overall stand beside those from the plain mean.
    """

    B: int = 9999
    alpha: float = 0.10
    ceiling: float | None = None
    shares: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    metrics = ("d_l2_sd", "d_l2_ratio")

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for numbers that no bootstrap has."""
        for key, value in (("alpha", self.alpha), ("ceiling", self.ceiling)):
            if value is not None and not 0 < value < 1:
                text = f"found {value:g}"
                raise SpecError(f"analyses.{NAME}.{key}", text, "a number between 0 and 1, both excluded")
        if self.B < 2:
            raise SpecError(f"analyses.{NAME}.B", f"found {self.B}", "2 or more")

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """All schemas with two classes or more, each of two subjects or more with mated comparisons."""
        check_shares(self.shares, system, f"analyses.{NAME}.shares")
        estimates: list[Estimate] = []
        notes: list[str] = []
        for schema in system.groups.schemas:
            by_class, _ = class_scores(system, schema)
            if len(by_class.names) < 2:
                continue
            few, number = by_class.fewest()
            if number < 2:
                notes.append(f"{system.provider}: {schema} {few} has {number} subject(s): no spread of d_l2")
                continue
            estimates += self._schema(system, by_class, alpha)
            if system.tail.histogram.sum() * self._ceiling(system) < MIN_EXPECTED:
                notes.append(f"{system.provider}: too few non-mated comparisons for d_l2 on the FMR axis")
        return AnalysisOutput(estimates=tuple(estimates), notes=tuple(dict.fromkeys(notes)))

    def _ceiling(self, system: SystemData) -> float:
        return self.ceiling or max(system.spec.thresholds.fmr, default=0.01)

    def _schema(self, system: SystemData, by_class: ClassScores, alpha: float) -> Iterator[Estimate]:
        even = np.full(len(by_class.names), 1 / len(by_class.names))
        points = Classes.of(
            [d_l2.to_scale(scores, by_class.score_range) for scores in by_class.scores], by_class.subjects
        )
        tar, quantile = (Axis(space=space) for space in (Space.TAR, Space.QUANTILE))
        drawing = _Drawing(system=system, held=by_class, alpha=alpha)
        low, high = d_l2_spaces.thesis_tar(points, tar, shares=even, alpha=self.alpha, n=self.B)
        note = "from a pointwise band: no test of a difference"
        thesis = tuple(
            Interval.of(float(a), float(b), self.alpha, Method.T_BOOTSTRAP, note=note)
            for a, b in zip(low, high, strict=True)
        )
        spread = drawing.spread(points, tar, even, "tar")
        yield from drawing.everything(
            spread, _exact(points, Space.TAR), {"space": "tar"}, UNITS["tar"], thesis
        )
        exact = _exact(points, Space.QUANTILE)
        spread = drawing.spread(points, quantile, even, "quantile")
        yield from drawing.pairs(spread, exact, {"space": "quantile"}, UNITS["quantile"])
        distances = {"quantile": exact.own, "tar": _exact(points, Space.TAR).own}
        ceiling = self._ceiling(system)
        if float(system.tail.histogram.sum()) * ceiling >= MIN_EXPECTED:
            ranked = Classes.of(
                [d_l2_spaces.decades(system.tail, s, ceiling) for s in by_class.scores], by_class.subjects
            )
            exact = _exact(ranked, Space.QUANTILE)
            spread = drawing.spread(ranked, quantile, even, FMR_AXIS)
            yield from drawing.everything(spread, exact, {"space": FMR_AXIS}, UNITS[FMR_AXIS])
            distances[FMR_AXIS] = exact.own
        yield from self._weighted(drawing, points)
        for space, values in distances.items():
            yield from drawing.indices(values, {"space": space}, UNITS[space])
        at: AtKey = {"space": "quantile", "of": "thesis's upper bound"}
        _, upper = thesis_ends(system, by_class, self.alpha, self.B)
        yield from drawing.indices(upper, at, UNITS["quantile"])

    def _weighted(self, drawing: "_Drawing", points: Classes) -> Iterator[Estimate]:
        """Distances from the overall that the spec declares, if it does; on the grid of the replicates."""
        by_class = drawing.held
        if by_class.schema in self.shares:
            shares = shares_of(self.shares, by_class, f"analyses.{NAME}.shares")
            spread = drawing.spread(points, Axis(space=Space.QUANTILE), shares, "shares")
            at: AtKey = {"space": "quantile", "overall": "declared shares"}
            distances = _Distances(own=np.sqrt(spread.point), pairs=np.empty(0))
            yield from drawing.classes(spread, distances, at, UNITS["quantile"])
            yield drawing.largest(spread, distances, at, UNITS["quantile"])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawing:
    """One schema of one system: distances with their intervals as estimates."""

    system: SystemData
    held: ClassScores
    alpha: float

    def spread(self, classes: Classes, axis: Axis, shares: Floats, key: str) -> Spread:
        """Distances with the audit's B replicates of subjects, drawn alike for every system."""
        seed = seed_of(self.system.spec.seed, NAME, self.held.schema, key)
        return d_l2_spaces.spread_bootstrap(
            classes, axis, shares=shares, n=self.system.spec.bootstrap.B, rng=np.random.default_rng(seed)
        )

    def everything(
        self, spread: Spread, exact: "_Distances", at: AtKey, unit: str, thesis: Sequence[Interval] = ()
    ) -> Iterator[Estimate]:
        """Each class, each pair, then the largest with the test of "all classes equal"."""
        yield from self.classes(spread, exact, at, unit, thesis)
        yield from self.pairs(spread, exact, at, unit)
        yield self.largest(spread, exact, at, unit, thesis)

    def classes(
        self, spread: Spread, exact: "_Distances", at: AtKey, unit: str, thesis: Sequence[Interval] = ()
    ) -> Iterator[Estimate]:
        """Each class with its intervals."""
        population = for_population(spread.bounds, len(spread.noise), self.alpha)
        for c, name in enumerate(self.held.names):
            yield self._estimate(name, at, float(exact.own[c]), unit, (*thesis[c : c + 1], population[c]))

    def largest(
        self, spread: Spread, exact: "_Distances", at: AtKey, unit: str, thesis: Sequence[Interval] = ()
    ) -> Estimate:
        """The largest of the classes, with the test."""
        population = for_population(spread.bounds, len(spread.noise), self.alpha)
        intervals = tuple(largest(part) for part in (thesis, population) if part)
        top = self._estimate("max", at, float(exact.own.max()), unit, intervals)
        test = classes_alike(spread, self.alpha)
        return replace(top, test=test, note=self.held.uneven(test))

    def pairs(self, spread: Spread, exact: "_Distances", at: AtKey, unit: str) -> Iterator[Estimate]:
        """Each pair of classes, with its interval for the population."""
        population = for_population(spread.pair_bounds, len(spread.noise), self.alpha)
        for place, name in enumerate(d_l2_spaces.named_pairs(self.held.names)):
            yield self._estimate(name, at, float(exact.pairs[place]), unit, (population[place],))

    def indices(self, distances: Floats, at: AtKey, unit: str) -> Iterator[Estimate]:
        """Standard deviation over the classes, which are all there are (ddof 0), and worst to best."""
        two = distances.size == 2
        if two:
            distances = np.full(2, distances.mean())  # equal but for rounding
        for metric, value, metric_unit in (
            ("d_l2_sd", float(distances.std()), unit),
            ("d_l2_ratio", d_l2_spaces.ratio(distances), unit_of("d_l2_ratio")),
        ):
            estimate = self._estimate("all", at, value, metric_unit, ())
            yield replace(estimate, metric=metric, note=OF_TWO if two else NO_INTERVAL)

    def _estimate(
        self, group: str, at: AtKey, value: float, unit: str, intervals: tuple[Interval, ...]
    ) -> Estimate:
        of = (self.held.schema, group)
        return Estimate.of(self.system.provider, NAME, "d_l2", value, unit, of, at=at, intervals=intervals)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Distances:
    """Exact distances: ``own`` (C,) of the classes from their mean, ``pairs`` (P,) in the order of ``combinations``."""

    own: Floats
    pairs: Floats


def _exact(classes: Classes, space: Space) -> _Distances:
    """By the exact integrals of ``interclass``, whose scale of 0..100 leaves these values as they are."""
    table = d_l2.d_l2_pairs(classes.scores, (0.0, d_l2.SCALE), space)
    upper = np.triu_indices(len(classes.sizes), 1)
    return _Distances(own=d_l2.d_l2(classes.scores, (0.0, d_l2.SCALE), space), pairs=table[upper])
