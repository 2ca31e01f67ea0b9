"""Tests of frtaudit.stats.bootstrap.simd, and of simd_llvm, which it stands for when it is compiled."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.arrays import Bytes, Halves, Index, Ints
from frtaudit.stats._numba import kernel
from frtaudit.stats.bootstrap import simd
from frtaudit.stats.bootstrap.kernel_arrays import WIDTH


@kernel
def bytes_of(
    words: Ints, weights: Bytes, base: int, start: Ints, row: Index, rows: Halves,
    reach: int, most: int,
) -> None:  # fmt: skip
    """All runs but the first into bucket 1."""
    simd.add_runs(words, 1, weights, base, start, row, rows, 1, row.size, reach, most)


@kernel
def packed_of(
    words: Ints, packed: Bytes, base: int, start: Ints, row: Index, rows: Halves,
    reach: int, most: int,
) -> None:  # fmt: skip
    """All runs but the first into bucket 1."""
    simd.add_packed_runs(words, 1, packed, base, start, row, rows, 1, row.size, reach, most)


@kernel
def threes_of(
    words: Ints, packed: Bytes, base: int, start: Ints, row: Index, rows: Halves,
    reach: int, most: int,
) -> None:  # fmt: skip
    """All runs but the first into bucket 1."""
    simd.add_packed_threes(words, 1, packed, base, start, row, rows, 1, row.size, reach, most)


@kernel
def pair_of(half: Halves, weights: Bytes, a: int, b: int) -> None:
    """A pair into bucket 1."""
    simd.fetch(weights, a)
    simd.add_pair(half, 1, weights, a, b)


@given(
    seed=st.integers(0, 999),
    heaviest=st.sampled_from([1, 5, 15, 16, 100, 255]),
    sizes=st.lists(st.one_of(st.integers(1, 7), st.integers(1, 400)), min_size=2, max_size=9),
    base=st.integers(0, 3),
)
def test_runs_are_added_as_numpy_adds_them(seed: int, heaviest: int, sizes: list[int], base: int) -> None:
    """Sums of all lanes are the plain ones, also of more than 8 and 16 bits hold, of bytes and of packed weights."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, heaviest + 1, (7, WIDTH)).astype(np.uint8)
    weights[:2] = heaviest
    start = np.concatenate([[0], np.cumsum(sizes)])
    row = rng.integers(-base, 7 - base, len(sizes)).astype(np.int32)
    rows = rng.integers(0, 7 - base, sum(sizes)).astype(np.uint16)
    before = rng.integers(0, 2**40, (2, WIDTH))
    want = before.copy()
    for run in range(1, row.size):
        total = weights[base + rows[start[run] : start[run + 1]]].sum(axis=0, dtype=np.int64)
        want[1] += total * weights[base + row[run]]
    args = base, start, row, rows, 255 // heaviest, 65535 // heaviest**2
    found = before.copy()
    bytes_of(found, weights, *args)
    np.testing.assert_array_equal(found, want)
    if heaviest < 16:
        packed = weights[:, : WIDTH // 2] | weights[:, WIDTH // 2 :] << 4
        found = before.copy()
        packed_of(found, packed, *args)
        np.testing.assert_array_equal(found, want)
        if heaviest < 6:
            found = before.copy()
            threes_of(found, packed, *args)
            np.testing.assert_array_equal(found, want)
        simd._plain_packed_runs(before, 1, packed, *args[:4], 1, row.size, *args[4:])
        np.testing.assert_array_equal(before, want)


@given(seed=st.integers(0, 999))
def test_pairs_are_added_as_numpy_adds_them(seed: int) -> None:
    """Products of all lanes are the plain ones, also of the heaviest weights."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 256, (7, WIDTH)).astype(np.uint8)
    half = rng.integers(0, 500, (2, WIDTH)).astype(np.uint16)
    want = half.copy()
    pair_of(half, weights, 2, 5)
    simd._plain_pair(want, 1, weights, 2, 5)
    np.testing.assert_array_equal(half, want)
