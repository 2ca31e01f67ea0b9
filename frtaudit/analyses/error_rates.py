"""FMR and FNMR at FMR targets and at thresholds, for everybody and for every group; EER; DET."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from frtaudit.core import Curve, Estimate
from frtaudit.core.registry import register
from frtaudit.core.spec import Weighting
from frtaudit.errors import SpecError
from frtaudit.evaluation.intervals import (
    PLAN_OF,
    SHARE,
    At,
    OperatingPoint,
    RateSummary,
    intervals_of,
    rate_estimate,
    read,
)
from frtaudit.evaluation.system import WEIGHTINGS, AnalysisOutput, SystemData
from frtaudit.evaluation.threshold_intervals import Inversion, inversion
from frtaudit.stats.rates import rates
from frtaudit.stats.rates.censoring import eer_hidden
from frtaudit.stats.rates.sums import BelowFloorError

NAME = "error_rates"
MIN_POINTS = 2


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRates:
    """Error rates at targets and thresholds, EER and DET curves."""

    curve_points: int = 200
    nameless = True  # rates of comparisons need no subjects

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for a curve without points."""
        if self.curve_points < MIN_POINTS:
            found = f"found {self.curve_points}"
            raise SpecError(f"analyses.{NAME}.curve_points", found, f"{MIN_POINTS} or more")

    def estimates(self, trial: SystemData, alpha: float) -> AnalysisOutput:
        """Everything that is read off one provider's scores at a threshold."""
        found = (*_at_targets(trial, alpha), *_at_thresholds(trial, alpha), _eer(trial))
        return AnalysisOutput(
            estimates=found,
            curves=tuple(_curves(trial, self.curve_points)),
            notes=tuple(f"{trial.provider}: {note}" for note in _warnings(trial)),
        )


def _warnings(trial: SystemData) -> list[str]:
    return [trial.warned[a] or "" for a in trial.points.declared if trial.warned[a] and not trial.resolved[a]]


def _at_targets(trial: SystemData, alpha: float) -> Iterator[Estimate]:
    inverted = inversion(trial)
    for a in trial.points.declared:
        target = trial.points.targets[a]
        for w, weighting in enumerate(WEIGHTINGS):
            threshold = float(trial.points.at_target[w, a])
            yield _threshold(trial, weighting, a, threshold, alpha, inverted)
            for tag, schema, group in trial.tags():
                for metric, rate in (("fnmr_at_fmr", "fnmr"), ("fmr", "fmr")):
                    at: At = {"fmr": target}
                    if not np.isfinite(threshold):
                        yield _refused(trial, metric, schema, group, weighting, at, a)
                        continue
                    place = OperatingPoint(
                        rate=rate, weighting=weighting, tag=tag, threshold=threshold, point=a
                    )
                    yield rate_estimate(trial, NAME, metric, schema, group, at, place, alpha)


def _at_thresholds(trial: SystemData, alpha: float) -> Iterator[Estimate]:
    first = len(trial.points.targets)
    for t, (threshold, origin) in enumerate(zip(trial.points.thresholds, trial.points.origin, strict=True)):
        beyond = trial.censoring.beyond(threshold)
        for weighting in WEIGHTINGS:
            for tag, schema, group in trial.tags():
                for rate in ("fmr", "fnmr"):
                    at: At = {"threshold": threshold, **origin}
                    if beyond is not None:
                        yield _without(trial, rate, schema, group, weighting, at, beyond)
                        continue
                    place = OperatingPoint(
                        rate=rate, weighting=weighting, tag=tag, threshold=threshold, point=first + t
                    )
                    yield rate_estimate(trial, NAME, rate, schema, group, at, place, alpha)


def _threshold(
    trial: SystemData, weighting: Weighting, a: int, threshold: float, alpha: float, inverted: Inversion
) -> Estimate:
    target = trial.points.targets[a]
    if not np.isfinite(threshold):
        return _refused(trial, "threshold_at_fmr", None, "all", weighting, {"fmr": target}, a)
    w = WEIGHTINGS.index(weighting)
    place = OperatingPoint(rate="fmr", weighting=weighting, tag=0, threshold=threshold, point=a)
    counted = read(trial, place)
    reading = RateSummary(
        value=threshold,
        vstat=threshold,
        errors=counted.errors,
        trials=counted.trials,
        erring=counted.erring,
        replicates={plan: drawn.t_star[w, :, a] for plan, drawn in trial.replicates.items()},
        missing=counted.missing,
        rule=lambda level: inverted.interval(target, threshold, weighting, level),
    )
    wanted = [spec for spec in trial.intervals if spec.method in PLAN_OF]
    return Estimate.of(
        trial.provider,
        NAME,
        "threshold_at_fmr",
        threshold,
        "score",
        at={"fmr": target},
        weighting=weighting.value,
        intervals=intervals_of(reading, wanted, alpha),
    )


def _refused(
    trial: SystemData, metric: str, schema: str | None, group: str, weighting: Weighting, at: At, a: int
) -> Estimate:
    note = trial.refused(WEIGHTINGS.index(weighting), a)
    return _without(trial, metric, schema, group, weighting, at, note)


def _without(
    trial: SystemData,
    metric: str,
    schema: str | None,
    group: str,
    weighting: Weighting,
    at: At,
    note: str | None,
) -> Estimate:
    """No value, and why."""
    return Estimate.of(
        trial.provider,
        NAME,
        metric,
        None,
        "score" if metric == "threshold_at_fmr" else SHARE,
        of=(schema, group),
        at=at,
        weighting=weighting.value,
        note=note,
    )


def _eer(trial: SystemData) -> Estimate:
    """FORMULAS 8.14; its interval is not offered: note says so."""
    found, note = None, "needs mated and non-mated comparisons"
    if trial.trials.mated[0] and trial.trials.non_mated[0]:
        try:
            found = rates.eer(trial.tail, trial.groups)
            note = f"at threshold {found.threshold:.6g}"
            refused = eer_hidden(trial.censoring, found.threshold, found.fmr, found.fnmr)
            found, note = (found, note) if refused is None else (None, refused)
        except BelowFloorError:
            note = "it lies below the floor of the kept tail"
    return Estimate.of(
        trial.provider,
        NAME,
        "eer",
        None if found is None else found.value,
        SHARE,
        weighting=Weighting.POOLED.value,
        note=note,
    )


def _curves(trial: SystemData, points: int) -> Iterator[Curve]:
    """DET (FNMR over FMR) and both rates over the threshold, pooled, for everybody and every group."""
    for tag, schema, group in trial.tags():
        if not trial.trials.mated[tag] or not trial.trials.non_mated[tag]:
            continue
        curve = rates.curve(trial.tail, trial.groups, tag, points)
        over = {
            "det": (curve.fmr, curve.fnmr),
            "fmr": (curve.thresholds, curve.fmr),
            "fnmr": (curve.thresholds, curve.fnmr),
        }
        for kind, (x, y) in over.items():
            yield Curve(
                provider=trial.provider,
                analysis=kind,
                schema=schema,
                group=group,
                weighting=Weighting.POOLED.value,
                x=tuple(x.tolist()),
                y=tuple(y.tolist()),
            )
