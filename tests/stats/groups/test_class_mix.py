"""Tests of frtaudit.stats.groups.class_mix."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles_robustness import People

from frtaudit.core.spec import Weighting
from frtaudit.stats.groups import class_mix
from frtaudit.stats.groups.class_counts import class_sums, class_trials
from frtaudit.stats.rates.sums import BelowFloorError
from frtaudit.stats.similarity.tail import from_matrix

SHARES = np.array([0.7, 0.3])


def mixed_slowly(people: People, weighting: Weighting, threshold: float) -> float:
    """Sum over ordered pairs of classes of shares times the FMR between them, every comparison one by one."""
    total = 0.0
    for c in range(2):
        for d in range(2):
            blocks: dict[tuple[int, int], list[bool]] = {}
            for a, b, score in people.pairs():
                if a != b and {(people.code[a], people.code[b]), (people.code[b], people.code[a])} & {(c, d)}:
                    blocks.setdefault((a, b), []).append(score > threshold)
            every = [wrong for block in blocks.values() for wrong in block]
            pooled = weighting is Weighting.POOLED
            rate = np.mean(every) if pooled else np.mean([np.mean(block) for block in blocks.values()])
            total += SHARES[c] * SHARES[d] * float(rate)
    return total


@pytest.mark.parametrize("weighting", list(Weighting))
@given(seed=st.integers(0, 10_000))
def test_reweighted_rate_and_its_threshold(weighting: Weighting, seed: int) -> None:
    """The FMR of the mix, and the smallest threshold at which it meets a target, equal a search of all scores."""
    people = People(seed, subjects=6, unknown=1)
    tail = from_matrix(people.scores, people.ids)
    held = class_trials(tail, people.code, 3)
    under = class_mix.between(held.trials, held.code)
    weights = class_mix.pair_weights(SHARES, under[:2, :2] > 0)
    assert weights is not None
    whole = np.pad(weights, (0, 1))
    sums = class_sums(tail, people.threshold, held)
    found = class_mix.mixed(class_mix.class_rates(sums, weighting), whole)
    assert found == pytest.approx(mixed_slowly(people, weighting, people.threshold), abs=1e-12)
    target = 0.23
    threshold = class_mix.mixed_threshold(tail, held, whole, target, weighting)
    assert mixed_slowly(people, weighting, threshold) <= target + 1e-12
    lower = [score for a, b, score in people.pairs() if a != b and score < threshold]
    if lower:
        assert mixed_slowly(people, weighting, max(lower)) > target


@pytest.mark.parametrize("weighting", list(Weighting))
def test_residuals_sum_to_nothing(weighting: Weighting) -> None:
    """Each pair of classes is centred on its own rate: the residuals of all subjects add up to 0."""
    people = People(5)
    tail = from_matrix(people.scores, people.ids)
    sums = class_sums(tail, 0.5, class_trials(tail, people.code, 3))
    whole = np.pad(np.outer(SHARES, SHARES), (0, 1))
    residual = class_mix.mixture_residuals(sums, whole, weighting)
    assert residual.shape == (7,)
    assert abs(residual.sum()) < 1e-12
    assert np.abs(residual).max() > 0


def test_one_class_alone_has_the_published_variance() -> None:
    """With all the weight on one class the residuals are R_k of FORMULAS 2 over the comparisons of that class."""
    people = People(8, subjects=8, unknown=0)
    tail = from_matrix(people.scores, people.ids)
    sums = class_sums(tail, 0.5, class_trials(tail, people.code, 3))
    whole = np.zeros((3, 3))
    whole[0, 0] = 1.0
    found = class_mix.mixture_residuals(sums, whole, Weighting.POOLED)
    own = people.code == 0
    trials = sums.trials[own, 0].sum() / 2
    rate = sums.errors[own, 0].sum() / 2 / trials
    assert found[own] == pytest.approx((sums.errors[own, 0] - rate * sums.trials[own, 0]) / trials)
    assert not found[~own].any()


def test_a_class_that_meets_nobody_of_its_own_has_no_mix() -> None:
    """A mix needs comparisons within each of its classes; those across may be missing."""
    compared = np.array([[True, False], [False, False]])
    assert class_mix.pair_weights(SHARES, compared) is None
    within = class_mix.pair_weights(SHARES, np.eye(2, dtype=bool))
    assert within is not None
    assert within.tolist() == pytest.approx(np.diag([0.49, 0.09]).tolist() / np.float64(0.58))


@given(seed=st.integers(0, 100_000), count=st.integers(2, 4))
def test_labels_undone_give_the_rates_they_were_made_of(seed: int, count: int) -> None:
    """Rates mixed by a matrix of mislabelling come back from it, FMR on both sides of a pair."""
    rng = np.random.default_rng(seed)
    shares = rng.random(count) * 0.3
    matrix = class_mix.mislabelling(shares)
    assert matrix.sum(axis=1) == pytest.approx(1.0)
    assume(np.linalg.cond(matrix) < 1e3)
    fnmr, fmr = rng.random(count), rng.random((count, count))
    fmr = (fmr + fmr.T) / 2
    found = class_mix.unmixed(matrix @ fnmr, matrix @ fmr @ matrix.T, matrix)
    assert found is not None
    assert found[0] == pytest.approx(fnmr)
    assert found[1] == pytest.approx(np.diag(fmr))


def test_labels_that_say_nothing_cannot_be_undone() -> None:
    """Half of two classes mislabelled: both labels mean the same."""
    assert class_mix.unmixed(np.array([0.1, 0.1]), np.eye(2), class_mix.mislabelling(np.full(2, 0.5))) is None


def test_rates_outside_0_to_1_are_not_cut() -> None:
    """Labels in which fewer are wrong than declared: a rate below 0 stays; one below by rounding alone is 0."""
    matrix = class_mix.mislabelling(np.full(2, 0.4))
    found = class_mix.unmixed(np.array([0.1, 0.2]), np.full((2, 2), np.nan), matrix)
    assert found is not None
    assert found[0] == pytest.approx([-0.1, 0.4])
    found = class_mix.unmixed(matrix @ np.array([-1e-12, 0.4]), np.full((2, 2), np.nan), matrix)
    assert found is not None
    assert found[0][0] == 0


def test_mostly_wrong_labels_cannot_be_undone() -> None:
    """Six labels of ten wrong: the labels of two classes may have changed places."""
    assert class_mix.unmixed(np.array([0.1, 0.2]), np.eye(2), class_mix.mislabelling(np.full(2, 0.6))) is None


def test_all_right_labels_change_nothing() -> None:
    """Without wrong labels the rates are those that were measured."""
    found = class_mix.unmixed(np.array([0.1, 0.4]), np.eye(2), class_mix.mislabelling(np.zeros(2)))
    assert found is not None
    assert found[0].tolist() == [0.1, 0.4]


def test_a_target_that_everything_meets_and_a_tail_that_ends_first() -> None:
    """-inf where all comparisons may match; below a floor it is refused."""
    people = People(4, unknown=0)
    tail = from_matrix(people.scores, people.ids)
    held = class_trials(tail, people.code, 3)
    whole = np.pad(np.outer(SHARES, SHARES), (0, 1))
    assert class_mix.mixed_threshold(tail, held, whole, 1.0, Weighting.POOLED) == -np.inf
    from dataclasses import replace

    high = float(tail.tail_score[0])
    cut = replace(
        tail, tail_i=tail.tail_i[:0], tail_j=tail.tail_j[:0], tail_score=tail.tail_score[:0], cutoff=high
    )
    with pytest.raises(BelowFloorError):
        class_mix.mixed_threshold(cut, held, whole, 0.1, Weighting.POOLED)
