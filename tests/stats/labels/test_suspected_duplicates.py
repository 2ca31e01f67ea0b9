"""Tests of frtaudit.stats.labels.suspected_duplicates."""

from dataclasses import replace

import numpy as np
import oracles_suspects as slow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.scores import Blocks, ScoreTail
from frtaudit.stats.labels import suspected_duplicates
from frtaudit.stats.similarity.tail import from_matrix

NAMES = "abcdefgh"


@st.composite
def matrices(draw: st.DrawFn) -> tuple[np.ndarray, list[str]]:
    """A symmetric matrix of few distinct scores, so that medians tie with the cut; somebody has two images."""
    sizes = [2, *draw(st.lists(st.integers(1, 6), min_size=1, max_size=5))]
    ids = [name for name, size in zip(NAMES, sizes, strict=False) for _ in range(size)]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    half = np.triu(rng.integers(0, draw(st.integers(2, 9)), (len(ids), len(ids))) / 8.0, 1)
    return half + half.T, ids


def cut_at(tail: ScoreTail, floor: float) -> ScoreTail:
    """The same tail as a scan with this floor would have kept it."""
    held = int(np.count_nonzero(tail.tail_score > floor))
    parts = {name: getattr(tail, name)[:held] for name in ("tail_i", "tail_j", "tail_score")}
    return replace(tail, cutoff=floor, **parts)


def both(cut: float) -> suspected_duplicates.Cuts:
    """One cut, however many comparisons a pair has."""
    return suspected_duplicates.Cuts(few=cut, many=cut)


def pairs_of(
    tail: ScoreTail, found: suspected_duplicates.Suspects, ids: list[str]
) -> dict[tuple[str, str], float]:
    """Pairs of names to their medians."""
    names = sorted(set(ids))
    rows = zip(found.first.tolist(), found.second.tolist(), found.median.tolist(), strict=True)
    return {(names[a], names[b]): median for a, b, median in rows}


@given(matrices(), st.integers(0, 7))
def test_pairs_are_those_of_the_slow_twin_whatever_the_floor(
    made: tuple[np.ndarray, list[str]], depth: int
) -> None:
    """Every pair whose median reaches the cut and no other, also where the tail ends just below the cut."""
    scores, ids = made
    tail = from_matrix(scores, ids, score_range=(-2.0, 1.0))
    cuts = suspected_duplicates.cuts_of(suspected_duplicates.within_medians(tail), tail.cutoff)
    assert cuts is not None
    assert (cuts.few, cuts.many) == pytest.approx((slow.cut(scores, ids), slow.cut(scores, ids, 0.05)))
    rows = tail.rows
    expected = slow.pairs(scores, ids, cuts.few, cuts.many)
    for floor in (float("-inf"), cuts.many - 1 / 16 - depth / 8):
        again = lambda a, b: scores[np.ix_(rows[a], rows[b])]  # noqa: E731  a block scorer
        found = suspected_duplicates.suspected_pairs(cut_at(tail, floor), cuts, again)
        assert pairs_of(tail, found, ids) == expected
        assert (tail.tail_score[found.best] >= cuts.many).all()


@given(matrices())
def test_images_are_those_of_the_slow_twin(made: tuple[np.ndarray, list[str]]) -> None:
    """Images far from their own person whose median against another person reaches the cut, with the nearest."""
    scores, ids = made
    tail = from_matrix(scores, ids, score_range=(-2.0, 1.0))
    cut, level, names = slow.cut(scores, ids), 3 / 8, sorted(set(ids))
    found = suspected_duplicates.suspected_images(
        tail, cut, suspected_duplicates.own_medians(tail) <= level, None
    )
    said = zip(tail.rows[found.first].tolist(), found.second.tolist(), strict=True)
    assert {row: names[k] for row, k in said} == slow.images(scores, ids, cut, level)


def test_a_listed_pair_is_judged_on_what_was_listed() -> None:
    """Of three listed scores of two people two reach the cut: suspected, though nine could have been compared."""
    tail = from_matrix(np.full((6, 6), 0.5), list("aaabbb"))
    tail = replace(
        tail,
        tail_i=np.int32([0, 0, 1]),
        tail_j=np.int32([3, 4, 3]),
        tail_score=np.array([0.9, 0.8, 0.1]),
        histogram=np.bincount([2], [3], tail.histogram.size).astype(np.int64),
        blocks=Blocks(k=np.int32([0]), l=np.int32([1]), count=np.array([3])),
    )
    assert suspected_duplicates.suspected_pairs(tail, both(0.8), None).median.tolist() == [0.8]
    assert suspected_duplicates.suspected_pairs(tail, both(0.81), None).first.size == 0


def test_without_scores_of_half_a_pair_it_is_not_suspected() -> None:
    """One of two scores reaches the cut, the other lies below the floor: where nothing scores it again, no suspect."""
    scores = np.array([[0, 0.9, 0.6], [0.9, 0, 0.5], [0.6, 0.5, 0]])
    whole = from_matrix(scores, ["a", "b", "b"], score_range=(-2.0, 1.0))
    tail = cut_at(whole, 0.65)
    assert suspected_duplicates.suspected_pairs(tail, both(0.7), None).first.size == 0
    scored = suspected_duplicates.suspected_pairs(tail, both(0.7), lambda a, b: scores[a, b])
    assert scored.median.tolist() == pytest.approx([0.75])
    assert suspected_duplicates.suspected_pairs(whole, both(0.7), None).median.tolist() == pytest.approx(
        [0.75]
    )


def test_nobody_with_two_images_gives_no_cut() -> None:
    """No median within a person, no cut."""
    tail = from_matrix(np.eye(3), ["a", "b", "c"])
    assert suspected_duplicates.cuts_of(suspected_duplicates.within_medians(tail), tail.cutoff) is None


def test_25_comparisons_reach_a_lower_cut() -> None:
    """Five images against five, and five against four, between the two cuts: the first pair alone is suspected."""
    ids = ["a"] * 5 + ["b"] * 5 + ["c"] * 4
    scores = np.full((14, 14), 0.55)
    scores[5:10, 10:] = scores[10:, 5:10] = 0.1
    tail = from_matrix(scores, ids)
    found = suspected_duplicates.suspected_pairs(tail, suspected_duplicates.Cuts(few=0.6, many=0.5), None)
    assert pairs_of(tail, found, ids) == {("a", "b"): 0.55}


def test_the_far_level_is_exceeded_by_one_in_a_hundred() -> None:
    """At most 1 % of the non-mated scores lie above it, more above the edge before it."""
    scores = np.random.default_rng(1).uniform(-1, 1, (60, 60))
    tail = from_matrix(scores, [f"{n:02}" for n in range(60)], score_range=(-1.0, 1.0))
    level = suspected_duplicates.far_level(tail)
    before = tail.edges[np.searchsorted(tail.edges, level) - 1]
    assert np.mean(tail.tail_score > level) <= 0.01 < np.mean(tail.tail_score > before)
