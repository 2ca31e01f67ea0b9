"""FMR against people of one's own class, beside FMR against all: people of one sex or age look more alike."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from frtaudit.analyses.shared.overall_ratios import interval_of, points_of, threshold_at
from frtaudit.core import Estimate
from frtaudit.core.arrays import Index
from frtaudit.core.registry import register
from frtaudit.evaluation.intervals import from_bounds
from frtaudit.evaluation.system import BELOW_FLOOR, WEIGHTINGS, AnalysisOutput, SystemData
from frtaudit.stats.groups.same_class import joint, within_classes
from frtaudit.stats.intervals.overall_ratio import ratio_within_classes
from frtaudit.stats.intervals.wilson import WilsonRule, prepare
from frtaudit.stats.similarity.tail import no_groups

NAME = "same_class"
FMR, RATIO = "fmr_same_class", "fmr_same_class_ratio"
NOBODY, NOTHING = "no false match at all: the overall rate is 0", "no comparison within a class"


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class SameClass:
    """FMR of comparisons within the classes of each schema, and its ratio to FMR of all comparisons.

    At FMR targets of all comparisons and at declared thresholds; where there are several schemas also within all of
    them at once (schema ``None``). People without a class stand in the overall rate alone.
    """

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """Both metrics, in both weightings."""
        all_estimates: list[Estimate] = []
        groups, points = system.groups, list(points_of(system))
        places = [(w, point) for point, _ in points for w in range(len(WEIGHTINGS))]
        known = {place: threshold_at(system, *place) for place in places}
        partitions: list[tuple[str | None, Index]] = list(zip(groups.schemas, groups.of, strict=True))
        if len(groups.schemas) > 1:
            partitions.append((None, joint(groups.of)))
        for schema, code in partitions:
            tail = within_classes(system.tail, code)
            read = [cut for cut in known.values() if np.isfinite(cut) and cut >= tail.cutoff]
            rule = prepare(tail, no_groups(tail), read)
            for point, at in points:
                for w in range(len(WEIGHTINGS)):
                    estimates = _estimates(system, rule, (w, point), known[w, point], alpha)
                    all_estimates += (replace(estimate, schema=schema, at=at) for estimate in estimates)
        return AnalysisOutput(estimates=tuple(all_estimates))


def _estimates(
    system: SystemData, rule: WilsonRule, place: tuple[int, int], threshold: float, alpha: float
) -> Iterator[Estimate]:
    """FMR within classes and its ratio at (weighting, point), with intervals, or why there is none."""
    w, point = place
    weighting = WEIGHTINGS[w]
    moving = point < len(system.operating_points.targets)
    refused = system.refused(w, point) if moving else system.censoring.beyond(threshold)
    if refused is None and threshold < system.tail.cutoff:
        refused = BELOW_FLOOR
    ruled = None if refused else rule.fmr(threshold, 0, alpha, weighting)
    if ruled is not None and not ruled.trials:
        refused = NOTHING
    make = partial(Estimate.of, system.provider, NAME, weighting=weighting.value)
    if ruled is None or refused:
        yield make(FMR, None, note=refused)
        yield make(RATIO, None, note=refused)
        return
    interval = from_bounds(ruled.bounds, alpha, ruled.note, pairs=ruled.pairs)
    yield make(FMR, ruled.rate, counts=(ruled.errors, ruled.trials), intervals=(interval,))
    ratio = ratio_within_classes(rule, system.rule, threshold, weighting)
    if ratio is None:
        yield make(RATIO, None, note=NOBODY)
        return
    note = f"{ratio.errors} of the {ratio.of} false matches are within a class"
    yield make(RATIO, ratio.value, intervals=(interval_of(ratio, alpha, note),))
