import numpy as np
import pytest
from small_audits import system_of

from frtaudit.analyses.shared.overall_ratios import interval_of, points_of, threshold_at
from frtaudit.core.spec import Weighting
from frtaudit.stats.intervals.overall_ratio import ratio_to_overall


def test_points_are_declared_targets_and_thresholds_of_other_data() -> None:
    """Each with its key and its threshold: a target's from these data, a fixed one as declared."""
    system = system_of()
    points = dict(points_of(system))
    fixed = len(system.operating_points.targets)
    for place, at in points.items():
        known = [threshold_at(system, w, place) for w in range(2)]
        if place < fixed:
            assert at == {"fmr": system.operating_points.targets[place]}
            assert known == list(system.operating_points.at_target[:, place])
        else:
            assert known == [at["threshold"]] * 2
    assert {"fmr", "threshold"} <= {key for at in points.values() for key in at}


def test_an_interval_is_that_of_the_share_over_its_weight() -> None:
    """Bounds, one-sided bounds and p values scale alike: p of a limit is the error at which the bound reaches it."""
    ratio = ratio_to_overall(system_of().rule, "fnmr", 0.2, 1, Weighting.POOLED)
    assert ratio is not None
    interval = interval_of(ratio, 0.05, "")
    low, high = interval.low, interval.high
    assert low is not None
    assert high is not None
    assert interval.one_sided is not None
    assert low < ratio.value < high
    one_sided = interval.one_sided(0.025).high
    assert interval.p_value is not None
    assert one_sided is not None
    assert interval.p_value(one_sided, "max") == pytest.approx(0.025, rel=1e-6)
    assert np.isclose(one_sided, high)
