import numpy as np

from frtaudit.stats._numba import kernel
from frtaudit.stats.inlined import inner, reordered


def test_an_inner_function_runs_inside_a_kernel() -> None:
    """A kernel calls it with arrays, tuples of results come back."""

    def extremes(values: np.ndarray) -> tuple[float, float]:
        return values.min(), values.max()

    both = inner(extremes)
    spread = kernel(lambda values: both(values)[1] - both(values)[0])
    assert spread(np.array([1.0, 4.0, 2.0])) == 3.0


def test_a_sum_in_any_order_is_the_sum() -> None:
    """Terms added side by side give the plain sum but for rounding."""

    def total(values: np.ndarray) -> float:
        found = 0.0
        for value in values:
            found += value
        return found

    values = np.random.default_rng(1).normal(size=1000)
    inside = reordered(total)
    assert abs(kernel(lambda given: inside(given) + 0.0)(values) - values.sum()) < 1e-10
