"""Sample sizes by Mann-Whitney."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from frtaudit.stats.sample_size import efficiency

values = st.lists(st.integers(0, 6), min_size=1, max_size=20)


@given(values, values)
def test_probability_is_the_share_of_pairs(first: list[int], second: list[int]) -> None:
    """The fast count equals the share over all pairs, ties half; swapping the classes gives the rest."""
    x, y = np.array(first, dtype=float), np.array(second, dtype=float)
    slow = np.mean([(a < b) + (a == b) / 2 for a in first for b in second])
    assert efficiency.probability_above(x, y) == pytest.approx(slow)
    assert efficiency.probability_above(y, x) == pytest.approx(1 - slow)


def test_the_two_formulas_agree_for_a_small_normal_shift() -> None:
    """Noether's number with p of a normal shift of 0.05 is the t-test's over 3/pi, within 1 %."""
    p = stats.norm.cdf(0.05 / math.sqrt(2))
    both = efficiency.noether(float(p), 0.5, 0.05, 0.8)
    reach = stats.norm.isf(0.025) + stats.norm.isf(0.2)
    assert both / 2 == pytest.approx(2 * (reach / 0.05) ** 2 / (3 / math.pi), rel=0.01)


def test_the_numbers_of_the_planning_guide() -> None:
    """53 of 442 people, P(class > rest) 0.1563273: 81.0 at alpha over six classes, 52.5 at alpha, as in the guide."""
    totals = [efficiency.noether(0.1563273, 53 / 442, alpha, 0.8) for alpha in (0.05 / 6, 0.05)]
    assert [round(total, 1) for total in totals] == [81.0, 52.5]
    reach = [stats.norm.isf(alpha / 2) + stats.norm.isf(0.2) for alpha in (0.05 / 6, 0.05)]
    slow = [r**2 / (12 * (53 / 442) * (389 / 442) * (0.1563273 - 0.5) ** 2) for r in reach]
    assert totals == pytest.approx(slow)


@pytest.mark.compiled
@pytest.mark.parametrize("share", [0.5, 0.2])
def test_planned_test_reaches_its_power(share: float) -> None:
    """Mann-Whitney at 0.05 on the planned subjects finds a normal shift of 0.4 in at least 0.8 of 400 draws.

    Seed fixed; alarms falsely with probability 1e-3 at most.
    """
    rng = np.random.default_rng(12)
    p = float(stats.norm.cdf(0.4 / math.sqrt(2)))
    total = math.ceil(efficiency.noether(p, share, 0.05, 0.8))
    one = math.ceil(share * total)
    hits = sum(
        stats.mannwhitneyu(rng.standard_normal(one), rng.standard_normal(total - one) + 0.4).pvalue <= 0.05
        for _ in range(400)
    )
    assert stats.binomtest(hits, 400, 0.8, alternative="less").pvalue > 1e-3


def test_no_shift_has_no_size() -> None:
    """Equal classes are not distinguished by any number of subjects."""
    assert efficiency.noether(0.5, 0.5, 0.05, 0.8) == math.inf
