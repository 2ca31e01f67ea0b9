"""The similarity ROC of Conti and Clemencon: FNMR over the FMR target, with a band by each method."""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from frtaudit.core import Curve
from frtaudit.core.registry import register
from frtaudit.core.spec import IntervalSpec, Weighting
from frtaudit.evaluation.intervals import intervals_of
from frtaudit.evaluation.operating_points import OperatingPoint, read
from frtaudit.evaluation.system import WEIGHTINGS, AnalysisOutput, SystemData

NAME = "similarity_roc"
KIND = "roc"


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarityRoc:
    """ROC curves in both weightings, pointwise bands by every interval method of the spec."""

    groups: bool = True

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """Curves only: the estimates at the declared targets are those of ``error_rates``."""
        groups = system.every_group() if self.groups else system.every_group()[:1]
        wanted = product(WEIGHTINGS, groups, system.intervals)
        curves = (_band(system, weighting, of, spec, alpha) for weighting, of, spec in wanted)
        return AnalysisOutput(curves=tuple(curve for curve in curves if curve is not None))


def _band(
    system: SystemData,
    weighting: Weighting,
    of: tuple[int, str | None, str],
    spec: IntervalSpec,
    alpha: float,
) -> Curve | None:
    """One curve with one band; points without bounds have NaN bounds."""
    w, (group_index, schema, group) = WEIGHTINGS.index(weighting), of
    rows = []
    for a, target in enumerate(system.operating_points.targets):
        threshold = float(system.operating_points.at_target[w, a])
        if not np.isfinite(threshold):
            continue
        summary = read(system, OperatingPoint("fnmr", weighting, group_index, threshold, a))
        if not np.isfinite(summary.value):
            continue
        interval = intervals_of(summary, [spec], alpha)[0]
        low, high = (np.nan, np.nan) if interval.low is None else (interval.low, interval.high)
        rows.append((target, summary.value, low, high))
    if not rows:
        return None
    x, y, lows, highs = (tuple(float(number) for number in column) for column in zip(*rows, strict=True))
    curve = Curve.of(system.provider, KIND, x, y, (schema, group), weighting=weighting.value)
    return replace(curve, low=lows, high=highs, method=spec.method, target=spec.target)
