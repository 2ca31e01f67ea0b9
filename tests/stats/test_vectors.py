import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.stats import vectors
from frtaudit.stats.compiled import kernel
from frtaudit.stats.vectors import WIDTH


@kernel
def both(
    words: vectors.Ints, half: vectors.Halves, weights: vectors.Bytes, start: vectors.Ints, row: vectors.Index,
    rows: vectors.Index, reach: int, most: int,
) -> None:  # fmt: skip
    """All runs but the first into bucket 1, a pair into bucket 1."""
    vectors.fetch(weights, 0)
    vectors.add_runs(words, 1, weights, start, row, rows, 1, row.size, reach, most)
    vectors.add_pair(half, 1, weights, rows[0], rows[1])


@given(
    seed=st.integers(0, 999),
    heaviest=st.sampled_from([1, 5, 16, 100, 255]),
    sizes=st.lists(st.integers(1, 400), min_size=2, max_size=9),
)
def test_vectors_do_what_numpy_does(seed: int, heaviest: int, sizes: list[int]) -> None:
    """Compiled sums and products of all lanes are the plain ones, also of more than 8 and 16 bits hold."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, heaviest + 1, (7, WIDTH)).astype(np.uint8)
    weights[:2] = heaviest
    start = np.concatenate([[0], np.cumsum(sizes)])
    row, rows = (rng.integers(0, 7, size).astype(np.int32) for size in (len(sizes), sum(sizes)))
    words = rng.integers(0, 2**40, (2, WIDTH))
    half = rng.integers(0, 500, (2, WIDTH)).astype(np.uint16)
    more, want = words.copy(), half.copy()
    reach, most = 255 // heaviest, 65535 // (255 * heaviest)
    both(words, half, weights, start, row, rows, reach, most)
    vectors._plain_runs(more, 1, weights, start, row, rows, 1, row.size, reach, most)
    vectors._plain_pair(want, 1, weights, int(rows[0]), int(rows[1]))
    np.testing.assert_array_equal(words, more)
    np.testing.assert_array_equal(half, want)
