"""Tests of frtaudit.testing.study.sets.scored_sets."""

import numpy as np
import pytest

from frtaudit.core.spec import Weighting
from frtaudit.testing.populations import HUBS
from frtaudit.testing.study.sets import scored_sets, shown
from frtaudit.testing.study.sets.scored_sets import ScoredSet


@pytest.fixture(scope="module")
def of() -> ScoredSet:
    """300 people, two images each."""
    return scored_sets.made(HUBS, (2,), 300, seed=2)


def test_at_the_threshold_no_more_than_the_target_match(of: ScoredSet) -> None:
    """The next smaller score would pass the target."""
    for weighting in Weighting:
        share, total = of.shares(weighting)
        threshold = of.threshold(0.01, weighting)
        assert share[of.score > threshold].sum() / total <= 0.01 < share[of.score >= threshold].sum() / total


def test_look_alikes_match_as_people_match_themselves(of: ScoredSet) -> None:
    """All comparisons of planted pairs have mated scores; no other comparison changes."""
    pairs = scored_sets.twins(of, 0.5, np.random.default_rng(1))
    assert np.unique(pairs).size == pairs.size == 150
    planted = scored_sets.with_look_alikes(of, pairs, np.random.default_rng(2))
    threshold = of.threshold(0.005, Weighting.POOLED)
    both = {frozenset(pair) for pair in pairs.tolist()}

    def matches(among: ScoredSet, *, of_pairs: bool) -> int:
        end = int(np.count_nonzero(among.score > threshold))
        ends = zip(among.first[:end].tolist(), among.second[:end].tolist(), strict=True)
        return sum((frozenset(pair) in both) is of_pairs for pair in ends)

    rate = 1 - np.searchsorted(of.mated_score, threshold, side="right") / of.mated_score.size
    assert matches(planted, of_pairs=True) == pytest.approx(
        300 * rate, abs=4 * np.sqrt(300 * rate * (1 - rate))
    )
    assert matches(planted, of_pairs=False) == matches(of, of_pairs=False)
    assert np.all(np.diff(planted.score) <= 0)


def test_dealt_anew_people_keep_their_false_matches(of: ScoredSet) -> None:
    """Each person stands in as many comparisons, but for the few that would meet themselves."""
    fitted = scored_sets.without_heavy_pairs(of, np.random.default_rng(3))
    lost = of.score.size - fitted.score.size
    assert 0 <= lost < 0.05 * of.score.size
    before, after = (np.bincount(np.r_[one.first, one.second], minlength=300) for one in (of, fitted))
    assert np.abs(before - after).sum() == 2 * lost


def test_random_pairs_are_as_many_as_asked(of: ScoredSet) -> None:
    """One pair in a cohort of 30 is expected where one in 435 pairs is alike."""
    pairs = scored_sets.random_pairs(of, 1 / 435, np.random.default_rng(4))
    assert len(pairs) == pytest.approx(300 * 299 / 2 / 435, rel=0.4)
    chosen = shown.draw(of, 30, 50, np.random.default_rng(5))
    assert all(np.unique(people).size == 30 for people in chosen)
