"""How each class's rate compares with the overall rate, the class included: what NIST SP 800-63A-4 puts a limit on."""

from dataclasses import dataclass, replace

import numpy as np

from frtaudit.analyses.shared.overall_ratios import interval_of, points_of, threshold_at
from frtaudit.core import Estimate
from frtaudit.core.arrays import Floats
from frtaudit.core.methods import MAX_UNDEFINED
from frtaudit.core.registry import register
from frtaudit.core.spec import Plan
from frtaudit.evaluation.operating_points import HELD
from frtaudit.evaluation.system import WEIGHTINGS, AnalysisOutput, SystemData
from frtaudit.stats.intervals.overall_ratio import ratio_to_overall

NAME = "ratio_to_overall"
RATES = ("fmr", "fnmr")
NOBODY, NOTHING = "no errors: the overall rate is 0", "no comparison in this group"


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class RatioToOverall:
    """The ratio of each class's FMR and FNMR to the overall rate, at FMR targets and at declared thresholds."""

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """All classes of every schema, in both weightings."""
        estimates = (
            replace(
                _estimate(system, rate, (w, point, group_index), alpha),
                schema=schema, group=group, weighting=weighting.value, at={**at, "rate": rate},
            )
            for point, at in points_of(system)
            for w, weighting in enumerate(WEIGHTINGS)
            for schema in system.groups.schemas
            for group_index, group in system.classes(schema)
            for rate in RATES
        )  # fmt: skip
        return AnalysisOutput(estimates=tuple(estimates))


def _estimate(system: SystemData, rate: str, place: tuple[int, int, int], alpha: float) -> Estimate:
    """The ratio at (weighting, point, group), with its interval for the population, or why there is none."""
    w, point, group_index = place
    moving = point < len(system.operating_points.targets)
    threshold = threshold_at(system, w, point)
    refused = system.refused(w, point) if moving else system.censoring.beyond(threshold)
    known = None
    if refused is None:
        known = ratio_to_overall(system.rule, rate, threshold, group_index, WEIGHTINGS[w])
        trials = system.trials.non_mated if rate == "fmr" else system.trials.mated
        refused = None if known else (NOBODY if trials[group_index] else NOTHING)
    if known is None:
        return Estimate.of(system.provider, NAME, NAME, None, note=refused)
    drawn = _moved(system, place) if moving and rate == "fnmr" else None
    note = f"{known.errors} of the {known.of} errors"
    if moving and rate == "fnmr":
        note, known = (f"{note}; {HELD}", known) if drawn is None else (note, known.moving(drawn))
    return Estimate.of(system.provider, NAME, NAME, known.value, intervals=(interval_of(known, alpha, note),))


def _moved(system: SystemData, place: tuple[int, int, int]) -> Floats | None:
    """The ratio of FNMR in replicates of subjects, drawn jointly, the threshold anew in each.

    None where too few of them have an overall rate above 0: in no group of the table, then, does the threshold move.
    """
    if Plan.SUBJECTS not in system.replicates:
        return None
    w, point, group_index = place
    rates = system.replicates[Plan.SUBJECTS].fnmr[w, :, point]
    group, overall = rates[:, group_index], rates[:, 0]
    known = overall > 0
    if known.sum() < 2 or known.size - known.sum() > MAX_UNDEFINED * known.size:
        return None
    ratios = group[known] / overall[known]
    return ratios[np.isfinite(ratios)]
