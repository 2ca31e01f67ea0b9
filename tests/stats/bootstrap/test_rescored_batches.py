from collections.abc import Iterator
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from frtaudit.core.scores import ScoreTail
from frtaudit.core.spec_values import COSINE_RANGE
from frtaudit.stats.bootstrap.rescored_batches import (
    MIN_COMPARISONS,
    Rescoring,
    as_tail,
    batches,
    cuts_between,
    rank_at,
    rescoring_of,
    score_at,
)
from frtaudit.stats.similarity.executor import PassContext
from frtaudit.stats.similarity.pair_scan import Pairs, joined
from frtaudit.stats.similarity.tail import from_matrix
from frtaudit.stats.similarity.tiles import layout_of


def cohort(threads: int = 1) -> tuple[ScoreTail, PassContext]:
    """Forty subjects with two samples, and what scores them in small tiles."""
    rng = np.random.default_rng(3)
    scores = rng.uniform(-1, 1, (80, 80)).astype(np.float32).astype(np.float64)
    scores = np.triu(scores, 1) + np.triu(scores, 1).T
    tail = from_matrix(scores, [f"{k:02d}" for k in np.repeat(np.arange(40), 2)], score_range=COSINE_RANGE)
    context = PassContext(
        block=lambda a, b: scores[a, b], layout=layout_of(tail.n_samples, 8), subject_of=tail.subject_of,
        cells=tail.cells[tail.subject_of], edges=tail.edges, threads=threads,
    )  # fmt: skip
    return tail, context


def in_bounds(capacity: int, threads: int) -> Iterator[Pairs]:
    """Batches of two ranges of the cohort."""
    return batches(
        Rescoring(context=cohort(threads)[1], capacity=capacity), np.array([[-0.5, 0.0], [0.2, 0.3]]), 900
    )


@pytest.mark.parametrize("capacity", [7, 100, 10_000])
def test_batches_hold_every_comparison_within_their_bounds_once(capacity: int) -> None:
    """Whatever a batch may hold, together they are the comparisons of the whole tail in the ranges, ends as stated."""
    tail, _ = cohort()
    parts = list(in_bounds(capacity, 1))
    assert max(part.i.size for part in parts) <= capacity
    found, score = as_tail(tail, joined(parts)), tail.tail_score
    keep = ((score > -0.5) & (score <= 0.0)) | ((score > 0.2) & (score <= 0.3))
    for name in ("tail_i", "tail_j", "tail_score"):
        np.testing.assert_array_equal(getattr(found, name), getattr(tail, name)[keep])


def test_threads_do_not_move_the_ends_of_batches() -> None:
    """One thread and two give the same batches."""
    for one, two in zip(in_bounds(100, 1), in_bounds(100, 2), strict=True):
        assert one.score.tobytes() == two.score.tobytes()


def test_cuts_stand_at_ranks_that_grow_by_one_factor() -> None:
    """Cuts descend strictly between their ends, each with about the same factor more comparisons above it."""
    tail, _ = cohort()
    cuts = cuts_between(tail, 0.9, -0.9, 6)
    assert np.all(np.diff(np.concatenate(([0.9], cuts, [-0.9]))) < 0)
    ranks = np.array([rank_at(tail, cut) for cut in (0.9, *cuts, -0.9)])
    assert np.ptp(np.log(ranks[1:] / ranks[:-1])) < 0.01
    assert score_at(tail, ranks[1:-1]) == pytest.approx(cuts, abs=1e-6)


def test_a_small_budget_still_holds_a_batch() -> None:
    """The capacity follows the budget down to 65,536 comparisons."""
    _, context = cohort()
    assert (rescoring_of(context, 1).capacity, rescoring_of(context, 96 * 10**6).capacity) == (
        MIN_COMPARISONS,
        10**6,
    )


def test_cuts_begin_at_one_comparison() -> None:
    """One comparison in each of 16 bins: 1, 2, 4, 8 and 16 of them lie above scores, the ends left out."""
    tail = cast("ScoreTail", SimpleNamespace(edges=np.arange(17.0), histogram=np.ones(16, dtype=np.int64)))
    assert cuts_between(tail, 16.0, 0.0, 3).tolist() == [14.0, 12.0, 8.0]
    assert cuts_between(tail, 14.0, 0.0, 2).tolist() == [12.0, 8.0]
    assert cuts_between(tail, 16.0, 15.5, 3).size == 0
