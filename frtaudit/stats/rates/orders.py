"""Systems for which A against B is not B against A: both orders are one comparison (FORMULAS 8.15)."""

from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Ints
from frtaudit.core.comparisons import Comparisons
from frtaudit.core.scores import ScoreTable


@dataclass(frozen=True, slots=True, kw_only=True)
class Asymmetry:
    """How far the two orders of a comparison are apart.

    ``both``: unordered comparisons with a score in both orders; ``single``: with a score in one order only;
    ``mean``, ``max``: of |s(A, B) - s(B, A)| over ``both``, in the provider's units, None when ``both`` is 0;
    ``differing``: comparisons whose two scores are not the same.
    """

    both: int
    single: int
    mean: float | None
    max: float | None
    differing: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooled:
    """Unordered comparisons with the mean score of their orders, and what that hides."""

    comparisons: Comparisons
    table: ScoreTable
    asymmetry: Asymmetry


def pool_orders(comparisons: Comparisons, table: ScoreTable) -> Pooled:
    """Make one comparison of A-B and B-A, its score the mean of the two (FORMULAS 8.15).

    ``table``: P scores of the P ordered ``comparisons``. A comparison that failed in one order keeps the score of the
    other and is counted in ``asymmetry.single``; one that failed in both keeps the code of its first line. Repeats of
    one order are averaged first. Pairs stand as (smaller index, larger index), in the order of their first line.

    >>> pairs = Comparisons(
    ...     all_pairs=False, probe=np.array([0, 1]), reference=np.array([1, 0]), mated=np.array([True, True]),
    ...     cells=np.zeros(1, np.int32), ordered=True)
    >>> pooled = pool_orders(pairs, ScoreTable(score=np.array([0.5, 0.75]), failure=np.array([-1, -1])))
    >>> pooled.table.score.tolist(), pooled.asymmetry.max
    ([0.625], 0.25)
    """
    low = np.minimum(comparisons.probe, comparisons.reference)
    high = np.maximum(comparisons.probe, comparisons.reference)
    key = (low.astype(np.int64) << 31) | high
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    first, pair = np.sort(first), rank[inverse]  # the first line of each unordered pair, and each line's pair
    forward = _means(table.score, pair, first.size, comparisons.probe == low)
    backward = _means(table.score, pair, first.size, comparisons.probe != low)
    both = (forward + backward) / 2
    score = np.where(np.isnan(forward), backward, np.where(np.isnan(backward), forward, both))
    failed = np.isnan(score)
    pooled = Comparisons(
        all_pairs=False,
        probe=low[first],
        reference=high[first],
        mated=comparisons.mated[first],
        cells=comparisons.cells,
        fold=None if comparisons.fold is None else comparisons.fold[first],
    )
    failure = np.where(failed, table.failure[first], -1).astype(np.int16)
    return Pooled(
        comparisons=pooled,
        table=ScoreTable(score=score, failure=failure, codes=table.codes),
        asymmetry=_asymmetry(forward, backward),
    )


def _means(score: Floats, pair: Ints, n_pairs: int, chosen: Flags) -> Floats:
    """Mean score of the chosen lines of each pair, NaN where none has a score."""
    chosen = chosen & np.isfinite(score)
    total = np.bincount(pair[chosen], weights=score[chosen], minlength=n_pairs)
    count = np.bincount(pair[chosen], minlength=n_pairs)
    means = np.full(n_pairs, np.nan)
    np.divide(total, count, out=means, where=count > 0)
    return means


def _asymmetry(forward: Floats, backward: Floats) -> Asymmetry:
    gap = np.abs(forward - backward)
    both = np.isfinite(gap)
    known = int(np.count_nonzero(both))
    return Asymmetry(
        both=known,
        single=int(np.count_nonzero(np.isnan(forward) != np.isnan(backward))),
        mean=float(gap[both].mean()) if known else None,
        max=float(gap[both].max()) if known else None,
        differing=int(np.count_nonzero(gap[both] > 0)),
    )
