import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.stats.similarity.pilot_sample import RUNS, SAMPLES, pilot_of


def pilot_for(sizes: list[int], scores: np.ndarray, cells: np.ndarray | None = None, threads: int = 1):  # noqa: ANN201
    n = np.array(sizes, dtype=np.int64)
    subject = np.repeat(np.arange(n.size, dtype=np.int32), n)
    room = np.zeros(subject.size, dtype=np.int32) if cells is None else cells[subject]
    return pilot_of(lambda rows, columns: scores[rows, columns], n, subject, room, threads), subject, room


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12).filter(any), st.integers(0, 2**32 - 1))
def test_a_small_cohort_is_its_own_pilot(sizes: list[int], seed: int) -> None:
    """When all samples fit, the pilot's shares are the true rates in both weightings."""
    rng = np.random.default_rng(seed)
    size = sum(sizes)
    scores = rng.integers(0, 20, (size, size)) / 20
    cells = rng.integers(-1, 2, len(sizes)).astype(np.int32)
    pilot, subject, room = pilot_for(sizes, scores, cells)
    i, j = np.triu_indices(size, k=1)
    counts = (subject[i] != subject[j]) & (room[i] == room[j]) & (room[i] >= 0)
    i, j = i[counts], j[counts]
    assert pilot.score.tolist() == sorted(scores[i, j], reverse=True)
    weight = 1 / (np.array(sizes)[subject[i]] * np.array(sizes)[subject[j]])
    for t in (0.2, 0.7):
        above = scores[i, j] > t
        place = int((pilot.score > t).sum())
        if place:
            assert pilot.pooled[place - 1] == pytest.approx(above.mean())
            assert pilot.identity[place - 1] == pytest.approx(weight[above].sum() / weight.sum())


def test_a_floor_keeps_the_depth() -> None:
    """At most the asked share lies above the floor, and no lower score would do; a depth of one has no floor."""
    scores = np.arange(400.0).reshape(20, 20) / 512
    pilot, _, _ = pilot_for([1] * 20, scores)
    for depth in (0.1, 0.33):
        floor = pilot.pooled_floor_at(depth)
        assert (pilot.score > floor).mean() <= depth
        assert (pilot.score >= floor).mean() >= depth
    assert pilot.floor_at(1.0) == pilot.floor_at(2.0) == -np.inf


def test_a_large_subject_is_cut_and_weighs_in_full() -> None:
    """A subject that does not fit in a run is scored in part; the pilot stays small."""
    sizes = [4000] + [1] * 200
    scores = np.broadcast_to(np.linspace(0, 1, sum(sizes)), (sum(sizes),) * 2)
    pilot, _, _ = pilot_for(sizes, scores, threads=2)
    assert 0 < pilot.score.size <= SAMPLES**2 / 2
    assert pilot.score.size < 300**2
    cut = SAMPLES // RUNS
    share = 4000 * 200 / (4000 * 200 + 200 * 199 / 2)
    weights = np.diff(np.concatenate([[0], pilot.pooled]))
    assert weights.max() == pytest.approx(share / (cut * 200), rel=0.1)


def test_the_crossing_is_where_the_rates_meet() -> None:
    """The pilot's equal error rate: its FMR where it first reaches the FNMR; one if it never does."""
    pilot, _, _ = pilot_for([1] * 20, np.arange(400.0).reshape(20, 20))
    low, high = np.float32([-2.0, -1.0]), np.float32([1000.0])
    assert pilot.rate_at_crossing(np.float32([pilot.score[9]] * 5)) == pytest.approx(11 / pilot.score.size)
    assert pilot.rate_at_crossing(high) == pytest.approx(1 / pilot.score.size)
    assert pilot.rate_at_crossing(low) == 1.0
