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
    """The tail's Q comparisons, descending, and sums over the first 0, ``STEP``, 2 ``STEP``, .. of them, (M,) each.

    ``earlier`` (Q,): how many comparisons of the same two subjects stand above each; ``sizes`` (Q,): comparisons n_kl
    of the two, (0,) where they are n_k n_l. The sums are those of :class:`~frtaudit.core.NonMatedSums` for everybody:
    at any place they go on from the last one that was kept, in the order in which they were added.
    """

    tail: ScoreTail
    earlier: Index | Ints
    sizes: Ints
    far_sum: Floats
    far_square: Floats
    error_square: Ints
    error_cross: Ints

    def __post_init__(self) -> None:
        freeze(self, "far_sum", "far_square", "error_square", "error_cross")

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
        sums = _at(
            ends,
            STEP,
            self.far_sum,
            self.far_square,
            self.error_square,
            self.error_cross,
            self.earlier,
            *along,
        )
        return NonMatedSums(
            thresholds=ascending,
            errors=ends[:, None],
            far_sum=sums[0][:, None],
            far_square=sums[1][:, None],
            error_square=sums[2][:, None].astype(np.float64),
            error_cross=sums[3][:, None].astype(np.float64),
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
    far_sum, far_square, error_square, error_cross = _kept(
        STEP, earlier, tail.tail_i, tail.tail_j, tail.subject_of, tail.n_samples, sizes
    )
    return RunningSums(
        tail=tail,
        earlier=earlier,
        sizes=sizes,
        far_sum=far_sum,
        far_square=far_square,
        error_square=error_square,
        error_cross=error_cross,
    )


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
) -> tuple[Floats, Floats, Ints, Ints]:  # fmt: skip
    """The four sums over the first 0, ``step``, 2 ``step``, .. comparisons."""
    places = i.size // step + 1
    far_sum, far_square = np.zeros(places), np.zeros(places)
    error_square, error_cross = np.zeros(places, dtype=np.int64), np.zeros(places, dtype=np.int64)
    for m in range(1, places):
        far_sum[m], far_square[m], error_square[m], error_cross[m] = _added(
            (m - 1) * step, m * step, far_sum[m - 1], far_square[m - 1], error_square[m - 1], error_cross[m - 1],
            earlier, i, j, subject_of, n, sizes,
        )  # fmt: skip
    return far_sum, far_square, error_square, error_cross


@kernel
def _at(
    ends: Ints, step: int, far_sum: Floats, far_square: Floats, error_square: Ints, error_cross: Ints,
    earlier: Index | Ints, i: Index, j: Index, subject_of: Index, n: Ints, sizes: Ints,
) -> tuple[Floats, Floats, Ints, Ints]:  # fmt: skip
    """The four sums over the first ``ends`` comparisons."""
    far, far_of_two = np.zeros(ends.size), np.zeros(ends.size)
    square, cross = np.zeros(ends.size, dtype=np.int64), np.zeros(ends.size, dtype=np.int64)
    for t in range(ends.size):
        m = ends[t] // step
        far[t], far_of_two[t], square[t], cross[t] = _added(
            m * step, ends[t], far_sum[m], far_square[m], error_square[m], error_cross[m],
            earlier, i, j, subject_of, n, sizes,
        )  # fmt: skip
    return far, far_of_two, square, cross


@kernel
def _added(
    start: int, end: int, far_sum: float, far_square: float, error_square: int, error_cross: int,
    earlier: Index | Ints, i: Index, j: Index, subject_of: Index, n: Ints, sizes: Ints,
) -> tuple[float, float, int, int]:  # fmt: skip
    """The sums with those comparisons, each after the one above it; e^2 of two subjects grows by 2 e + 1 after e."""
    for q in range(start, end):
        n_kl = size_of(q, subject_of[i[q]], subject_of[j[q]], n, sizes)
        gain, size = 2 * int(earlier[q]) + 1, float(n_kl)
        far_sum += 1.0 / n_kl
        far_square += gain / (size * size)
        error_square += gain
        error_cross += n_kl
    return far_sum, far_square, error_square, error_cross
