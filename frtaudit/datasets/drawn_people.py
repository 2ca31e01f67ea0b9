"""What synthetic cohorts have in common: classes dealt to people, and numbers as texts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frtaudit.core.arrays import Floats, Ints, Texts


def dealt(shares: Sequence[float], subjects: int) -> "Ints":
    """The class of each of K subjects, ascending, shape (K,): exact relative shares, rounded by largest remainder.

    >>> dealt([1.0, 2.0], 4).tolist(), dealt([], 2).tolist()
    ([0, 1, 1, 1], [0, 0])
    """
    import numpy as np

    parts = np.array(shares or [1.0])
    exact = parts / parts.sum() * subjects
    sizes = np.floor(exact).astype(np.int64)
    sizes[np.argsort(sizes - exact, kind="stable")[: subjects - int(sizes.sum())]] += 1
    return np.repeat(np.arange(parts.size), sizes)


def texts_of(values: "Floats", digits: int) -> "Texts":
    """Numbers with as many decimal places, shape (N,)."""
    import numpy as np

    return np.array([f"{value:.{digits}f}" for value in values], dtype=object)
