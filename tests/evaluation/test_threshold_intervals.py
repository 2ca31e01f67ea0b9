"""Intervals of thresholds by inversion (FORMULAS 8.21)."""

import numpy as np
import pytest
from small_audits import TARGETS, put, spec, system_of

from frtaudit.core.spec import Weighting
from frtaudit.evaluation.system import SystemData
from frtaudit.evaluation.threshold_intervals import TOO_HIGH, TOO_LOW, inversion
from frtaudit.stats.intervals.wilson import prepare
from frtaudit.stats.rates.targets import threshold_at
from frtaudit.stats.similarity.tail import no_groups

ALPHA = 0.1


def ends_by_reading_all(
    system: SystemData, target: float, weighting: Weighting
) -> tuple[float | None, float | None]:
    """The smallest scores at which the lower and the upper bound of FMR keep the target, read at every score."""
    scores = np.unique(system.tail.tail_score.astype(np.float64))
    rule = prepare(system.tail, no_groups(system.tail), scores)
    made = [rule.fmr(float(score), 0, ALPHA, weighting) for score in scores]
    low = next(
        (float(s) for s, item in zip(scores, made, strict=True) if item.bounds.low(ALPHA / 2) <= target), None
    )
    high = next(
        (float(s) for s, item in zip(scores, made, strict=True) if item.bounds.high(ALPHA / 2) <= target),
        None,
    )
    return low, high


@pytest.mark.parametrize("weighting", list(Weighting))
@pytest.mark.parametrize("target", TARGETS)
def test_both_ends_are_those_of_reading_every_score(target: float, weighting: Weighting) -> None:
    """The search in steps finds what reading FMR's interval at every single score finds."""
    system = system_of()
    at = threshold_at(system.tail, no_groups(system.tail), target, weighting)
    found = inversion(system).interval(target, at, weighting, ALPHA)
    low, high = ends_by_reading_all(system, target, weighting)
    assert found.low == low
    assert found.high == (system.tail.score_range[1] if high is None else high)
    assert found.low <= at <= found.high
    assert found.one_sided is not None
    assert found.one_sided(ALPHA / 2) == found


def test_too_few_people_leave_the_upper_end_open() -> None:
    """A target that not even no false match would show ends at the end of the scale, and the note says so."""
    system = system_of()
    at = threshold_at(system.tail, no_groups(system.tail), 1e-3, Weighting.POOLED)
    found = inversion(system).interval(1e-3, at, Weighting.POOLED, ALPHA)
    assert (found.high, found.note) == (system.tail.score_range[1], TOO_HIGH)


def test_a_cut_tail_leaves_the_lower_end_open() -> None:
    """Where the kept tail ends before the lower bound excludes the target, the note says so."""
    system = put(spec(tail_budget=1), "one")
    at = float(system.tail.tail_score[0]) if system.tail.tail_score.size else float(system.tail.cutoff)
    found = inversion(system).interval(0.5, at, Weighting.POOLED, ALPHA)
    assert found.note is not None
    assert TOO_LOW in found.note or TOO_HIGH in found.note
