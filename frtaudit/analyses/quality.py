"""Sample quality by class: boxes of a numeric attribute, whether classes differ in it, and d_l2 at like quality.

Thesis, "Assumptions About the Use of Unconstrained Images": brightness by class.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np

from frtaudit.core import Cohort, CohortData, Curve, Estimate, Interval, Method, Target, Test, TestMethod
from frtaudit.core.arrays import Flags, Floats, Ints, Texts
from frtaudit.core.canonical import seed_of
from frtaudit.core.methods import MIN_ERROR_SUBJECTS
from frtaudit.core.metrics import EVERY_SYSTEM
from frtaudit.core.registry import register
from frtaudit.core.spec import AuditSpec
from frtaudit.core.text.formatting import counted
from frtaudit.errors import DataError, SpecError, excerpt
from frtaudit.evaluation.class_scores import ClassScores, class_scores
from frtaudit.evaluation.interclass import CLASS_MOVED, classes_alike
from frtaudit.evaluation.intervals import MIN_EFFECTIVE, empty, few_by_weight
from frtaudit.evaluation.system import AnalysisOutput, SystemData
from frtaudit.inputs.tables import NO_VALUE
from frtaudit.stats.interclass import class_curves, d_l2, d_l2_spaces, sample_quality
from frtaudit.stats.interclass.class_curves import Classes
from frtaudit.stats.interclass.d_l2 import POWER, Space
from frtaudit.stats.interclass.d_l2_spaces import Axis

NAME = "quality"
BRIGHTNESS = "brightness"
MAX_OUTLIERS = 200
AtKey = dict[str, float | str]


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """Boxes of ``attribute`` (a column of numbers) by class, a test of equal means, d_l2 within ``strata`` of it.

    Boxes and means are of the cohort's samples, whatever systems made of them: they stand once, under ``every system``.
    A comparison's quality is the lower one of its two samples; strata hold equally many comparisons of everybody.
    """

    attribute: str = BRIGHTNESS
    strata: int = 3
    metrics = ("quality_mean", "quality_spread", "d_l2_within")

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for less than one stratum."""
        if self.strata < 1:
            raise SpecError(f"analyses.{NAME}.strata", f"found {self.strata}", "1 or more")

    def survey(self, spec: AuditSpec, cohort_data: CohortData) -> None:  # noqa: ARG002  analyses share a signature
        """Raise :class:`DataError` where the column that was asked for is not there, or holds no numbers."""
        known = cohort_data.attributes
        if self.attribute in known:
            _numbers(self.attribute, known[self.attribute])
        elif self.attribute != BRIGHTNESS:
            missing = f"the cohort has no column {self.attribute!r}"
            accepted = f"one of its columns: {', '.join(known) or 'none'}"
            raise DataError(f"analyses.{NAME}.attribute", missing, accepted)

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """All schemas with two classes or more; a note where the cohort has no brightness and no other was asked."""
        if self.attribute not in system.cohort_data.attributes:
            known = ", ".join(system.cohort_data.attributes) or "none"
            return AnalysisOutput(
                notes=(f"{NAME}: the cohort has no column {self.attribute!r}; it has {known}",)
            )
        values = _numbers(self.attribute, system.cohort_data.attributes[self.attribute])
        estimates: list[Estimate] = []
        for schema in system.groups.schemas:
            estimates += self._within(system, class_scores(system, schema)[0], values, alpha)
        return AnalysisOutput(estimates=tuple(estimates), per_system_state=(system.cohort, values))

    def _within(
        self, system: SystemData, by_class: ClassScores, values: Floats, alpha: float
    ) -> Iterator[Estimate]:
        """d_l2 of each class and the largest, with its test, of all comparisons of known quality and within strata."""
        worse = [values[pairs].min(axis=1) for pairs in by_class.pairs]  # NaN where one is unknown
        known = np.concatenate([part[np.isfinite(part)] for part in worse]) if worse else np.empty(0)
        if len(by_class.names) < 2 or not known.size:
            return
        edges = np.quantile(known, np.linspace(0, 1, self.strata + 1))
        base: AtKey = {"attribute": self.attribute, "space": "quantile"}
        every = [np.isfinite(part) for part in worse]
        yield from _stratum(system, by_class, every, {**base, "stratum": "all"}, alpha)
        for place in range(self.strata if self.strata > 1 else 0):
            low, high = float(edges[place]), float(edges[place + 1])
            last = place == self.strata - 1
            chosen = [(part >= low) & ((part <= high) if last else (part < high)) for part in worse]
            at: AtKey = {**base, "stratum": f"{place + 1} of {self.strata}", "low": low, "high": high}
            yield from _stratum(system, by_class, chosen, at, alpha)

    def across(self, states: Mapping[str, object], spec: AuditSpec, alpha: float) -> AnalysisOutput:
        """Boxes and means of the cohort's samples, which every system was given."""
        cohort, values = cast("tuple[Cohort, Floats]", next(iter(states.values())))
        estimates: list[Estimate] = []
        curves: list[Curve] = []
        for schema in cohort.classifications:
            samples = _Samples(
                spec=self, audit=spec, cohort=cohort, schema=schema, values=values, alpha=alpha
            )
            estimates += samples.means()
            curves += samples.boxes()
        return AnalysisOutput(estimates=tuple(estimates), curves=tuple(curves))


def _numbers(name: str, texts: Texts) -> Floats:
    """A column as numbers, NaN where it is empty."""
    values = np.full(len(texts), np.nan)
    for row, text in enumerate(texts):
        try:
            values[row] = np.nan if text.lower() in NO_VALUE else float(text)
        except ValueError:
            values[row] = np.inf
        if np.isinf(values[row]):
            problem = f"column {name!r} holds {excerpt(text)}, which is no finite number"
            raise DataError(
                f"analyses.{NAME}.attribute", problem, "a column of numbers, empty where not known"
            )
    return values


@dataclass(frozen=True, slots=True, kw_only=True)
class _Samples:
    """The cohort's samples by one schema."""

    spec: Quality
    audit: AuditSpec
    cohort: Cohort
    schema: str
    values: Floats
    alpha: float

    def _by_class(self) -> list[tuple[str, Floats, Ints]]:
        """Class, values and subjects of the samples with a value."""
        codes = self.cohort.classifications[self.schema].codes[self.cohort.subject_of]
        classes = []
        for code, name in enumerate(self.cohort.classifications[self.schema].classes):
            chosen = (codes == code) & np.isfinite(self.values)
            if chosen.any():
                classes.append((name, self.values[chosen], self.cohort.subject_of[chosen].astype(np.int64)))
        return classes

    def boxes(self) -> Iterator[Curve]:
        """Each class's five numbers over their places, and its outliers."""
        for name, values, _ in self._by_class():
            box = sample_quality.box(values)
            five = (box.low, box.first, box.median, box.third, box.high)
            yield self._curve("quality_box", name, (0.0, 0.25, 0.5, 0.75, 1.0), five)
            if box.outliers:
                outliers = box.outliers[:: 1 + len(box.outliers) // MAX_OUTLIERS]
                yield self._curve("quality_outliers", name, range(len(outliers)), outliers)

    def _curve(self, kind: str, group: str, x: Sequence[float], y: Sequence[float]) -> Curve:
        return Curve.of(EVERY_SYSTEM, kind, x, y, (self.schema, group), metric=self.spec.attribute)

    def means(self) -> Iterator[Estimate]:
        """Mean of each class with its interval, and the largest distance from their mean with its test."""
        classes = self._by_class()
        if len(classes) < 2:
            return
        attribute = self.spec.attribute
        at: AtKey = {"attribute": attribute}
        rng = np.random.default_rng(seed_of(self.audit.seed, NAME, self.schema, "means"))
        values, whose = [part for _, part, _ in classes], [who for _, _, who in classes]
        means = sample_quality.means(values, whose, self.audit.bootstrap.B, rng)
        few = [name for name, _, who in classes if np.unique(who).size < MIN_ERROR_SUBJECTS]
        low, high = means.bounds(self.alpha)
        for c, (name, _, _) in enumerate(classes):
            interval = self._interval(float(low[c]), float(high[c]), float(means.effective_subjects[c]))
            value, of = float(means.point[c]), (self.schema, name)
            yield Estimate.of(
                EVERY_SYSTEM, NAME, "quality_mean", value, attribute, of, at=at, intervals=(interval,)
            )
        test = (
            _untested(self.alpha, f"{few[0]} has fewer than {MIN_ERROR_SUBJECTS} subjects")
            if few
            else self._test(means)
        )
        of = (self.schema, "max")
        yield Estimate.of(
            EVERY_SYSTEM, NAME, "quality_spread", means.statistic, attribute, of, at=at, test=test
        )

    def _interval(self, low: float, high: float, subjects: float) -> Interval:
        if subjects < MIN_EFFECTIVE:
            return empty(Method.VERTEX, self.alpha, few_by_weight(subjects), Target.POPULATION)
        return Interval.of(low, high, self.alpha, Method.VERTEX, n_resamples=self.audit.bootstrap.B)

    def _test(self, means: sample_quality.Means) -> Test:
        return Test(
            p=means.p_value(self.alpha),
            null_median=means.null(0.5, self.alpha),
            null_edge=means.null(1 - self.alpha, self.alpha),
            alpha=self.alpha,
            n_resamples=len(means.drawn),
            method=TestMethod.CENTRED_CURVES,
            detectable=means.detectable(self.alpha),
            detectable_unit=f"distance of one class's mean {self.spec.attribute} from the mean of the classes",
            power=POWER,
        )


def _stratum(
    system: SystemData, by_class: ClassScores, chosen: list[Flags], at: AtKey, alpha: float
) -> Iterator[Estimate]:
    """d_l2 of each class and the largest, of the comparisons that are chosen."""
    make = partial(Estimate.of, system.provider, NAME, "d_l2_within", at=at)
    counts = [np.unique(who[flags]).size for who, flags in zip(by_class.subjects, chosen, strict=True)]
    if min(counts) < MIN_ERROR_SUBJECTS:
        few = by_class.names[int(np.argmin(counts))]
        schema = system.cohort.classifications[by_class.schema]
        label = dict(zip(schema.classes, schema.labels, strict=True)).get(few, few)
        note = (
            f"{label} has {counted(min(counts), 'subject')} in this stratum; {MIN_ERROR_SUBJECTS} are needed"
        )
        yield make(None, of=(by_class.schema, "max"), test=_untested(alpha, note), note=note)
        return
    scaled = [
        d_l2.to_scale(s[flags], by_class.score_range)
        for s, flags in zip(by_class.scores, chosen, strict=True)
    ]
    classes = Classes.of(scaled, [who[flags] for who, flags in zip(by_class.subjects, chosen, strict=True)])
    seed = seed_of(system.spec.seed, NAME, by_class.schema, str(at["stratum"]))
    rng, n = np.random.default_rng(seed), system.spec.bootstrap.B
    shares = np.full(len(counts), 1 / len(counts))
    spread = d_l2_spaces.spread_bootstrap(classes, Axis(space=Space.QUANTILE), shares=shares, n=n, rng=rng)
    once = class_curves.once(classes.sizes)
    # mean of class minus overall: which way each class lies
    middle = (np.arange(class_curves.LEVELS) + 0.5) / class_curves.LEVELS
    apart = class_curves.from_overall(class_curves.quantiles(classes, middle, once)[0], shares)
    direction = np.asarray(apart.mean(axis=-1))
    for c, name in enumerate(by_class.names):
        value = float(np.sqrt(spread.point[c]))
        note = "below overall on average" if direction[c] < 0 else "above overall on average"
        yield make(value, of=(by_class.schema, name), note=note)
    # of all comparisons ``interclass`` has the test: a second one would only enlarge the family
    test = None if at["stratum"] == "all" else classes_alike(spread, alpha)
    yield make(float(np.sqrt(spread.point.max())), of=(by_class.schema, "max"), test=test)


def _untested(alpha: float, note: str) -> Test:
    method = TestMethod.CENTRED_CURVES
    return Test(p=None, alpha=alpha, method=method, detectable_unit=CLASS_MOVED, power=POWER, note=note)
