import numpy as np
import oracles_resample as slow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core import ScoreTail
from frtaudit.core.spec import Plan
from frtaudit.stats.bootstrap import plans
from frtaudit.stats.bootstrap.kernel_arrays import WIDTH, SortedComparisons
from frtaudit.stats.bootstrap.sorted_comparisons import mated_comparisons
from frtaudit.stats.bootstrap.weights import draw_copies
from frtaudit.stats.similarity.tail import from_matrix, no_groups


def source(ids: str, seed: int = 1) -> plans.Source:
    """A source of draws for samples of the subjects named."""
    tail = from_matrix(np.full((len(ids), len(ids)), 0.5), list(ids))
    return plans.source_of(tail, no_groups(tail), seed)


def laid_out(tail: ScoreTail, plan: Plan) -> SortedComparisons:
    """The mated comparisons as the plan's rows of weights."""
    cuts = np.empty(0, dtype=np.int64)
    return mated_comparisons(tail, no_groups(tail), cuts, plans.rows_of(tail, plan).mated)


def test_providers_share_copies_of_subjects() -> None:
    """The same seed draws the same subjects whatever their numbers of samples: vendors are paired."""
    for plan in (Plan.SUBJECTS, Plan.DOUBLE_OR_NOTHING, Plan.TWO_LEVEL):
        one = plans.copies_of(source("aabbc"), plan, None)(0, 9)
        other = plans.copies_of(source("abbbc"), plan, None)(0, 9)
        np.testing.assert_array_equal(one, other)


def test_strata_keep_their_size() -> None:
    """Subjects are drawn within strata."""
    copies = plans.copies_of(source("abcde"), Plan.SUBJECTS, np.array([0, 0, 1, 1, 1]))(5, 20)
    assert (copies[:2].sum(axis=0) == 2).all()
    assert (copies[2:].sum(axis=0) == 3).all()


def test_mated_comparisons_of_a_drawn_subject_weigh_its_copies() -> None:
    """Subject plans: a non-mated comparison weighs v_k v_l, a mated one v_k and not its square."""
    copies = np.array([[3, 2]])
    made = source("aab")
    tile = plans.subjects(made, plans.copies_of(made, Plan.SUBJECTS, None, copies))(0, 1)
    rows = plans.rows_of(made.tail, Plan.SUBJECTS)
    first, second = rows.mated
    assert tile.non_mated.weights[rows.non_mated[0], 0] * tile.non_mated.weights[rows.non_mated[2], 0] == 6
    mated = tile.mated(laid_out(made.tail, Plan.SUBJECTS), 1)[1]
    assert mated.weights[first[0], 0] * mated.weights[second[1], 0] == 3
    assert len(tile.non_mated.weights) == rows.alike.size


@pytest.mark.parametrize("apart", [False, True])
@given(world=slow.worlds(), seed=st.integers(0, 99))
def test_two_level_weights_are_the_sum_of_their_copies(world: slow.World, seed: int, apart: bool) -> None:
    """Non-mated weights are summed over copies and add up to v_k n_k; rows are cache lines.

    So are the weights of mated comparisons, whether few are asked for, each with a weight of its own, or many.
    """
    made = plans.source_of(world.tail, world.groups, seed)
    rows = plans.copies_of(made, Plan.TWO_LEVEL, None)
    tile = plans.two_level(made, rows)(0, 3)
    sizes, comparisons = world.tail.n_samples, laid_out(world.tail, Plan.TWO_LEVEL)
    within = draw_copies(sizes, rows(0, 3), seed=seed, first=0)
    np.testing.assert_array_equal(tile.non_mated.weights[:, :3], within.sum(axis=0))
    total = np.add.reduceat(tile.non_mated.weights[:, :3].astype(int), np.cumsum(sizes) - sizes)
    np.testing.assert_array_equal(total, rows(0, 3) * sizes[:, None])
    expected = (within[:, comparisons.first].astype(int) * within[:, comparisons.second]).sum(axis=0)
    for furthest in range(comparisons.first.size):
        with pytest.MonkeyPatch.context() as patch:
            if apart:
                patch.setattr(plans.counter, "draw_products", lambda *_, **__: None)
            placed, mated = tile.mated(comparisons, furthest)
        drawn = mated.weights.reshape(-1, mated.rows, WIDTH)[:, :, :3].astype(int)
        found = (drawn[:, placed.first] * drawn[:, placed.second]).sum(axis=0)
        np.testing.assert_array_equal(found[: furthest + 1], expected[: furthest + 1])
        assert mated.weights.ctypes.data % 64 == 0
    assert tile.non_mated.weights.ctypes.data % 64 == 0


def test_sums_of_the_heaviest_weights_fit_their_bytes() -> None:
    """``reach`` weights fit 8 bits, ``pairs`` products of two weights 16; weights up to 15 are packed as well."""
    for heaviest in range(256):
        tile = plans._tile(np.full((2, 1), heaviest, dtype=np.uint8), 2)
        assert tile.reach * heaviest <= 255
        assert tile.pairs * heaviest**2 < 2**16
        assert 1 <= tile.reach <= tile.pairs
        assert len(tile.packed) == (2 if heaviest < 16 else 0)
        assert tile.packed[:, 0].tolist() == [heaviest] * len(tile.packed)
    left = np.arange(WIDTH, dtype=np.uint8)[None] % 16
    packed = plans._tile(left, 1).packed
    np.testing.assert_array_equal(np.concatenate((packed & 15, packed >> 4), axis=1), left)
    assert packed.ctypes.data % 64 == 0


def test_rows_know_how_many_are_alike() -> None:
    """A row is alike those of subjects with as many samples: samples if images are drawn, else subjects."""
    tail = slow.from_matrix(np.full((6, 6), 0.5), list("aabccd"))
    assert plans.rows_of(tail, Plan.IMAGES).alike.tolist() == [4, 4, 2, 4, 4, 2]
    assert plans.rows_of(tail, Plan.SUBJECTS).alike.tolist() == [2, 2, 2, 2]


def test_weights_of_replicates_are_bytes() -> None:
    """0 to 255 in a table of the right width; anything else is refused with what was given."""
    assert plans._bytes(np.array([[0, 255]])).tolist() == [[0, 255]]
    assert plans._bytes(np.empty((0, 2), dtype=np.int64)).size == 0
    for wrong, words in (([[-1, 3]], "a weight is -1 or 3"), ([[3, 256]], "a weight is 3 or 256")):
        with pytest.raises(ValueError, match=words):
            plans._bytes(np.array(wrong))
    for shape in ((2,), (2, 3), (3, 1)):
        with pytest.raises(ValueError, match=r"weights has shape .*; accepted: \(B, 2\)"):
            plans._check_shape(np.ones(shape, dtype=np.int64), 2, "weights")
    plans._check_shape(np.ones((3, 2), dtype=np.int64), 2, "weights")


def test_rows_of_weights_are_copied_where_they_are_not_aligned() -> None:
    """128 lanes from the start of a cache line on, without gaps, are taken as they are."""
    room = plans.aligned_zeros(4, 256)
    good, shifted, gaps = (
        room.reshape(8, WIDTH),
        room.ravel()[1 : 1 + 2 * WIDTH].reshape(2, WIDTH),
        room[:, :WIDTH],
    )
    assert plans._aligned(good) is good
    for weights in (shifted, gaps, room[:, :5]):
        weights[0, 0] = 7
        aligned = plans._aligned(weights)
        assert aligned is not weights
        assert (aligned.shape, aligned.ctypes.data % 128) == ((len(weights), WIDTH), 0)
        assert aligned.sum() == weights.sum()


def test_three_weights_of_five_fit_four_bits() -> None:
    """Of six they do not."""
    assert [plans._tile(np.full((2, 1), heaviest, dtype=np.uint8), 2).threes for heaviest in (5, 6)] == [
        True,
        False,
    ]
