"""Tests of frtaudit.stats.bootstrap.kernels, and of kernel_sums, which it stands on."""

import numpy as np
import oracles_resample as slow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.spec import Plan
from frtaudit.stats.bootstrap import kernels, plans, score_spans, sorted_comparisons
from frtaudit.stats.bootstrap.kernel_arrays import Limits, Record, empty_sums
from frtaudit.stats.similarity.tail import from_matrix, no_groups

NONE = np.array([], dtype=np.int64)


@given(world=slow.worlds(), seed=st.integers(0, 99))
def test_sums_at_every_position_are_plain_sums(world: slow.World, seed: int) -> None:
    """Weighted sums over the first comparisons, per group, as counts and as rates, position by position."""
    made = plans.source_of(world.tail, world.groups, seed)
    rows = plans.rows_of(world.tail, Plan.IMAGES)
    walk = sorted_comparisons.mated_comparisons(world.tail, world.groups, NONE, rows.mated)
    walk, tile = plans.images(made)(0, 2).mated(walk, walk.first.size)
    size, group_indices = walk.first.size, len(world.every_group())
    position = np.repeat(np.arange(size + 1), 2)[:, None] * np.ones((1, 2), dtype=np.int64)
    kinds = np.tile([0, 1], size + 1)
    out = np.empty((len(position), group_indices, 2))
    kernels.sums_at(walk, tile, position, size, kinds, empty_sums(group_indices, walk.coef.size), out)
    weights = tile.weights[:, :2].astype(float)
    weight = weights[walk.first] * weights[walk.second]
    for group_index, held in enumerate(world.every_group()):
        inside = np.isin(world.tail.subject_of[walk.first], list(held))[:, None]
        counts = np.vstack((np.zeros(2), np.cumsum(weight * inside, axis=0)))
        rates = np.vstack((np.zeros(2), np.cumsum(weight * inside * walk.coef[walk.bucket, None], axis=0)))
        np.testing.assert_array_equal(out[kinds == 0, group_index], counts)
        np.testing.assert_allclose(out[kinds == 1, group_index], rates, atol=1e-12)


@given(world=slow.worlds(), seed=st.integers(0, 99), chunk=st.sampled_from([1, 3]))
def test_spans_and_chunks_add_the_same(world: slow.World, seed: int, chunk: int) -> None:
    """The sums before each span are those of its position, whatever the spans."""
    rows = plans.rows_of(world.tail, Plan.IMAGES)
    tile = plans.images(plans.source_of(world.tail, world.groups, seed))(0, 2).non_mated
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_comparisons, "CHUNK", chunk)
        walk = sorted_comparisons.non_mated_comparisons(
            world.tail, world.groups, NONE, (rows.non_mated, rows.non_mated)
        )
    laid = score_spans.spans_of(walk, walk.chunk_start[::2], NONE, rows.alike)
    group_indices, count = len(world.every_group()), laid.chunk.size
    record = Record(
        np.zeros((2, 1, 2), dtype=np.int64), np.full((2, 1, 0, 2), -1), np.empty((2, 1, 0, group_indices, 2)),
        np.arange(count), np.empty((2, count, group_indices, 2)),
    )  # fmt: skip
    limits = Limits(
        np.empty((0, group_indices, 2), dtype=np.int64),
        np.empty((0, group_indices, 2)),
        sorted_comparisons.group_rules(world.groups),
    )
    kernels.find_thresholds(walk, laid, tile, limits, 0, empty_sums(group_indices, walk.coef.size), record)
    position = np.repeat(walk.chunk_start[laid.chunk], 2)[:, None] * np.ones((1, 2), dtype=np.int64)
    out, kinds = np.empty((2 * count, group_indices, 2)), np.tile([0, 1], count)
    kernels.sums_at(
        walk, tile, position, walk.first.size, kinds, empty_sums(group_indices, walk.coef.size), out
    )
    np.testing.assert_array_equal(record.at_span[0], out[kinds == 0])
    np.testing.assert_allclose(record.at_span[1], out[kinds == 1], atol=1e-12)


def test_where_rounding_hides_the_excess_the_last_weighing_comparison_stands() -> None:
    """A limit between the sum by runs and the sum by scores: exceeded by the one, never by the other."""
    found = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        tail = from_matrix(rng.random((13, 13)), np.repeat(np.arange(5), [1, 3, 1, 6, 2]).tolist())
        rows = plans.rows_of(tail, Plan.IMAGES)
        walk = sorted_comparisons.non_mated_comparisons(
            tail, no_groups(tail), NONE, (rows.non_mated, rows.non_mated)
        )
        laid = score_spans.spans_of(walk, NONE, NONE, rows.alike)
        tile = plans.images(plans.source_of(tail, no_groups(tail), seed))(0, 1).non_mated
        weight = tile.weights[walk.first, 0].astype(float) * tile.weights[walk.second, 0]
        by_score = np.cumsum(weight * walk.coef[walk.bucket])[-1]
        by_run = Record(
            np.zeros((2, 1, 1), dtype=np.int64), np.full((2, 1, 0, 1), -1), np.empty((2, 1, 0, 1, 1)),
            np.array([1]), np.empty((2, 1, 1, 1)),
        )  # fmt: skip
        nothing = Limits(np.empty((0, 1, 1), dtype=np.int64), np.empty((0, 1, 1)), np.zeros(1, np.int32))
        kernels.find_thresholds(walk, laid, tile, nothing, 0, empty_sums(1, walk.coef.size), by_run)
        if by_run.at_span[1, 0, 0, 0] > by_score:
            found += 1
            limits = Limits(np.full((1, 1, 1), 10**6), np.full((1, 1, 1), by_score), np.zeros(1, np.int32))
            record = Record(
                np.zeros((2, 1, 1), dtype=np.int64), np.full((2, 1, 1, 1), -1), np.empty((2, 1, 1, 1, 1)),
                NONE, np.empty((2, 0, 1, 1)),
            )  # fmt: skip
            kernels.find_thresholds(walk, laid, tile, limits, 2, empty_sums(1, walk.coef.size), record)
            assert record.exceeded_at[:, 0, 0, 0].tolist() == [-1, np.flatnonzero(weight)[-1]]
    assert found > 10
