from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from frtaudit.core import Method, Target
from frtaudit.core.arrays import Ints
from frtaudit.evaluation.shares import share_estimate
from frtaudit.evaluation.system import SystemData
from frtaudit.stats.intervals.clustered_share import share_bounds

SYSTEM = cast("SystemData", SimpleNamespace(provider="a"))


def counts(*values: int) -> Ints:
    """Of each subject."""
    return np.array(values, dtype=np.int64)


def test_a_share_has_its_counts_and_an_interval_that_decides() -> None:
    """Errors over trials of all subjects; people are what depends, so that alike images widen the interval."""
    alike, apart = (counts(*([4, 0, 0, 0] * 20)), counts(*([1] * 80)))
    trials = counts(*([4] * 80))
    made = [share_estimate(SYSTEM, "x", "y", errors, trials, 0.05, "images") for errors in (alike, apart)]
    assert [(item.value, item.numerator, item.denominator) for item in made] == [(0.25, 80, 320)] * 2
    for item, errors in zip(made, (alike, apart), strict=True):
        population, independent = item.intervals
        assert (population.target, population.method) == (Target.POPULATION, Method.WILSON)
        assert independent.target is Target.COMPARISONS_IID
        bounds = share_bounds(errors, trials)
        assert bounds is not None
        assert population == bounds.interval(0.05) or population.low == pytest.approx(
            bounds.interval(0.05).low
        )
        assert population.one_sided is not None
    wide, narrow = (item.intervals[0] for item in made)
    assert (wide.high or 0) - (wide.low or 0) > 1.5 * ((narrow.high or 0) - (narrow.low or 0))


def test_nothing_tried_has_no_value_and_says_why() -> None:
    """A group without trials: no value, no bounds, a note."""
    made = share_estimate(SYSTEM, "x", "y", counts(0, 0), counts(0, 0), 0.05, "images", of=("sex", "f"))
    assert (made.value, made.group, made.note) == (None, "f", "nothing was tried in this group")
    assert made.intervals[0].low is None


def test_an_upper_bound_far_above_the_rate_is_explained() -> None:
    """Where subjects were tried unequally often the bound is wide though little failed: a note says why."""
    many = (counts(1, 1, *[0] * 998), counts(1, 1, *[2] * 997, 600))
    notes = []
    for errors, trials in (
        (counts(0, 0, 0), counts(1, 2, 1200)),
        (counts(0, 0, 0), counts(2, 2, 2)),
        (counts(1, 0, 0), counts(1, 2, 3)),
        many,
    ):
        estimate = share_estimate(SYSTEM, "x", "y", errors, trials, 0.05, "images")
        notes.append(estimate.intervals[0].note)
    why = "the upper bound allows for one more subject with {} attempts, as many as any subject here; all failed, "
    assert [note and note.partition("they")[0] for note in notes] == [
        f"no error: {why.format('1,200')}",
        None,
        None,
        why.format(600),
    ]


def test_an_upper_bound_at_no_error_can_be_derived_from_its_note() -> None:
    """-ln(a) times the weight of the subject: 20 of 220 attempts, less by how unequally 101 subjects were tried."""
    estimate = share_estimate(SYSTEM, "x", "y", counts(*[0] * 101), counts(*[2] * 100, 20), 0.05, "images")
    interval = estimate.intervals[0]
    added = 20 / 220 * (1 - 60.5 / 101)  # 220^2 / 800 effective subjects
    assert interval.high == pytest.approx(3.689 * added, rel=1e-3)
    assert interval.note == (
        "no error: the upper bound allows for one more subject with 20 attempts, as many as any subject here; all "
        "failed, they would add 3.65 % to the rate (20 / 220 attempts, times 1 − 60 / 101 effective subjects); the "
        "bound is 3.69 times that, −ln 0.025"
    )
