"""Tests of frtaudit.stats.groups.class_counts."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles_robustness import People

from frtaudit.stats.groups.class_counts import class_sums, class_trials
from frtaudit.stats.rates.sums import BelowFloorError
from frtaudit.stats.similarity.tail import from_listed, from_matrix


@given(seed=st.integers(0, 10_000), cells=st.booleans())
def test_sums_equal_a_walk_through_every_comparison(seed: int, cells: bool) -> None:
    """Errors, shares, comparisons and partners of each subject with each class, with cells and without."""
    people = People(seed)
    room = np.where(cells, np.arange(7) % 2, 0) - np.where(cells & (np.arange(7) == 6), 1, 0)
    tail = from_matrix(people.scores, people.ids, cells=room)
    held = class_trials(tail, people.code, 3)
    found = class_sums(tail, people.threshold, held)
    errors, trials = np.zeros((7, 7), int), np.zeros((7, 7), int)
    for a, b, score in people.pairs():
        if a != b and room[a] == room[b] >= 0:
            for ends in ((a, b), (b, a)):
                trials[ends] += 1
                errors[ends] += score > people.threshold
    of = np.eye(3, dtype=int)[people.code]
    assert found.errors.tolist() == (errors @ of).tolist()
    assert found.trials.tolist() == (trials @ of).tolist()
    assert found.partners.tolist() == ((trials > 0) @ of).tolist()
    share = np.divide(errors, trials, out=np.zeros((7, 7)), where=trials > 0)
    assert found.shares == pytest.approx(share @ of)


@given(seed=st.integers(0, 10_000))
def test_a_list_of_every_pair_equals_the_matrix(seed: int) -> None:
    """Listed comparisons are counted by block: the same sums as all pairs."""
    people = People(seed)
    size = len(people.subject)
    i, j = np.triu_indices(size, 1)
    listed = from_listed(
        people.scores[i, j], i, j, subject_of=people.subject, cells=np.zeros(7, int), score_range=(0, 1)
    )
    whole = from_matrix(people.scores, people.ids)
    one, other = (
        class_sums(tail, people.threshold, class_trials(tail, people.code, 3)) for tail in (listed, whole)
    )
    for name in ("errors", "trials", "partners"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()
    assert one.shares == pytest.approx(other.shares)


def test_below_the_floor_is_refused() -> None:
    """A threshold at which the tail holds nothing raises."""
    people = People(2)
    tail = from_matrix(people.scores, people.ids)
    high = float(tail.tail_score[0])
    cut = replace(
        tail, tail_i=tail.tail_i[:0], tail_j=tail.tail_j[:0], tail_score=tail.tail_score[:0], cutoff=high
    )
    with pytest.raises(BelowFloorError):
        class_sums(cut, high - 0.1, class_trials(cut, people.code, 3))
