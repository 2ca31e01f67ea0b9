"""What this machine can do: the floor that a bootstrap and a scoring pass are held against (measured, not quoted).

A dense tail of P comparisons costs at least P B / 64 loads and additions of 64 bytes for B replicates: one byte for
each comparison and replicate. The kernel below does nothing else, on bytes in the first-level or the second-level
cache.
"""

import time

import numpy as np
import numpy.typing as npt
from numba import njit

from benchmarks.clock import Clock
from benchmarks.data import DIMENSION, Arrays

L1, L2 = 8 << 10, 256 << 10  # bytes
ROWS, COLUMNS = 256, 4096  # of a tile of scores
SECONDS = 0.5
LARGE = 80_000_000  # bytes: a list of 1e7 float64


@njit(nogil=True)
def _add(held: npt.NDArray[np.uint8], rounds: int) -> int:
    """Load and add every byte, ``rounds`` times."""
    total = np.uint8(0)
    for _ in range(rounds):
        for place in range(held.size):
            total = np.uint8(total + held[place])
    return total


def bytes_added(size: int) -> float:
    """Bytes loaded and added a CPU second, of ``size`` bytes that are read again and again."""
    held, rounds, best = np.ones(size, dtype=np.uint8), max(1, (1 << 28) // size), 0.0
    _add(held, 1)
    until = time.process_time() + SECONDS
    while time.process_time() < until:
        start = time.process_time()
        _add(held, rounds)
        best = max(best, size * rounds / (time.process_time() - start))
    return best


def products() -> float:
    """Scores of one tile of float32 templates a CPU second, by one matrix product on one thread."""
    from threadpoolctl import threadpool_limits

    a = np.ones((ROWS, DIMENSION), dtype=np.float32)
    b = np.ones((COLUMNS, DIMENSION), dtype=np.float32)
    out, best = np.empty((ROWS, COLUMNS), dtype=np.float32), 0.0
    with threadpool_limits(limits=1):
        until = time.process_time() + SECONDS
        while time.process_time() < until:
            start = time.process_time()
            for _ in range(5):
                np.matmul(a, b.T, out=out)
            best = max(best, 5 * out.size / (time.process_time() - start))
    return best


def measure(_: Arrays, clock: Clock) -> npt.NDArray[np.float64]:
    """Note the rates: a contender without a question."""
    clock.note("L1", bytes_added(L1))
    clock.note("L2", bytes_added(L2))
    clock.note("memory", bytes_added(LARGE))
    clock.note("scores", products())
    return np.zeros(0)
