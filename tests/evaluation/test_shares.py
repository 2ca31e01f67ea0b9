from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from frtaudit.core import Method, Target
from frtaudit.core.arrays import Ints
from frtaudit.evaluation.shares import share_estimate
from frtaudit.evaluation.system import SystemData
from frtaudit.stats.intervals.clustered_share import share_bounds


def system_of(trials: Ints) -> SystemData:
    """A system of as many subjects as have counts."""
    return cast("SystemData", SimpleNamespace(provider="a", cohort=SimpleNamespace(n_subjects=len(trials))))


def counts(*values: int) -> Ints:
    """Of each subject."""
    return np.array(values, dtype=np.int64)


def test_a_share_has_its_counts_and_an_interval_that_decides() -> None:
    """Errors over trials of all subjects; people are what depends, so that alike images widen the interval."""
    alike, apart = (counts(*([4, 0, 0, 0] * 20)), counts(*([1] * 80)))
    trials = counts(*([4] * 80))
    made = [
        share_estimate(system_of(trials), "x", "y", errors, trials, 0.05, "images")
        for errors in (alike, apart)
    ]
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
    made = share_estimate(
        system_of(counts(0, 0)), "x", "y", counts(0, 0), counts(0, 0), 0.05, "images", of=("sex", "f")
    )
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
        estimate = share_estimate(system_of(trials), "x", "y", errors, trials, 0.05, "images")
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
    trials = counts(*[2] * 100, 20)
    estimate = share_estimate(system_of(trials), "x", "y", counts(*[0] * 101), trials, 0.05, "images")
    interval = estimate.intervals[0]
    added = 20 / 220 * (1 - 60.5 / 101)  # 220^2 / 800 effective subjects
    assert interval.high == pytest.approx(3.689 * added, rel=1e-3)
    assert interval.note == (
        "no error: the upper bound allows for one more subject with 20 attempts, as many as any subject here; all "
        "failed, they would add 3.65 % to the rate (20 / 220 attempts, times 1 − 60 / 101 effective subjects); the "
        "bound is 3.69 times that, −ln 0.025"
    )


FIVE = np.ones(5, dtype=np.int64)
WHOLE, ONE_EACH = "whole numbers: ", r"a count for each subject, shape \(5,\): "
REFUSED = {
    "fractions": (FIVE * 0.5, FIVE, WHOLE + "errors hold 0.5"),
    "fractions of trials": (FIVE, FIVE * 1.5, WHOLE + "trials hold 1.5"),
    "undefined": (FIVE * np.nan, FIVE, WHOLE + "errors hold nan"),
    "endless": (FIVE, FIVE * np.inf, WHOLE + "trials hold inf"),
    "below 0": (-FIVE, FIVE, "counts from 0: errors hold -1"),
    "trials below 0": (FIVE, -FIVE, "counts from 0: trials hold -1"),
    "more errors than trials": (
        FIVE * 2,
        FIVE,
        "as many trials as errors, or more: a subject has 2 errors in 1 trials",
    ),
    "some subjects": (FIVE[:3], FIVE[:3], ONE_EACH + r"errors have shape \(3,\)"),
    "some in one": (FIVE[:3], FIVE, ONE_EACH + r"errors have shape \(3,\)"),
    "some in the other": (FIVE, FIVE[:3], ONE_EACH + r"trials have shape \(3,\)"),
    "a table": (FIVE[:, None], FIVE, ONE_EACH + r"errors have shape \(5, 1\)"),
    "texts": (FIVE.astype(str), FIVE, WHOLE + "errors are of type str"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_counts_that_are_none_are_refused(case: str) -> None:
    """Each in a line that says what was given: nothing is rounded, and no subject is left out."""
    errors, trials, line = REFUSED[case]
    system = cast("SystemData", SimpleNamespace(provider="a", cohort=SimpleNamespace(n_subjects=5)))
    with pytest.raises(ValueError, match=f"^share_estimate takes {line}$"):
        share_estimate(system, "x", "y", errors, trials, 0.05, "images")


def test_whole_numbers_count_whatever_their_type() -> None:
    """Sums of indicators come as doubles, flags or small integers: the counts are the same."""
    system = cast("SystemData", SimpleNamespace(provider="a", cohort=SimpleNamespace(n_subjects=5)))
    made = {
        share_estimate(system, "x", "y", FIVE.astype(kind), (2 * FIVE).astype(np.float64), 0.05, "images")
        for kind in (np.int64, np.float64, np.bool_, np.uint8, np.float32)
    }
    assert [(item.numerator, item.denominator) for item in made] == [(5, 10)]
