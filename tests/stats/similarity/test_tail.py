import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles_rates import World, lists, matrices

from frtaudit.core import ScoreTail
from frtaudit.stats.similarity.tail import from_listed, from_matrix, no_groups


@given(st.one_of(matrices(), lists()))
def test_everything_is_kept_in_order(drawn: tuple[World, ScoreTail]) -> None:
    """Mated scores ascend, non-mated ones descend with ties by (i, j), and none is lost or made up."""
    world, tail = drawn
    assert sorted(tail.mated_score.tolist()) == tail.mated_score.tolist()
    key = list(zip((-tail.tail_score).tolist(), tail.tail_i.tolist(), tail.tail_j.tolist(), strict=True))
    assert key == sorted(key)
    pairs = [(min(i, j), max(i, j), s) for i, j, s in world.pairs]
    of = world.subject_of
    room = [world.cells[k] for k in of]
    mated = [pair for pair in pairs if of[pair[0]] == of[pair[1]]]
    non_mated = [(i, j, s) for i, j, s in pairs if of[i] != of[j] and room[i] == room[j] >= 0]
    found = zip(tail.mated_i.tolist(), tail.mated_j.tolist(), tail.mated_score.tolist(), strict=True)
    assert sorted(found) == sorted(mated)
    found = zip(tail.tail_i.tolist(), tail.tail_j.tolist(), tail.tail_score.tolist(), strict=True)
    assert sorted(found) == sorted(non_mated)
    assert tail.histogram.sum() == len(non_mated)
    assert tail.mated_histogram.sum() == len(mated)
    assert tail.subject_of.tolist() == of
    assert np.isneginf(tail.cutoff)


@given(lists())
def test_completeness_of_mated_comparisons(drawn: tuple[World, ScoreTail]) -> None:
    """A list is complete iff every two acquired samples of one subject were compared, exactly once."""
    world, tail = drawn
    of = world.subject_of
    made = sorted(tuple(sorted(pair[:2])) for pair in world.pairs if of[pair[0]] == of[pair[1]])
    size = len(of)
    assert tail.mated_complete == (
        made == [(i, j) for i in range(size) for j in range(i + 1, size) if of[i] == of[j]]
    )


@given(matrices())
def test_a_complete_list_equals_its_matrix(drawn: tuple[World, ScoreTail]) -> None:
    """Listing every pair gives the tail of the matrix, with the block sizes spelled out."""
    world, whole = drawn
    if not world.pairs:
        return
    i, j, score = (np.array(side) for side in zip(*world.pairs, strict=True))
    listed = from_listed(
        score,
        j.astype(int),
        i.astype(int),
        subject_of=whole.subject_of,
        cells=whole.cells,
        score_range=(0, 1),
    )
    for name in (
        "n_samples",
        "mated_i",
        "mated_j",
        "mated_score",
        "tail_i",
        "tail_j",
        "tail_score",
        "histogram",
    ):
        np.testing.assert_array_equal(getattr(listed, name), getattr(whole, name), err_msg=name)
    assert listed.mated_complete
    assert listed.blocks is not None
    n = whole.n_samples
    assert listed.blocks.count.tolist() == (n[listed.blocks.k] * n[listed.blocks.l]).tolist()


def test_samples_without_a_score_are_not_acquired() -> None:
    """A sample whose every comparison failed has no place; rows name the others."""
    tail = from_listed(
        [0.5, np.nan, 0.7], [0, 1, 3], [3, 0, 2], subject_of=[0, 0, 1, 1], cells=[0, 0], score_range=(0, 1)
    )
    assert tail.rows.tolist() == [0, 2, 3]
    assert tail.n_samples.tolist() == [1, 2]
    assert tail.mated_complete


def test_two_orders_of_a_matrix_are_averaged() -> None:
    """An asymmetric system's comparison is the mean of both orders (FORMULAS 8.15)."""
    tail = from_matrix([[9, 0.25], [0.75, 9]], ["a", "b"])
    assert tail.tail_score.tolist() == [0.5]


def test_a_matrix_without_a_score_is_refused() -> None:
    """A missing score cannot stand in a complete matrix."""
    with pytest.raises(ValueError, match="finite score"):
        from_matrix([[1, np.nan], [np.nan, 1]], ["a", "b"])


def test_one_value_still_has_a_range() -> None:
    """A single score, or none, gets a range around it."""
    assert from_matrix([[1, 0.5], [0.5, 1]], ["a", "b"]).score_range == (-0.5, 1.5)
    assert from_matrix([[1]], ["a"]).score_range == (0.0, 1.0)


def test_no_groups_means_everybody() -> None:
    """Without schemas there is index 0 alone."""
    groups = no_groups(from_matrix([[1, 0.5], [0.5, 1]], ["a", "b"]))
    assert groups.of.shape == (0, 2)
    assert groups.names == ()


@pytest.mark.parametrize(("shape", "ids"), [((3, 3), "ab"), ((2, 2), "abc"), ((2, 3), "ab"), ((2,), "ab")])
def test_a_matrix_has_a_row_and_a_column_for_each_id(shape: tuple[int, ...], ids: str) -> None:
    """A corner of a larger matrix is not read."""
    with pytest.raises(ValueError, match=f"with {len(ids)} ids"):
        from_matrix(np.zeros(shape), list(ids))
