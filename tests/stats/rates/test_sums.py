import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles_rates import NEVER, World, lists, matrices, share, sums_at

from frtaudit.core import ScoreTail
from frtaudit.stats.rates.sums import (
    BelowFloorError,
    error_sums,
    first_not_above,
    mated_sums,
    non_mated_sums,
)
from frtaudit.stats.similarity.tail import from_matrix, no_groups

EVERY = [0.5, NEVER, 0.2, 1.0, 0.5, 0.0, 0.7]


def check(world: World, tail: ScoreTail) -> None:
    found = non_mated_sums(tail, world.groups, EVERY)
    cheap = error_sums(tail, world.groups, EVERY)
    np.testing.assert_array_equal(found.thresholds, EVERY)
    np.testing.assert_array_equal(cheap.errors, found.errors)
    np.testing.assert_allclose(cheap.far_sum, found.far_sum, rtol=1e-12)
    for row, t in enumerate(EVERY):
        for name, expected in sums_at(world, t).items():
            np.testing.assert_allclose(getattr(found, name)[row], expected, rtol=1e-12, err_msg=name)


@given(matrices())
def test_non_mated_sums_of_a_complete_set(drawn: tuple[World, ScoreTail]) -> None:
    """All sums of a complete set equal those taken block by block, at every threshold and in the order given."""
    check(*drawn)


@given(lists())
def test_non_mated_sums_of_a_list(drawn: tuple[World, ScoreTail]) -> None:
    """All sums of a list equal those taken block by block."""
    check(*drawn)


@given(st.one_of(matrices(), lists()))
def test_mated_sums(drawn: tuple[World, ScoreTail]) -> None:
    """Mated errors by subject and by group equal counting comparison by comparison (score <= threshold errs)."""
    world, tail = drawn
    found = mated_sums(tail, world.groups, EVERY)
    for row, t in enumerate(EVERY):
        for group_index in world.group_indices:
            mated = world.mated(group_index)
            rate = {k: float(share(own, lambda s, t=t: s <= t)) for k, own in mated.items()}
            left = {k: 1 - 1 / world.n(k) for k in mated}
            errors = {k: sum(s <= t for s in own) for k, own in mated.items()}
            assert found.errors[row, group_index] == sum(errors.values())
            assert found.frr_sum[row, group_index] == pytest.approx(sum(rate.values()))
            assert found.frr_bar_sum[row, group_index] == pytest.approx(sum(rate[k] * left[k] for k in mated))
            assert found.error_bar_sum[row, group_index] == pytest.approx(
                sum(errors[k] * left[k] for k in mated)
            )
        own = {k: sum(s <= t for s in scores) for k, scores in world.mated(0).items()}
        assert found.subject_errors[row].tolist() == [own.get(k, 0) for k in range(world.n_subjects)]


@given(matrices())
def test_subjects_errors_add_up(drawn: tuple[World, ScoreTail]) -> None:
    """Every false match has two subjects: their errors add up to twice the errors."""
    world, tail = drawn
    found = non_mated_sums(tail, world.groups, [0.1, 0.6])
    np.testing.assert_array_equal(found.subject_errors[:, 0].sum(axis=1), 2 * found.errors[:, 0])
    np.testing.assert_allclose(found.subject_far[:, 0].sum(axis=1), 2 * found.far_sum[:, 0])


def test_a_threshold_below_the_floor_is_refused() -> None:
    """Below its floor a tail holds nothing: the error names the floor; at the floor it answers."""
    whole = from_matrix([[1, 0.9, 0.2], [0.9, 1, 0.3], [0.2, 0.3, 1]], ["a", "a", "b"])
    tail = cut(whole, 0.25)
    assert non_mated_sums(tail, no_groups(tail), [0.25]).errors.tolist() == [[1]]
    for ask in (non_mated_sums, error_sums):
        with pytest.raises(BelowFloorError, match=r"threshold 0\.1 lies below the floor 0\.25"):
            ask(tail, no_groups(tail), [0.9, 0.1])


@given(st.one_of(matrices(), lists()))
def test_declared_sums_answer_below_the_floor(drawn: tuple[World, ScoreTail]) -> None:
    """With declared sums a cut tail answers as the whole one."""
    world, whole = drawn
    declared = non_mated_sums(whole, world.groups, [0.1, 0.2, 0.4])
    tail = cut(whole, 0.45, below=declared)
    asked = [0.8, 0.2, NEVER, 0.45, 0.1]
    short, full = (non_mated_sums(each, world.groups, asked) for each in (tail, whole))
    for name in (
        "errors",
        "far_sum",
        "far_square",
        "error_square",
        "error_cross",
        "subject_errors",
        "subject_far",
    ):
        np.testing.assert_allclose(getattr(short, name), getattr(full, name), err_msg=name)
    np.testing.assert_array_equal(error_sums(tail, world.groups, asked).errors, full.errors)


def test_first_not_above_counts_strictly_above() -> None:
    """Ties with the threshold are not above it, in either precision."""
    for kind in (np.float32, np.float64):
        scores = np.array([0.75, 0.5, 0.5, 0.25], dtype=kind)
        assert [first_not_above(scores, t) for t in (1.0, 0.5, 0.4, NEVER)] == [0, 1, 3, 4]


@given(st.lists(st.floats(-2, 2, width=32), min_size=1), st.sampled_from((-3.0, 0.0, 3.0)))
def test_a_threshold_between_two_scores_of_single_precision_is_not_rounded(
    values: list[float], ends: float
) -> None:
    """One step of double precision to either side of a score decides whether the score is above."""
    scores = np.sort(np.float32(values))[::-1]
    exact = scores.astype(np.float64)
    for threshold in (*exact, *np.nextafter(exact, ends)):
        assert first_not_above(scores, float(threshold)) == np.count_nonzero(exact > threshold)


def cut(tail: ScoreTail, floor: float, below: object = None) -> ScoreTail:
    from dataclasses import replace

    keep = first_not_above(tail.tail_score, floor)
    return replace(
        tail, tail_i=tail.tail_i[:keep], tail_j=tail.tail_j[:keep], tail_score=tail.tail_score[:keep],
        cutoff=floor, rescored=below,
    )  # fmt: skip
