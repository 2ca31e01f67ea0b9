"""Foldings against loops: disjoint, overlapping, strict; caps, leaks, parts of one mix."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from strategies_core import pair_lists

from frtaudit.stats.folds import fold_assignment
from frtaudit.stats.folds.kfold_accuracy import DROPPED
from frtaudit.stats.similarity.pairs import components

people = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=4, max_size=40)


@given(people, st.integers(1, 3), st.integers(0, 9))
def test_a_cap_keeps_as_many_as_it_may(drawn: list[tuple[int, int]], most: int, seed: int) -> None:
    """Each subject keeps the smaller of its mated pairs and the cap; non-mated pairs all stay; the draw repeats."""
    first, second = np.array(drawn).T
    mated = first == second
    keep = fold_assignment.capped(first, mated, most, np.random.default_rng(seed))
    assert keep[~mated].all()
    for subject in range(6):
        own = mated & (first == subject)
        assert int(keep[own].sum()) == min(most, int(own.sum()))
    assert np.array_equal(keep, fold_assignment.capped(first, mated, most, np.random.default_rng(seed)))


def test_every_pair_of_a_subject_is_as_likely_to_stay() -> None:
    """Of five pairs one stays, each in a fifth of the draws (false alarm 0.001)."""
    subject, mated = np.zeros(5, dtype=np.int64), np.ones(5, dtype=bool)
    rng = np.random.default_rng(5)
    seen = sum(fold_assignment.capped(subject, mated, 1, rng).astype(int) for _ in range(2000))
    assert stats.chisquare(seen).pvalue > 0.001


@given(st.lists(st.tuples(st.booleans(), st.integers(-1, 2), st.booleans()), min_size=1, max_size=60))
def test_a_part_of_one_mix(drawn: list[tuple[bool, int, bool]]) -> None:
    """In each fold kinds stand in the ratio of the whole, rounded down; one kind keeps all it has; nothing is added."""
    mated, of, chosen = (np.array(side) for side in zip(*drawn, strict=True))
    keep = fold_assignment.of_one_mix(mated, of, chosen, np.random.default_rng(1))
    assert not (keep & ~(chosen & (of >= 0))).any()
    for fold in range(3):
        whole, part, kept = (
            [int(np.count_nonzero(which & (of == fold) & (mated == kind))) for kind in (True, False)]
            for which in (np.ones_like(chosen), chosen, keep)
        )
        limits = [part[n] if not whole[1 - n] else part[1 - n] * whole[n] // whole[1 - n] for n in (0, 1)]
        assert kept == [min(part[n], limits[n]) for n in (0, 1)]
    assert np.array_equal(
        fold_assignment.of_one_mix(mated, of, np.ones_like(chosen), np.random.default_rng(1)), of >= 0
    )


@given(people, st.lists(st.integers(-1, 2), min_size=40, max_size=40))
def test_leaks_are_counted_as_a_loop_counts_them(drawn: list[tuple[int, int]], places: list[int]) -> None:
    """Subjects in several folds, by mated pairs and by all pairs; none exactly where check_folds says disjoint."""
    first, second = np.array(drawn).T
    mated, of = first == second, np.array(places[: len(drawn)])
    inside = [item for item in zip(drawn, of.tolist(), strict=True) if item[1] >= 0]
    by_mated = [len({fold for (a, b), fold in inside if a == b == k}) for k in range(6)]
    by_all = [len({fold for pair, fold in inside if k in pair}) for k in range(6)]
    found = fold_assignment.leaking(first, second, mated, of)
    assert found == (sum(n > 1 for n in by_mated), sum(n > 1 for n in by_all))
    check = fold_assignment.check_folds(first, second, mated, of, 3)
    assert (check.mated_disjoint, check.fully_disjoint) == (found[0] == 0, found[1] == 0)


@given(pair_lists(), st.integers(2, 4))
def test_disjoint_folds_keep_subjects_whole_and_loads_even(
    pairs: tuple[np.ndarray, np.ndarray, np.ndarray], k: int
) -> None:
    """A subject's mated pairs share a fold; loads differ by no more than the largest subject; non-mated by one."""
    first, second, mated = pairs
    made = fold_assignment.disjoint_folds(first, mated, k)
    check = fold_assignment.check_folds(first, second, mated, made.folds, k)
    assert check.mated_disjoint
    assert np.ptp(check.mated_counts) <= np.bincount(first[mated]).max()
    assert np.ptp(check.non_mated_counts) <= 1
    assert made.dropped == 0


@given(pair_lists(), st.integers(2, 4))
def test_overlap_folds_deal_the_pairs_of_a_subject_apart(
    pairs: tuple[np.ndarray, np.ndarray, np.ndarray], k: int
) -> None:
    """Counts are even, a subject with two pairs is in two folds, and non-mated pairs stay where they were."""
    first, second, mated = pairs
    made = fold_assignment.overlap_folds(first, mated, k)
    check = fold_assignment.check_folds(first, second, mated, made.folds, k)
    assert np.ptp(check.mated_counts) <= 1
    assert check.mated_disjoint == (np.bincount(first[mated]).max() == 1)
    disjoint = fold_assignment.disjoint_folds(first, mated, k)
    assert made.folds[~mated].tolist() == disjoint.folds[~mated].tolist()


@given(pair_lists(), st.integers(2, 4))
def test_strict_folds_share_no_subject_and_count_what_they_drop(
    pairs: tuple[np.ndarray, np.ndarray, np.ndarray], k: int
) -> None:
    """Only non-mated pairs across folds are dropped, and the number says how many."""
    first, second, mated = pairs
    made = fold_assignment.strict_folds(first, second, mated, k)
    assert fold_assignment.check_folds(first, second, mated, made.folds, k).fully_disjoint
    assert made.dropped == np.count_nonzero(made.folds == DROPPED)
    assert (made.folds[mated] >= 0).all()


def test_strict_folds_of_a_list_that_leaves_subjects_out() -> None:
    """Codes of subjects that stand in no pair, which are components of their own, change nothing."""
    first, second = np.array([0, 0, 1, 1]), np.array([0, 0, 1, 3])
    made = fold_assignment.strict_folds(first, second, first == second, 2)
    assert made.dropped == 0
    assert made.folds.tolist() == [0, 0, 1, 1]


def test_strict_folds_drop_nothing_where_components_fit() -> None:
    """Subjects that are compared within ten circles only: circles are dealt whole."""
    circle = np.repeat(np.arange(10), 12)
    rng = np.random.default_rng(2)
    first, second = circle * 4 + rng.integers(4, size=120), circle * 4 + rng.integers(4, size=120)
    made = fold_assignment.strict_folds(first, second, first == second, 5)
    assert made.dropped == 0
    assert np.bincount(made.folds).tolist() == [24] * 5


def test_ties_in_load_go_by_name() -> None:
    """Of two subjects with equally many pairs the one whose name sorts first is dealt first."""
    first, mated = np.array([0, 1]), np.array([True, True])
    assert fold_assignment.disjoint_folds(first, mated, 2, ["b", "a"]).folds.tolist() == [1, 0]
    assert fold_assignment.overlap_folds(first, mated, 2, ["b", "a"]).folds.tolist() == [1, 0]


@given(pair_lists())
def test_components_join_the_ends_of_non_mated_pairs_only(
    pairs: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Two subjects share a component iff a chain of non-mated pairs joins them."""
    first, second, mated = pairs
    size = int(max(first.max(), second.max())) + 1
    reach = np.eye(size, dtype=bool)
    reach[first[~mated], second[~mated]] = reach[second[~mated], first[~mated]] = True
    for _ in range(size):
        reach = reach @ reach
    found = components(first[~mated], second[~mated], size)
    assert (found[:, None] == found[None, :]).tolist() == reach.tolist()
