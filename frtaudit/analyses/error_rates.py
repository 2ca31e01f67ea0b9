"""FMR and FNMR at FMR targets and at thresholds, for everybody and for every group; EER; DET."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from frtaudit.core import Curve, Estimate
from frtaudit.core.registry import register
from frtaudit.core.spec import Weighting
from frtaudit.errors import SpecError
from frtaudit.evaluation.intervals import PLAN_OF, AtKey, RateSummary, intervals_of
from frtaudit.evaluation.operating_points import OperatingPoint, rate_estimate, read
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
            text = f"found {self.curve_points}"
            raise SpecError(f"analyses.{NAME}.curve_points", text, f"{MIN_POINTS} or more")

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """Everything that is read off one provider's scores at a threshold."""
        estimates = (*_at_targets(system, alpha), *_at_thresholds(system, alpha), _eer(system))
        return AnalysisOutput(
            estimates=estimates,
            curves=tuple(_curves(system, self.curve_points)),
            notes=tuple(
                f"{system.provider}: {system.warned[a]}"
                for a in system.operating_points.declared
                if system.warned[a] and not system.resolved[a]
            ),
        )


def _at_targets(system: SystemData, alpha: float) -> Iterator[Estimate]:
    inverted = inversion(system)
    for a in system.operating_points.declared:
        target = system.operating_points.targets[a]
        for w, weighting in enumerate(WEIGHTINGS):
            threshold = float(system.operating_points.at_target[w, a])
            yield _threshold(system, weighting, a, threshold, alpha, inverted)
            for group_index, schema, group in system.every_group():
                for metric, rate in (("fnmr_at_fmr", "fnmr"), ("fmr", "fmr")):
                    at: AtKey = {"fmr": target}
                    if not np.isfinite(threshold):
                        yield _without(system, metric, (schema, group), weighting, at, system.refused(w, a))
                        continue
                    place = OperatingPoint(rate, weighting, group_index, threshold, a)
                    yield rate_estimate(system, NAME, metric, schema, group, at, place, alpha)


def _at_thresholds(system: SystemData, alpha: float) -> Iterator[Estimate]:
    first = len(system.operating_points.targets)
    for t, (threshold, origin) in enumerate(
        zip(system.operating_points.thresholds, system.operating_points.origin, strict=True)
    ):
        beyond = system.censoring.beyond(threshold)
        for weighting in WEIGHTINGS:
            for group_index, schema, group in system.every_group():
                for rate in ("fmr", "fnmr"):
                    at: AtKey = {"threshold": threshold, **origin}
                    if beyond is not None:
                        yield _without(system, rate, (schema, group), weighting, at, beyond)
                        continue
                    place = OperatingPoint(rate, weighting, group_index, threshold, first + t)
                    yield rate_estimate(system, NAME, rate, schema, group, at, place, alpha)


def _threshold(
    system: SystemData, weighting: Weighting, a: int, threshold: float, alpha: float, inverted: Inversion
) -> Estimate:
    target = system.operating_points.targets[a]
    at: AtKey = {"fmr": target}
    w = WEIGHTINGS.index(weighting)
    if not np.isfinite(threshold):
        return _without(system, "threshold_at_fmr", (None, "all"), weighting, at, system.refused(w, a))
    counted = read(system, OperatingPoint("fmr", weighting, 0, threshold, a))
    summary = RateSummary(
        value=threshold,
        vstat=threshold,
        errors=counted.errors,
        trials=counted.trials,
        subjects_with_errors=counted.subjects_with_errors,
        replicates={plan: drawn.t_star[w, :, a] for plan, drawn in system.replicates.items()},
        missing=counted.missing,
        rule=lambda level: inverted.interval(target, threshold, weighting, level),
        is_rate=False,
    )
    wanted = [spec for spec in system.intervals if spec.method in PLAN_OF]
    return Estimate.of(
        system.provider,
        NAME,
        "threshold_at_fmr",
        threshold,
        at=at,
        weighting=weighting.value,
        intervals=intervals_of(summary, wanted, alpha),
    )


def _without(
    system: SystemData,
    metric: str,
    of: tuple[str | None, str],
    weighting: Weighting,
    at: AtKey,
    note: str | None,
) -> Estimate:
    """No value, and why."""
    return Estimate.of(
        system.provider, NAME, metric, None, of=of, at=at, weighting=weighting.value, note=note
    )


def _eer(system: SystemData) -> Estimate:
    """FORMULAS 8.14; its interval is not offered: note says so."""
    eer, note = None, "needs mated and non-mated comparisons"
    if system.trials.mated[0] and system.trials.non_mated[0]:
        try:
            eer = rates.eer(system.tail, system.groups)
            note = f"at threshold {eer.threshold:.6g}"
            refused = eer_hidden(system.censoring, eer.threshold, eer.fmr, eer.fnmr)
            eer, note = (eer, note) if refused is None else (None, refused)
        except BelowFloorError:
            note = "it lies below the floor of the kept tail"
    value = None if eer is None else eer.value
    return Estimate.of(system.provider, NAME, "eer", value, weighting=Weighting.POOLED.value, note=note)


def _curves(system: SystemData, points: int) -> Iterator[Curve]:
    """DET (FNMR over FMR) and both rates over the threshold, pooled, for everybody and every group."""
    for group_index, schema, group in system.every_group():
        if not system.trials.mated[group_index] or not system.trials.non_mated[group_index]:
            continue
        curve = rates.curve(system.tail, system.groups, group_index, points)
        over = {
            "det": (curve.fmr, curve.fnmr),
            "fmr": (curve.thresholds, curve.fmr),
            "fnmr": (curve.thresholds, curve.fnmr),
        }
        for kind, (x, y) in over.items():
            yield Curve.of(system.provider, kind, x, y, (schema, group), weighting=Weighting.POOLED.value)
