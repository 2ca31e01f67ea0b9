"""Tests of frtaudit.testing.study.sets.shown."""

import numpy as np
import pytest

from frtaudit.core import Method, Target
from frtaudit.core.spec import IntervalSpec, Weighting
from frtaudit.evaluation.operating_points import OperatingPoint, read
from frtaudit.stats.intervals import coverage, rate_bounds
from frtaudit.testing.populations import WOLVES
from frtaudit.testing.study.sets import one_sided, scored_sets, shown
from frtaudit.testing.study.sets.one_sided import ERRORS
from frtaudit.testing.study.sets.scored_sets import ScoredSet
from frtaudit.testing.study.systems import cohort_of, spec_of, system_of

PEOPLE = 40


@pytest.fixture(scope="module")
def whole() -> ScoredSet:
    """300 people of 1 to 4 images, among them some who are alike to many."""
    return scored_sets.made(WOLVES, (1, 2, 3, 4), 300, seed=3)


@pytest.mark.slow
@pytest.mark.parametrize("weighting", list(Weighting))
@pytest.mark.parametrize("fmr", [0.01, 0.001])
def test_bounds_and_p_values_are_those_of_the_audit(
    whole: ScoredSet, weighting: Weighting, fmr: float
) -> None:
    """Rate, effective number, one-sided bounds and p values equal those that an audit of the cohort would print."""
    threshold = whole.threshold(fmr, weighting)
    chosen = np.sort(shown.draw(whole, PEOPLE, 4, np.random.default_rng(1)), axis=1)
    fmrs = shown.non_mated(whole, chosen, threshold, weighting)
    fnmrs = shown.mated(whole, chosen, threshold, weighting)
    drawn = {"fmr": one_sided.with_match_rates(fmrs, fnmrs), "fnmr": fnmrs}
    templates = whole.templates
    assert templates is not None
    wanted = (IntervalSpec(method=Method.WILSON, target=Target.POPULATION),)
    for c, people in enumerate(chosen):
        spec = spec_of(targets=(), thresholds=(threshold,), intervals=wanted, n=39, seed=1, folds=False)
        system = system_of(cohort_of(templates.of(people), {}), spec)
        for rate, found in drawn.items():
            place = OperatingPoint(
                rate=rate, weighting=weighting, group_index=0, threshold=threshold, point=0
            )
            reading = read(system, place)
            assert reading.rule is not None
            audited = getattr(system.rule, rate)(threshold, 0, 0.1, weighting).bounds
            known, n_eff = (
                coverage.rates(found.own, found.over),
                coverage.effective_trials(found.own, found.lent, found.over),
            )
            assert known[c] == pytest.approx(reading.value)
            assert n_eff[c] == pytest.approx(audited.n_eff)
            degrees = np.asarray(found.over.degrees)[c]
            p_value = rate_bounds.p_above(known[c], n_eff[c], degrees, found.truth)
            assert p_value == pytest.approx(audited.p_above(found.truth), rel=1e-6)
            pair, person = one_sided.unseen(found) if rate == "fmr" else (np.zeros(len(chosen)),) * 2
            for error in ERRORS:
                high = rate_bounds.upper_bound(known[c], n_eff[c], degrees, error)
                if rate == "fmr":
                    high = rate_bounds.fmr_upper_bound(known[c], n_eff[c], degrees, pair[c], person[c], error)
                assert high == pytest.approx(audited.high(error), rel=1e-6)


def test_the_truth_is_what_a_cohort_of_everybody_shows(whole: ScoredSet) -> None:
    """All people drawn: the one cohort there is has the rates of the set, in both weightings."""
    everybody = np.arange(whole.n_samples.size)[None]
    for weighting in Weighting:
        threshold = whole.threshold(0.01, weighting)
        for of in (shown.non_mated, shown.mated):
            found = of(whole, everybody, threshold, weighting)
            assert coverage.rates(found.own, found.over)[0] == pytest.approx(found.truth)
