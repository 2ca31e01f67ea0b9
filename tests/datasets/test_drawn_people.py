import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.datasets.drawn_people import dealt, texts_of


@given(st.lists(st.floats(0.1, 10.0), max_size=5), st.integers(1, 200))
def test_classes_have_their_shares(shares: list[float], subjects: int) -> None:
    """Everybody has one class, in ascending order; no class is one person or more away from its share."""
    sizes = np.bincount(dealt(shares, subjects), minlength=max(1, len(shares)))
    exact = np.array(shares or [1.0]) / sum(shares or [1.0]) * subjects
    assert sizes.sum() == subjects
    assert np.all(np.abs(sizes - exact) < 1 + 1e-9)
    assert np.all(np.diff(dealt(shares, subjects)) >= 0)


def test_numbers_have_their_decimal_places() -> None:
    """As many as asked for, rounded."""
    assert texts_of(np.array([1.26, 2.0]), 1).tolist() == ["1.3", "2.0"]
