from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.spec import Weighting
from frtaudit.stats.rates import listed
from frtaudit.stats.rates.eer import eer, eer_of
from frtaudit.stats.rates.listed import fnmr_at_fmr, threshold_of
from frtaudit.stats.rates.rates import rates
from frtaudit.stats.rates.targets import threshold_at
from frtaudit.stats.similarity.tail import from_listed, no_groups

GRID = st.lists(st.integers(0, 12), min_size=1, max_size=40).map(lambda found: np.array(found) / 8)
TARGETS = st.fractions(Fraction(0), Fraction(1))


def trying_every_score(non_mated: np.ndarray, target: Fraction) -> float:
    """The slow twin: the first score, from the lowest, at which few enough are above."""
    if target >= 1:
        return float("-inf")
    return next(t for t in np.unique(non_mated) if np.sum(non_mated > t) <= target * non_mated.size)


@given(GRID, TARGETS)
def test_threshold_is_the_smallest_that_meets_the_target(non_mated: np.ndarray, target: Fraction) -> None:
    """The selected threshold equals the one found by trying every score, ties included."""
    assert threshold_of(non_mated, target) == trying_every_score(non_mated, target)


@given(GRID, GRID, TARGETS)
def test_lists_agree_with_the_tail(mated: np.ndarray, non_mated: np.ndarray, target: Fraction) -> None:
    """FNMR at FMR and EER of two arrays equal those of the tail that an audit makes of the same comparisons."""
    # Sample 0 and 1 are one person's, 2 another's; every comparison stands as often as it has scores.
    probe = np.zeros(mated.size + non_mated.size, dtype=int)
    reference = np.repeat([1, 2], [mated.size, non_mated.size])
    tail = from_listed(
        np.concatenate((mated, non_mated)), probe, reference,
        subject_of=[0, 0, 1], cells=[0, 0], score_range=(0, 2),
    )  # fmt: skip
    cut = threshold_at(tail, no_groups(tail), target, Weighting.POOLED)
    assert fnmr_at_fmr(mated, non_mated, target) == rates(tail, no_groups(tail), [cut]).fnmr[0, 0]
    assert eer_of(mated, non_mated) == eer(tail, no_groups(tail))


@pytest.mark.parametrize("order", ["any", "ascending", "descending", "one value"])
@pytest.mark.parametrize("target", ["0", "1/100000", "1/1000", "1/2", "999/1000"])
def test_many_scores_in_any_order(order: str, target: str) -> None:
    """With more scores than are selected from at once, order and ties cost time at most, never exactness."""
    scores = np.random.default_rng(1).normal(size=listed.FEW * 2)
    scores = {"any": scores, "ascending": np.sort(scores), "descending": -np.sort(scores)}.get(
        order, np.full(scores.size, 0.5)
    )
    place = scores.size - 1 - int(Fraction(target) * scores.size)
    assert threshold_of(scores, target) == np.sort(scores)[place]


def test_empty_lists_have_no_rate() -> None:
    """Nothing to divide by gives NaN."""
    none, some = np.empty(0), np.ones(3)
    assert np.isnan(threshold_of(none, "1/2"))
    assert np.isnan([fnmr_at_fmr(none, some, "1/2"), fnmr_at_fmr(some, none, "1/2")]).all()
    assert np.isnan([eer_of(none, some).value, eer_of(some, none).value]).all()


def test_a_score_that_cuts_off_too_many_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where just as many scores lie at or above it as shall lie above the wanted one, all are selected from."""
    scores = np.random.default_rng(2).permutation(listed.FEW + 2).astype(np.float64)
    monkeypatch.setattr(listed, "_below", lambda values, above: np.sort(values)[values.size - above])
    assert listed._selected(scores, 5) == scores.size - 6


def test_few_scores_are_left_to_select_from() -> None:
    """Of a quarter of a million scores at most a few thousand lie at or above the score that is read off a sample."""
    scores = np.random.default_rng(3).normal(size=listed.FEW * 2)
    left = np.count_nonzero(scores >= listed._below(scores, 262))
    assert 262 < left < 5_000
