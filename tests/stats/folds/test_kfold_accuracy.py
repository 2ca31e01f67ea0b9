"""Fold accuracy: the best threshold, and the dyadic variance against loops."""

from fractions import Fraction

import numpy as np
import oracles_wilson as slow
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from strategies_core import pair_lists

from frtaudit.stats.folds import fold_assignment, kfold_accuracy

pairs_of_scores = st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=1, max_size=30)


def _best(scores: np.ndarray, mated: np.ndarray) -> float:
    """The best threshold of all pairs: that of an empty fold."""
    return float(
        kfold_accuracy.training_thresholds(scores, mated, np.zeros(len(scores), dtype=np.int64), 2)[1]
    )


def _arrays(drawn: list[tuple[int, bool]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([score / 8 for score, _ in drawn]), np.array([mated for _, mated in drawn])


@given(pairs_of_scores)
def test_best_threshold_is_the_largest_of_the_best_candidates(drawn: list[tuple[int, bool]]) -> None:
    """Ties in score and in accuracy: threshold and count equal a loop over every candidate."""
    scores, mated = _arrays(drawn)
    threshold, correct = slow.best_threshold(scores.tolist(), mated.tolist())
    assert _best(scores, mated) == threshold
    assert kfold_accuracy.correct_at(scores, mated, threshold).sum() == correct


def test_neighbouring_doubles_have_no_midpoint() -> None:
    """The midpoint of 1 and the next double rounds; the threshold still separates them."""
    scores = np.array([1.0, np.nextafter(1.0, 2), np.nextafter(np.nextafter(1.0, 2), 2)])
    for cut in (1, 2):
        mated = np.arange(3) >= cut
        assert kfold_accuracy.correct_at(scores, mated, _best(scores, mated)).all()


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
    assigned[assigned == k] = kfold_accuracy.DROPPED
    found = kfold_accuracy.k_fold_accuracy(scores, mated, assigned, k)
    for fold in range(k):
        train, test = (assigned >= 0) & (assigned != fold), assigned == fold
        threshold, _ = slow.best_threshold(scores[train].tolist(), mated[train].tolist())
        right = [(s > threshold) == m for s, m in zip(scores[test], mated[test], strict=True)]
        assert (found.thresholds[fold], found.correct[fold], found.total[fold]) == (
            threshold, sum(right), len(right),
        )  # fmt: skip
    assert found.mean == pytest.approx(np.mean(found.accuracies))
    assert found.sem == pytest.approx(stats.sem(found.accuracies))


@pytest.mark.parametrize("assigned", [[0, 0, 0], [0, 0, 2], [0, 1, 5]])
def test_an_empty_fold_is_refused(assigned: list[int]) -> None:
    """One fold only, or a fold without pairs, gives no fold accuracy."""
    with pytest.raises(ValueError, match="needs some"):
        kfold_accuracy.k_fold_accuracy(np.array([0.1, 0.2, 0.3]), np.array([True] * 3), np.array(assigned))
    with pytest.raises(ValueError, match="needs some"):
        kfold_accuracy.k_fold_accuracy(np.array([0.1, 0.2]), np.array([True] * 2), np.array([0, 5]), 2)


@given(pair_lists())
def test_dyadic_variance_is_the_sum_over_pairs_that_share_a_subject(
    pairs: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Mated and non-mated pairs together equal the O(n^2) loop in fractions."""
    first, second, _ = pairs
    residuals = (np.arange(first.size) * 7 % 11 - 5) / 8
    rows = [({int(a), int(b)}, Fraction(float(e))) for a, b, e in zip(first, second, residuals, strict=True)]
    found = kfold_accuracy.dyadic_variance(residuals, first, second)
    assert found == pytest.approx(float(slow.shared_variance(rows)), abs=1e-9)


@given(pair_lists())
def test_accuracy_bounds_stand_on_the_dyadic_size(
    pairs: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """It holds the mean and its effective size never exceeds the number of pairs."""
    first, second, mated = pairs
    scores = np.where(mated, 0.6, 0.4) + (np.arange(mated.size) * 5 % 7 - 3) / 20
    made = fold_assignment.disjoint_folds(first, mated, 2)
    assume(np.bincount(made.folds, minlength=2).min() > 0)
    accuracy = kfold_accuracy.k_fold_accuracy(scores, mated, made.folds, 2)
    found = kfold_accuracy.accuracy_bounds(accuracy, made.folds, first, second).interval(0.05)
    assert found.low - 1e-12 <= accuracy.mean <= found.high + 1e-12
    assert found.n_eff <= mated.size
    assert found.low < found.high


def test_dependent_pairs_widen_the_interval_of_accuracy() -> None:
    """A hundred copies of one subject's verdict are one verdict: n_eff is near the number of subjects, less one."""
    rng = np.random.default_rng(4)
    first = np.repeat(np.arange(40), 50)
    mated = np.ones(first.size, dtype=bool)
    right = rng.random(40)[first] < 0.8
    made = fold_assignment.disjoint_folds(first, mated, 4)
    accuracy = kfold_accuracy.FoldAccuracy(
        thresholds=np.zeros(4),
        correct=np.bincount(made.folds[right], minlength=4),
        total=np.bincount(made.folds),
        is_correct=right,
    )
    assert kfold_accuracy.accuracy_bounds(accuracy, made.folds, first, first).n_eff == pytest.approx(39)


def test_a_subject_of_most_pairs_counts_with_the_mean_without_it() -> None:
    """Its sum of residuals is divided by the share of the pairs of others; the others' stay."""
    of = np.repeat(np.arange(41), [60, *[1] * 40])
    right = np.random.default_rng(1).random(of.size) < 0.7
    residuals = (right - right.mean()) / of.size
    hub, others = right[of == 0], right[of != 0]
    change = others.mean() - right.mean()
    expected = change**2 + np.square(residuals[of != 0]).sum()
    assert kfold_accuracy.subject_variance(residuals, of, of) == pytest.approx(expected)
    assert hub.size == 60


def test_a_variance_below_that_of_independent_pairs_is_not_believed() -> None:
    """Every subject has one right and one wrong pair: its sum does not vary, and n_eff is the number of pairs."""
    first = np.repeat(np.arange(40), 2)
    folds, is_correct = np.repeat([0, 1], 40), np.arange(80) % 2 == 0
    accuracy = kfold_accuracy.FoldAccuracy(
        thresholds=np.zeros(2), correct=np.array([20, 20]), total=np.array([40, 40]), is_correct=is_correct
    )
    assert kfold_accuracy.accuracy_bounds(accuracy, folds, first, first).n_eff == pytest.approx(80)


def test_decisions_of_chosen_pairs_count_in_every_fold() -> None:
    """Chosen pairs of the first fold count as those of the others do; dropped ones (-1) do not."""
    folds, is_correct = np.array([0, 0, 1, -1]), np.array([False, True, True, False])
    accuracy = kfold_accuracy.FoldAccuracy(
        thresholds=np.zeros(2), correct=np.array([1, 1]), total=np.array([2, 1]), is_correct=is_correct
    )
    part = kfold_accuracy.within(accuracy, folds, np.array([True, False, True, True]))
    assert part is not None
    assert part.accuracy.mean == 0.5
    assert part.folds.tolist() == [0, kfold_accuracy.DROPPED, 0, kfold_accuracy.DROPPED]


def test_one_more_image_counts_as_far_as_subjects_weigh_unequally() -> None:
    """None where subjects have as many mated pairs; one with 45 among ten with one: half of an image's nine pairs."""
    alike = np.repeat(np.arange(11), 3)
    assert kfold_accuracy._unseen_image(alike, alike) == 0
    unequal = np.concatenate([np.repeat(0, 45), np.arange(1, 11)])
    effective = 55**2 / (45**2 + 10)
    expected = (1 - effective / 11) * 9 / 55 / 2
    assert kfold_accuracy._unseen_image(unequal, unequal) == pytest.approx(expected)
    assert kfold_accuracy._unseen_image(np.array([0]), np.array([1])) == 0


def test_t_interval_of_folds_is_scipys() -> None:
    """Mean -+ t with k - 1 degrees of freedom times sem."""
    accuracy = kfold_accuracy.FoldAccuracy(
        thresholds=np.zeros(4),
        correct=np.array([9, 8, 10, 9]),
        total=np.full(4, 10),
        is_correct=np.zeros(40, bool),
    )
    expected = stats.t.interval(0.9, 3, loc=0.9, scale=stats.sem(accuracy.accuracies))
    assert kfold_accuracy.t_interval(accuracy, 0.1) == pytest.approx(expected)
