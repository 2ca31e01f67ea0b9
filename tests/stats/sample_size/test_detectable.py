"""The ratio that a plan says is found is found as often as it says (FORMULAS 8.5, 8.6)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles_power import told_apart
from scipy import stats

from frtaudit.stats.sample_size import detectable
from frtaudit.stats.sample_size.power import ComparisonDesign, Dependence, fewest, least, mated, non_mated

ALPHA, POWER, ALARM, RUNS = 0.05, 0.8, 1e-3, 120

designs = st.builds(ComparisonDesign, ends=st.sampled_from([1, 2]), each=st.floats(1, 40))
settings = {"groups": 3, "alpha": ALPHA, "power": POWER}


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize(
    ("groups", "correlation", "rate", "ratio"),
    [(2, 0.2, 0.03, 2.0), (3, 0.2, 0.03, 2.0), (3, 0.1, 0.08, 1.5)],
)
def test_planned_ratio_is_found(groups: int, correlation: float, rate: float, ratio: float) -> None:
    """Groups between which one pair differs by the ratio differ significantly with the planned power.

    Seed fixed; "at least 0.8" alarms falsely with probability 1e-3 at most.
    """
    rng = np.random.default_rng([8, groups, round(10 * ratio)])
    design, dependence = mated(4), Dependence(base=1, share=correlation)
    subjects = detectable.subjects_to_find(
        ratio, rate, design, dependence, groups=groups, alpha=ALPHA, power=POWER
    )
    assert subjects is not None
    rates = [rate, rate * ratio, *[rate * ratio**0.5] * (groups - 2)]
    found = sum(told_apart(rng, subjects, 6, rates, correlation, ALPHA) for _ in range(RUNS))
    assert stats.binomtest(found, RUNS, POWER, alternative="less").pvalue > ALARM


@pytest.mark.slow
@pytest.mark.compiled
def test_equal_groups_are_seldom_told_apart() -> None:
    """The rule that is planned for flags at most 5 % of equal groups, so that the power is not bought by false alarms.

    Seed fixed; alarms falsely with probability 1e-3 at most.
    """
    rng = np.random.default_rng(9)
    flagged = sum(told_apart(rng, 300, 6, [0.05] * 3, 0.2, ALPHA) for _ in range(RUNS))
    assert stats.binomtest(flagged, RUNS, ALPHA, alternative="greater").pvalue > ALARM


def test_critical_value_is_that_of_the_largest_pair() -> None:
    """Five normal estimates: the largest of ten pairwise |differences| exceeds it in 5 % of 20000 draws.

    Seed fixed; alarms falsely with probability 1e-3.
    """
    drawn = np.random.default_rng(10).standard_normal((20_000, 5))
    over = int(np.sum(np.ptp(drawn, axis=1) / np.sqrt(2) > detectable.critical_value(5, ALPHA)))
    assert stats.binomtest(over, 20_000, ALPHA).pvalue > ALARM


@given(st.floats(1e-4, 0.3), st.floats(1e2, 1e7), st.floats(1e2, 1e7))
def test_detectable_ratio_is_the_least(rate: float, n_eff: float, other: float) -> None:
    """The ratio is found, one 1 % smaller is not; where there is none, not even the largest ratio is found."""
    ratio = detectable.detectable_ratio(rate, n_eff, other, **settings)
    if ratio is None:
        assert not detectable.found(1 / rate, rate, n_eff, other, **settings)
        return
    assert 1 < ratio <= 1 / rate
    assert detectable.found(min(ratio * (1 + 1e-6), 1 / rate), rate, n_eff, other, **settings)
    assert not detectable.found(1 + 0.99 * (ratio - 1), rate, n_eff, other, **settings)


@given(designs, st.floats(0, 1), st.floats(1e-3, 0.1), st.floats(1.2, 8))
def test_plan_and_its_inverse_agree(
    design: ComparisonDesign, share: float, rate: float, ratio: float
) -> None:
    """Groups planned for a ratio have a smallest ratio of at most that; with one subject fewer it is not found."""
    dependence = Dependence(base=design.ends, share=share)
    subjects = detectable.subjects_to_find(ratio, rate, design, dependence, **settings)
    assert subjects is not None
    n_eff = dependence.n_eff(design, subjects)
    again = detectable.detectable_ratio(rate, n_eff, n_eff, **settings)
    assert again is not None
    assert again <= ratio * (1 + 1e-6)
    if subjects > 2:
        fewer = dependence.n_eff(design, subjects - 1)
        erring = detectable.enough_subjects(rate, design, dependence, subjects - 1, POWER)
        assert not (erring and detectable.found(ratio, rate, fewer, fewer, **settings))


@given(st.floats(1e-3, 0.1), st.floats(1.2, 8), st.floats(0, 0.8), st.integers(2, 8), st.floats(0.5, 0.9))
def test_plans_rise_as_they_should(
    rate: float, ratio: float, share: float, groups: int, wanted: float
) -> None:
    """More subjects for a smaller ratio, a rarer error, more groups, more power, more dependence."""

    def plan(ratio: float, rate: float, share: float, groups: int, wanted: float) -> int:
        dependence = Dependence(base=1, share=share)
        found = detectable.subjects_to_find(
            ratio, rate, mated(4), dependence, groups=groups, alpha=ALPHA, power=wanted
        )
        assert found is not None
        return found

    one = plan(ratio, rate, share, groups, wanted)
    assert plan(1 + 0.9 * (ratio - 1), rate, share, groups, wanted) >= one
    assert plan(ratio, rate * 0.8, share, groups, wanted) >= one
    assert plan(ratio, rate, share + 0.2, groups, wanted) >= one
    assert plan(ratio, rate, share, groups + 1, wanted) >= one
    assert plan(ratio, rate, share, groups, wanted + 0.05) >= one


@pytest.mark.parametrize("ends", [1, 2])
@pytest.mark.parametrize("samples", [12, 20, 60])
def test_no_group_is_planned_that_is_too_small_to_test(samples: int, ends: int) -> None:
    """With many images errors are many in a few people, but a group needs errors of 10 subjects (FORMULAS 8.5)."""
    design = mated(samples) if ends == 1 else non_mated(samples)
    drawn = detectable.resampled(least(design), design)
    asked = {"groups": 2, "alpha": ALPHA, "power": POWER}
    planned = detectable.subjects_to_find(2.0, 0.05, design, drawn, **asked)
    assert planned is not None
    assert planned >= 10
    assert not detectable.enough_subjects(0.05, design, drawn, 9, POWER)


@pytest.mark.parametrize(("heavy", "rate"), [(276, 0.05), (276, 0.01), (66, 0.05)])
def test_enough_subjects_have_an_error_where_half_make_few_comparisons(heavy: int, rate: float) -> None:
    """Half of the subjects make one comparison each, half many: again 10 have an error in 98 % of cohorts.

    Seed fixed; alarms falsely with probability 1e-3.
    """
    each = (1 + heavy) / 2
    design = ComparisonDesign(ends=1, each=each, imbalance=(1 + heavy**2) / (1 + heavy) / each)
    drawn = Dependence(base=1, share=0.0)
    subjects = fewest(lambda size: detectable.enough_subjects(rate, design, drawn, size, POWER))
    assert subjects is not None
    rng = np.random.default_rng([12, heavy])
    comparisons = np.where(np.arange(subjects) < subjects // 2, heavy, 1)
    erring = rng.random((4000, subjects)) < 1 - (1 - rate) ** comparisons
    enough = int(np.sum(erring.sum(axis=1) >= 10))
    assert stats.binomtest(enough, 4000, 0.98, alternative="less").pvalue > ALARM


@pytest.mark.parametrize(("each", "rho"), [(6, 0.0), (66, 0.0), (66, 0.1), (66, 0.5), (6, 1.0)])
def test_enough_subjects_have_an_error(each: int, rho: float) -> None:
    """Errors drawn as beta-binomial: 10 subjects have one in 98 % of cohorts of the fewest subjects that are enough.

    Seed fixed; alarms falsely with probability 1e-3.
    """
    design, dependence = ComparisonDesign(ends=1, each=each), Dependence(base=1, share=rho)
    subjects = fewest(lambda size: detectable.enough_subjects(0.05, design, dependence, size, POWER))
    assert subjects is not None
    rng = np.random.default_rng([11, each, round(10 * rho)])
    shape = (4000, subjects)
    if rho in (0.0, 1.0):
        erring = rng.random(shape) < (0.05 if rho else 1 - 0.95**each)
    else:
        rates = rng.beta(0.05 * (1 / rho - 1), 0.95 * (1 / rho - 1), shape)
        erring = rng.random(shape) < 1 - (1 - rates) ** each
    enough = int(np.sum(erring.sum(axis=1) >= 10))
    assert stats.binomtest(enough, 4000, 0.98, alternative="less").pvalue > ALARM


def test_what_no_size_finds() -> None:
    """A ratio of 1, one that would carry the rate above 1, and subjects without comparisons have no plan."""
    design = mated(4)
    dependence = Dependence(base=1, share=0)
    assert detectable.subjects_to_find(1.0, 0.01, design, dependence, **settings) is None
    assert detectable.subjects_to_find(3.0, 0.5, design, dependence, **settings) is None
    assert detectable.subjects_to_find(2.0, 0.01, mated(1), dependence, **settings) is None
    assert detectable.detectable_ratio(0.01, 500, 1e9, **settings) is None
