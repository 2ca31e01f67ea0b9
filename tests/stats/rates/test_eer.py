import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles_rates import World, lists, matrices

from frtaudit.core import ScoreTail
from frtaudit.stats.rates.eer import _Crossing, eer, eer_of, group_scores
from frtaudit.stats.rates.sums import BelowFloorError, first_not_above
from frtaudit.stats.similarity.tail import from_matrix, no_groups


@given(st.one_of(matrices(), lists()))
def test_equal_error_rate_is_the_best_of_all_scores(drawn: tuple[World, ScoreTail]) -> None:
    """For every group the rate, threshold and counts equal those of the best distinct score, found by trying all."""
    world, tail = drawn
    for group_index in world.group_indices:
        expected, got = world.equal_error(group_index), eer(tail, world.groups, group_index)
        if expected is None:
            assert np.isnan(got.value)
            continue
        threshold, fmr, fnmr = expected
        assert got.threshold == threshold
        assert got.value == pytest.approx(float((fmr + fnmr) / 2))
        assert (got.false_matches, got.false_non_matches) == (fmr * got.non_mated, fnmr * got.mated)


@given(matrices(), st.sampled_from([0.2, 0.4, 0.6]))
def test_a_cut_tail_answers_alike_or_refuses(drawn: tuple[World, ScoreTail], floor: float) -> None:
    """With part of the tail the equal error rate is the same, or refused."""
    world, whole = drawn
    keep = first_not_above(whole.tail_score, floor)
    short = replace(
        whole, tail_i=whole.tail_i[:keep], tail_j=whole.tail_j[:keep], tail_score=whole.tail_score[:keep],
        cutoff=floor,
    )  # fmt: skip
    full = eer(whole, world.groups)
    if np.isnan(full.value):
        return
    try:
        assert eer(short, world.groups) == full
    except BelowFloorError:
        above = (s for s in np.concatenate([short.mated_score, short.tail_score]) if s > floor)
        assert all((world.fmr(s, 0) or 0) < (world.fnmr(s, 0) or 0) for s in above)


@given(matrices())
def test_tag_scores_are_those_of_the_group(drawn: tuple[World, ScoreTail]) -> None:
    """The scores of a group are those of its subjects, sorted as the tail is."""
    world, tail = drawn
    for group_index in world.group_indices:
        mated, non_mated = group_scores(tail, world.groups, group_index)
        assert mated.tolist() == sorted(s for own in world.mated(group_index).values() for s in own)
        assert non_mated.tolist() == sorted(
            (s for own in world.blocks(group_index).values() for s in own), reverse=True
        )


def test_scores_are_not_copied() -> None:
    """A tail of 32-bit scores is read as it is: one copy in 64 bits took eight bytes a comparison, at each step."""
    tail = from_matrix(np.random.default_rng(1).random((300, 300)), (np.arange(300) // 3).tolist())
    tail = replace(
        tail, tail_score=tail.tail_score.astype(np.float32), mated_score=tail.mated_score.astype(np.float32)
    )
    tracemalloc.start()
    try:
        assert not np.isnan(eer(tail, no_groups(tail)).value)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * tail.tail_score.size


def test_scores_at_which_both_rates_are_equal_come_before_the_crossing() -> None:
    """Of two scores with as many false matches as false non-matches in proportion, both stand before the turn."""
    crossing = _Crossing(np.array([1.0, 2.0, 5.0, 6.0]), np.array([0.0, 0.5, 4.0, 4.5]), 4, 4)
    assert [crossing.gap(score) for score in (1.0, 2.0, 4.0)] == [4, 0, -4]
    assert crossing.candidates(float("-inf")) == [2.0, 5.0, 0.5, 4.0]


def test_whole_scores_are_taken_as_numbers() -> None:
    """The EER of whole numbers is that of the same numbers as float64."""
    mated, non_mated = np.array([3, 4, 5, 6]), np.array([1, 2, 3, 4])
    assert eer_of(mated, non_mated) == eer_of(mated.astype(float), non_mated.astype(float))
