"""Caps, leaks and the difference of two foldings, against loops."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from frtaudit.stats import foldings, folds

people = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=4, max_size=40)


@given(people, st.integers(1, 3), st.integers(0, 9))
def test_a_cap_keeps_as_many_as_it_may(drawn: list[tuple[int, int]], most: int, seed: int) -> None:
    """Each subject keeps the smaller of its mated pairs and the cap; non-mated pairs all stay; the draw repeats."""
    first, second = np.array(drawn).T
    mated = first == second
    keep = foldings.capped(first, mated, most, np.random.default_rng(seed))
    assert keep[~mated].all()
    for subject in range(6):
        own = mated & (first == subject)
        assert int(keep[own].sum()) == min(most, int(own.sum()))
    assert np.array_equal(keep, foldings.capped(first, mated, most, np.random.default_rng(seed)))


def test_every_pair_of_a_subject_is_as_likely_to_stay() -> None:
    """Of five pairs one stays, each in a fifth of the draws (false alarm 0.001)."""
    subject, mated = np.zeros(5, dtype=np.int64), np.ones(5, dtype=bool)
    rng = np.random.default_rng(5)
    seen = sum(foldings.capped(subject, mated, 1, rng).astype(int) for _ in range(2000))
    assert stats.chisquare(seen).pvalue > 0.001


@given(st.lists(st.tuples(st.booleans(), st.integers(-1, 2), st.booleans()), min_size=1, max_size=60))
def test_a_part_of_one_mix(drawn: list[tuple[bool, int, bool]]) -> None:
    """In each fold kinds stand in the ratio of the whole, rounded down; one kind keeps all it has; nothing is added."""
    mated, of, chosen = (np.array(side) for side in zip(*drawn, strict=True))
    keep = foldings.of_one_mix(mated, of, chosen, np.random.default_rng(1))
    assert not (keep & ~(chosen & (of >= 0))).any()
    for fold in range(3):
        whole, part, kept = (
            [int(np.count_nonzero(which & (of == fold) & (mated == kind))) for kind in (True, False)]
            for which in (np.ones_like(chosen), chosen, keep)
        )
        limits = [part[n] if not whole[1 - n] else part[1 - n] * whole[n] // whole[1 - n] for n in (0, 1)]
        assert kept == [min(part[n], limits[n]) for n in (0, 1)]
    assert np.array_equal(
        foldings.of_one_mix(mated, of, np.ones_like(chosen), np.random.default_rng(1)), of >= 0
    )


@given(people, st.lists(st.integers(-1, 2), min_size=40, max_size=40))
def test_leaks_are_counted_as_a_loop_counts_them(drawn: list[tuple[int, int]], places: list[int]) -> None:
    """Subjects in several folds, by mated pairs and by all pairs; none exactly where check_folds says disjoint."""
    first, second = np.array(drawn).T
    mated, of = first == second, np.array(places[: len(drawn)])
    inside = [item for item in zip(drawn, of.tolist(), strict=True) if item[1] >= 0]
    by_mated = [len({fold for (a, b), fold in inside if a == b == k}) for k in range(6)]
    by_all = [len({fold for pair, fold in inside if k in pair}) for k in range(6)]
    found = foldings.leaking(first, second, mated, of)
    assert found == (sum(n > 1 for n in by_mated), sum(n > 1 for n in by_all))
    check = folds.check_folds(first, second, mated, of, 3)
    assert (check.mated_disjoint, check.fully_disjoint) == (found[0] == 0, found[1] == 0)


def slow_difference(
    one: folds.FoldAccuracy, other: folds.FoldAccuracy, of: tuple[np.ndarray, ...], ends: list[set[int]]
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


def test_the_difference_of_two_foldings_by_a_loop() -> None:
    """Value and dyadic variance with K/(K - 1) equal the sum over every pair of pairs that share a subject."""
    score, mated, first, second = made()
    of = folds.disjoint_folds(first, mated, 4).folds, folds.overlap_folds(first, mated, 4).folds
    one, other = (folds.k_fold_accuracy(score, mated, item) for item in of)
    found = foldings.accuracy_difference(one, other, of, first, second)
    ends = [{a, b} for a, b in zip(first.tolist(), second.tolist(), strict=True)]
    value, variance = slow_difference(one, other, of, ends)
    assert np.allclose([found.value, found.variance], [value, max(variance, 0)])
    assert found.discordant == int((one.is_correct != other.is_correct).sum())


def test_a_deal_keeps_all_counts_and_who_is_together() -> None:
    """Dealt anew, homes move among subjects with as many pairs, so that all counts stay; a seed repeats its deals."""
    score, mated, first, _ = made(3)
    of = folds.disjoint_folds(first, mated, 4).folds, folds.overlap_folds(first, mated, 4).folds
    found = foldings.redealt_differences(score, mated, first, of, 4, 50, np.random.default_rng(1))
    again = foldings.redealt_differences(score, mated, first, of, 4, 50, np.random.default_rng(1))
    assert np.array_equal(found, again)
    assert found.std() > 0
    rng = np.random.default_rng(2)
    counts = np.array([3, 3, 1, 1, 1])
    moved = foldings._shuffled_within(np.arange(5), counts, rng)
    assert sorted(moved[:2].tolist()) == [0, 1]
    assert sorted(moved[2:].tolist()) == [2, 3, 4]


def test_the_interval_of_a_difference() -> None:
    """Student's t with K - 1 degrees of freedom on the larger variance; none where both are 0."""
    found = foldings.Difference(value=-0.001, variance=4e-8, discordant=3)
    for dealt, sd in ((1e-8, 2e-4), (9e-8, 3e-4)):
        low, high = foldings.difference_interval(found, dealt, 11, 0.05) or (0, 0)
        assert np.allclose([low, high], -0.001 + np.array([-1, 1]) * 2.2281388519 * sd)
    same = foldings.Difference(value=0.0, variance=0.0, discordant=0)
    assert foldings.difference_interval(same, 0.0, 9, 0.1) is None
    assert foldings.difference_interval(same, 1e-8, 9, 0.1) is not None
