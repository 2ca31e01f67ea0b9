"""Pairs of samples against the whole matrix."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.stats.similarity import pairs


def cohort(seed: int, n: int = 60, subjects: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors and ascending subjects."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(n, 8)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.sort(rng.integers(0, subjects, n))


@given(st.lists(st.integers(0, 4), min_size=1, max_size=20))
def test_mated_pairs_are_all_of_them(drawn: list[int]) -> None:
    """Every unordered pair of samples of one subject, once."""
    subject = np.sort(np.array(drawn, dtype=np.int32))
    first, second = pairs.mated_pairs(subject)
    want = [(i, j) for i in range(len(drawn)) for j in range(i + 1, len(drawn)) if subject[i] == subject[j]]
    assert sorted(zip(first.tolist(), second.tolist(), strict=True)) == want


@pytest.mark.parametrize("most", [1, 7, 100, 10_000])
@pytest.mark.parametrize("same", [True, False])
def test_the_most_alike_pairs_are_those_of_the_whole_matrix(
    monkeypatch: pytest.MonkeyPatch, most: int, same: bool
) -> None:
    """Searched in blocks, with and without a common part: as from the sorted matrix, once each, up to the bound."""
    monkeypatch.setattr(pairs, "BLOCK", 7)
    vectors, subject = cohort(1)
    one = np.arange(0, 45)
    other = one if same else np.arange(30, 60)
    found = pairs.most_alike(vectors, subject, one, other, 0.8, most)
    scores = (vectors @ vectors.T).astype(np.float64)
    known = {
        (min(i, j), max(i, j))
        for i in one.tolist()
        for j in other.tolist()
        if subject[i] != subject[j] and scores[i, j] <= 0.8
    }
    want = sorted(known, key=lambda pair: (-scores[pair], pair))[:most]
    assert np.allclose(found.score[:most], [scores[pair] for pair in want], atol=1e-6)
    assert len(set(zip(found.first.tolist(), found.second.tolist(), strict=True))) == found.first.size
    assert found.whole == (len(known) <= most)
    assert np.all(np.diff(found.score) <= 0)
    assert np.all(subject[found.first] != subject[found.second])
    assert np.allclose(found.score, pairs.scores_of(vectors, found.first, found.second, chunk=3), atol=1e-6)


def test_no_pair_is_an_empty_list() -> None:
    """Nobody to compare with: no pair, and none was left out."""
    vectors, subject = cohort(2)
    found = pairs.most_alike(vectors, subject, np.arange(0), np.arange(5), 1.0, 9)
    assert (found.first.size, found.whole) == (0, True)
    none = pairs.drawn_pairs(subject, np.arange(0), np.arange(5), 9, np.random.default_rng(0))
    assert none[0].size == none[1].size == 0


def test_drawn_pairs_are_distinct_and_non_mated() -> None:
    """Each pair once, of two subjects, one sample from each side, no more than asked for."""
    _, subject = cohort(3)
    first, second = pairs.drawn_pairs(subject, np.arange(30), np.arange(30), 100, np.random.default_rng(0))
    assert len(set(zip(first.tolist(), second.tolist(), strict=True))) == first.size == 100
    assert np.all(first < second)
    assert np.all(subject[first] != subject[second])
