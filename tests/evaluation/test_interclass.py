"""Intervals of distances between classes."""

import numpy as np

from frtaudit.core import Method
from frtaudit.evaluation.interclass import for_population, largest

LOW, HIGH = np.array([0.2, 0.5, 0.0]), np.array([0.6, 0.9, 0.4])
ERROR = np.array([0.01, 0.02, 0.005])


def bounds(alpha: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Wider for a smaller alpha."""
    return LOW * alpha, HIGH + (1 - alpha), ERROR


def test_one_sided_bounds_come_from_the_same_replicates() -> None:
    """A bound that errs with probability a is that of the two-sided interval at 2a."""
    made = for_population(bounds, 99, 0.05)
    assert [item.method for item in made] == [Method.VERTEX_GAUSSIAN] * 3
    assert made[1].low == LOW[1] * 0.05
    assert made[1].one_sided is not None
    assert made[1].one_sided(0.2).low == LOW[1] * 0.4


def test_the_largest_takes_each_bound_and_the_largest_error() -> None:
    """Largest low, largest high, largest Monte Carlo error; one-sided the low is that of the classes at a/C."""
    found = largest(for_population(bounds, 99, 0.05))
    assert (found.low, found.high, found.mc_error) == (LOW[1] * 0.05, HIGH[1] + 0.95, 0.02)
    assert found.one_sided is not None
    once = found.one_sided(0.3)
    assert once.low == LOW[1] * 2 * (0.3 / 3)
    assert once.high == HIGH[1] + (1 - 0.6)


def test_a_degenerate_part_leaves_the_largest_without_bounds() -> None:
    """[0, 0] is no interval, and says so; nor is then that of the largest."""
    none = for_population(lambda _: (np.zeros(2), np.array([0.0, 0.3]), np.zeros(2)), 99, 0.05)
    assert none[0].low is None
    assert "degenerate" in (none[0].note or "")
    assert largest(none).low is None
