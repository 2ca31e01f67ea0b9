"""How each class's rate compares with the overall rate, the class included: what NIST SP 800-63A-4 puts a limit on."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from frtaudit.core import Estimate, Interval
from frtaudit.core.arrays import Floats
from frtaudit.core.registry import register
from frtaudit.core.spec import Plan, ThresholdSource
from frtaudit.evaluation.intervals import HELD, AtKey, from_bounds
from frtaudit.evaluation.system import WEIGHTINGS, AnalysisOutput, SystemData
from frtaudit.stats.intervals.bootstrap_intervals import MAX_UNDEFINED
from frtaudit.stats.intervals.overall_ratio import OverallRatio, ratio_to_overall

NAME = "ratio_to_overall"
RATES = ("fmr", "fnmr")
NOBODY, NOTHING = "nobody errs: the overall rate is 0", "no comparison in this group"


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class RatioToOverall:
    """The ratio of each class's FMR and FNMR to the overall rate, at FMR targets and at declared thresholds."""

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """All classes of every schema, in both weightings."""
        return AnalysisOutput(estimates=tuple(_estimates(system, alpha)))


def _estimates(system: SystemData, alpha: float) -> Iterator[Estimate]:
    for point, at in _points(system):
        for w, weighting in enumerate(WEIGHTINGS):
            for schema in system.groups.schemas:
                for group_index, group in system.classes(schema):
                    for rate in RATES:
                        yield replace(
                            _estimate(system, rate, (w, point, group_index), alpha),
                            schema=schema, group=group, weighting=weighting.value, at={**at, "rate": rate},
                        )  # fmt: skip


def _points(system: SystemData) -> Iterator[tuple[int, AtKey]]:
    """Places of declared targets and of thresholds that these data did not choose, as an estimate names them."""
    points = system.operating_points
    for a in points.declared:
        yield a, {"fmr": points.targets[a]}
    for t, (threshold, origin) in enumerate(zip(points.thresholds, points.origin, strict=True)):
        if origin.get("source") != ThresholdSource.SAME_DATA.value:
            yield len(points.targets) + t, {"threshold": threshold, **origin}


def _estimate(system: SystemData, rate: str, place: tuple[int, int, int], alpha: float) -> Estimate:
    """The ratio at (weighting, point, group), with its interval for the population, or why there is none."""
    w, point, group_index = place
    points = system.operating_points
    moving = point < len(points.targets)
    threshold = float(
        points.at_target[w, point] if moving else points.thresholds[point - len(points.targets)]
    )
    refused = system.refused(w, point) if moving else system.censoring.beyond(threshold)
    known = None
    if refused is None:
        known = ratio_to_overall(system.rule, rate, threshold, group_index, WEIGHTINGS[w])
        trials = system.trials.non_mated if rate == "fmr" else system.trials.mated
        refused = None if known else (NOBODY if trials[group_index] else NOTHING)
    if known is None:
        return Estimate.of(system.provider, NAME, NAME, None, "ratio", note=refused)
    drawn = _moved(system, rate, place) if moving and rate == "fnmr" else None
    note = f"{known.errors} of the {known.of} errors"
    if moving and rate == "fnmr":
        note, known = (f"{note}; {HELD}", known) if drawn is None else (note, known.moving(drawn))
    return Estimate.of(
        system.provider, NAME, NAME, known.value, "ratio", intervals=(interval_of(known, alpha, note),)
    )


def _moved(system: SystemData, rate: str, place: tuple[int, int, int]) -> Floats | None:
    """The ratio in replicates of subjects, drawn jointly, the threshold anew in each; None where too few have one."""
    if Plan.SUBJECTS not in system.replicates:
        return None
    w, point, group_index = place
    replicates = system.replicates[Plan.SUBJECTS]
    rates = (replicates.fnmr if rate == "fnmr" else replicates.fmr)[w, :, point]
    group, overall = rates[:, group_index], rates[:, 0]
    ratios = np.divide(group, overall, out=np.full(group.shape, np.nan), where=overall > 0)
    found = ratios[np.isfinite(ratios)]
    return found if found.size > 1 and ratios.size - found.size <= MAX_UNDEFINED * ratios.size else None


def interval_of(ratio: OverallRatio, alpha: float, note: str) -> Interval:
    """The interval of a ratio: that of the share of errors, over the share of comparisons."""
    return _scaled(from_bounds(ratio.bounds, alpha, note), ratio.weight)


def _scaled(share: Interval, weight: float) -> Interval:
    """Bounds, and limits they are held to, in multiples of ``weight``."""
    one_sided, p_value = share.one_sided, share.p_value
    return replace(
        share,
        low=None if share.low is None else share.low / weight,
        high=None if share.high is None else share.high / weight,
        one_sided=None if one_sided is None else lambda error: _scaled(one_sided(error), weight),
        p_value=None if p_value is None else lambda limit, sense: p_value(limit * weight, sense),
    )
