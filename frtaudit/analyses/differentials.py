"""Differences between groups: indices of FMR and FNMR at a common threshold, and the strictest group's threshold."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from frtaudit.core import Estimate, Interval, Method, Target
from frtaudit.core.spec import IntervalSpec, Plan, Weighting
from frtaudit.errors import SpecError
from frtaudit.inference import (
    MIN_ERRING,
    MIN_ERRORS,
    SHARE,
    At,
    Place,
    Reading,
    empty,
    finite,
    intervals_of,
    rate_estimate,
    read,
)
from frtaudit.registry import register
from frtaudit.stats import contrasts, differentials
from frtaudit.stats.resolution import unresolved
from frtaudit.trial import PLAN_OF, WEIGHTINGS, Outcome, Trial

NAME = "differentials"
SIMPLE = ("max_min", "max_geomean", "log_geomean", "gini")
COMPOSITE = ("fdr", "inequity_rate", "garbe")
Floats = npt.NDArray[np.float64]
Index = Callable[[Mapping[str, Floats]], Floats | float]
Bounds = tuple[float, float]
Ranged = Callable[[Mapping[str, contrasts.Box], Mapping[str, Floats]], Bounds | None]
PARTS = 10


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class Differentials:
    """Differential indices per schema, and rates at the threshold where the largest group FMR meets the target.

    ``weight``: what FMR weighs in the composite indices (FDR, inequity rate, GARBE), the rest is FNMR's.
    """

    weight: float = 0.5

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for a weight that is no share."""
        if not 0 <= self.weight <= 1:
            raise SpecError(f"analyses.{NAME}.weight", f"found {self.weight:g}", "a number from 0 to 1")

    def estimates(self, trial: Trial, alpha: float) -> Outcome:
        """All indices of every schema at every declared target, in both weightings."""
        found = [item for view in _views(trial) for item in self._indices(view, alpha)]
        return Outcome(estimates=(*found, *_at_max_group(trial, alpha)))

    def _indices(self, view: "View", alpha: float) -> Iterator[Estimate]:
        for rate in ("fmr", "fnmr"):
            for kind in SIMPLE:
                yield _simple(view, kind, rate, alpha)
        for kind in COMPOSITE:
            yield _composite(view, kind, self.weight, alpha)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The ranked groups of one schema at one target: readings of both rates, in the schema's order."""

    trial: Trial
    schema: str
    weighting: Weighting
    target: float
    refused: str | None
    readings: Mapping[str, tuple[Reading, ...]]

    def values(self, rate: str) -> Floats:
        """Rates of the groups, shape (G,)."""
        return np.array([reading.value for reading in self.readings[rate]])

    def centred(self, rate: str) -> Floats:
        """V-statistic versions, shape (G,)."""
        return np.array([reading.vstat for reading in self.readings[rate]])

    def drawn(self, rate: str, plan: Plan) -> Floats | None:
        """Replicates of the groups' rates, shape (B, G), or None where the plan was not drawn."""
        parts = [reading.replicates.get(plan) for reading in self.readings[rate]]
        known = [part for part in parts if part is not None]
        return np.stack(known, axis=1) if len(known) == len(parts) else None

    def thin(self, rates: tuple[str, ...]) -> str | None:
        """Why the groups cannot be compared (FORMULAS 8.5), or None."""
        for rate in rates:
            for group, reading in zip(self.groups(), self.readings[rate], strict=True):
                if reading.errors < MIN_ERRORS or reading.erring < MIN_ERRING:
                    return (
                        f"{group} has {reading.errors} {rate.upper()} errors of {reading.erring} subjects; "
                        f"a comparison of groups needs {MIN_ERRORS} of {MIN_ERRING} in each"
                    )
        return None

    def groups(self) -> tuple[str, ...]:
        """Names of the ranked groups."""
        return self.trial.cohort.classifications[self.schema].classes


def _views(trial: Trial) -> Iterator[View]:
    for schema in trial.groups.schemas:
        for a in trial.points.declared:
            for w, weighting in enumerate(WEIGHTINGS):
                threshold = float(trial.points.at_target[w, a])
                refused = trial.resolved[a]
                if refused is None and not np.isfinite(threshold):
                    refused = "the threshold lies below the floor of the kept tail"
                yield View(
                    trial=trial,
                    schema=schema,
                    weighting=weighting,
                    target=trial.points.targets[a],
                    refused=refused,
                    readings={} if refused else _readings(trial, schema, weighting, threshold, a),
                )


def _tags(trial: Trial, schema: str) -> list[int]:
    flags = zip(trial.groups.names, trial.groups.ranked, strict=True)
    return [index + 1 for index, ((name, _), ranked) in enumerate(flags) if ranked and name == schema]


def _readings(
    trial: Trial, schema: str, weighting: Weighting, threshold: float, a: int
) -> dict[str, tuple[Reading, ...]]:
    return {
        rate: tuple(
            read(trial, Place(rate=rate, weighting=weighting, tag=tag, threshold=threshold, point=a))
            for tag in _tags(trial, schema)
        )
        for rate in ("fmr", "fnmr")
    }


def _simple(view: View, kind: str, rate: str, alpha: float) -> Estimate:
    at: At = {"fmr": view.target, "rate": rate}
    if view.refused:
        return _estimate(view, kind, at, None, (), view.refused)
    values = view.values(rate)
    value = float(differentials.rate_index(kind, values))
    made = tuple(
        _fixed(view, spec, alpha, value, lambda rates: differentials.rate_index(kind, rates[rate]), (rate,))
        for spec in view.trial.intervals
        if spec.target is Target.FIXED_IDENTITIES
    )
    population = _population(
        view,
        (rate,),
        alpha,
        lambda boxes, drawn: _simple_range(
            kind, boxes[rate], view.values(rate), drawn[rate], _once(view, alpha)
        ),
    )
    return _estimate(view, kind, at, value, (*made, population), None)


def _simple_range(
    kind: str, box: contrasts.Box, values: Floats, drawn: Floats, alpha: float
) -> Bounds | None:
    if kind == "max_min":
        return contrasts.log_ratios(values, drawn, alpha)
    return contrasts.index_range(lambda rates: differentials.rate_index(kind, rates), box)


def _composite(view: View, kind: str, weight: float, alpha: float) -> Estimate:
    at: At = {"fmr": view.target, "weight": weight}
    if view.refused:
        return _estimate(view, kind, at, None, (), view.refused)
    index = {
        "fdr": differentials.fdr,
        "inequity_rate": differentials.inequity_rate,
        "garbe": differentials.garbe,
    }[kind]
    value = float(index(view.values("fmr"), view.values("fnmr"), weight))
    both = ("fmr", "fnmr")
    made = tuple(
        _fixed(view, spec, alpha, value, lambda rates: index(rates["fmr"], rates["fnmr"], weight), both)
        for spec in view.trial.intervals
        if spec.target is Target.FIXED_IDENTITIES
    )
    population = _population(view, both, alpha, lambda boxes, _: _composite_range(kind, boxes, weight))
    return _estimate(view, kind, at, value, (*made, population), None)


def _composite_range(
    kind: str, boxes: Mapping[str, contrasts.Box], weight: float
) -> tuple[float, float] | None:
    if kind == "fdr":
        fmr, fnmr = contrasts.gap_range(boxes["fmr"]), contrasts.gap_range(boxes["fnmr"])
        low, high = (1 - weight * fmr[end] - (1 - weight) * fnmr[end] for end in (1, 0))
        return low, high
    part = "max_min" if kind == "inequity_rate" else "gini"
    ranges = [
        contrasts.index_range(lambda rates: differentials.rate_index(part, rates), boxes[rate])
        for rate in ("fmr", "fnmr")
    ]
    if ranges[0] is None or ranges[1] is None:
        return None
    pairs = zip(*ranges, strict=True)
    if kind == "garbe":
        low, high = (weight * fmr + (1 - weight) * fnmr for fmr, fnmr in pairs)
    else:
        low, high = (fmr**weight * fnmr ** (1 - weight) for fmr, fnmr in pairs)
    return low, high


def _fixed(
    view: View, spec: IntervalSpec, alpha: float, value: float, index: Index, rates: tuple[str, ...]
) -> Interval:
    """Naive, recentered or Gaussian interval of an index: gap = F(FRR*) - F(FRRbar) (002 A.1, FORMULAS 1)."""
    plan = PLAN_OF[spec.method]
    drawn = {rate: view.drawn(rate, plan) for rate in rates}
    known = {rate: found for rate, found in drawn.items() if found is not None}
    reason = view.thin(rates)
    if reason or len(known) < len(drawn):
        return empty(spec.method, alpha, reason or "no replicates at this point")
    reading = Reading(
        value=value,
        vstat=float(index({rate: view.centred(rate) for rate in rates})),
        errors=min(reading.errors for rate in rates for reading in view.readings[rate]),
        trials=min(reading.trials for rate in rates for reading in view.readings[rate]),
        erring=min(reading.erring for rate in rates for reading in view.readings[rate]),
        replicates={plan: np.asarray(index(known), dtype=np.float64)},
    )
    return intervals_of(reading, [spec], alpha)[0]


def _population(view: View, rates: tuple[str, ...], alpha: float, ranged: Ranged) -> Interval:
    """FORMULAS 8.6: extremes of the index over the simultaneous rectangle of the rates."""
    reason = view.thin(rates)
    if reason:
        return empty(Method.MAX_T, alpha, reason)
    drawn = [part for rate in rates if (part := view.drawn(rate, Plan.SUBJECTS)) is not None]
    if len(drawn) < len(rates):
        return empty(Method.MAX_T, alpha, "needs subject replicates")
    alpha = _once(view, alpha)
    bounds = _over_box(view, rates, drawn, alpha, ranged)
    if bounds is None:
        return empty(Method.MAX_T, alpha, "a group's rate is zero or undefined in too many replicates")
    return Interval(
        low=bounds[0],
        high=bounds[1],
        level=1 - alpha,
        method=Method.MAX_T,
        target=Target.POPULATION,
        n_resamples=view.trial.spec.bootstrap.B,
        mc_error=_mc_error(view, rates, drawn, alpha, ranged),
    )


def _once(view: View, alpha: float) -> float:
    """The audit's alpha also where one-sided bounds are asked for (at twice that).

    An index folds both directions of a difference into one, so that each of its bounds errs as often as the rectangle.
    """
    return min(alpha, view.trial.spec.bootstrap.alpha)


def _over_box(
    view: View, rates: tuple[str, ...], drawn: list[Floats], alpha: float, ranged: Ranged
) -> Bounds | None:
    values = contrasts.stacked([view.values(rate) for rate in rates])
    box = contrasts.log_box(values, contrasts.stacked(drawn), alpha)
    if box is None:
        return None
    parts = contrasts.split(box, len(view.groups())) if len(rates) == 2 else (box,)
    return ranged(dict(zip(rates, parts, strict=True)), dict(zip(rates, drawn, strict=True)))


def _mc_error(
    view: View, rates: tuple[str, ...], drawn: list[Floats], alpha: float, ranged: Ranged
) -> float | None:
    """Monte Carlo standard error of the bounds, the larger of both: delete-a-tenth jackknife of the replicates."""
    part = np.arange(len(drawn[0])) % PARTS
    left = [
        _over_box(view, rates, [item[part != one] for item in drawn], alpha, ranged) for one in range(PARTS)
    ]
    known = np.array([bounds for bounds in left if bounds is not None])
    if len(known) < PARTS:
        return None
    return finite(float(np.sqrt((PARTS - 1) * known.var(axis=0)).max()))


def _estimate(
    view: View, metric: str, at: At, value: float | None, intervals: tuple[Interval, ...], note: str | None
) -> Estimate:
    return Estimate(
        provider=view.trial.provider,
        analysis=NAME,
        metric=metric,
        schema=view.schema,
        group="all",
        weighting=view.weighting.value,
        at=at,
        value=value,
        numerator=None,
        denominator=None,
        unit="index",
        intervals=intervals,
        note=note,
    )


def _at_max_group(trial: Trial, alpha: float) -> Iterator[Estimate]:
    """Rates at the threshold where the largest group FMR meets the target (002, remark on the group-wise threshold)."""
    for s, schema in enumerate(trial.groups.schemas):
        tags = {0: "all"} | {tag: trial.groups.names[tag - 1][1] for tag in _tags(trial, schema)}
        for a in trial.points.declared:
            for w, weighting in enumerate(WEIGHTINGS):
                threshold = float(trial.max_points[w, s, a])
                at: At = {"fmr": trial.points.targets[a], "threshold_of": "max_group", "schema": schema}
                note = _unresolved_group(trial, schema, a) or (
                    None
                    if np.isfinite(threshold)
                    else trial.resolved[a] or "below the floor of the kept tail"
                )
                yield _max_threshold(trial, schema, weighting, at, threshold, note)
                for tag, group in tags.items():
                    own = schema if tag else None
                    if note:
                        yield _no_rate(trial, own, group, weighting, at, note)
                        continue
                    place = Place(
                        rate="fnmr", weighting=weighting, tag=tag, threshold=threshold, point=a, schema=s
                    )
                    yield rate_estimate(trial, NAME, "fnmr_at_fmr", own, group, at, place, alpha)


def _unresolved_group(trial: Trial, schema: str, a: int) -> str | None:
    """Why a group's own FMR cannot be resolved at the target (FORMULAS 8.4), naming the smallest target."""
    for tag in _tags(trial, schema):
        reason = unresolved(trial.points.targets[a], int(trial.trials.non_mated[tag]))
        if reason:
            return f"{schema} {trial.groups.names[tag - 1][1]}: {reason}"
    return None


def _max_threshold(
    trial: Trial, schema: str, weighting: Weighting, at: At, threshold: float, note: str | None
) -> Estimate:
    return Estimate(
        provider=trial.provider,
        analysis=NAME,
        metric="threshold_at_fmr",
        schema=schema,
        group="max",
        weighting=weighting.value,
        at=at,
        value=None if note else threshold,
        numerator=None,
        denominator=None,
        unit="score",
        note=note,
    )


def _no_rate(
    trial: Trial, schema: str | None, group: str, weighting: Weighting, at: At, note: str
) -> Estimate:
    return Estimate(
        provider=trial.provider,
        analysis=NAME,
        metric="fnmr_at_fmr",
        schema=schema,
        group=group,
        weighting=weighting.value,
        at=at,
        value=None,
        numerator=None,
        denominator=None,
        unit=SHARE,
        note=note,
    )
