import numpy as np

from frtaudit.stats.compiled import kernel
from frtaudit.stats.inlined import inner


def test_an_inner_function_runs_inside_a_kernel() -> None:
    """A kernel calls it with arrays, tuples of results come back."""

    def extremes(values: np.ndarray) -> tuple[float, float]:
        return values.min(), values.max()

    both = inner(extremes)
    spread = kernel(lambda values: both(values)[1] - both(values)[0])
    assert spread(np.array([1.0, 4.0, 2.0])) == 3.0
