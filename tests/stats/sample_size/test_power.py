"""Planned tests reach their power through the project's own rules, and plans move the way they should.

Each simulated claim "power is at least 0.8" uses a fixed seed and alarms falsely with probability 1e-3 at most.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles_power import fmr_passes, fmr_seen, fnmr_passes
from oracles_wilson import outer_bounds
from scipy import stats

from frtaudit.stats.intervals.clustered_share import share_bounds
from frtaudit.stats.sample_size import power
from frtaudit.stats.sample_size.power import ComparisonDesign, Dependence

ALPHA, POWER, ALARM = 0.05, 0.8, 1e-3
RUNS = 400

designs = st.builds(ComparisonDesign, ends=st.sampled_from([1, 2]), each=st.floats(1, 40))
attempts_too = designs | st.builds(power.attempts, st.floats(1, 40))
shares = st.floats(0, 1)
limits = st.floats(1e-4, 0.3)


@pytest.mark.parametrize(("target", "of_3", "of_30"), [(1e-3, 78, 246), (1e-4, 246, 776), (1e-6, 2450, 7747)])
def test_known_subjects_of_the_rules(target: float, of_3: int, of_30: int) -> None:
    """All pairs of single samples, taken as independent, need the literature's subjects; disjoint pairs 6/target."""
    design = power.non_mated(1)
    assert power.subjects_for(design, power.INDEPENDENT, power.RULE_OF_3 / target) == of_3
    assert power.subjects_for(design, power.INDEPENDENT, power.RULE_OF_30 / target) == pytest.approx(
        of_30, abs=1
    )
    assert power.subjects_for(design, power.worst(design), power.RULE_OF_3 / target) == round(6 / target)


def test_the_rules_are_what_they_say() -> None:
    """Rule of 3: no error in 3/L trials has probability 0.05; rule of 30: 1.645 standard deviations are 30 %."""
    assert pytest.approx(0.05, abs=0.001) == (1 - 1e-4) ** (power.RULE_OF_3 / 1e-4)
    assert stats.norm.isf(0.05) / np.sqrt(power.RULE_OF_30) == pytest.approx(0.3, abs=0.001)


@pytest.mark.parametrize(
    ("samples", "correlation", "rate", "limit"),
    [
        (2, 0.0, 0.005, 0.01),
        (3, 0.1, 0.005, 0.01),
        (4, 0.2, 0.01, 0.02),
        (4, 0.2, 0.02, 0.05),
        (4, 0.3, 0.002, 0.01),
        (5, 0.05, 0.02, 0.03),
    ],
)
def test_planned_fnmr_test_reaches_its_power(
    samples: int, correlation: float, rate: float, limit: float
) -> None:
    """Beta-binomial subjects pass the rule of FORMULAS 8.1 as often as planned, by no more than ten points oftener."""
    rng = np.random.default_rng([5, samples, round(1e4 * rate)])
    design = power.mated(samples)
    dependence = Dependence(base=1, share=correlation)
    subjects = power.subjects_to_pass(design, dependence, rate, limit, ALPHA, POWER)
    assert subjects is not None
    passed = sum(
        fnmr_passes(rng, subjects, int(design.each), rate, correlation, limit, ALPHA) for _ in range(RUNS)
    )
    assert stats.binomtest(passed, RUNS, POWER, alternative="less").pvalue > ALARM
    assert stats.binomtest(passed, RUNS, POWER + 0.1, alternative="greater").pvalue > ALARM


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("variance", "rate", "limit"), [(0.2, 0.02, 0.04), (0.5, 0.005, 0.02), (1.0, 0.01, 0.03)]
)
def test_planned_fmr_test_reaches_its_power(variance: float, rate: float, limit: float) -> None:
    """Subjects of unlike propensity to match pass as often as planned.

    Two comparisons that share a subject have covariance rate^2 variance; deff = 2 (1 + (c - 1) rho): share 2 rho. With
    fewer than 30 errors the rule takes its design effect where 30 are, which is what is planned with.
    """
    rng = np.random.default_rng([6, round(10 * variance)])
    design, lent = power.non_mated(1), rate
    for _ in range(20):
        dependence = Dependence(base=2, share=2 * variance * lent / (1 - lent))
        subjects = power.subjects_to_pass(design, dependence, rate, limit, ALPHA, POWER)
        assert subjects is not None
        lent = max(rate, 30 / design.trials(subjects))
    runs = 200
    passed = sum(fmr_passes(rng, subjects, rate, variance, limit) for _ in range(runs))
    assert stats.binomtest(passed, runs, POWER, alternative="less").pvalue > ALARM


@pytest.mark.compiled
def test_a_pilots_dependence_carries_to_another_size() -> None:
    """The mean design effect of 60 subjects predicts that of 180 within 10 %; copying it would miss by a third.

    Seed fixed; the mean of 40 and of 20 cohorts is known to about 2 %.
    """
    rng = np.random.default_rng(13)
    design = power.non_mated(1)
    small, large = (
        np.mean([fmr_seen(rng, subjects, 0.05, 0.5).deff for _ in range(runs)])
        for subjects, runs in ((60, 40), (180, 20))
    )
    carried = power.measured(design, 60, float(small)).deff(design, 180)
    assert carried == pytest.approx(large, rel=0.1)
    assert small < 0.67 * large


def test_unequal_subjects_have_the_design_effect_of_their_sizes() -> None:
    """Subjects of 1 and of 20 comparisons with correlation rho: the variance over the independent one is the planned.

    Seed fixed; 4000 draws know a variance to about 2 %.
    """
    rng = np.random.default_rng(14)
    each = np.repeat([1, 20], [90, 10])
    design = ComparisonDesign(
        ends=1, each=float(each.mean()), imbalance=float((each**2).sum() / each.sum() / each.mean())
    )
    own = rng.beta(0.1 * 4, 0.9 * 4, (4000, each.size))  # correlation 1/(1 + 4)
    rates = rng.binomial(each, own).sum(axis=1) / each.sum()
    deff = rates.var() * each.sum() / (0.1 * 0.9)
    assert Dependence(base=1, share=0.2).deff(design, each.size) == pytest.approx(deff, rel=0.1)


def test_too_small_a_crew_is_seen() -> None:
    """Half the planned test passes less often than 0.8 (p < 1e-6 of the same test): the simulation can fail."""
    rng = np.random.default_rng(7)
    subjects = power.subjects_to_pass(power.mated(4), Dependence(base=1, share=0.2), 0.01, 0.02, ALPHA, POWER)
    assert subjects is not None
    passed = sum(fnmr_passes(rng, subjects // 2, 6, 0.01, 0.2, 0.02, ALPHA) for _ in range(RUNS))
    assert stats.binomtest(passed, RUNS, POWER, alternative="less").pvalue < 1e-6


@given(designs, shares, limits, st.floats(0.05, 0.7), st.floats(0.5, 0.95))
def test_plans_rise_as_they_should(
    design: ComparisonDesign, share: float, limit: float, rate: float, wanted: float
) -> None:
    """More subjects for a lower limit, a rate nearer to it, more power, and more dependence."""

    def plan(share: float, limit: float, rate: float, wanted: float) -> float:
        dependence = Dependence(base=design.ends, share=share)
        found = power.subjects_to_pass(design, dependence, rate * limit, limit, ALPHA, wanted)
        return float("inf") if found is None else found

    one = plan(share, limit, rate, wanted)
    assert plan(share, limit * 0.7, rate, wanted) >= one
    assert plan(share, limit, min(rate * 1.3, 0.99), wanted) >= one
    assert plan(share, limit, rate, min(wanted + 0.04, 0.99)) >= one
    assert plan(min(share + 0.2, 1.0), limit, rate, wanted) >= one


@given(attempts_too, shares, limits, st.floats(0.0, 0.7), st.floats(0.5, 0.95))
def test_plan_is_the_least_that_does(
    design: ComparisonDesign, share: float, limit: float, rate: float, wanted: float
) -> None:
    """The planned test has the power, and stays above it when it grows; one subject fewer has not."""
    dependence = Dependence(base=design.ends, share=share)
    found = power.subjects_to_pass(design, dependence, rate * limit, limit, ALPHA, wanted)
    assert found is not None

    def reached(subjects: int) -> float:
        return power.power_to_pass(design, dependence, subjects, rate * limit, limit, ALPHA)

    assert reached(found) >= wanted * (1 - 1e-9)
    assert reached(found + 1) >= wanted * (1 - 1e-9)
    assert reached(2 * found) >= wanted * (1 - 1e-9)
    assert found == 2 or reached(found - 1) < wanted


@given(designs, shares, st.integers(3, 4000))
def test_a_pilot_gives_back_its_design_effect(design: ComparisonDesign, share: float, subjects: int) -> None:
    """The dependence measured from a design effect has that design effect at the pilot's size."""
    known = Dependence(base=design.ends, share=share).deff(design, subjects)
    assert power.measured(design, subjects, known).deff(design, subjects) == pytest.approx(
        max(known, design.ends)
    )
    assert power.measured(design, subjects, 0.5).share == 0


@given(designs, shares, st.integers(2, 2000))
def test_effective_size_grows_with_the_crew(design: ComparisonDesign, share: float, subjects: int) -> None:
    """More subjects are never worth less, and comparisons are never worth more than independent ones."""
    for dependence in (
        Dependence(base=design.ends, share=share),
        power.least(design),
        power.worst(design),
        power.INDEPENDENT,
    ):
        now, then = (dependence.n_eff(design, count) for count in (subjects, subjects + 1))
        assert now <= then * (1 + 1e-12)
        assert now <= design.trials(subjects)


def test_power_is_below_the_exact_one_when_counts_are_whole() -> None:
    """For independent comparisons the planned power is at most the binomial's, by less than one count's share."""
    design = power.mated(2)
    for subjects in (800, 1500, 3000):
        mine = power.power_to_pass(design, power.INDEPENDENT, subjects, 0.004, 0.01, ALPHA)
        counts = range(int(subjects * 0.01))
        allowed = max(
            x for x in counts if outer_bounds(x / subjects, subjects, subjects - 1, ALPHA)[1] <= 0.01
        )
        assert mine <= stats.binom.cdf(allowed, subjects, 0.004)
        assert mine >= stats.binom.cdf(allowed - 1, subjects, 0.004)


@pytest.mark.parametrize(
    ("limit", "several", "single"), [(1e-2, 25, 36), (1e-3, 78, 111), (1e-4, 246, 348), (1e-5, 775, 1096)]
)
def test_planned_people_can_pass_without_an_error(limit: float, several: int, single: int) -> None:
    """FORMULAS 8.18: the larger of both bounds asks for pairs of people; with one image each 8.1 asks for more."""
    for samples, people in ((1, single), (2, several), (5, several)):
        design = power.non_mated(samples)
        assert power.subjects_to_pass(design, power.least(design), 0.0, limit, ALPHA, POWER) == people


def test_few_failures_to_acquire_count_by_subject() -> None:
    """Without a failure the bound of FTA has one attempt of each subject: as many subjects, however often they try."""
    design = power.attempts(4)
    for dependence in (power.INDEPENDENT, power.worst(design)):
        assert power.subjects_to_pass(design, dependence, 0.0, 0.02, ALPHA, POWER) == 150
    for subjects, passes in ((149, False), (150, True)):
        bounds = share_bounds(np.zeros(subjects, np.int64), np.full(subjects, 4))
        assert bounds is not None
        assert (bounds.high(ALPHA) <= 0.02) is passes


@pytest.mark.parametrize(
    ("attempts", "together", "rate", "limit"),
    [
        (4, 0.0, 0.01, 0.02),
        (4, 0.2, 0.01, 0.02),
        (10, 0.0, 0.01, 0.02),
        (4, 0.0, 0.001, 0.02),
        (4, 1.0, 0.01, 0.02),
    ],
)
def test_planned_attempts_reach_their_power(
    attempts: int, together: float, rate: float, limit: float
) -> None:
    """Subjects of whom a share fails in all attempts or none pass the bound of FTA as often as planned."""
    rng = np.random.default_rng([6, attempts, round(10 * together)])
    dependence = Dependence(base=1, share=together)
    subjects = power.subjects_to_pass(power.attempts(attempts), dependence, rate, limit, ALPHA, POWER)
    assert subjects is not None
    passed = sum(fta_passes(rng, subjects, attempts, rate, together, limit) for _ in range(RUNS))
    assert stats.binomtest(passed, RUNS, POWER, alternative="less").pvalue > ALARM
    assert passed <= (POWER + 0.1) * RUNS


def test_power_of_fta_falls_where_few_fail() -> None:
    """279 subjects of four attempts, FTA 1 %, limit 2 %: they pass in about half of the cohorts, not in 80 %."""
    rng = np.random.default_rng(8)
    passed = np.mean([fta_passes(rng, 279, 4, 0.01, 0.0, 0.02) for _ in range(RUNS)])
    planned = power.power_to_pass(power.attempts(4), power.INDEPENDENT, 279, 0.01, 0.02, ALPHA)
    assert planned == pytest.approx(0.5, abs=0.01)
    assert planned - 0.05 < passed < planned + 0.15


def fta_passes(
    rng: np.random.Generator, subjects: int, attempts: int, rate: float, together: float, limit: float
) -> bool:
    """Whether failures to acquire of a simulated cohort pass."""
    at_once = attempts * (rng.random(subjects) < rate)
    alone = rng.binomial(attempts, rate, subjects)
    failed = np.where(rng.random(subjects) < together, at_once, alone)
    bounds = share_bounds(failed.astype(np.int64), np.full(subjects, attempts))
    return bounds is not None and bool(bounds.high(ALPHA) <= limit)


def test_what_no_size_reaches() -> None:
    """A rate at its limit has no plan, nor have subjects without comparisons; a rate of 0 has the least."""
    design = power.mated(4)
    assert power.subjects_to_pass(design, power.INDEPENDENT, 0.01, 0.01, ALPHA, POWER) is None
    assert power.subjects_to_pass(power.mated(1), power.INDEPENDENT, 0.001, 0.01, ALPHA, POWER) is None
    assert power.subjects_for(power.mated(1), power.INDEPENDENT, 3.0) is None
    none = power.subjects_to_pass(design, power.INDEPENDENT, 0.0, 0.01, ALPHA, POWER)
    assert none is not None
    assert power.power_to_pass(design, power.INDEPENDENT, none - 1, 0.0, 0.01, ALPHA) == 0
    assert power.power_to_pass(design, power.INDEPENDENT, none, 0.0, 0.01, ALPHA) == 1
