"""Slow twins of the simulation: every block drawn, every pair of comparisons visited."""

from itertools import combinations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def gamma(rng: np.random.Generator, variance: float, size: int) -> Floats:
    """Effects of mean one."""
    return rng.standard_gamma(1 / variance, size) * variance if variance else np.ones(size)


def blocks(
    rng: np.random.Generator, sizes: Ints, rate: float, subject: float, pair: float
) -> tuple[Ints, Ints]:
    """Errors and comparisons (K, K), symmetric, of one cohort: Poisson with mean p n_kl a_k a_l b_kl."""
    k = sizes.size
    effects = gamma(rng, subject, k)
    errors, comparisons = np.zeros((k, k), dtype=np.int64), np.zeros((k, k), dtype=np.int64)
    upper = np.triu_indices(k, 1)
    size = sizes[upper[0]] * sizes[upper[1]]
    mean = rate * size * effects[upper[0]] * effects[upper[1]] * gamma(rng, pair, size.size)
    errors[upper], comparisons[upper] = rng.poisson(mean), size
    return errors + errors.T, comparisons + comparisons.T


def mean_products(errors: Ints | Floats, comparisons: Ints) -> tuple[float, float, float]:
    """Mean product of errors of blocks that share no subject, one, both: all pairs of blocks, in a loop."""
    k = len(errors)
    every = list(combinations(range(k), 2))
    sums = np.zeros((3, 2))
    for first in every:
        for second in every:
            shared = len(set(first) & set(second))
            e, n = (errors[first], errors[second]), (comparisons[first], comparisons[second])
            if shared == 2:
                sums[2] += e[0] * (e[0] - 1), n[0] * (n[0] - 1)
            else:
                sums[shared] += e[0] * e[1], n[0] * n[1]
    none, one, both = (top / below if below else 0.0 for top, below in sums)
    return float(none), float(one), float(both)


def expected_square(
    sizes: Ints, same: npt.NDArray[np.bool_], law: tuple[float, float, float], *, identity: bool
) -> float:
    """Expected sum over subjects of the squared sum of errors (of their shares in blocks), blocks in a loop.

    ``same`` (K, K): whether two subjects are compared; ``law``: rate, c^2, d^2. Given one subject's effect, products of
    two of its blocks have mean p^2 (1 + c^2) n n', squares p n + p^2 (1 + c^2)^2 (1 + d^2) n^2.
    """
    rate, subject, pair = law
    total = 0.0
    for k in range(sizes.size):
        size = np.array(
            [sizes[k] * sizes[m] for m in range(sizes.size) if m != k and same[k, m]], dtype=float
        )
        unit = size if identity else np.ones(size.size)
        mean = size / unit
        total += float((rate * size / unit**2).sum())
        total += rate**2 * (1 + subject) * float(mean.sum() ** 2 - (mean**2).sum())
        total += rate**2 * (1 + subject) ** 2 * (1 + pair) * float((mean**2).sum())
    return total
