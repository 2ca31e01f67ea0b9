"""Interclass bias by subject (Pena-Alcantara): d_l2 of each class from the mean of the classes, TAR curves."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from frtaudit.canonical import seed_of
from frtaudit.core import Curve, Estimate, Interval, Method, Target
from frtaudit.errors import SpecError
from frtaudit.inference import empty, finite
from frtaudit.registry import register
from frtaudit.stats import interclass
from frtaudit.stats.interclass import Space
from frtaudit.trial import Outcome, Trial

NAME = "interclass"
UNITS = {
    Space.QUANTILE: "points of the score range mapped to 0..100",
    Space.TAR: "TAR (0..1) times the root of points of the score range mapped to 0..100",
}
MIN_SUBJECTS = 2
MIN_NUMBER = 2
Floats = npt.NDArray[np.float64]


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
            found = f"found {self.alpha:g}"
            raise SpecError(f"analyses.{NAME}.alpha", found, "a number between 0 and 1, both excluded")
        for key in ("B", "curve_points"):
            if getattr(self, key) < MIN_NUMBER:
                raise SpecError(
                    f"analyses.{NAME}.{key}", f"found {getattr(self, key)}", f"{MIN_NUMBER} or more"
                )

    def estimates(self, trial: Trial, alpha: float) -> Outcome:
        """All schemas with at least two classes that have mated scores."""
        found: list[Estimate] = []
        curves: list[Curve] = []
        notes: list[str] = []
        for schema in trial.groups.schemas:
            panel, missing = _classes(trial, schema)
            notes += [
                f"{trial.provider}: {schema} {name} has no mated comparison, so no d_l2" for name in missing
            ]
            if len(panel.names) >= MIN_SUBJECTS:
                found += self._schema(trial, panel, alpha)
                curves += _curves(trial, panel, self.curve_points)
        return Outcome(estimates=tuple(found), curves=tuple(curves), notes=tuple(notes))

    def _schema(self, trial: Trial, panel: "Panel", alpha: float) -> Iterator[Estimate]:
        thesis = self._thesis(trial, panel, alpha)
        population = _population(trial, panel, alpha)
        for space in Space:
            values = interclass.d_l2(panel.scores, panel.score_range, space)
            pairs = interclass.d_l2_pairs(panel.scores, panel.score_range, space)
            quantile = space is Space.QUANTILE
            for c, name in enumerate(panel.names):
                made = (thesis[c], population[c]) if quantile else ()
                yield _estimate(trial, panel, name, space, float(values[c]), made)
            for first in range(len(panel.names)):
                for second in range(first + 1, len(panel.names)):
                    group = f"{panel.names[first]}|{panel.names[second]}"
                    between = (self._between(trial, panel, first, second, alpha),) if quantile else ()
                    yield _estimate(trial, panel, group, space, float(pairs[first, second]), between)
            most = (_largest(thesis), _largest(population)) if quantile else ()
            yield _estimate(trial, panel, "max", space, float(values.max()), most)

    def _between(self, trial: Trial, panel: "Panel", first: int, second: int, alpha: float) -> Interval:
        """The thesis's interval of class minus class: twice that of either class from the mean of the two."""
        two = replace(
            panel,
            names=(panel.names[first], panel.names[second]),
            scores=(panel.scores[first], panel.scores[second]),
            subjects=(panel.subjects[first], panel.subjects[second]),
        )
        half = self._thesis(trial, two, alpha)[0]
        return replace(half, low=2 * (half.low or 0.0), high=2 * (half.high or 0.0))

    def _thesis(self, trial: Trial, panel: "Panel", alpha: float) -> tuple[Interval, ...]:
        """The thesis's interval at its own alpha (twice that where one-sided bounds are asked for)."""
        share = alpha / trial.spec.bootstrap.alpha
        level = min(self.alpha * share, 0.5)
        seed = seed_of(trial.spec.seed, NAME, "thesis", panel.schema, *panel.names)
        table = interclass.thesis_bootstrap(
            panel.scores, panel.score_range, alpha=level, n=self.B, rng=np.random.default_rng(seed)
        )
        return tuple(
            Interval(
                low=float(low),
                high=float(high),
                level=1 - level,
                method=Method.T_BOOTSTRAP,
                target=Target.COMPARISONS_IID,
                n_resamples=self.B,
                note="the norm of a pointwise band: no test of a difference",
            )
            for low, high in zip(table.lower, table.upper, strict=True)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Mated scores pooled within each class of one schema, and the subject of each score."""

    schema: str
    names: tuple[str, ...]
    scores: tuple[Floats, ...]
    subjects: tuple[npt.NDArray[np.int64], ...]
    score_range: tuple[float, float]


def _classes(trial: Trial, schema: str) -> tuple[Panel, list[str]]:
    tail, groups = trial.tail, trial.groups
    subject = tail.subject_of[tail.mated_i]
    own = groups.of[groups.schemas.index(schema)][subject]
    kept, missing = [], []
    for index, (name, label) in enumerate(groups.names):
        if name != schema or not groups.ranked[index]:
            continue
        chosen = own == index
        if bool(chosen.any()):
            kept.append(
                (label, tail.mated_score[chosen].astype(np.float64), subject[chosen].astype(np.int64))
            )
        else:
            missing.append(label)
    panel = Panel(
        schema=schema,
        names=tuple(item[0] for item in kept),
        scores=tuple(item[1] for item in kept),
        subjects=tuple(item[2] for item in kept),
        score_range=tail.score_range,
    )
    return panel, missing


def _population(trial: Trial, panel: Panel, alpha: float) -> tuple[Interval, ...]:
    """FORMULAS 8.7: subjects resampled within classes."""
    few = [
        name
        for name, who in zip(panel.names, panel.subjects, strict=True)
        if len(np.unique(who)) < MIN_SUBJECTS
    ]
    if few:
        note = f"{few[0]} has fewer than {MIN_SUBJECTS} subjects with mated comparisons"
        return tuple(empty(Method.VERTEX_GAUSSIAN, alpha, note) for _ in panel.names)
    seed = seed_of(trial.spec.seed, NAME, "population", panel.schema)
    table = interclass.population_bootstrap(
        panel.scores,
        panel.subjects,
        panel.score_range,
        alpha=alpha,
        n=trial.spec.bootstrap.B,
        rng=np.random.default_rng(seed),
    )
    return tuple(
        Interval(
            low=float(low),
            high=float(high),
            level=1 - alpha,
            method=Method.VERTEX_GAUSSIAN,
            target=Target.POPULATION,
            n_resamples=table.n_resamples,
            mc_error=finite(float(error)),
            note=f"all classes alike: p = {table.p_value:.4g}",
        )
        if low < high
        else empty(Method.VERTEX_GAUSSIAN, alpha, "degenerate: truncated at 0 on both sides")
        for low, high, error in zip(table.low, table.high, table.mc_error, strict=True)
    )


def _largest(parts: tuple[Interval, ...]) -> Interval:
    """Maximum over classes of each bound separately (FORMULAS 3, ambiguity i)."""
    lows = [part.low for part in parts if part.low is not None]
    highs = [part.high for part in parts if part.high is not None]
    if len(lows) < len(parts):
        return next(part for part in parts if part.low is None)
    first = parts[0]
    return Interval(
        low=max(lows),
        high=max(highs),
        level=first.level,
        method=first.method,
        target=first.target,
        n_resamples=first.n_resamples,
        mc_error=max((part.mc_error for part in parts if part.mc_error is not None), default=None),
        note="the largest lower and the largest upper bound over the classes, each taken by itself",
    )


def _estimate(
    trial: Trial, panel: Panel, group: str, space: Space, value: float, intervals: tuple[Interval, ...]
) -> Estimate:
    return Estimate(
        provider=trial.provider,
        analysis=NAME,
        metric="d_l2",
        schema=panel.schema,
        group=group,
        weighting=None,
        at={"space": space.value},
        value=value,
        numerator=None,
        denominator=None,
        unit=UNITS[space],
        intervals=intervals,
    )


def _curves(trial: Trial, panel: Panel, points: int) -> Iterator[Curve]:
    """The threshold (0..100) as a function of the TAR, per class and on average, and class minus average."""
    tar = np.linspace(0.0, 1.0, points + 2)[1:-1]
    thresholds = interclass.threshold_curves(panel.scores, tar, panel.score_range)
    mean = thresholds.mean(axis=0)
    for name, curve in zip((*panel.names, "all"), (*thresholds, mean), strict=True):
        yield _curve(trial, panel, "tar", name, tar, curve)
        if name != "all":
            yield _curve(trial, panel, "tar_difference", name, tar, curve - mean)


def _curve(trial: Trial, panel: Panel, kind: str, group: str, x: Floats, y: Floats) -> Curve:
    return Curve(
        provider=trial.provider,
        analysis=kind,
        schema=panel.schema,
        group=group,
        weighting=None,
        x=tuple(x.tolist()),
        y=tuple(y.tolist()),
    )
