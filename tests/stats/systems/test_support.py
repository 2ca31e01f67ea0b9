import numpy as np
import pytest
from small_audits import system_of

from frtaudit.core.spec import Weighting
from frtaudit.stats.rates import rates
from frtaudit.stats.similarity.tail import from_matrix, no_groups
from frtaudit.stats.systems import support

RNG = np.random.default_rng(3)
IDS = [k for k in "abcdef" for _ in range(3)]
HALF = RNG.normal(size=(18, 18))
MATRIX = HALF + HALF.T
WHOLE = from_matrix(MATRIX, IDS)


def test_restricted_rates_are_those_of_the_smaller_matrix() -> None:
    """Counts, thresholds and rates as if the samples left out had never been there."""
    keep = RNG.random(18) < 0.7
    small = support.restricted(WHOLE, keep)
    again = from_matrix(
        MATRIX[np.ix_(keep, keep)], [name for name, held in zip(IDS, keep, strict=True) if held]
    )
    assert small.mated_score.tolist() == again.mated_score.tolist()
    assert small.tail_score.tolist() == again.tail_score.tolist()
    assert int(small.histogram.sum()) == again.tail_score.size
    for target in ("1/10", "1/3"):
        t = rates.threshold_at(small, no_groups(small), target, Weighting.POOLED)
        assert t == rates.threshold_at(again, no_groups(again), target, Weighting.POOLED)
        found, wanted = (rates.rates(tail, no_groups(tail), [t]) for tail in (small, again))
        assert found.fnmr.tolist() == wanted.fnmr.tolist()
        assert found.far.tolist() == wanted.far.tolist()


def test_nothing_left_out_is_the_same_tail() -> None:
    """The very object, so that the audit's own replicates serve."""
    assert support.restricted(WHOLE, np.ones(18, dtype=bool)) is WHOLE


@pytest.mark.compiled
def test_below_the_floor_counts_go_to_the_lowest_bin() -> None:
    """A cut tail keeps its total of planned comparisons, and its floor."""
    tail = system_of("two").tail
    keep = np.ones(tail.rows.max() + 1, dtype=bool)
    keep[5] = False
    small = support.restricted(tail, keep)
    planned = int(rates.trials(small, system_of("two").groups).non_mated[0])
    assert int(small.histogram.sum()) == planned
    assert small.cutoff == tail.cutoff


def test_listed_comparisons_are_not_restricted_by_sample() -> None:
    """They have a support of comparisons: refused here."""
    made = support.listed(
        np.array([0.9, 0.2]),
        np.array([True, False]),
        WHOLE,
        (np.array([0, 2], np.int32), np.array([1, 3], np.int32)),
        np.repeat(np.arange(6), 3).astype(np.int32),
    )
    assert made.mated_score.tolist() == [0.9]
    assert made.tail_score.size == 0
    with pytest.raises(ValueError, match="by comparison"):
        support.restricted(made, np.ones(18, dtype=bool))


def test_contents_tell_scores_apart_and_names_not() -> None:
    """One score moved changes the bytes; the same scores give the same bytes."""
    moved = MATRIX.copy()
    moved[0, 17] = moved[17, 0] = 99.0
    assert support.contents(WHOLE) == support.contents(from_matrix(MATRIX, IDS))
    assert support.contents(WHOLE) != support.contents(from_matrix(moved, IDS))
    key, score, subject = support.mated_by_pair(WHOLE)
    assert np.all(np.diff(key) > 0)
    assert score.size == subject.size == 18
    assert support.acquired(WHOLE, 20).sum() == 18
