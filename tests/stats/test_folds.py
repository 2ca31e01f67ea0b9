"""Fold accuracy: the best threshold, the folds' properties, and the dyadic variance against loops."""

import math
from fractions import Fraction

import numpy as np
import oracles_wilson as slow
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from frtaudit.stats import folds

pairs_of_scores = st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=1, max_size=30)


def _best(scores: np.ndarray, mated: np.ndarray) -> float:
    """The best threshold of all pairs: that of an empty fold."""
    return float(folds.training_thresholds(scores, mated, np.zeros(len(scores), dtype=np.int64), 2)[1])


def _arrays(drawn: list[tuple[int, bool]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([score / 8 for score, _ in drawn]), np.array([mated for _, mated in drawn])


@given(pairs_of_scores)
def test_best_threshold_is_the_largest_of_the_best_candidates(drawn: list[tuple[int, bool]]) -> None:
    """Ties in score and in accuracy: threshold and count equal a loop over every candidate."""
    scores, mated = _arrays(drawn)
    threshold, correct = slow.best_threshold(scores.tolist(), mated.tolist())
    assert _best(scores, mated) == threshold
    assert folds.correct_at(scores, mated, threshold).sum() == correct


def test_neighbouring_doubles_have_no_midpoint() -> None:
    """The midpoint of 1 and the next double rounds; the threshold still separates them."""
    scores = np.array([1.0, np.nextafter(1.0, 2), np.nextafter(np.nextafter(1.0, 2), 2)])
    for cut in (1, 2):
        mated = np.arange(3) >= cut
        assert folds.correct_at(scores, mated, _best(scores, mated)).all()


@given(pairs_of_scores, st.floats(0.5, 4), st.floats(-3, 3))
def test_best_accuracy_depends_on_the_order_of_scores_only(
    drawn: list[tuple[int, bool]], scale: float, shift: float
) -> None:
    """A strictly increasing change of the scores leaves the decisions at the best threshold."""
    scores, mated = _arrays(drawn)
    moved = np.exp(scores * scale) + shift
    assert (moved > _best(moved, mated)).tolist() == (scores > _best(scores, mated)).tolist()


@given(pairs_of_scores, st.integers(2, 4))
def test_every_fold_is_judged_at_the_threshold_of_the_others(drawn: list[tuple[int, bool]], k: int) -> None:
    """Thresholds and counts equal the loop; pairs in no fold neither train nor count."""
    scores, mated = _arrays(drawn)
    assume(len(drawn) >= 2 * k)
    assigned = np.arange(len(drawn)) % (k + 1)
    assigned[assigned == k] = folds.DROPPED
    found = folds.k_fold_accuracy(scores, mated, assigned, k)
    for fold in range(k):
        train, test = (assigned >= 0) & (assigned != fold), assigned == fold
        threshold, _ = slow.best_threshold(scores[train].tolist(), mated[train].tolist())
        right = [(s > threshold) == m for s, m in zip(scores[test], mated[test], strict=True)]
        assert (found.thresholds[fold], found.correct[fold], found.total[fold]) == (
            threshold, sum(right), len(right),
        )  # fmt: skip
    assert found.mean == pytest.approx(np.mean(found.accuracies))
    assert found.sem == pytest.approx(stats.sem(found.accuracies))
    assert found.sd_ddof0 == pytest.approx(found.sd_ddof1 * math.sqrt((k - 1) / k))


@pytest.mark.parametrize("assigned", [[0, 0, 0], [0, 0, 2], [0, 1, 5]])
def test_an_empty_fold_is_refused(assigned: list[int]) -> None:
    """One fold only, or a fold without pairs, gives no fold accuracy."""
    with pytest.raises(ValueError, match="needs some"):
        folds.k_fold_accuracy(np.array([0.1, 0.2, 0.3]), np.array([True] * 3), np.array(assigned))
    with pytest.raises(ValueError, match="needs some"):
        folds.k_fold_accuracy(np.array([0.1, 0.2]), np.array([True] * 2), np.array([0, 5]), 2)


@st.composite
def pair_lists(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mated and non-mated pairs over a few subjects, by subject code, in any order."""
    subject = st.integers(0, draw(st.integers(3, 12)))
    mated = [(k, k) for k in draw(st.lists(subject, min_size=4, max_size=25))]
    other = draw(st.lists(st.tuples(subject, subject).filter(lambda p: p[0] != p[1]), max_size=25))
    both = draw(st.permutations(mated + other))
    first, second = np.array(both).T
    return first, second, first == second


@given(pair_lists(), st.integers(2, 4))
def test_disjoint_folds_keep_subjects_whole_and_loads_even(
    pairs: tuple[np.ndarray, np.ndarray, np.ndarray], k: int
) -> None:
    """A subject's mated pairs share a fold; loads differ by no more than the largest subject; non-mated by one."""
    first, second, mated = pairs
    made = folds.disjoint_folds(first, mated, k)
    check = folds.check_folds(first, second, mated, made.folds, k)
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
    made = folds.overlap_folds(first, mated, k)
    check = folds.check_folds(first, second, mated, made.folds, k)
    assert np.ptp(check.mated_counts) <= 1
    assert check.mated_disjoint == (np.bincount(first[mated]).max() == 1)
    disjoint = folds.disjoint_folds(first, mated, k)
    assert made.folds[~mated].tolist() == disjoint.folds[~mated].tolist()


@given(pair_lists(), st.integers(2, 4))
def test_strict_folds_share_no_subject_and_count_what_they_drop(
    pairs: tuple[np.ndarray, np.ndarray, np.ndarray], k: int
) -> None:
    """Only non-mated pairs across folds are dropped, and the number says how many."""
    first, second, mated = pairs
    made = folds.strict_folds(first, second, mated, k)
    assert folds.check_folds(first, second, mated, made.folds, k).fully_disjoint
    assert made.dropped == np.count_nonzero(made.folds == folds.DROPPED)
    assert (made.folds[mated] >= 0).all()


def test_strict_folds_drop_nothing_where_components_fit() -> None:
    """Subjects that are compared within ten circles only: circles are dealt whole."""
    circle = np.repeat(np.arange(10), 12)
    rng = np.random.default_rng(2)
    first, second = circle * 4 + rng.integers(4, size=120), circle * 4 + rng.integers(4, size=120)
    made = folds.strict_folds(first, second, first == second, 5)
    assert made.dropped == 0
    assert np.bincount(made.folds).tolist() == [24] * 5


def test_ties_in_load_go_by_name() -> None:
    """Of two subjects with equally many pairs the one whose name sorts first is dealt first."""
    first, mated = np.array([0, 1]), np.array([True, True])
    assert folds.disjoint_folds(first, mated, 2, ["b", "a"]).folds.tolist() == [1, 0]
    assert folds.overlap_folds(first, mated, 2, ["b", "a"]).folds.tolist() == [1, 0]


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
    found = folds.impostor_components(first[~mated], second[~mated], size)
    assert (found[:, None] == found[None, :]).tolist() == reach.tolist()


@given(pair_lists())
def test_dyadic_variance_is_the_sum_over_pairs_that_share_a_subject(
    pairs: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Mated and non-mated pairs together equal the O(n^2) loop in fractions."""
    first, second, _ = pairs
    residuals = (np.arange(first.size) * 7 % 11 - 5) / 8
    rows = [({int(a), int(b)}, Fraction(float(e))) for a, b, e in zip(first, second, residuals, strict=True)]
    found = folds.dyadic_variance(residuals, first, second)
    assert found == pytest.approx(float(slow.shared_variance(rows)), abs=1e-9)


@given(pair_lists())
def test_accuracy_interval_is_wilson_on_the_dyadic_size(
    pairs: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """It holds the mean and its effective size never exceeds the number of pairs."""
    first, second, mated = pairs
    scores = np.where(mated, 0.6, 0.4) + (np.arange(mated.size) * 5 % 7 - 3) / 20
    made = folds.disjoint_folds(first, mated, 2)
    assume(np.bincount(made.folds, minlength=2).min() > 0)
    accuracy = folds.k_fold_accuracy(scores, mated, made.folds, 2)
    found = folds.accuracy_interval(accuracy, made.folds, first, second, 0.05)
    assert found.low - 1e-12 <= accuracy.mean <= found.high + 1e-12
    assert found.n_eff <= mated.size
    assert found.low < found.high


def test_dependent_pairs_widen_the_interval_of_accuracy() -> None:
    """A hundred copies of one subject's verdict are one verdict: n_eff is near the number of subjects, less one."""
    rng = np.random.default_rng(4)
    first = np.repeat(np.arange(40), 50)
    mated = np.ones(first.size, dtype=bool)
    right = rng.random(40)[first] < 0.8
    made = folds.disjoint_folds(first, mated, 4)
    accuracy = folds.FoldAccuracy(
        thresholds=np.zeros(4),
        correct=np.bincount(made.folds[right], minlength=4),
        total=np.bincount(made.folds),
        is_correct=right,
    )
    assert folds.accuracy_interval(accuracy, made.folds, first, first, 0.05).n_eff == pytest.approx(39)


def test_t_interval_of_folds_is_scipys() -> None:
    """Mean -+ t with k - 1 degrees of freedom times sem."""
    accuracy = folds.FoldAccuracy(
        thresholds=np.zeros(4),
        correct=np.array([9, 8, 10, 9]),
        total=np.full(4, 10),
        is_correct=np.zeros(40, bool),
    )
    expected = stats.t.interval(0.9, 3, loc=0.9, scale=stats.sem(accuracy.accuracies))
    assert folds.t_interval(accuracy, 0.1) == pytest.approx(expected)
