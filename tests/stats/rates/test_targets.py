from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles_rates import World, groups_from, lists, matrices

from frtaudit.core import ScoreTail
from frtaudit.core.spec import Weighting
from frtaudit.stats.rates.sums import BelowFloorError, first_not_above
from frtaudit.stats.rates.targets import exact, threshold_at, threshold_at_max_group, thresholds_at
from frtaudit.stats.similarity.tail import from_listed, from_matrix, no_groups

TARGETS = st.sampled_from([0, 0.1, 0.2, "1/9", "2/27", Fraction(1, 3), 0.5, 0.95, 1, 1.5])


def cut(tail: ScoreTail, floor: float) -> ScoreTail:
    keep = first_not_above(tail.tail_score, floor)
    return replace(
        tail,
        tail_i=tail.tail_i[:keep],
        tail_j=tail.tail_j[:keep],
        tail_score=tail.tail_score[:keep],
        cutoff=floor,
    )


def test_targets_are_read_as_decimals() -> None:
    """0.2 is a fifth and not the nearest double; fractions can be spelled."""
    assert exact(0.2) == exact("0.2") == exact(np.float64(0.2)) == Fraction(1, 5)
    assert exact("1/9") == Fraction(1, 9)
    assert exact(1e-6) == Fraction(1, 10**6)
    with pytest.raises(ValueError, match="not negative"):
        exact(-0.1)


@given(st.one_of(matrices(), lists()), TARGETS)
def test_threshold_is_the_smallest_that_meets_the_target(
    drawn: tuple[World, ScoreTail], target: float | str | Fraction
) -> None:
    """For every group and both weightings the threshold equals the one found by trying them all in fractions."""
    world, tail = drawn
    for group_index in world.group_indices:
        for weighting in Weighting:
            expected = world.threshold_at(exact(target), group_index, pooled=weighting is Weighting.POOLED)
            got = threshold_at(tail, world.groups, target, weighting, group_index)
            assert got == expected or np.isnan(got) == np.isnan(expected) == True  # noqa: E712  two NaN


@given(matrices(), st.integers(1, 20))
def test_exactly_attainable_targets_are_met(drawn: tuple[World, ScoreTail], count: int) -> None:
    """A pooled target of x/M admits x false matches: no rounding moves the threshold by one score."""
    world, tail = drawn
    total = sum(map(len, world.blocks(0).values()))
    target = Fraction(min(count, total), max(total, 1))
    expected = world.threshold_at(target, 0, pooled=True)
    got = threshold_at(tail, world.groups, target, Weighting.POOLED)
    assert got == expected or total == 0


@given(matrices(), TARGETS)
def test_largest_group_rate_meets_the_target(drawn: tuple[World, ScoreTail], target: float | str) -> None:
    """At the threshold every ranked group meets the target; at the next lower score one of them does not."""
    world, tail = drawn
    for s, schema in enumerate(world.groups.schemas):
        ranked = [
            g + 1
            for g, (name, _) in enumerate(world.groups.names)
            if name == schema and world.groups.ranked[g] and world.blocks(g + 1)
        ]
        expected = max((world.threshold_at(exact(target), g, pooled=True) for g in ranked), default=None)
        got = threshold_at_max_group(tail, world.groups, target, Weighting.POOLED, s)
        assert np.isnan(got) if expected is None else got == expected


@given(st.one_of(matrices(), lists()), TARGETS, st.sampled_from([0.25, 0.5, 0.75]))
def test_a_cut_tail_answers_alike_or_refuses(
    drawn: tuple[World, ScoreTail], target: float | str, floor: float
) -> None:
    """With part of the tail a threshold is the same as with all of it, or refused because it lies below the floor."""
    world, whole = drawn
    short = cut(whole, floor)
    for weighting in Weighting:
        full = threshold_at(whole, world.groups, target, weighting)
        if full > floor or np.isneginf(full):
            assert threshold_at(short, world.groups, target, weighting) == full
        elif not np.isnan(full):
            with pytest.raises(BelowFloorError, match="floor"):
                threshold_at(short, world.groups, target, weighting)


def test_one_group_above_the_floor_decides_the_maximum() -> None:
    """A group whose threshold lies below the floor does not matter while another one lies above it."""
    rng = np.random.default_rng(1)
    scores = rng.random((12, 12)) * np.repeat([1.0, 0.5], 6)
    whole = from_matrix((scores + scores.T) / 2, [f"{k:02d}" for k in range(12)])

    groups = groups_from(np.repeat([0, 1], 6)[None], 3)
    at = threshold_at_max_group(whole, groups, 0.5, Weighting.POOLED, 0)
    low = threshold_at(whole, groups, 0.5, Weighting.POOLED, 2)
    assert low < at
    assert threshold_at_max_group(cut(whole, (low + at) / 2), groups, 0.5, Weighting.POOLED, 0) == at
    with pytest.raises(BelowFloorError):
        threshold_at_max_group(cut(whole, at + 0.01), groups, 0.5, Weighting.POOLED, 0)


def test_a_target_within_tolerance_of_one_is_one() -> None:
    """FAR(t) <= a(1 + 1e-12) with a just below 1 holds everywhere."""
    tail = from_matrix([[1, 0.5], [0.5, 1]], ["a", "b"])
    target = Fraction(10**14 - 1, 10**14)
    assert threshold_at(tail, no_groups(tail), target, Weighting.IDENTITY) == float("-inf")
    assert threshold_at(tail, no_groups(tail), target, Weighting.POOLED) == 0.5


@pytest.mark.parametrize("weighting", list(Weighting))
def test_a_cut_list_refuses_what_lies_below(weighting: Weighting) -> None:
    """Listed comparisons above the floor that do not use up the target leave the threshold unknown."""
    whole = from_listed(
        [0.9, 0.4, 0.3], [0, 0, 1], [1, 2, 2], subject_of=[0, 1, 2], cells=[0, 0, 0], score_range=(0, 1)
    )
    groups = no_groups(whole)
    assert threshold_at(cut(whole, 0.5), groups, 0.1, weighting) == 0.9
    assert threshold_at(whole, groups, 0.5, weighting) == 0.4
    with pytest.raises(BelowFloorError, match=r"the threshold at FMR 0\.5 lies below the floor 0\.5"):
        threshold_at(cut(whole, 0.5), groups, 0.5, weighting)


def test_nothing_to_compare_gives_nan() -> None:
    """One subject alone has no non-mated comparison: no threshold."""
    tail = from_matrix([[1, 0.5], [0.5, 1]], ["a", "a"])
    assert np.isnan(threshold_at(tail, no_groups(tail), 0.1, Weighting.POOLED))


@pytest.mark.parametrize("listed", [False, True], ids=["matrix", "list"])
@pytest.mark.parametrize("weighting", list(Weighting))
def test_only_comparisons_within_the_group_count(weighting: Weighting, listed: bool) -> None:
    """Scores of two groups with each other, which are higher, do not move the threshold of either."""
    scores = np.array([[1, 0.5, 0.9, 0.8], [0.5, 1, 0.7, 0.6], [0.9, 0.7, 1, 0.4], [0.8, 0.6, 0.4, 1]])
    first, second = np.triu_indices(4, 1)
    tail = (
        from_listed(
            scores[first, second], first, second, subject_of=range(4), cells=[0] * 4, score_range=(0, 1)
        )
        if listed
        else from_matrix(scores, list("abcd"))
    )
    groups = groups_from(np.array([[0, 0, 1, 1]]), 3)
    for group_index, highest in ((1, 0.5), (2, 0.4)):
        for target in (0, 0.5):
            assert threshold_at(tail, groups, target, weighting, group_index) == highest


def test_refused_targets_and_those_below_the_floor_have_no_threshold() -> None:
    """By weighting and target; NaN where a reason is given, or the tail ends too early."""
    tail = from_matrix([[1, 0.9, 0.2], [0.9, 1, 0.3], [0.2, 0.3, 1]], list("abb"))
    short, groups = cut(tail, 0.5), no_groups(tail)
    values = thresholds_at(short, groups, [0.0, 0.5, 0.0], [None, None, "refused"], list(Weighting))
    assert np.array_equal(values, [[0.9, np.nan, np.nan]] * 2, equal_nan=True)
