"""Floors, ceilings and few values among scores, and FMR targets that they hide."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frtaudit.stats.rates.censoring import (
    Censoring,
    ScoreAtom,
    Step,
    censoring_of,
    eer_hidden,
    refusal,
    remark,
)

RNG = np.random.default_rng(3)
MATED, NON_MATED = RNG.normal(85, 6, 2000), RNG.normal(50, 6, 8000)


def test_whole_scores_hide_nothing() -> None:
    """Scores of many digits have no floor, no ceiling, and not few values; nor have scores rounded to six digits."""
    assert censoring_of(MATED, NON_MATED) == Censoring()
    assert censoring_of(MATED.round(4), NON_MATED.round(4)) == Censoring()
    assert Censoring().sentences() == ()


def test_a_floor_is_found_with_its_shares() -> None:
    """Scores below 48 given as 48: a floor, with the share of each kind there, and a sentence."""
    found = censoring_of(MATED, np.maximum(NON_MATED, 48))
    assert found.floor == ScoreAtom(score=48.0, mated=0.0, non_mated=float(np.mean(NON_MATED <= 48)))
    assert found.ceiling is None
    share = found.floor.non_mated
    said = (
        f"0 % of mated and {100 * share:.3g} % of non-mated comparisons have the least score, 48: a floor, above FMR "
        f"{1 - share:.3g} no threshold can be told"
    )
    assert found.sentences() == (said,)


def test_a_ceiling_is_found_with_its_shares() -> None:
    """Scores above 90 given as 90 are a ceiling, the mirror image of a floor."""
    found = censoring_of(np.minimum(MATED, 90), NON_MATED)
    mirrored = censoring_of(-np.minimum(MATED, 90), -NON_MATED)
    assert found.ceiling == ScoreAtom(score=90.0, mated=float(np.mean(MATED >= 90)), non_mated=0.0)
    assert mirrored.floor == ScoreAtom(score=-90.0, mated=found.ceiling.mated, non_mated=0.0)
    assert found.floor is None


def test_eight_bits_are_few_values_and_no_floor() -> None:
    """Scores of 256 levels have few values; their least and highest levels are no pile."""
    levels = [np.round(kind / 100 * 255) / 255 for kind in (MATED, NON_MATED)]
    found = censoring_of(*levels)
    assert (found.floor, found.ceiling) == (None, None)
    assert found.values == np.unique(np.concatenate(levels)).size < 256
    assert found.sentences() == (f"the scores take {found.values} values only: FMR moves in steps",)


def test_a_floor_of_scores_with_few_values_is_both() -> None:
    """Percent without digits, nothing below 48: 48 is a floor though its neighbours occur often too."""
    found = censoring_of(MATED.round(), np.maximum(NON_MATED.round(), 48))
    assert found.floor is not None
    assert found.values > 0


def test_a_few_scores_at_the_end_are_no_pile() -> None:
    """Nine comparisons of an image with itself, as it were, do not make a ceiling."""
    mated = MATED.copy()
    mated[:9] = 120.0
    assert censoring_of(mated, NON_MATED).ceiling is None
    assert censoring_of(np.full(50, 1.0), np.full(50, 1.0)) == Censoring()


@pytest.mark.parametrize(
    ("threshold", "said"),
    [
        (47.9, "below the floor"),
        (48.0, None),
        (89.9, None),
        (90.0, "not below the ceiling"),
        (99.0, "ceiling"),
    ],
)
def test_fixed_thresholds_beyond_the_scores_are_refused(threshold: float, said: str | None) -> None:
    """Match iff score > threshold: the floor itself tells matches from the rest, the ceiling matches nobody."""
    found = censoring_of(np.minimum(MATED, 90), np.maximum(NON_MATED, 48))
    reason = found.beyond(threshold)
    assert (reason is None) if said is None else (said in str(reason))


def step_of(scores: np.ndarray, target: float) -> Step:
    """Where a target falls, by plain counting."""
    allowed = int(target * scores.size)
    threshold = float(np.sort(scores)[::-1][allowed])
    return Step(
        target=target,
        threshold=threshold,
        realised=float(np.mean(scores > threshold)),
        above=float(np.mean(scores >= threshold)),
        tied=int(np.sum(scores == threshold)),
        allowed=allowed,
    )


def test_targets_in_a_floor_are_refused() -> None:
    """A share above that of the scores over the floor is refused with the largest target; one below is not."""
    scores = np.maximum(NON_MATED, 48)
    found = censoring_of(MATED, scores)
    over = float(np.mean(scores > 48))
    reason = refusal(found, step_of(scores, 0.9))
    assert reason is not None
    assert reason.startswith("FMR 0.9 lies in the floor: ")
    assert reason.endswith(f"the largest target allowed is {over:.3g}")
    assert refusal(found, step_of(scores, over - 0.01)) is None
    assert refusal(found, step_of(scores, 0.01)) is None
    least = np.full(NON_MATED.size, 48.0)
    assert str(refusal(censoring_of(MATED, least), step_of(least, 0.1))).endswith("48; no target is allowed")


def test_targets_in_a_ceiling_are_refused() -> None:
    """Where one in a hundred non-mated scores lies at the ceiling a smaller FMR cannot be had, a larger one can."""
    scores = np.minimum(NON_MATED, np.quantile(NON_MATED, 0.99))
    found = censoring_of(MATED.clip(max=scores.max()), scores)
    assert found.ceiling is not None
    share = (
        f"{100 * np.mean(scores == scores.max()):.3g} % of the non-mated comparisons have the highest score"
    )
    assert f"lies in the ceiling: {share}" in str(refusal(found, step_of(scores, 0.005)))
    assert refusal(found, step_of(scores, 0.02)) is None


def test_targets_between_steps_are_refused_or_said() -> None:
    """FMR that a step leaves below half of the target is refused, below nine tenths said, else taken as it is."""
    low, middle, high = (
        Step(target=0.01, threshold=7.0, realised=r, above=0.02, tied=900, allowed=500)
        for r in (0.004, 0.007, 0.0095)
    )
    assert refusal(Censoring(values=9), low) == (
        "FMR 0.01 falls between two steps of the scores, at FMR 0.004 and 0.02"
    )
    assert refusal(Censoring(values=9), middle) is None
    assert remark(middle) == "the scores come in steps: FNMR at FMR 0.01 is that at FMR 0.007"
    assert (refusal(Censoring(values=9), high), remark(high)) == (None, None)


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), target=st.floats(0.01, 0.5), size=st.integers(600, 2000))
def test_scores_without_ties_are_never_refused(seed: int, target: float, size: int) -> None:
    """However few comparisons: where no two scores are equal the target is reached as well as their number allows."""
    scores = np.random.default_rng(seed).standard_normal(size)
    step = step_of(scores, target)
    assert refusal(censoring_of(MATED, scores), step) is None
    assert remark(step) is None


def test_an_equal_error_rate_in_the_cut_is_refused() -> None:
    """At the floor with FMR still below FNMR, or at the ceiling with FNMR above, the rates would meet beyond."""
    found = Censoring(floor=ScoreAtom(score=40.0, mated=0.1, non_mated=0.9))
    assert "lies in the floor" in str(eer_hidden(found, 40.0, 0.1, 0.3))
    assert eer_hidden(found, 41.0, 0.1, 0.3) is None
    above = Censoring(ceiling=ScoreAtom(score=99.0, mated=0.9, non_mated=0.2))
    assert "lies in the ceiling" in str(eer_hidden(above, 99.0, 0.0, 0.4))
    assert eer_hidden(found, 40.0, 0.2, 0.2) is None  # they meet there
    assert eer_hidden(above, 99.0, 0.2, 0.2) is None
    assert eer_hidden(Censoring(values=200), 50.0, 0.021, 0.020) is None
    assert eer_hidden(Censoring(values=200), 50.0, 0.0, 0.005) is None


def test_ten_scores_of_half_a_percent_are_a_pile() -> None:
    """Ten of two thousand, three times what the next value holds: each of these numbers is just enough."""
    mated = MATED.copy()
    mated[:10] = 120.0
    assert censoring_of(mated, NON_MATED).ceiling == ScoreAtom(score=120.0, mated=0.005, non_mated=0.0)
    assert censoring_of(np.append(mated, 60.0), NON_MATED).ceiling is None
    for beside, pile in ((4, True), (5, False)):
        low = np.repeat([1.0, 2.0], [12, beside])
        assert (censoring_of(np.append(low, MATED[:100]), NON_MATED[:0]).floor is not None) is pile


@pytest.mark.parametrize(
    ("size", "times", "values"), [(1024, 10, 1024), (1025, 10, 0), (1024, 9, 0), (2, 10, 2), (1, 10, 0)]
)
def test_few_values_are_1024_at_most_met_ten_times(size: int, times: int, values: int) -> None:
    """On average; one value alone says nothing."""
    scores = np.repeat(np.arange(float(size)), times)
    assert censoring_of(scores, scores[:0]) == Censoring(values=values)
    more, fewer = np.append(scores, scores[-1]), scores[1:]
    assert censoring_of(more[1:], scores[:0]).values == values
    assert censoring_of(fewer, scores[:0]).values == 0


def test_piles_are_no_few_values() -> None:
    """A hundred scores, each its own, between a floor and a ceiling of a thousand; one value between is few."""
    ends, inner = np.repeat([0.0, 101.0], 1000), np.arange(1.0, 101.0)
    found = censoring_of(np.append(ends, inner), inner[:0])
    assert (found.floor is None, found.ceiling is None, found.values) == (False, False, 0)
    assert censoring_of(np.repeat([0.0, 1.0], [30, 10]), inner[:0]).values == 2
    assert censoring_of(np.repeat([0.0, 1.0], [30, 9]), inner[:0]).values == 0


@pytest.mark.parametrize(
    ("end", "non_mated", "said"),
    [
        (
            "ceiling",
            0.2,
            "20 % of non-mated comparisons have the highest score, 7: a ceiling, below FMR 0.2 no",
        ),
        ("ceiling", 0.0, "0 % of non-mated comparisons have the highest score, 7: a ceiling"),
        ("floor", 0.2, "20 % of non-mated comparisons have the least score, 7: a floor, above FMR 0.8 no"),
        ("floor", 1.0, "100 % of non-mated comparisons have the least score, 7: a floor"),
    ],
)
def test_a_pile_names_the_rates_that_it_hides(end: str, non_mated: float, said: str) -> None:
    """Where it holds some non-mated comparisons and not all."""
    (sentence,) = Censoring(**{end: ScoreAtom(score=7.0, mated=0.6, non_mated=non_mated)}).sentences()
    assert sentence == f"60 % of mated and {said}{' threshold can be told' * said.endswith('no')}"


@pytest.mark.parametrize(
    ("realised", "tied", "allowed", "short"),
    [(0.4, 50, 500, 0.4), (0.4, 49, 500, 1.0), (0.0, 0, 0, 1.0), (0.0, 1, 0, 0.0)],
)
def test_a_tenth_of_the_allowed_errors_is_a_step(
    realised: float, tied: int, allowed: int, short: float
) -> None:
    """Fewer scores equal to the threshold are what the number of comparisons leaves."""
    step = Step(target=1.0, threshold=7.0, realised=realised, above=1.0, tied=tied, allowed=allowed)
    assert step.short == short


def test_half_and_nine_tenths_of_a_target_are_enough() -> None:
    """Half is not refused but said, nine tenths are not said, nor refused at a floor."""
    half, most = (
        Step(target=1.0, threshold=7.0, realised=r, above=1.0, tied=900, allowed=500) for r in (0.5, 0.9)
    )
    floor = Censoring(floor=ScoreAtom(score=7.0, mated=0.0, non_mated=0.1))
    assert (refusal(Censoring(), half), remark(most)) == (None, None)
    assert remark(half) is not None
    assert "lies in the floor" in str(refusal(floor, half))
    assert refusal(floor, most) is None


@pytest.mark.parametrize(
    ("fmr", "fnmr", "hidden"),
    [(0.01, 0.0, False), (0.011, 0.0, True), (0.2, 0.1, False), (0.21, 0.1, True), (0.1, 0.21, True)],
)
def test_an_equal_error_rate_of_steps_is_hidden_by_a_percent_and_a_half(
    fmr: float, fnmr: float, hidden: bool
) -> None:
    """Rates that differ by more than 0.01 and by more than half of the larger; only where values are few."""
    assert (eer_hidden(Censoring(values=9), 3.0, fmr, fnmr) is not None) is hidden
    assert eer_hidden(Censoring(), 3.0, fmr, fnmr) is None


def test_scores_that_are_all_the_same_have_no_equal_error_rate() -> None:
    """FMR 0 and FNMR 1 are the nearest to each other; their mean is no rate of anything."""
    assert eer_hidden(Censoring(), 0.5, 0.0, 1.0) == "refused: all scores are the same"
    assert eer_hidden(Censoring(), 0.5, 0.0, 0.999) is None


def test_an_equal_error_rate_beyond_a_pile_is_hidden() -> None:
    """Past the floor or the ceiling as at them; the rates that would meet beyond are others."""
    found = Censoring(
        floor=ScoreAtom(score=40.0, mated=0.1, non_mated=0.9),
        ceiling=ScoreAtom(score=99.0, mated=0.1, non_mated=0.9),
    )
    assert "lies in the floor of the scores, 39" in str(eer_hidden(found, 39.0, 0.1, 0.3))
    assert "lies in the ceiling of the scores, 100" in str(eer_hidden(found, 100.0, 0.1, 0.3))
    assert eer_hidden(found, 39.0, 0.3, 0.1) is None is eer_hidden(found, 100.0, 0.3, 0.1)
