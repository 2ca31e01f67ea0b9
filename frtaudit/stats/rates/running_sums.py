"""Sums over false matches of everybody along the tail, made once: a threshold then needs few of its comparisons."""

from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Floats, Index, Ints
from frtaudit.core.freeze import freeze
from frtaudit.core.scores import NonMatedSums, ScoreTail
from frtaudit.stats.rates.sums import above_levels, block_order, first_not_above, subject_deltas
from frtaudit.stats.rates.trials import block_sizes


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningSums:
    """The tail's Q comparisons, descending, and sums over the first 0..Q of them, (Q+1,) each.

    ``first``, ``second`` (Q,): their subjects; ``size`` (Q,): comparisons n_kl of the two. The sums are those of
    :class:`~frtaudit.core.NonMatedSums` for everybody.
    """

    tail: ScoreTail
    first: Index
    second: Index
    size: Ints
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
        ends = np.array([first_not_above(self.tail.tail_score, float(t)) for t in ascending], dtype=np.int64)
        start = 0 if above is None else int(above.errors[0, 0])
        level = np.repeat(np.arange(ends.size, 0, -1), np.diff(ends[::-1], prepend=start))
        part, subjects = slice(start, start + level.size), self.tail.n_samples.size
        nobody = np.empty((0, subjects), dtype=np.int32)
        nobody.flags.writeable = False  # as of groups: the kernel is compiled for one type
        new_errors, new_far = subject_deltas(
            self.first[part], self.second[part], self.size[part], level, nobody, ends.size, subjects
        )
        errors, far = above_levels(new_errors), above_levels(new_far)
        return NonMatedSums(
            thresholds=ascending,
            errors=ends[:, None],
            far_sum=self.far_sum[ends, None],
            far_square=self.far_square[ends, None],
            error_square=self.error_square[ends, None].astype(np.float64),
            error_cross=self.error_cross[ends, None].astype(np.float64),
            subject_errors=errors if above is None else errors + above.subject_errors,
            subject_far=far if above is None else far + above.subject_far,
        )


def running_sums(tail: ScoreTail) -> RunningSums:
    """Ready to be read at any threshold that the tail answers."""
    first, second = tail.subject_of[tail.tail_i], tail.subject_of[tail.tail_j]
    gain = _gains(first, second, tail.n_samples.size)
    size = block_sizes(tail, first, second)
    return RunningSums(
        tail=tail,
        first=first,
        second=second,
        size=size,
        far_sum=np.concatenate([[0.0], np.cumsum(1.0 / size)]),
        far_square=np.concatenate([[0.0], np.cumsum(gain / np.square(size, dtype=np.float64))]),
        error_square=np.concatenate([[0], np.cumsum(gain)]),
        error_cross=np.concatenate([[0], np.cumsum(size)]),
    )


def _gains(first: Index, second: Index, subjects: int) -> Ints:
    """What each comparison adds to e_kl^2 of its two subjects: 2 e + 1 after e others, shape (Q,)."""
    order = block_order(first, second, subjects)
    opens = np.diff(first[order], prepend=-1) != 0
    opens |= np.diff(second[order], prepend=-1) != 0
    place = np.arange(order.size)
    place -= np.maximum.accumulate(np.where(opens, place, 0))
    gain = np.empty(order.size, dtype=np.int64)
    gain[order] = 2 * place + 1
    return gain
