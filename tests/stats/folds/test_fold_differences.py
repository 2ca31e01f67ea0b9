"""The difference of two fold assignments against a loop over every pair of pairs; deals; its interval."""

import numpy as np

from frtaudit.stats.folds import fold_assignment, fold_differences, kfold_accuracy


def slow_difference(
    one: kfold_accuracy.FoldAccuracy,
    other: kfold_accuracy.FoldAccuracy,
    of: tuple[np.ndarray, ...],
    ends: list[set[int]],
) -> tuple[float, float]:
    """Difference and variance by a loop over every pair of pairs that share a subject."""
    residual = []
    for n in range(len(ends)):
        parts = []
        for found, fold in zip((one, other), of, strict=True):
            weight = 1 / (found.total.size * found.total[fold[n]]) if fold[n] >= 0 else 0.0
            parts.append(weight * (float(found.is_correct[n]) - found.mean))
        residual.append(parts[0] - parts[1])
    total = sum(
        a * b
        for a, x in zip(residual, ends, strict=True)
        for b, y in zip(residual, ends, strict=True)
        if x & y
    )
    k = len(set().union(*ends))
    return one.mean - other.mean, total * k / (k - 1)


def made(seed: int = 0) -> tuple[np.ndarray, ...]:
    """Scores of 60 pairs of 12 subjects that overlap, in disjoint and overlapping folds."""
    rng = np.random.default_rng(seed)
    first = np.repeat(np.arange(12), 5)
    mated = np.arange(60) % 5 < 3
    second = np.where(mated, first, (first + rng.integers(1, 12, 60)) % 12)
    score = rng.normal(mated * 1.2, 1.0) + 0.6 * rng.normal(size=12)[first]
    return score, mated, first, second


def test_the_difference_of_two_fold_assignments_by_a_loop() -> None:
    """Value and dyadic variance with K/(K - 1) equal the sum over every pair of pairs that share a subject."""
    score, mated, first, second = made()
    of = (
        fold_assignment.disjoint_folds(first, mated, 4).folds,
        fold_assignment.overlap_folds(first, mated, 4).folds,
    )
    one, other = (kfold_accuracy.k_fold_accuracy(score, mated, item) for item in of)
    found = fold_differences.accuracy_difference(one, other, of, first, second)
    ends = [{a, b} for a, b in zip(first.tolist(), second.tolist(), strict=True)]
    value, variance = slow_difference(one, other, of, ends)
    assert np.allclose([found.value, found.variance], [value, max(variance, 0)])
    assert found.discordant == int((one.is_correct != other.is_correct).sum())


def test_the_difference_of_two_systems_counts_subjects_by_weight() -> None:
    """The sums of each subject's pairs, squared, by a loop; K by weight of the pairs that lie in a fold."""
    score, mated, first, second = made()
    folds = np.where(np.arange(60) % 7 == 0, kfold_accuracy.DROPPED, np.arange(60) % 4)
    other_score = score + np.random.default_rng(5).normal(size=60)
    one, other = (kfold_accuracy.k_fold_accuracy(item, mated, folds, 4) for item in (score, other_score))
    found = fold_differences.systems_difference(one, other, folds, first, second)
    sums, pairs = np.zeros(12), np.zeros(12)
    for n in np.flatnonzero(folds >= 0):
        weight = 1 / (4 * one.total[folds[n]])
        away = (float(one.is_correct[n]) - one.mean) - (float(other.is_correct[n]) - other.mean)
        for subject in {int(first[n]), int(second[n])}:
            sums[subject] += weight * away
            pairs[subject] += 1
    k = pairs.sum() ** 2 / np.square(pairs).sum()
    assert np.allclose([found.value, found.variance], [one.mean - other.mean, k / (k - 1) * (sums**2).sum()])


def test_a_deal_keeps_all_counts_and_who_is_together() -> None:
    """Dealt anew, homes move among subjects with as many pairs, so that all counts stay; a seed repeats its deals."""
    score, mated, first, _ = made(3)
    of = (
        fold_assignment.disjoint_folds(first, mated, 4).folds,
        fold_assignment.overlap_folds(first, mated, 4).folds,
    )
    found = fold_differences.redealt_differences(score, mated, first, of, 4, 50, np.random.default_rng(1))
    again = fold_differences.redealt_differences(score, mated, first, of, 4, 50, np.random.default_rng(1))
    assert np.array_equal(found, again)
    assert found.std() > 0
    rng = np.random.default_rng(2)
    counts = np.array([3, 3, 1, 1, 1])
    moved = fold_differences._shuffled_within(np.arange(5), counts, rng)
    assert sorted(moved[:2].tolist()) == [0, 1]
    assert sorted(moved[2:].tolist()) == [2, 3, 4]


def test_a_deal_is_the_accuracy_of_its_disjoint_folds_minus_that_of_the_others() -> None:
    """Folds dealt by the same generator outside, their accuracies subtracted."""
    score, mated, first, _ = made(3)
    disjoint, overlap = (
        fold_assignment.disjoint_folds(first, mated, 4).folds,
        fold_assignment.overlap_folds(first, mated, 4).folds,
    )
    rng, expected = np.random.default_rng(1), []
    for _ in range(20):
        home = np.array([disjoint[mated & (first == subject)][0] for subject in range(12)])
        dealt = [disjoint.copy(), overlap.copy()]
        dealt[0][mated] = rng.permutation(home)[first[mated]]  # everybody has three mated pairs
        dealt[1][mated] = rng.permutation(overlap[mated])
        accuracy, other = (kfold_accuracy.k_fold_accuracy(score, mated, folds, 4).mean for folds in dealt)
        expected.append(accuracy - other)
    found = fold_differences.redealt_differences(
        score, mated, first, (disjoint, overlap), 4, 20, np.random.default_rng(1)
    )
    assert found.tolist() == expected
    assert any(expected)


def test_the_interval_of_a_difference() -> None:
    """Student's t with K - 1 degrees of freedom on the larger variance; none where both are 0."""
    found = fold_differences.Difference(value=-0.001, variance=4e-8, discordant=3)
    for dealt, sd in ((1e-8, 2e-4), (9e-8, 3e-4)):
        low, high = fold_differences.difference_interval(found, dealt, 11, 0.05) or (0, 0)
        assert np.allclose([low, high], -0.001 + np.array([-1, 1]) * 2.2281388519 * sd)
    same = fold_differences.Difference(value=0.0, variance=0.0, discordant=0)
    assert fold_differences.difference_interval(same, 0.0, 9, 0.1) is None
    assert fold_differences.difference_interval(same, 1e-8, 9, 0.1) is not None
