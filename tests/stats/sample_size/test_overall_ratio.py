"""Errors that a ratio to the overall rate takes: the closed form, the audit's bounds, and their power by simulation."""

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from frtaudit.stats.intervals.rate_bounds import RateBounds
from frtaudit.stats.sample_size.overall_ratio import power_to_pass_ratio
from frtaudit.stats.sample_size.power import fewest

LIMIT, ALPHA, RUNS = 1.25, 0.05, 2000


def errors_in_theory(power: float) -> float:
    """Errors of a small group that show a ratio below the limit with this probability where it is 1."""
    return float((norm.ppf(1 - ALPHA) + norm.ppf(power)) / np.log(LIMIT)) ** 2


def errors_of_all(share: float, power: float) -> int:
    """The fewest errors of everybody that pass with ``power``."""
    found = fewest(lambda errors: power_to_pass_ratio(errors, share, LIMIT, ALPHA, 1e6) >= power)
    assert found is not None
    return found


@pytest.mark.parametrize(("power", "errors"), [(0.5, 54), (0.8, 124)])
def test_a_quarter_worse_takes_that_many_errors(power: float, errors: int) -> None:
    """54 of a small group at even odds, 124 at 0.8; the audit's bounds within 12 % of that."""
    assert errors_in_theory(power) == pytest.approx(errors, abs=0.5)
    assert 0.01 * errors_of_all(0.01, power) == pytest.approx(errors, rel=0.12)


def test_half_of_everybody_takes_half() -> None:
    """The overall rate moves with the group: a factor of one less its share."""
    assert 0.5 * errors_of_all(0.5, 0.8) == pytest.approx(0.5 * errors_in_theory(0.8), rel=0.12)


@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
def test_planned_errors_reach_their_power(share: float) -> None:
    """Equal rates, errors drawn: the bound passes in 0.8 of cohorts or more, by an exact test at 0.001."""
    total, rng = errors_of_all(share, 0.8), np.random.default_rng(1)
    seen = rng.binomial(total, share, RUNS)
    known = {x: RateBounds(rate=x / total, n_eff=total, degrees=1e6).high(ALPHA) for x in set(seen.tolist())}
    passed = sum(known[x] <= share * LIMIT for x in seen.tolist())
    assert binomtest(passed, RUNS, 0.8, alternative="less").pvalue > 0.001


def test_edges() -> None:
    """A group of nearly everybody cannot be a quarter worse; without errors nothing passes."""
    assert power_to_pass_ratio(10, 0.9, LIMIT, ALPHA, 100) == 1
    assert power_to_pass_ratio(0, 0.2, LIMIT, ALPHA, 100) == 0
    assert power_to_pass_ratio(3, 0.2, LIMIT, ALPHA, 100) == 0
