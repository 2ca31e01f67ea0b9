import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frtaudit.stats.labels.reweighted import Listed, listed


def drawn(
    seed: int,
) -> tuple[Listed, list[tuple[int, int, float]], np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A small list with ties, its comparisons one by one, queries, persons, faces shown, times of each query."""
    rng = np.random.default_rng(seed)
    query = np.sort(rng.integers(0, 5, 16)).astype(np.int32)
    person = rng.integers(0, 2, 16).astype(np.int32)
    pairs = [(i, j, float(rng.integers(0, 8))) for i in range(16) for j in range(i) if rng.random() < 0.7]
    ends = np.array([pair[:2] for pair in pairs], dtype=np.int32).T
    score = np.array([pair[2] for pair in pairs])
    made = listed((ends[0], ends[1]), score, query, person, np.ones(16, dtype=np.bool_))
    times = rng.multinomial(5, np.full(5, 0.2)).astype(np.float64)
    return made, pairs, query, person, rng.random(16) < 0.8, times


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]))
def test_rates_are_those_of_comparisons_counted_one_by_one(seed: int, target: float) -> None:
    """FMR and FNMR at any threshold, and the smallest threshold that meets a target, as a plain loop finds them."""
    made, pairs, query, person, shown, times = drawn(seed)
    mated, others = [], []
    for i, j, score in pairs:
        if not (shown[i] and shown[j]):
            continue
        if query[i] != query[j]:
            others.append((score, times[query[i]] * times[query[j]]))
        elif person[i] == person[j]:
            mated.append((score, times[query[i]]))

    def share(found: list[tuple[float, float]], threshold: float, *, above: bool) -> float:
        total = sum(weight for _, weight in found)
        hit = sum(weight for score, weight in found if (score > threshold) == above)
        return hit / total if total else np.nan

    at = np.array([-1.0, 0.0, 2.5, 3.0, 7.0, 9.0])
    assert made.fmr(shown, times, at) == pytest.approx(
        [share(others, t, above=True) for t in at], nan_ok=True
    )
    assert made.fnmr(shown, times, at) == pytest.approx(
        [share(mated, t, above=False) for t in at], nan_ok=True
    )
    found = made.threshold(shown, times, np.array([target]))[0]
    meet = [t for t in (-np.inf, *range(8)) if share(others, t, above=True) <= target + 1e-12]
    assert found == pytest.approx(min(meet) if meet else np.nan, nan_ok=True)


def test_both_orders_are_one_comparison_and_failures_none() -> None:
    """The mean of both orders' scores; a score that failed takes no part."""
    ends = np.array([[0, 1], [1, 0], [0, 2], [1, 2]], dtype=np.int32).T
    score = np.array([0.2, 0.4, np.nan, 0.1])
    query = np.array([0, 0, 1], dtype=np.int32)
    made = listed((ends[0], ends[1]), score, query, np.zeros(3, dtype=np.int32), np.ones(3, dtype=np.bool_))
    assert made.mated.score == pytest.approx([0.3])
    assert made.non_mated.score.tolist() == [0.1]


def test_faces_that_are_not_wanted_and_two_people_of_a_query_stay_out() -> None:
    """Neither is compared."""
    ends = np.array([[0, 1], [0, 2], [1, 2]], dtype=np.int32).T
    query, person = np.zeros(3, dtype=np.int32), np.array([0, 1, 0], dtype=np.int32)
    wanted = np.array([True, True, True])
    made = listed((ends[0], ends[1]), np.array([0.1, 0.2, 0.3]), query, person, wanted)
    assert (made.mated.score.tolist(), made.non_mated.score.size) == ([0.2], 0)
    wanted[2] = False
    assert listed((ends[0], ends[1]), np.array([0.1, 0.2, 0.3]), query, person, wanted).mated.score.size == 0
