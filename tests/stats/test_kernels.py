from itertools import pairwise

import numpy as np
import oracles_resample as slow
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.stats import draws, kernels, walks
from frtaudit.stats.records import Limits, Record, empty_sums
from frtaudit.stats.tail import from_matrix, no_groups


@given(bucket=st.lists(st.integers(0, 5), max_size=30), cut=st.integers(0, 30))
def test_sort_chunks_is_a_stable_sort_of_each_chunk(bucket: list[int], cut: int) -> None:
    """The counting sort orders each chunk as NumPy's stable sort does."""
    keys = np.array(bucket, dtype=np.int32)
    starts = np.unique([0, min(cut, keys.size), keys.size])
    order = np.empty(keys.size, dtype=np.int32)
    kernels.sort_chunks(keys, 6, starts, order)
    for low, high in pairwise(starts):
        np.testing.assert_array_equal(order[low:high], low + np.argsort(keys[low:high], kind="stable"))


@given(world=slow.worlds(), seed=st.integers(0, 99))
def test_sums_at_every_position_are_plain_sums(world: slow.World, seed: int) -> None:
    """Weighted sums over the first comparisons, per tag, as counts and as rates, position by position."""
    made = draws.source_of(world.tail, world.groups, seed)
    tile = draws.images(made)(0, 2).mated
    walk = walks.mated_walk(world.tail, world.groups, np.array([], dtype=np.int64))
    size, tags = walk.first.size, len(world.tags())
    position = np.repeat(np.arange(size + 1), 2)[:, None] * np.ones((1, 2), dtype=np.int64)
    kinds = np.tile([0, 1], size + 1)
    out = np.empty((len(position), tags, 2))
    kernels.sums_at(walk, tile, position, size, kinds, empty_sums(tags, 2), out)
    weight = tile.weights[walk.first].astype(float) * tile.weights[walk.second]
    for tag, held in enumerate(world.tags()):
        inside = np.isin(world.tail.subject_of[walk.first], list(held))[:, None]
        counts = np.vstack((np.zeros(2), np.cumsum(weight * inside, axis=0)))
        rates = np.vstack((np.zeros(2), np.cumsum(weight * inside * walk.coef[walk.bucket, None], axis=0)))
        np.testing.assert_array_equal(out[kinds == 0, tag], counts)
        np.testing.assert_allclose(out[kinds == 1, tag], rates, atol=1e-12)


def test_where_rounding_hides_the_excess_the_last_weighing_comparison_stands() -> None:
    """A limit between the sum by runs and the sum by scores: exceeded by the one, never by the other."""
    found = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        scores = rng.random((13, 13))
        tail = from_matrix(scores, np.repeat(np.arange(5), [1, 3, 1, 6, 2]).tolist())
        walk = walks.non_mated_walk(tail, no_groups(tail), np.array([], dtype=np.int64))
        tile = draws.images(draws.source_of(tail, no_groups(tail), seed))(0, 1).non_mated
        weight = tile.weights[walk.first, 0].astype(float) * tile.weights[walk.second, 0]
        by_score = np.cumsum(weight * walk.coef[walk.bucket])[-1]
        by_run = np.empty((1, 1, 1))
        whole = np.full((1, 1), walk.first.size)
        kernels.sums_at(walk, tile, whole, walk.first.size, np.array([1]), empty_sums(1, 1), by_run)
        if by_run[0, 0, 0] > by_score:
            found += 1
            limits = Limits(np.full((1, 1, 1), 10**6), np.full((1, 1, 1), by_score), np.zeros(1, np.int32))
            record = Record(
                np.zeros((2, 1, 1), dtype=np.int64),
                np.full((2, 1, 1, 1), -1),
                np.empty((2, 1, 1, 1, 1)),
                np.array([], dtype=np.int64),
                np.empty((2, 0, 1, 1)),
            )
            kernels.find_thresholds(walk, tile, limits, 2, empty_sums(1, 1), record)
            assert record.crossing[:, 0, 0, 0].tolist() == [-1, np.flatnonzero(weight)[-1]]
    assert found > 10
