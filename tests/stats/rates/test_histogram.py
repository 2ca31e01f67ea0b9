import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.stats.rates.histogram import BINS, above_edges, edges_over, histogram_of, histogram_of_sorted

SCORES = st.lists(st.floats(-1.5, 1.5, width=32), max_size=40)


def test_edges_are_exact_on_the_cosine_range() -> None:
    """On -1..1 every edge is a multiple of 1/512, without rounding."""
    assert edges_over((-1.0, 1.0)).tolist() == [k / 512 for k in range(-512, 513)]


@given(SCORES)
def test_every_score_is_in_one_bin(scores: list[float]) -> None:
    """Counts add up, scores outside the range included."""
    assert histogram_of(np.array(scores, dtype=np.float32), edges_over((-1.0, 1.0))).sum() == len(scores)


@given(SCORES)
def test_sorted_scores_are_counted_alike(scores: list[float]) -> None:
    """Searching the edges among sorted scores gives the same histogram."""
    values, edges = np.sort(np.array(scores)), edges_over((-1.0, 1.0))
    np.testing.assert_array_equal(histogram_of_sorted(values, edges), histogram_of(values, edges))


@given(SCORES)
def test_counts_above_inner_edges_are_matches(scores: list[float]) -> None:
    """The count above an inner edge is the number of scores > edge, also for scores on the edge."""
    edges = edges_over((-1.0, 1.0))
    on_edges = np.array([*scores, -0.5, 0.0, 1 / 512, -1.0, 1.0], dtype=np.float32)
    above = above_edges(histogram_of(on_edges, edges))
    assert above.size == BINS + 1
    assert above[1:-1].tolist() == [(on_edges > edge).sum() for edge in edges[1:-1]]


@pytest.mark.parametrize("score_range", [(0.0, 0.0), (1.0, 0.0), (0.0, np.inf), (np.nan, 1.0)])
def test_a_range_is_finite_and_ascends(score_range: tuple[float, float]) -> None:
    """An empty, reversed or infinite range is refused."""
    with pytest.raises(ValueError, match="finite and ascending"):
        edges_over(score_range)
