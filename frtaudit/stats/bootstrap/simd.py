"""Vector operations on 128 replicates at once: what they do, in Python; compiled they are those of simd_llvm.

A row of weights is 128 bytes: two cache lines, two registers.
"""

from collections.abc import Callable
from typing import ParamSpec

import numpy as np

from frtaudit.core.arrays import Bytes, Halves, Index, Ints
from frtaudit.stats._numba import deferred

P = ParamSpec("P")

AHEAD = 16  # places: the weights of the row there are asked for when the turn of this one comes


def _plain_runs(
    words: Ints,
    key: int,
    weights: Bytes,
    base: int,
    start: Ints,
    row: Index,
    rows: Halves,
    low: int,
    high: int,
    reach: int,  # noqa: ARG001 -- NumPy's sums are wide enough
    most: int,  # noqa: ARG001 -- as above
) -> None:
    """Add runs ``low`` .. ``high - 1`` to ``words[key]``: the weight of ``row`` times the weights of its ``rows``.

    ``words`` (buckets, 128) int64; ``weights`` (R, 128) uint8; run r has the places from ``start[r]`` to
    ``start[r + 1]`` of ``rows``, at least one; all rows are counted from ``base``. The weights of ``reach`` rows sum to
    8 bits, ``most`` products of two weights to 16.

    >>> words = np.zeros((1, 128), dtype=np.int64)
    >>> weights = np.full((3, 128), 2, dtype=np.uint8)
    >>> start, row, rows = np.array([0, 2, 3]), np.int32([-1, 0]), np.uint16([0, 1, 1])
    >>> _plain_runs(words, 0, weights, 1, start, row, rows, 0, 2, 127, 16383)
    >>> int(words[0, 63])
    12
    """
    for run in range(low, high):
        total = weights[base:][rows[start[run] : start[run + 1]]].sum(axis=0, dtype=np.int64)
        words[key] += total * weights[base + row[run]]


def _plain_packed_runs(
    words: Ints,
    key: int,
    packed: Bytes,
    base: int,
    start: Ints,
    row: Index,
    rows: Halves,
    low: int,
    high: int,
    reach: int,
    most: int,
) -> None:
    """The same with weights below 16, two in a byte: half the bytes to read.

    ``packed`` (R, 64) uint8: byte b of a row holds lane b and, times 16, lane 64 + b.
    """
    weights = np.concatenate((packed & 15, packed >> 4), axis=1)
    _plain_runs(words, key, weights, base, start, row, rows, low, high, reach, most)


def _plain_pair(half: Halves, key: int, weights: Bytes, a: int, b: int) -> None:
    """Add the product of the weights of rows ``a`` and ``b`` to ``half[key]``.

    >>> half = np.zeros((2, 128), dtype=np.uint16)
    >>> _plain_pair(half, 1, np.full((2, 128), 3, dtype=np.uint8), 0, 1)
    >>> int(half[1, 0])
    9
    """
    half[key] += weights[a].astype(np.uint16) * weights[b]


def _plain_fetch(weights: Bytes, row: int) -> None:
    """Ask for the weights of a row that will be needed soon."""


def _in_llvm(plain: Callable[P, None], operation: str) -> Callable[P, None]:
    """What :mod:`frtaudit.stats.bootstrap.simd_llvm` has for a plain operation: only kernels can call it."""

    def with_intrinsic(_: Callable[P, None]) -> Callable[P, None]:
        from frtaudit.stats.bootstrap import simd_llvm

        return simd_llvm.OPERATIONS[operation]

    return deferred(plain, with_intrinsic)


add_runs = _in_llvm(_plain_runs, "add_runs")
add_packed_runs = _in_llvm(_plain_packed_runs, "add_packed_runs")
add_packed_threes = _in_llvm(_plain_packed_runs, "add_packed_threes")  # of weights up to 5: faster
add_pair = _in_llvm(_plain_pair, "add_pair")
fetch = _in_llvm(_plain_fetch, "fetch")
