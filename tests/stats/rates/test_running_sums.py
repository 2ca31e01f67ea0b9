"""Sums along the tail are those that are counted anew at each threshold."""

import tracemalloc
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from oracles_rates import World, lists, matrices

from frtaudit.core.scores import NonMatedSums, ScoreTail
from frtaudit.stats.rates.running_sums import STEP, running_sums
from frtaudit.stats.rates.sums import non_mated_sums, rows_at
from frtaudit.stats.similarity.tail import from_matrix, no_groups


def assert_same(sums: NonMatedSums, counted: NonMatedSums) -> None:
    """Whole numbers equal, shares as close as another order of adding leaves them."""
    for field in fields(NonMatedSums):
        first, second = getattr(sums, field.name), getattr(counted, field.name)
        assert first.dtype == second.dtype
        np.testing.assert_allclose(first, second, rtol=1e-12, atol=1e-12, err_msg=field.name)


@given(matrices() | lists())
def test_they_are_those_counted_at_each_threshold(drawn: tuple[World, ScoreTail]) -> None:
    """At every score, at once and going on from a higher threshold, ties and listed comparisons included."""
    _, tail = drawn
    scores = np.unique(tail.tail_score.astype(np.float64))
    counted = non_mated_sums(tail, no_groups(tail), scores)
    sums = running_sums(tail)
    assert_same(sums.at(scores), counted)
    for place in range(1, scores.size):
        above = sums.at(scores[place : place + 1])
        assert_same(sums.at(scores[:place], above), rows_at(counted, scores[:place]))


@pytest.mark.compiled
def test_sums_go_on_where_they_are_kept() -> None:
    """Over more comparisons than lie between two places at which sums are kept, of one subject in many of them."""
    scores = np.random.default_rng(2).random((60, 60))
    tail = from_matrix(scores, (np.arange(60) // 3).tolist())
    thresholds = np.quantile(tail.tail_score.astype(np.float64), [0.05, 0.3, 0.5, 0.7, 0.95])
    assert tail.tail_score.size > 10 * STEP
    assert_same(running_sums(tail).at(thresholds), non_mated_sums(tail, no_groups(tail), thresholds))


@pytest.mark.compiled
def test_comparisons_take_few_bytes() -> None:
    """Beside the tail eight bytes a comparison while they are sorted, and four afterwards: no column of 64 bits."""
    scores = np.random.default_rng(1).random((300, 300))
    tail = from_matrix(scores, (np.arange(300) // 3).tolist())
    lowest = np.array([0.1])
    running_sums(tail).at(lowest)  # compiled
    for most, make in (
        (12, lambda: running_sums(tail)),
        (16, lambda: non_mated_sums(tail, no_groups(tail), lowest)),
    ):
        tracemalloc.start()
        try:
            assert make() is not None
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < most * tail.tail_score.size
