from itertools import pairwise

import numpy as np
import oracles_resample as slow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.arrays import Index
from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.stats.bootstrap import sorted_comparisons
from frtaudit.stats.rates import trials
from frtaudit.stats.similarity.tail import no_groups


def rows(tail: ScoreTail) -> tuple[Index, Index]:
    """A row of weights for each sample."""
    own = np.arange(tail.subject_of.size, dtype=np.int32)
    return own, own


@given(
    world=st.one_of(slow.worlds(grid=3), slow.listed_worlds()),
    chunk=st.integers(1, 9),
    cut=st.integers(0, 30),
)
def test_chunks_start_where_scores_change(world: slow.World, chunk: int, cut: int) -> None:
    """Chunks cover all pairs, start at new scores or cuts, and are no longer than asked for unless a tie is."""
    tail = world.tail
    cut = min(cut, tail.tail_score.size)
    while 0 < cut < tail.tail_score.size and tail.tail_score[cut] == tail.tail_score[cut - 1]:
        cut -= 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_comparisons, "CHUNK", chunk)
        walk = sorted_comparisons.non_mated_comparisons(tail, world.groups, np.array([cut]), rows(tail))
    starts = walk.chunk_start
    least = max(chunk, walk.coef.size)
    assert starts[0] == 0
    assert starts[-1] == tail.tail_score.size
    assert cut in starts
    assert walk.fresh[starts[:-1]].all()
    for low, high in pairwise(starts):
        longest = max(np.unique(tail.tail_score[low:high], return_counts=True)[1])
        assert high - low < least + longest


@given(world=st.one_of(slow.worlds(), slow.listed_worlds()))
def test_buckets_know_tags_and_sizes(world: slow.World) -> None:
    """Each comparison's bucket names the groups of both its subjects and 1 over the comparisons of their pair."""
    tail = world.tail
    none = np.array([], dtype=np.int64)
    pairs = tail.n_mated
    non_mated, mated = (
        sorted_comparisons.non_mated_comparisons(tail, world.groups, none, rows(tail)),
        sorted_comparisons.mated_comparisons(tail, world.groups, none, rows(tail)),
    )
    for walk in (non_mated, mated):
        for place, key in enumerate(walk.bucket):
            k, l = tail.subject_of[[walk.first[place], walk.second[place]]]  # noqa: E741
            group_indices = walk.group_indices[walk.combination[key]]
            assert {group_index for group_index in group_indices if group_index >= 0} == {
                group_index for group_index, held in enumerate(world.every_group()) if {k, l} <= held
            }
            size = pairs[k] if walk is mated else trials.block_sizes(tail, np.array([k]), np.array([l]))[0]
            assert walk.coef[key] == 1 / size


def test_rules_watch_ranked_groups_of_their_schema() -> None:
    """Index 0 belongs to rule 0, a ranked group to its schema's rule, any other to none."""
    groups = Groups(
        schemas=("a", "b"), names=(("b", "x"), ("a", "y"), ("a", "z")),
        of=np.array([[1, 2], [0, 0]], dtype=np.int32), ranked=(True, True, False),
    )  # fmt: skip
    assert sorted_comparisons.group_rules(groups).tolist() == [0, 2, 1, -1]


@pytest.mark.compiled
def test_a_comparison_alone_has_its_own_kind() -> None:
    """The kind of a comparison moves its bucket, also where there is one comparison."""
    one, table = np.zeros(1, dtype=np.int32), np.zeros((1, 1), dtype=np.int32)
    bucket = np.zeros(1, dtype=np.int32)
    occupied = sorted_comparisons._buckets(
        one, one, np.zeros(1, dtype=np.uint32), table, np.array([2], dtype=np.int32), 3, bucket
    )
    assert (bucket.tolist(), occupied.tolist()) == ([2], [False, False, True])


@pytest.mark.compiled
def test_chunks_begin_at_new_scores_that_are_far_enough_apart() -> None:
    """So many comparisons apart, or this part of those above; 512 of different scores by default."""
    score, starts = np.array([5.0, 4, 4, 3, 2, 2, 1]), np.zeros((2, 8), dtype=bool)
    fresh = [
        sorted_comparisons._cut(score, *limits, row)
        for limits, row in zip(((2, 12), (1, 1)), starts, strict=True)
    ]
    assert [row.tolist() for row in fresh] == [[True, True, False, True, True, False, True]] * 2
    assert [np.flatnonzero(row).tolist() for row in starts] == [[3, 6], [1, 3, 6]]
    scores = np.random.default_rng(1).random((50, 50))
    tail = slow.from_matrix(np.triu(scores, 1) + np.triu(scores, 1).T, [f"{k:02d}" for k in range(50)])
    walk = sorted_comparisons.non_mated_comparisons(tail, no_groups(tail), np.empty(0, np.int64), rows(tail))
    assert walk.chunk_start.tolist() == [0, 512, 1024, 1225]


def test_two_bytes_hold_65536_numbers() -> None:
    """From 0 on; one more takes four."""
    assert [sorted_comparisons._narrow(count) for count in (65_536, 65_537)] == [np.uint16, np.int32]
