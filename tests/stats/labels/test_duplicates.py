"""Near-duplicates of one query and their medoids."""

import numpy as np
import oracles_boxes
from hypothesis import given, settings
from hypothesis import strategies as st

from frtaudit.stats.labels.duplicates import duplicated


def rays(degrees: list[float]) -> np.ndarray:
    """Unit vectors of the plane at these angles."""
    angle = np.deg2rad(degrees)
    return np.column_stack([np.cos(angle), np.sin(angle)]).astype(np.float32)


def test_the_medoid_of_a_group_is_kept() -> None:
    """Of a chain 0, 20, 40 degrees the middle one is kept though its ends are not alike; 120 stands alone."""
    assert duplicated(np.zeros(4, np.int32), rays([0, 40, 20, 120])).tolist() == [True, True, False, False]


def test_of_two_alike_the_first_is_kept() -> None:
    """Two faces are as near to each other as to each other: the first by name stays."""
    assert duplicated(np.zeros(2, np.int32), rays([10, 0])).tolist() == [False, True]


def test_queries_do_not_meet() -> None:
    """The same picture found for two names is kept in both."""
    assert not duplicated(np.int32([0, 1]), rays([0, 0])).any()


def test_the_length_of_a_vector_says_nothing() -> None:
    """The cosine is what counts, and it must exceed the bound."""
    found = duplicated(np.zeros(2, np.int32), np.float32([[5, 0], [0.1, 0.1]]), similarity=0.7)
    assert found.tolist() == [False, True]
    assert not duplicated(np.zeros(2, np.int32), np.float32([[5, 0], [0.1, 0.1]]), similarity=0.71).any()


@settings(max_examples=100, deadline=None)
@given(size=st.integers(0, 12), seed=st.integers(0, 2**32 - 1), similarity=st.sampled_from([0.5, 0.8, 0.95]))
def test_the_slow_twin_keeps_the_same(size: int, seed: int, similarity: float) -> None:
    """Pair by pair in plain Python the same faces are kept."""
    rng = np.random.default_rng(seed)
    query_of = np.sort(rng.integers(0, 2, size)).astype(np.int32)
    vectors = rng.standard_normal((size, 3)).astype(np.float32)
    found = set(np.flatnonzero(~duplicated(query_of, vectors, similarity)).tolist())
    assert found == oracles_boxes.medoids(query_of.tolist(), vectors, similarity)
