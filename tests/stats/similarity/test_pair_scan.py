import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles_rates import World, context_of, matrices

from frtaudit.core import ScoreTail
from frtaudit.stats.rates.histogram import edges_over, histogram_of
from frtaudit.stats.similarity.pair_scan import bin_of, joined, scan_mated, scan_non_mated


@given(matrices(), st.integers(1, 5), st.sampled_from([float("-inf"), 0.0, 0.35, 1.0]), st.integers(1, 3))
def test_a_scan_keeps_what_lies_above_the_floor(
    drawn: tuple[World, ScoreTail], part: int, floor: float, threads: int
) -> None:
    """Whatever the tiles and threads, the scan keeps each pair above the floor once and counts all of them."""
    world, whole = drawn
    context = context_of(world, whole, part, threads)
    scan = scan_non_mated(context, floor, 10**6)
    assert scan.pairs is not None
    kept = joined(scan.pairs)
    got = sorted(zip(kept.i.tolist(), kept.j.tolist(), kept.score.tolist(), strict=True))
    scores = whole.tail_score.astype(np.float32)
    above = scores > floor
    expected = zip(
        whole.tail_i[above].tolist(), whole.tail_j[above].tolist(), scores[above].tolist(), strict=True
    )
    assert got == sorted(expected)
    assert scan.count == above.sum()
    np.testing.assert_array_equal(scan.histogram, histogram_of(scores, context.edges))


@given(matrices(), st.integers(1, 5))
def test_mated_scores_are_all_there(drawn: tuple[World, ScoreTail], part: int) -> None:
    """All mated comparisons, ascending, ties by (i, j), also of subjects cut into parts."""
    world, whole = drawn
    found = scan_mated(context_of(world, whole, part))
    np.testing.assert_array_equal(found.i, whole.mated_i)
    np.testing.assert_array_equal(found.j, whole.mated_j)
    np.testing.assert_array_equal(found.score, whole.mated_score.astype(np.float32))


@given(matrices(), st.integers(0, 30))
def test_too_many_pairs_are_counted_but_not_kept(drawn: tuple[World, ScoreTail], capacity: int) -> None:
    """Past its capacity a scan keeps nothing, and its histogram is still complete."""
    world, whole = drawn
    scan = scan_non_mated(context_of(world, whole, 3), -1.0, capacity)
    assert (scan.pairs is None) == (whole.tail_score.size > capacity)
    assert scan.histogram.sum() == scan.count == whole.tail_score.size


@given(st.floats(-1.5, 1.5, width=32))
def test_bins_agree_with_the_histogram(score: float) -> None:
    """The bin found by arithmetic is the one found by comparing with the edges."""
    edges = edges_over((-1.0, 1.0))
    bins = histogram_of(np.float32([score]), edges)
    assert bins[bin_of(score, 512.0, edges)] == 1


@pytest.mark.parametrize("scale", [0.0, 500.0, 600.0])
def test_a_wrong_guess_ends_in_the_right_bin(scale: float) -> None:
    """The comparisons with the edges decide, however far the guess lies off."""
    edges = edges_over((-1.0, 1.0))
    scores = np.float32([-0.9, 0.0, 0.25, 0.7])
    expected = np.zeros(1024, dtype=np.int64)
    for score in scores:
        expected[bin_of(float(score), scale, edges)] += 1
    np.testing.assert_array_equal(expected, histogram_of(scores, edges))


@pytest.mark.parametrize("edge", [0.3, 1 / 3, 0.7])
def test_a_score_on_an_edge_is_not_above_it(edge: float) -> None:
    """Ranges whose edges round: a score equal to an edge counts below it, the next double above it."""
    edges = edges_over((0.0, edge))
    scale = 1024 / edge
    for place in range(1, 1024):
        assert bin_of(edges[place], scale, edges) == place - 1
        assert bin_of(np.nextafter(edges[place], 2), scale, edges) == place
