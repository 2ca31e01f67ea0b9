import math

import numpy as np
import pytest

from frtaudit.analyses.comparison import measures
from frtaudit.stats.systems import multiple_comparisons


@pytest.mark.parametrize("classes", [2, 3, 14])
@pytest.mark.parametrize("of", [measures.GAP, measures.RATIO])
def test_the_lift_is_that_of_the_spread_of_errors(of: str, classes: int) -> None:
    """The mean range over classes of the errors of rates, or of their logarithms, by plain loops."""
    rng = np.random.default_rng(classes)
    rates = rng.uniform(0.1, 0.3, (2, classes))
    drawn = rates * np.exp(np.array([0.05, 0.2])[:, None] * rng.standard_normal((99, 2, classes)))
    lift = measures._lift(of, rates, drawn)
    scale = math.log if of == measures.RATIO else float
    for system in range(2):
        spread = []
        for replicate in drawn[:, system]:
            errors = [scale(a) - scale(b) for a, b in zip(replicate, rates[system], strict=True)]
            spread.append(max(errors) - min(errors))
        seen = [scale(rate) for rate in rates[system]]
        value, noise = max(seen) - min(seen), sum(spread) / len(spread)
        assert lift[system] == pytest.approx(value - math.sqrt(max(value**2 - noise**2, 0)))


def test_a_true_difference_of_ratios_is_found() -> None:
    """Ratios of 1 and of 3 between the largest and the smallest of three rates, each known to about 8 %."""
    rng, shown = np.random.default_rng(3), 0
    true = np.log([[0.1, 0.1, 0.1], [0.1, 0.2, 0.3]])
    for _ in range(50):
        rates = np.exp(true + 0.08 * rng.standard_normal((2, 3)))
        drawn = rates * np.exp(0.08 * rng.standard_normal((199, 2, 3)))
        lift = measures._lift(measures.RATIO, rates, drawn)
        ratios = [measures._log_ratio(part) for part in (rates, drawn)]
        family = multiple_comparisons.family_of(*ratios, [(0, 1)], lift)
        assert family is not None
        shown += family.p()[0] <= 0.05
    assert shown >= 48


def test_where_no_lift_is_known_nothing_is_tested() -> None:
    """A rate of 0 in every replicate has no ratio: no family, and no p value that nothing reaches."""
    rates, drawn = np.array([[0.1, 0.2], [0.0, 0.2]]), np.random.default_rng(1).uniform(0.1, 0.2, (99, 2, 2))
    lift = measures._lift(measures.RATIO, rates, drawn)
    assert not np.isfinite(lift[1])
    values = np.array([0.7, 0.5])
    assert multiple_comparisons.family_of(values, np.log(drawn).max(axis=2), [(0, 1)], lift) is None
