"""Whether groups differ, and how small a difference would have been seen (FORMULAS 8.5).

Under equality of the groups an index still exceeds its fair value: the largest of several noisy rates exceeds the
smallest. The null distribution comes from replicates of subjects drawn within groups, each group's log rates moved
so that all groups agree: what the index then is, is what chance alone makes of equal rates.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import combinations

import numpy as np

from frtaudit.core.arrays import Flags, Floats
from frtaudit.core.methods import MAX_UNDEFINED

Rates = Mapping[str, Floats]
Index = Callable[[Rates], Floats]

POWER = 0.8
MAX_LOG_RATIO = np.log(1e4)
STEPS = 30
TOLERANCE = 1e-12  # of equal indices: the last digits differ between processors


class Direction(Enum):
    """Which values of an index say that groups differ more."""

    LARGER = 1
    SMALLER = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Equality:
    """A test of equal rates.

    ``p``: in (0, 1]; ``median``: of the index under equal rates; ``edge``: what it passes, towards more difference,
    with probability alpha under equal rates; ``n_resamples``: B.
    """

    p: float
    median: float
    edge: float
    n_resamples: int


def as_if_equal(rates: Floats, replicates: Floats, common: float) -> Floats:
    """Replicates of the groups' rates as they would be were all rates ``common``: log r0 = log r* - log r (8.5).

    ``rates`` (G,), positive; ``replicates`` (B, G); ``common``: the pooled within-group rate (any positive number will
    do for a scale-invariant index). Returns (B, G): 0 where a replicate's rate is 0, NaN where it is undefined.

    >>> as_if_equal(np.array([0.1, 0.2]), np.array([[0.2, 0.2]]), 0.15).round(9).tolist()
    [[0.3, 0.15]]
    """
    return np.asarray(common * (replicates / rates))


def equality(
    index: Index, rates: Rates, null: Rates, *, alpha: float, worse: Direction = Direction.LARGER
) -> Equality | None:
    """Test equal rates by an index: p = (1 + #{F0 as bad as F, or undefined})/(B+1) (FORMULAS 8.5).

    ``index``: takes rates of shape (..., G) under their names; ``rates``: (G,) each, as estimated; ``null``: (B, G)
    each, from :func:`as_if_equal`. None when more than 2 % of the null indices are undefined.

    >>> from frtaudit.stats.groups.differentials import rate_index
    >>> rng, r = np.random.default_rng(1), np.array([0.1, 0.2])
    >>> null = as_if_equal(r, r * np.exp(0.1 * rng.standard_normal((999, 2))), 0.15)
    >>> found = equality(lambda of: rate_index("max_min", of["fmr"]), {"fmr": r}, {"fmr": null}, alpha=0.05)
    >>> found.p, round(found.median, 2), round(found.edge, 2)
    (0.001, 1.1, 1.33)
    """
    drawn = worse.value * np.asarray(index(null), dtype=np.float64)
    undefined = np.isnan(drawn)
    if drawn.size == 0 or undefined.mean() > MAX_UNDEFINED:
        return None
    observed = worse.value * float(index(rates))
    as_bad = np.count_nonzero(undefined | (drawn >= observed * (1 - TOLERANCE * np.sign(observed))))
    known = drawn[~undefined]
    return Equality(
        p=(1 + int(as_bad)) / (drawn.size + 1),
        median=worse.value * float(np.quantile(known, 0.5, method="higher")),
        edge=worse.value * float(np.quantile(known, 1 - alpha, method="higher")),
        n_resamples=int(drawn.size),
    )


def detectable_ratio(
    index: Index, null: Rates, edge: float, worse: Direction = Direction.LARGER
) -> float | None:
    """Smallest true ratio of two groups' rates at which the index passes ``edge`` with probability :data:`POWER`.

    ``null``: (B, G) each, as in :func:`equality`; ``edge``: :attr:`Equality.edge`. Derivation: the
    noise of log rates is that of the replicates, so where the rates of two groups lie exp(d) apart the index is
    distributed as F of the null replicates with those two groups moved by +d/2 and -d/2. The two are those whose log
    ratio has the largest standard error e, in the less favourable order: any other pair is seen sooner. The others lie
    between, which adds nothing. Several rates (of a composite index) move together. For max/min of two groups and
    normal noise F passes the edge q with probability Phi((d - log q)/e), hence d = log q + z_0.8 e. None above 1e4.

    >>> from frtaudit.stats.groups.differentials import rate_index
    >>> null = {"fmr": 0.1 * np.exp(0.1 * np.random.default_rng(1).standard_normal((999, 2)))}
    >>> round(detectable_ratio(lambda of: rate_index("max_min", of["fmr"]), null, 1.33), 2)
    1.5
    """
    first, second = _widest_pair(null)
    if first == second:
        return None
    order = np.zeros((2, 1, next(iter(null.values())).shape[1]))
    order[:, 0, [first, second]] = [[0.5, -0.5], [-0.5, 0.5]]
    # the index of a replicate whose extremes the two groups leave alone may equal the edge, but for its last digit
    passed = worse.value * edge + TOLERANCE * abs(edge)
    by_group = {name: np.asfortranarray(drawn) for name, drawn in null.items()}  # indices read group by group

    def detected(log_ratio: Floats, order: Floats) -> Flags:
        apart = np.exp(order * log_ratio[:, None, None])
        values = worse.value * np.asarray(index({name: drawn * apart for name, drawn in by_group.items()}))
        return np.asarray(np.mean(values > passed, axis=1) >= POWER)

    low, high = np.zeros(2), np.full(2, MAX_LOG_RATIO)
    if not detected(high, order).all():
        return None
    for _ in range(STEPS):
        largest = np.flatnonzero(high > low.max())  # the orders that may have the larger of the two ratios
        middle = (low[largest] + high[largest]) / 2
        seen = detected(middle, order[largest])
        high[largest[seen]], low[largest[~seen]] = middle[seen], middle[~seen]
    return float(np.exp(high).max())


def _widest_pair(null: Rates) -> tuple[int, int]:
    """The two groups whose log ratio varies most, in the rate in which it does."""
    best, pair = -1.0, (0, 0)
    for drawn in null.values():
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(drawn)
        logs = logs[np.isfinite(logs).all(axis=1)]
        for number, other in combinations(range(drawn.shape[1]), 2):
            spread = float(np.std(logs[:, number] - logs[:, other])) if len(logs) else 0.0
            if spread > best:
                best, pair = spread, (number, other)
    return pair
