"""Places of ratios to the overall rate, and their intervals."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from frtaudit.core import Interval
from frtaudit.core.spec import ThresholdSource
from frtaudit.evaluation.intervals import AtKey, from_bounds
from frtaudit.evaluation.system import POOLED, SystemData
from frtaudit.stats.intervals.overall_ratio import OverallRatio


def chosen_here(origin: Mapping[str, float | str]) -> bool:
    """Whether a threshold was chosen on these data."""
    return origin.get("source") == ThresholdSource.SAME_DATA.value


def every_point(system: SystemData, w: int) -> Iterator[tuple[int, AtKey, float]]:
    """Declared targets, then fixed thresholds: place, name in an estimate, threshold in weighting ``w`` (NaN: none)."""
    points = system.operating_points
    for a in points.declared:
        yield a, {"fmr": points.targets[a]}, float(points.at_target[w, a])
    for t, (threshold, origin) in enumerate(zip(points.thresholds, points.origin, strict=True)):
        yield len(points.targets) + t, {"threshold": threshold, **origin}, threshold


def points_of(system: SystemData) -> Iterator[tuple[int, AtKey]]:
    """Places of declared targets and of thresholds that these data did not choose, as an estimate names them."""
    return ((place, at) for place, at, _ in every_point(system, POOLED) if not chosen_here(at))


def threshold_at(system: SystemData, w: int, point: int) -> float:
    """The threshold of an operating point in weighting ``w``."""
    points = system.operating_points
    fixed = point - len(points.targets)
    return float(points.at_target[w, point] if fixed < 0 else points.thresholds[fixed])


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
