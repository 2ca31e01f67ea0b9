"""Tests of frtaudit.stats.groups.influence."""

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles_robustness import People
from scipy import stats

from frtaudit.core.scores import ScoreTail
from frtaudit.core.spec import Weighting
from frtaudit.stats.groups import influence
from frtaudit.stats.groups.influence import Parts
from frtaudit.stats.rates.sums import mated_sums, non_mated_sums
from frtaudit.stats.rates.trials import subject_trials, trials
from frtaudit.stats.similarity.tail import from_matrix, no_groups


@given(st.integers(1, 3000), st.sampled_from([0.01, 0.05, 0.2]))
def test_a_kind_so_common_is_missed_with_probability_alpha(subjects: int, alpha: float) -> None:
    """Binomial(K, p) is 0 with probability alpha at the printed share p = 1 - alpha^(1/K)."""
    share = influence.absent_share(subjects, alpha)
    assert stats.binom.pmf(0, subjects, share) == pytest.approx(alpha, rel=1e-9)
    assert share == pytest.approx(1 - alpha ** (1 / subjects), rel=1e-9)


def test_nobody_drawn_leaves_everything_open() -> None:
    """Without people any kind may be absent."""
    assert influence.absent_share(0, 0.05) == 1.0


def parts_of(people: People, rate: str, weighting: Weighting) -> Parts:
    """Parts of a rate of everybody from the sums of the tail."""
    tail = from_matrix(people.scores, people.ids)
    groups = no_groups(tail)
    every, each = trials(tail, groups), subject_trials(tail, groups)
    pooled = weighting is Weighting.POOLED
    if rate == "fmr":
        sums = non_mated_sums(tail, groups, [people.threshold])
        errors, comparisons = sums.subject_errors[0, 0], each.comparisons[0]
        count, weight = (errors, comparisons) if pooled else (sums.subject_far[0, 0], each.partners[0])
        whole = (
            (sums.errors[0, 0], every.non_mated[0])
            if pooled
            else (sums.far_sum[0, 0], every.subject_pairs[0])
        )
        all_counts = int(sums.errors[0, 0]), int(every.non_mated[0])
    else:
        mated = mated_sums(tail, groups, [people.threshold])
        errors, comparisons = mated.subject_errors[0], mated.subject_pairs
        count, weight = (errors, comparisons) if pooled else (errors / comparisons, comparisons > 0)
        whole = count.sum(), weight.sum()
        all_counts = int(errors.sum()), int(comparisons.sum())
    return Parts(
        errors=errors,
        trials=comparisons,
        count=np.asarray(count, dtype=np.float64),
        weight=np.asarray(weight, dtype=np.float64),
        all_errors=all_counts[0],
        all_trials=all_counts[1],
        all_count=float(whole[0]),
        all_weight=float(whole[1]),
    )


@pytest.mark.parametrize("rate", ["fmr", "fnmr"])
@pytest.mark.parametrize("weighting", list(Weighting))
@given(seed=st.integers(0, 10_000))
def test_leaving_one_out_equals_counting_again_without_it(rate: str, weighting: Weighting, seed: int) -> None:
    """Both extremes are those of the rates counted anew without each subject, and the subject named has that rate."""
    people = People(seed, subjects=5)
    everybody = set(range(5))
    slow = [people.rates(everybody - {k})[rate, weighting.value] for k in range(5)]
    found = influence.leave_one_out(parts_of(people, rate, weighting))
    assert found is not None
    for left, end in zip(found, (min(slow), max(slow)), strict=True):
        assert left.rate == pytest.approx(end, abs=1e-12)
        assert slow[left.subject] == pytest.approx(end, abs=1e-12)
    if weighting is Weighting.POOLED:
        assert [left.errors / left.trials for left in found] == [left.rate for left in found]


def test_one_who_makes_all_errors_leaves_exactly_none() -> None:
    """Sums of shares leave no dust: without the only subject with errors the rate is 0."""
    parts = Parts(
        errors=np.array([3, 0]),
        trials=np.array([10, 10]),
        count=np.array([0.1 + 0.2, 0.0]),
        weight=np.array([1.0, 1.0]),
        all_errors=3,
        all_trials=20,
        all_count=0.3,
        all_weight=2.0,
    )
    found = influence.leave_one_out(parts)
    assert found is not None
    assert found[0].rate == 0.0


def test_two_people_with_one_comparison_cannot_be_left_out() -> None:
    """Where every subject takes part in every comparison nothing stays."""
    people = People(1, subjects=2, unknown=0)
    assert influence.leave_one_out(parts_of(people, "fmr", Weighting.POOLED)) is None


@given(seed=st.integers(0, 10_000), share=st.sampled_from([0.01, 0.2, 0.5]))
def test_worst_subjects_and_whom_they_meet(seed: int, share: float) -> None:
    """So many have the most ends; false matches of any of them equal a count of every comparison."""
    people = People(seed)
    tail = from_matrix(people.scores, people.ids)
    sums = non_mated_sums(tail, no_groups(tail), [people.threshold])
    errors = sums.subject_errors[0, 0]
    who = influence.worst_subjects(errors, np.ones(7, np.int64), share)
    assert who.size == int(np.ceil(share * 7))
    assert sorted(errors[who].tolist()) == sorted(errors.tolist())[-who.size :]
    hit = [
        score > people.threshold and bool({a, b} & set(who.tolist()))
        for a, b, score in people.pairs()
        if a != b
    ]
    assert influence.involving(tail, people.threshold, who) == sum(hit)


@given(seed=st.integers(0, 10_000))
def test_top_people_are_those_with_the_best_scores(seed: int) -> None:
    """The first pairs of people by their best comparison, with the false matches and comparisons between them."""
    people = People(seed)
    tail = from_matrix(people.scores, people.ids)
    best: dict[tuple[int, int], list[float]] = {}
    for a, b, score in people.pairs():
        if a != b:
            best.setdefault((a, b), []).append(score)
    tops = sorted((max(scores) for scores in best.values()), reverse=True)[:3]
    found = influence.top_people(tail, 3)
    between = influence.errors_between(tail, people.threshold, found)
    assert between is not None
    for place, (a, b) in enumerate(zip(found.first.tolist(), found.second.tolist(), strict=True)):
        assert max(best[a, b]) == tops[place]
        assert int(found.comparisons[place]) == len(best[a, b])
        assert int(between[place]) == sum(score > people.threshold for score in best[a, b])


def test_below_the_floor_nothing_is_counted() -> None:
    """Where the tail keeps nothing, counts by pair are refused, not guessed."""
    people = People(3)
    tail = from_matrix(people.scores, people.ids)
    high = float(tail.tail_score[4])
    keep = int(np.count_nonzero(tail.tail_score > high))
    cut = replace(
        tail,
        tail_i=tail.tail_i[:keep],
        tail_j=tail.tail_j[:keep],
        tail_score=tail.tail_score[:keep],
        cutoff=high,
    )
    assert influence.involving(cut, high - 0.1, np.array([0])) is None
    assert influence.errors_between(cut, high - 0.1, influence.top_people(cut, 1)) is None


@pytest.mark.parametrize("weighting", list(Weighting))
def test_the_heaviest_pair_is_that_of_a_plain_count(weighting: Weighting) -> None:
    """Errors between its two people and its share of the rate, against a loop over all pairs of people."""
    rng = np.random.default_rng(8)
    ids = [str(k) for k in np.repeat(np.arange(7), [1, 2, 3, 1, 4, 2, 2])]
    scores = rng.random((len(ids), len(ids)))
    scores = (scores + scores.T) / 2
    tail, threshold = from_matrix(scores, ids), 0.6
    names = list(dict.fromkeys(ids))
    member = np.array([name != "4" for name in names])
    counts = {}
    for a, first in enumerate(names):
        for b in range(a + 1, len(names)):
            rows = [
                (i, j) for i, x in enumerate(ids) for j, y in enumerate(ids) if (x, y) == (first, names[b])
            ]
            errors = sum(scores[i, j] > threshold for i, j in rows)
            if member[a] and member[b]:
                counts[a, b] = errors, errors / (len(rows) if weighting is Weighting.IDENTITY else 1)
    found = influence.heaviest_pair(tail, member, threshold, weighting)
    assert found is not None
    best = max(part for _, part in counts.values())
    assert counts[found.first, found.second] == (found.errors, pytest.approx(best))
    assert found.share == pytest.approx(best / sum(part for _, part in counts.values()))
    assert influence.heaviest_pair(tail, member, 2.0, weighting) is None


@pytest.mark.parametrize("subjects", [65_535, 65_536, 70_000])
def test_pairs_of_very_many_subjects_are_told_apart(subjects: int) -> None:
    """The number of a pair is lower times K plus higher, also where that needs more than 32 bits."""
    last = subjects - 1
    tail = cast(
        "ScoreTail",
        SimpleNamespace(
            tail_score=np.array([0.9, 0.8, 0.7, 0.1], dtype=np.float32),
            tail_i=np.array([0, 1, 0, 0]), tail_j=np.array([1, 0, 2, 2]),
            subject_of=np.array([last, last - 1, 3], dtype=np.int32), n_samples=np.ones(subjects),
        ),
    )  # fmt: skip
    expected = [(last - 1) * subjects + last] * 2 + [3 * subjects + last]
    assert influence._keys(tail, 0.5).astype(np.int64).tolist() == expected
