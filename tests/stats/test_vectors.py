import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.stats import vectors
from frtaudit.stats.compiled import kernel
from frtaudit.stats.vectors import WIDTH


@kernel
def both(half: vectors.Halves, weights: vectors.Bytes, rows: vectors.Index, low: int, high: int) -> None:
    """A run into bucket 0, a pair into bucket 1."""
    vectors.fetch(weights, 0)
    vectors.add_run(half, 0, weights, 1, rows, low, high)
    vectors.add_pair(half, 1, weights, rows[0], rows[1])


@given(seed=st.integers(0, 999), low=st.integers(0, 6), size=st.integers(1, 9))
def test_vectors_do_what_numpy_does(seed: int, low: int, size: int) -> None:
    """Compiled sums and products of all lanes are the plain ones, also at the largest weights that fit."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 255 // size + 1, (7, WIDTH)).astype(np.uint8)
    rows = rng.integers(0, 7, low + size + 16).astype(np.int32)
    half = rng.integers(0, 500, (2, WIDTH)).astype(np.uint16)
    want = half.copy()
    both(half, weights, rows, low, low + size)
    vectors._plain_run(want, 0, weights, 1, rows, low, low + size)
    vectors._plain_pair(want, 1, weights, int(rows[0]), int(rows[1]))
    np.testing.assert_array_equal(half, want)
