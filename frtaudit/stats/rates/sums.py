"""Sums of errors at thresholds, by group, by subject and by pair of subjects: what rates and variances are made of.

A mated comparison errs iff score <= threshold, a non-mated one iff score > threshold (FORMULAS 0).
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt

from frtaudit.core.arrays import Flags, Floats, Index, Ints, Scores
from frtaudit.core.freeze import FrozenArrays
from frtaudit.core.scores import Groups, NonMatedSums, ScoreTail
from frtaudit.stats._numba import kernel
from frtaudit.stats.rates.trials import block_sizes, members, subject_trials, trials

Number = TypeVar("Number", np.int64, np.float64)


class BelowFloorError(ValueError):
    """A threshold at which the tail holds nothing and no sums were declared."""

    def __init__(self, wanted: str, floor: float) -> None:
        super().__init__(f"{wanted} lies below the floor {floor:g} of the tail")
        self.cutoff = floor


@dataclass(frozen=True, slots=True, kw_only=True)
class MatedSums(FrozenArrays):
    """Sums over mated comparisons with score <= threshold; T thresholds, K subjects, G + 1 group indices.

    With FRR_k the share of errors of subject k among its comparisons (FORMULAS 1): ``thresholds`` (T,)
    float64; ``errors`` (T, G+1) int64; ``frr_sum`` (T, G+1): sum FRR_k; ``frr_bar_sum``: sum (1 - 1/n_k)
    FRR_k; ``error_bar_sum``: sum (1 - 1/n_k) errors_k; ``subject_errors`` (T, K) int64; ``subject_pairs`` (K,) int64:
    comparisons of each subject; ``image_pairs`` (K,) int64: the most comparisons that one of its samples has.
    """

    thresholds: Floats
    errors: Ints
    frr_sum: Floats
    frr_bar_sum: Floats
    error_bar_sum: Floats
    subject_errors: Ints
    subject_pairs: Ints
    image_pairs: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorSums(FrozenArrays):
    """False matches per threshold and group: ``errors`` int64, ``far_sum`` float64: sum e_kl/n_kl; both (T, G+1)."""

    errors: Ints
    far_sum: Floats


def mated_sums(tail: ScoreTail, groups: Groups, thresholds: Sequence[float] | Floats) -> MatedSums:
    """Mated errors at each threshold (score <= threshold), in the order given.

    >>> from frtaudit.stats.similarity.tail import from_matrix, no_groups
    >>> tail = from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["a", "a", "b"])
    >>> mated_sums(tail, no_groups(tail), [0.5, 0.9]).errors.tolist()
    [[0], [1]]
    """
    wanted = np.asarray(thresholds, dtype=np.float64)
    by_group, errors = mated_errors(tail, groups, wanted)
    pairs = tail.n_mated
    rate = np.divide(errors, pairs, out=np.zeros(errors.shape), where=pairs > 0)
    left = 1.0 - 1.0 / np.maximum(tail.n_samples, 1)
    membership = members(groups, tail.n_samples.size)
    each = np.bincount(tail.mated_i, minlength=tail.subject_of.size)
    each += np.bincount(tail.mated_j, minlength=tail.subject_of.size)
    most = np.zeros(tail.n_samples.size, dtype=np.int64)
    np.maximum.at(most, tail.subject_of, each)
    return MatedSums(
        thresholds=wanted,
        errors=by_group,
        frr_sum=_by_group(rate, membership),
        frr_bar_sum=_by_group(rate * left, membership),
        error_bar_sum=_by_group(errors * left, membership),
        subject_errors=errors,
        subject_pairs=pairs,
        image_pairs=most,
    )


def mated_errors(tail: ScoreTail, groups: Groups, thresholds: Floats) -> tuple[Ints, Ints]:
    """Mated errors (score <= threshold) of each group (T, G+1) and of each subject (T, K)."""
    unique, inverse = np.unique(thresholds, return_inverse=True)
    reached = np.searchsorted(tail.mated_score, unique, side="right")
    subject, size = tail.subject_of[tail.mated_i], tail.n_samples.size
    level = np.repeat(np.arange(reached.size), np.diff(reached, prepend=0))
    counts = np.bincount(level * size + subject[: level.size], minlength=reached.size * size)
    errors = np.cumsum(counts.reshape(reached.size, size), axis=0)[inverse]
    return _by_group(errors, members(groups, size)), errors


def error_sums(tail: ScoreTail, groups: Groups, thresholds: Sequence[float] | Floats) -> ErrorSums:
    """False matches and sum of e_kl/n_kl per group at each threshold (score > threshold), in the order given.

    Raises :class:`BelowFloorError` for a threshold below the tail's floor without declared sums.
    """
    unique, inverse = np.unique(np.asarray(thresholds, dtype=np.float64), return_inverse=True)
    near, below, everything = _split(tail, unique)
    errors = np.zeros((unique.size, len(groups.names) + 1), dtype=np.int64)
    far = np.zeros(errors.shape)
    if everything.size:
        denominators = trials(tail, groups)
        errors[everything], far[everything] = denominators.non_mated, denominators.subject_pairs
    if below.size and tail.rescored is not None:
        rows = np.searchsorted(tail.rescored.thresholds, unique[below])
        errors[below], far[below] = tail.rescored.errors[rows], tail.rescored.far_sum[rows]
    ends = ends_along(tail, unique[near])
    sizes = sizes_along(tail, int(ends.max(initial=0)))
    moved, gained, _ = _group_deltas(
        tail.tail_i, tail.tail_j, tail.subject_of, tail.n_samples, sizes, ends, groups.of, errors.shape[1]
    )
    errors[near], far[near] = above_levels(moved), above_levels(gained)
    return ErrorSums(errors=errors[inverse], far_sum=far[inverse])


def non_mated_sums(tail: ScoreTail, groups: Groups, thresholds: Sequence[float] | Floats) -> NonMatedSums:
    """All sums over false matches (score > threshold) at each threshold, in the order given.

    From the tail at and above its floor, from the sums of the scoring pass below it, in closed form at -inf.
    Raises :class:`BelowFloorError` (a ``ValueError``) naming the floor for any other threshold below it.

    >>> from frtaudit.stats.similarity.tail import from_matrix, no_groups
    >>> tail = from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["a", "a", "b"])
    >>> non_mated_sums(tail, no_groups(tail), [0.25]).subject_errors.tolist()
    [[[1, 1]]]
    """
    unique, inverse = np.unique(np.asarray(thresholds, dtype=np.float64), return_inverse=True)
    near, below, everything = _split(tail, unique)
    parts = [_from_tail(tail, groups, unique[near])]
    if below.size and tail.rescored is not None:
        parts.append(tail.rescored.at_rows(np.searchsorted(tail.rescored.thresholds, unique[below])))
    if everything.size:
        parts.append(_from_trials(tail, groups))
    order = np.argsort(np.concatenate([near, below, everything]), kind="stable")
    return _stack(parts).at_rows(order[inverse])


def rows_at(sums: NonMatedSums, thresholds: Floats) -> NonMatedSums:
    """The rows of some of its thresholds, which are ascending as they are."""
    return sums.at_rows(np.searchsorted(sums.thresholds, thresholds))


def joined(sums: NonMatedSums, more: NonMatedSums) -> NonMatedSums:
    """The rows of both, which share no threshold, in ascending order."""
    both = _stack([sums, more])
    return both.at_rows(np.argsort(both.thresholds))


def ends_along(tail: ScoreTail, ascending: Floats) -> Ints:
    """How many scores of the tail lie above each of the thresholds, which ascend, shape (T,)."""
    return np.array([first_not_above(tail.tail_score, float(t)) for t in ascending], dtype=np.int64)


def sizes_along(tail: ScoreTail, end: int) -> Ints:
    """Comparisons n_kl of the blocks of the first ``end`` of the tail; none where all pairs are compared: n_k n_l."""
    if tail.blocks is None:
        return np.empty(0, dtype=np.int64)
    return block_sizes(tail, tail.subject_of[tail.tail_i[:end]], tail.subject_of[tail.tail_j[:end]])


def first_not_above(descending: Scores, threshold: float) -> int:
    """How many of the descending scores are > ``threshold``."""
    nearest = descending.dtype.type(threshold)  # a number of another type would have all scores converted
    side: Literal["left", "right"] = "left" if float(nearest) > threshold else "right"
    return descending.size - int(np.searchsorted(descending[::-1], nearest, side=side))


def _split(tail: ScoreTail, unique: Floats) -> tuple[Ints, Ints, Ints]:
    """Positions of the thresholds answered by the tail, by ``rescored``, and by the trials (-inf)."""
    place = np.arange(unique.size)
    near = unique >= tail.cutoff
    everything = np.isneginf(unique) & ~near
    below = ~near & ~everything
    known = np.zeros(0) if tail.rescored is None else tail.rescored.thresholds
    missing = below & ~np.isin(unique, known)
    if bool(missing.any()):
        raise BelowFloorError(f"threshold {unique[missing][0]:g}", tail.cutoff)
    return place[near], place[below], place[everything]


def above_levels(delta: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Sums over levels > m for m = 0..T-1 from what each level (0..T, first axis) adds."""
    return np.cumsum(delta[::-1], axis=0, dtype=delta.dtype)[::-1][1:]


def _by_group(values: npt.NDArray[Number], membership: Flags) -> npt.NDArray[Number]:
    """Sum (T, K) values over the subjects of each group: (T, G+1), in one fixed order."""
    return np.stack([values[:, group_index].sum(axis=1) for group_index in membership], axis=1)


def _from_tail(tail: ScoreTail, groups: Groups, ascending: Floats) -> NonMatedSums:
    ends = ends_along(tail, ascending)
    end, n_indices = int(ends.max(initial=0)), len(groups.names) + 1
    sizes = sizes_along(tail, end)
    along = (tail.tail_i, tail.tail_j, tail.subject_of, tail.n_samples, sizes)
    errors, far, cross = _group_deltas(*along, ends, groups.of, n_indices)
    order = block_order(tail, end)
    level = np.repeat(np.arange(ends.size, 0, -1, dtype=np.int32), np.diff(ends[::-1], prepend=0))
    square, far_square = _square_deltas(order, level, *along, groups.of, ends.size, n_indices)
    del order, level
    subject_errors, subject_far = subject_deltas(*along, 0, ends, groups.of)
    return NonMatedSums(
        thresholds=ascending,
        errors=above_levels(errors),
        far_sum=above_levels(far),
        far_square=above_levels(far_square),
        error_square=above_levels(square).astype(np.float64),
        error_cross=above_levels(cross).astype(np.float64),
        subject_errors=above_levels(subject_errors),
        subject_far=above_levels(subject_far),
    )


def _from_trials(tail: ScoreTail, groups: Groups) -> NonMatedSums:
    """Every comparison is a match: e_kl = n_kl."""
    denominators, each = trials(tail, groups), subject_trials(tail, groups)
    square = size_squares(tail, groups).astype(np.float64)
    pairs = denominators.subject_pairs.astype(np.float64)
    return NonMatedSums(
        thresholds=np.array([-np.inf]),
        errors=denominators.non_mated[None],
        far_sum=pairs[None],
        far_square=pairs[None],
        error_square=square[None],
        error_cross=square[None],
        subject_errors=each.comparisons[None],
        subject_far=each.partners[None].astype(np.float64),
    )


def size_squares(tail: ScoreTail, groups: Groups) -> Ints:
    """Sum of n_kl^2 over the blocks of each group, shape (G+1,)."""
    membership = members(groups, tail.n_samples.size)
    if tail.blocks is not None:
        blocks = tail.blocks
        return np.asarray(
            (membership[:, blocks.k] & membership[:, blocks.l]) @ blocks.count**2, dtype=np.int64
        )
    cells = tail.cells
    total = np.zeros(membership.shape[0], dtype=np.int64)
    for cell in np.unique(cells[cells >= 0]):
        n2 = np.where(membership & (cells == cell), tail.n_samples**2, 0)
        total += (n2.sum(axis=1) ** 2 - (n2**2).sum(axis=1)) // 2
    return total


def _stack(parts: Sequence[NonMatedSums]) -> NonMatedSums:
    names = [field.name for field in fields(NonMatedSums)]
    return NonMatedSums(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def block_order(tail: ScoreTail, end: int) -> Index | Ints:
    """Positions of the first ``end`` comparisons sorted by (k, l), stable; eight bytes each while they are sorted."""
    order: Index | Ints = np.arange(end, dtype=np.int32) if end < 2**31 else np.arange(end)
    _sort_by_block(
        order, np.empty_like(order), tail.tail_i, tail.tail_j, tail.subject_of, tail.n_samples.size
    )
    return order


@kernel
def size_of(q: int, a: int, b: int, n: Ints, sizes: Ints) -> int:
    """Comparisons n_kl of the two subjects of a comparison: what is listed, else n_k n_l."""
    return int(sizes[q]) if sizes.size > 0 else int(n[a] * n[b])


@kernel
def _group_deltas(
    i: Index, j: Index, subject_of: Index, n: Ints, sizes: Ints, ends: Ints, of: Index, n_indices: int,
) -> tuple[Ints, Floats, Ints]:  # fmt: skip
    """What each level adds to sum e_kl, sum e_kl/n_kl and sum e_kl n_kl of each group, shape (T+1, G+1).

    The level of a comparison: how many of the T thresholds lie below it.
    """
    at = ends.size
    errors = np.zeros((at + 1, n_indices), dtype=np.int64)
    far = np.zeros((at + 1, n_indices), dtype=np.float64)
    cross = np.zeros((at + 1, n_indices), dtype=np.int64)
    for q in range(ends[0] if at > 0 else 0):
        while ends[at - 1] <= q:
            at -= 1
        a, b = subject_of[i[q]], subject_of[j[q]]
        n_kl = size_of(q, a, b, n, sizes)
        share = 1.0 / n_kl
        errors[at, 0] += 1
        far[at, 0] += share
        cross[at, 0] += n_kl
        for s in range(of.shape[0]):
            g = of[s, a]
            if g >= 0 and g == of[s, b]:
                errors[at, g + 1] += 1
                far[at, g + 1] += share
                cross[at, g + 1] += n_kl
    return errors, far, cross


@kernel
def subject_deltas(
    i: Index, j: Index, subject_of: Index, n: Ints, sizes: Ints, start: int, ends: Ints, of: Index,
) -> tuple[Ints, Floats]:  # fmt: skip
    """What each level adds, from ``start`` on, to errors and e_kl/n_kl of each subject in each scope, (T+1, 1+S, K)."""
    at, n_subjects = ends.size, n.size
    errors = np.zeros((at + 1, of.shape[0] + 1, n_subjects), dtype=np.int64)
    far = np.zeros((at + 1, of.shape[0] + 1, n_subjects), dtype=np.float64)
    for q in range(start, ends[0] if at > 0 else 0):
        while ends[at - 1] <= q:
            at -= 1
        a, b = subject_of[i[q]], subject_of[j[q]]
        share = 1.0 / size_of(q, a, b, n, sizes)
        errors[at, 0, a] += 1
        errors[at, 0, b] += 1
        far[at, 0, a] += share
        far[at, 0, b] += share
        for s in range(of.shape[0]):
            if of[s, a] >= 0 and of[s, a] == of[s, b]:
                errors[at, s + 1, a] += 1
                errors[at, s + 1, b] += 1
                far[at, s + 1, a] += share
                far[at, s + 1, b] += share
    return errors, far


@kernel
def _square_deltas(
    order: Index | Ints, level: Index, i: Index, j: Index, subject_of: Index, n: Ints, sizes: Ints, of: Index,
    n_levels: int, n_indices: int,
) -> tuple[Ints, Floats]:  # fmt: skip
    """What each level adds to sum e_kl^2 and sum (e_kl/n_kl)^2; ``order``: by block, descending inside."""
    square = np.zeros((n_levels + 1, n_indices), dtype=np.int64)
    far_square = np.zeros((n_levels + 1, n_indices), dtype=np.float64)
    errors, last_a, last_b = 0, -1, -1
    for p in range(order.size):
        q = order[p]
        a, b = subject_of[i[q]], subject_of[j[q]]
        if a != last_a or b != last_b:
            errors, last_a, last_b = 0, a, b
        gain = 2 * errors + 1  # (e + 1)^2 - e^2
        errors += 1
        at, n_kl = level[q], float(size_of(q, a, b, n, sizes))
        share = gain / (n_kl * n_kl)
        square[at, 0] += gain
        far_square[at, 0] += share
        for s in range(of.shape[0]):
            g = of[s, a]
            if g >= 0 and g == of[s, b]:
                square[at, g + 1] += gain
                far_square[at, g + 1] += share
    return square, far_square


@kernel
def _sort_by_block(
    order: Index | Ints, moved: Index | Ints, i: Index, j: Index, subject_of: Index, n_subjects: int,
) -> None:  # fmt: skip
    """Two counting sorts, by the second subject and then by the first."""
    for turn in range(2):
        sample = j if turn == 0 else i
        start = np.zeros(n_subjects + 1, dtype=np.int64)
        for q in range(order.size):
            start[subject_of[sample[q]] + 1] += 1
        start = np.cumsum(start)
        for p in range(order.size):
            q = order[p]
            digit = subject_of[sample[q]]
            moved[start[digit]] = q
            start[digit] += 1
        order, moved = moved, order
