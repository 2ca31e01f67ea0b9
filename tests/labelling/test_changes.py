"""Rates of one service at two dates and their difference: size under exchange, power, what is the same.

Tests also the p of dated; its estimates are looked at in analyses/test_two_dates.py.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.stats import binomtest
from two_collections import MODES, NOISE, Date, labelling

from frtaudit.core.spec import Weighting
from frtaudit.labelling.changes import Compared, Drawing, band, compared
from frtaudit.labelling.dates import By, Design, Meeting, meet, sides
from frtaudit.stats.intervals.wilson import WilsonRule
from frtaudit.stats.rates.listed import fnmr_at_fmr
from frtaudit.stats.systems import multiple_comparisons

TARGET, ALPHA = 0.05, 0.05


@cache
def met(earlier: Date, later: Date) -> Meeting:
    """Two dates on a common support."""
    return meet(labelling(earlier), labelling(later), Design.FOUND, MODES)


@cache
def found(earlier: Date, later: Date, by: By, name: str = "acme", seed: int = 1, n: int = 199) -> Compared:
    """One service at both dates."""
    both = met(earlier, later)
    strata = np.zeros(len(both.queries), dtype=np.int64)
    drawing = Drawing(n=n, seed=seed, strata=strata, weighting=Weighting.POOLED, threads=1)
    same = both.design is Design.SAME_IMAGES
    return compared(sides(both, by, name), [0.1], [TARGET], drawing, same_images=same)


def p_value(one: Compared) -> float:
    """Of the change at the declared target."""
    values = np.array([one.later.fnmr[0], one.earlier.fnmr[0]])
    drawn = np.stack([one.later.drawn[:, 0], one.earlier.drawn[:, 0]], axis=1)
    family = multiple_comparisons.family_of(values, drawn, [(0, 1)])
    assert family is not None
    return float(family.raw_p()[0])


def test_rates_are_those_of_the_lists() -> None:
    """FNMR at the target of either date, as it is read off the sorted scores; counts go with it."""
    one = found(Date(), Date(scoring=2), By.OWN)
    for rates in (one.earlier, one.later):
        plain = fnmr_at_fmr(rates.tail.mated_score, rates.tail.tail_score, TARGET)
        assert rates.fnmr[0] == plain == rates.errors[0] / rates.trials
    assert one.targets == (0.05, 0.1)


def test_the_earlier_threshold_is_kept_for_the_later_date() -> None:
    """Both rates of the later date where the earlier one met the target."""
    one = found(Date(), Date(scoring=2), By.JOINT)
    cut = one.earlier.thresholds[0]
    assert one.later.fixed[0, 0] == np.mean(one.later.tail.mated_score <= cut)
    assert one.later.fixed[1, 0] == np.mean(one.later.tail.tail_score > cut)
    assert one.earlier.fixed[1, 0] <= TARGET


def test_what_was_decided_otherwise_is_counted_once() -> None:
    """Of the same images the pairs that err at one date only; of other images every error."""
    same = found(Date(), Date(scoring=2), By.JOINT)
    wrong = [
        {
            (int(i), int(j))
            for i, j, score in zip(
                one.tail.rows[one.tail.mated_i],
                one.tail.rows[one.tail.mated_j],
                one.tail.mated_score,
                strict=True,
            )
            if score <= one.thresholds[0]
        }
        for one in (same.earlier, same.later)
    ]
    assert same.decided[0][:2] == (len(wrong[0] ^ wrong[1]), same.earlier.trials)
    other = found(Date(), Date(scoring=2, images=2, prefix="b"), By.OWN)
    assert other.decided[0][0] == int(other.earlier.errors[0] + other.later.errors[0])


def test_decisions_at_the_earlier_threshold_are_counted() -> None:
    """Those that differ there, of mated and of non-mated comparisons; of other images every error of either date."""
    one = found(Date(), Date(scoring=2), By.JOINT)
    cut = one.earlier.thresholds[0]
    matched = [
        {
            frozenset((int(tail.rows[i]), int(tail.rows[j]))): {
                int(tail.subject_of[i]),
                int(tail.subject_of[j]),
            }
            for i, j, score in zip(tail.tail_i, tail.tail_j, tail.tail_score, strict=True)
            if score > cut
        }
        for tail in (one.earlier.tail, one.later.tail)
    ]
    differing = matched[0].keys() ^ matched[1].keys()
    whose = set().union(*((matched[0] | matched[1])[pair] for pair in differing))
    trials = one.earlier.tail.tail_score.size + one.later.tail.tail_score.size
    assert one.at_earlier["fmr", 0] == (len(differing), trials, len(whose))
    assert 0 < len(differing) < sum(map(len, matched))
    wrong = [
        {
            (int(tail.rows[i]), int(tail.rows[j]))
            for i, j, score in zip(tail.mated_i, tail.mated_j, tail.mated_score, strict=True)
            if score <= cut
        }
        for tail in (one.earlier.tail, one.later.tail)
    ]
    assert one.at_earlier["fnmr", 0][:2] == (len(wrong[0] ^ wrong[1]), one.earlier.trials)
    other = found(Date(), Date(scoring=2, images=2, prefix="b"), By.OWN)
    cut = other.earlier.thresholds[0]
    every = sum(int((side.tail.tail_score > cut).sum()) for side in (other.earlier, other.later))
    assert other.at_earlier["fmr", 0][0] == every


def test_a_date_compared_with_itself_is_identical() -> None:
    """The same scores and labels: said, no error that resampling could show."""
    one = found(Date(), Date(), By.JOINT)
    assert one.identical
    assert one.decided[0][0] == 0
    assert np.array_equal(one.earlier.drawn, one.later.drawn)
    assert one.too_few_errors(0) == "discordant: 0, of 0 subjects; a test needs 10 of 10"


def test_bands_hold_the_rate() -> None:
    """Low, rate, high in that order at every target that is not refused; a target too small is refused."""
    one = found(Date(), Date(scoring=2), By.JOINT)
    for rates in (one.earlier, one.later):
        for a in range(2):
            interval = band(rates, a, one.weighting, ALPHA)
            assert interval.low is not None
            assert interval.high is not None
            assert interval.low < rates.fnmr[a] < interval.high
    drawing = Drawing(
        n=99, seed=1, strata=np.zeros(30, dtype=np.int64), weighting=Weighting.POOLED, threads=1
    )
    refused = compared(
        sides(met(Date(), Date(scoring=2)), By.JOINT, "acme"), [], [1e-6], drawing, same_images=True
    )
    assert refused.refused[0] is not None
    assert "the smallest target allowed" in refused.refused[0]
    assert np.isnan(refused.earlier.fnmr).all()


def dates(seed: int, *, same: bool, later: dict[str, float] | None = None) -> tuple[Date, Date]:
    """Two exchangeable dates, but for services with another noise at the ``later`` one."""
    small = {"queries": 24, "each": 10, "people": 10 + seed}
    one = Date(images=seed, scoring=2 * seed, **small)
    images, prefix = (seed, "a") if same else (1000 + seed, "b")
    noise = {**NOISE, **(later or {})}
    return one, Date(images=images, scoring=2 * seed + 1, prefix=prefix, noise=noise, **small)


@pytest.mark.slow
@pytest.mark.parametrize("same", [True, False])
def test_exchangeable_dates_rarely_differ(*, same: bool) -> None:
    """Independent noise on the same templates (8.16), or new images of the same people: size at most alpha.

    14 pairs of dates, three services each; a true size of 0.05 fails this test in fewer than 1 of 1000 seeds.
    """
    by = By.JOINT if same else By.OWN
    rejected = [
        p_value(found(*dates(seed, same=same), by, name, seed, 99)) <= ALPHA
        for seed in range(14)
        for name in NOISE
    ]
    assert binomtest(sum(rejected), len(rejected), ALPHA, alternative="greater").pvalue > 1e-3


@pytest.mark.parametrize("same", [True, False])
def test_a_planted_change_is_found(*, same: bool) -> None:
    """A service with far less noise at the later date is found in most of eight searches, in the right direction."""
    by, shown = By.JOINT if same else By.OWN, 0
    for seed in range(8):
        both = found(*dates(seed, same=same, later={"crest": 0.2}), by, "crest", seed, 99)
        shown += p_value(both) <= ALPHA and both.later.fnmr[0] < both.earlier.fnmr[0]
    assert shown >= 6


def test_a_band_allows_for_one_more_bad_image(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where people weigh unequally the upper bound of FNMR rises, as that of an audit does; the lower one stays."""
    rates = found(Date(), Date(scoring=2), By.JOINT).later
    equal = band(rates, 0, Weighting.POOLED, ALPHA)
    measured = WilsonRule.fnmr_residuals
    monkeypatch.setattr(WilsonRule, "fnmr_residuals", lambda *place: replace(measured(*place), image=0.1))
    unequal = band(rates, 0, Weighting.POOLED, ALPHA)
    assert unequal.low == equal.low
    assert (unequal.high or 0) > (equal.high or 1)
