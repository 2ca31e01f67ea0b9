"""Sums over false matches of everybody along the tail, made once: a threshold then needs few of its comparisons."""

from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Floats, Index, Ints
from frtaudit.core.freeze import freeze
from frtaudit.core.scores import NonMatedSums, ScoreTail
from frtaudit.stats._numba import kernel
from frtaudit.stats.rates.sums import (
    above_levels,
    block_order,
    ends_along,
    size_of,
    sizes_along,
    subject_deltas,
)

STEP = 64  # comparisons between two places at which the sums are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningSums:
    """The tail's Q comparisons, descending, and sums over the first 0, ``STEP``, 2 ``STEP``, .. of them, (M, 2) each.

    ``earlier`` (Q,): how many comparisons of the same two subjects stand above each; ``sizes`` (Q,): comparisons n_kl
    of the two, (0,) where they are n_k n_l. ``shares``: far_sum and far_square, ``counts``: error_square and
    error_cross of :class:`~frtaudit.core.NonMatedSums` for everybody: at any place they go on from the last one that
    was kept, in the order in which they were added.
    """

    tail: ScoreTail
    earlier: Index | Ints
    sizes: Ints
    shares: Floats
    counts: Ints

    def __post_init__(self) -> None:
        freeze(self, "shares", "counts")

    def at(self, ascending: Floats, above: NonMatedSums | None = None) -> NonMatedSums:
        """Sums at ascending thresholds, none below the tail's floor, without groups.

        ``above``: the sums at one threshold, higher than these, on which they build.

        >>> from frtaudit.stats.similarity.tail import from_matrix
        >>> sums = running_sums(from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["a", "a", "b"]))
        >>> higher = sums.at(np.array([0.25]))
        >>> sums.at(np.array([0.1, 0.2]), higher).subject_errors.tolist()
        [[[2, 2]], [[1, 1]]]
        """
        tail, ends = self.tail, ends_along(self.tail, ascending)
        start = 0 if above is None else int(above.errors[0, 0])
        nobody = np.empty((0, tail.n_samples.size), dtype=np.int32)
        nobody.flags.writeable = False  # as of groups: the kernel is compiled for one type
        along = (tail.tail_i, tail.tail_j, tail.subject_of, tail.n_samples, self.sizes)
        new_errors, new_far = subject_deltas(*along, start, ends, nobody)
        errors, far = above_levels(new_errors), above_levels(new_far)
        shares, counts = _at(ends, STEP, self.shares, self.counts, self.earlier, *along)
        return NonMatedSums(
            thresholds=ascending,
            errors=ends[:, None],
            far_sum=shares[:, :1],
            far_square=shares[:, 1:],
            error_square=counts[:, :1].astype(np.float64),
            error_cross=counts[:, 1:].astype(np.float64),
            subject_errors=errors if above is None else errors + above.subject_errors,
            subject_far=far if above is None else far + above.subject_far,
        )


def running_sums(tail: ScoreTail) -> RunningSums:
    """Ready to be read at any threshold that the tail answers."""
    order = block_order(tail, tail.tail_i.size)
    earlier = np.empty_like(order)
    _count_earlier(order, tail.tail_i, tail.tail_j, tail.subject_of, earlier)
    del order
    sizes = sizes_along(tail, tail.tail_i.size)
    shares, counts = _kept(STEP, earlier, tail.tail_i, tail.tail_j, tail.subject_of, tail.n_samples, sizes)
    return RunningSums(tail=tail, earlier=earlier, sizes=sizes, shares=shares, counts=counts)


@kernel
def _count_earlier(order: Index | Ints, i: Index, j: Index, subject_of: Index, earlier: Index | Ints) -> None:
    """Number the comparisons of each pair of subjects from 0; ``order``: by block, descending inside."""
    count, last_a, last_b = 0, -1, -1
    for p in range(order.size):
        q = order[p]
        a, b = subject_of[i[q]], subject_of[j[q]]
        if a != last_a or b != last_b:
            count, last_a, last_b = 0, a, b
        earlier[q] = count
        count += 1


@kernel
def _kept(
    step: int, earlier: Index | Ints, i: Index, j: Index, subject_of: Index, n: Ints, sizes: Ints,
) -> tuple[Floats, Ints]:  # fmt: skip
    """The sums over the first 0, ``step``, 2 ``step``, .. comparisons."""
    shares = np.zeros((i.size // step + 1, 2))
    counts = np.zeros(shares.shape, dtype=np.int64)
    for m in range(1, len(shares)):
        shares[m], counts[m] = shares[m - 1], counts[m - 1]
        _add((m - 1) * step, m * step, shares[m], counts[m], earlier, i, j, subject_of, n, sizes)
    return shares, counts


@kernel
def _at(
    ends: Ints, step: int, kept_shares: Floats, kept_counts: Ints,
    earlier: Index | Ints, i: Index, j: Index, subject_of: Index, n: Ints, sizes: Ints,
) -> tuple[Floats, Ints]:  # fmt: skip
    """The sums over the first ``ends`` comparisons."""
    shares, counts = kept_shares[ends // step], kept_counts[ends // step]
    for t in range(ends.size):
        _add(ends[t] // step * step, ends[t], shares[t], counts[t], earlier, i, j, subject_of, n, sizes)
    return shares, counts


@kernel
def _add(
    start: int, end: int, shares: Floats, counts: Ints,
    earlier: Index | Ints, i: Index, j: Index, subject_of: Index, n: Ints, sizes: Ints,
) -> None:  # fmt: skip
    """Add those comparisons, each after the one above it; e^2 of two subjects grows by 2 e + 1 after e."""
    for q in range(start, end):
        n_kl = size_of(q, subject_of[i[q]], subject_of[j[q]], n, sizes)
        gain, size = 2 * int(earlier[q]) + 1, float(n_kl)
        shares[0] += 1.0 / n_kl
        shares[1] += gain / (size * size)
        counts[0] += gain
        counts[1] += n_kl
