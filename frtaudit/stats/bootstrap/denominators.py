"""Denominators of replicates: weighted numbers of comparisons, of subjects and of pairs of subjects."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from frtaudit.core.arrays import Bytes, Flags, Index, Ints
from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.stats._numba import kernel
from frtaudit.stats.rates.trials import members


class Members(NamedTuple):
    """What each row holds: row r ``who[start[r]:start[r + 1]]``; ``start`` (rows + 1,), ``who`` int64."""

    start: Ints
    who: Ints


class Totals(NamedTuple):
    """Weighted denominators, each (G+1, L) int64: of counts (comparisons), of rates (subjects or their pairs)."""

    counts: Ints
    rates: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class MatedTotals:
    """Mated denominators under copies v_k of the subjects (FORMULAS 1, identity-level bootstrap).

    ``subjects``: those of each of G+1 groups; ``pairs`` (K,): mated comparisons of each subject.
    """

    subjects: Members
    pairs: Ints

    def of(self, copies: Bytes) -> Totals:
        """Sum of v_k pairs_k, and of v_k over subjects with a pair; ``copies`` (K, L) uint8."""
        present, each = _presence(self.pairs)
        rates = _sums(*self.subjects, copies, present)[0]
        return Totals(rates * each if each else _sums(*self.subjects, copies, self.pairs)[0], rates)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompleteTotals:
    """Non-mated denominators where every pair within a cell was compared.

    A pair of subjects k < l counts v_k v_l times: copies of one subject are no non-mated comparison. In each room
    (the part of a cell that a group holds) the sum is ((sum x)^2 - sum x^2) / 2. ``rooms``: subjects of each;
    ``group_index``: group of each room; ``group_indices``: G+1; ``samples`` (K,): acquired samples.
    """

    rooms: Members
    group_index: Ints
    group_indices: int
    samples: Ints

    def of(self, copies: Bytes) -> Totals:
        """Sum over k < l of v_k v_l n_k n_l, and of v_k v_l where both have samples; ``copies`` (K, L) uint8."""
        present, each = _presence(self.samples)
        rates = self._pairs(copies, present)
        return Totals(rates * each**2 if each else self._pairs(copies, self.samples), rates)

    def _pairs(self, copies: Bytes, amount: Ints) -> Ints:
        linear, square = _sums(*self.rooms, copies, amount)
        out = np.zeros((self.group_indices, copies.shape[1]), dtype=np.int64)
        np.add.at(out, self.group_index, (linear * linear - square) // 2)
        return out


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTotals:
    """Non-mated denominators of listed comparisons.

    ``blocks``: pairs of subjects of each of G+1 groups; ``k``, ``l``, ``count`` (Q,): see core ``Blocks``.
    """

    blocks: Members
    k: Index
    l: Index  # noqa: E741  the paper's letter
    count: Ints

    def of(self, copies: Bytes) -> Totals:
        """Sum over listed k < l of v_k v_l n_kl, and of v_k v_l; ``copies`` (K, L) uint8."""
        both = copies[self.k].astype(np.int64) * copies[self.l]
        once = np.ones_like(self.count)
        return Totals(_sums(*self.blocks, both, self.count)[0], _sums(*self.blocks, both, once)[0])


NonMatedTotals = CompleteTotals | ListedTotals


def _presence(amount: Ints) -> tuple[Ints, int]:
    """1 where a subject has an amount, and the amount of all that have one; 0 where they differ.

    >>> _presence(np.array([3, 0, 3])), _presence(np.array([1, 2]))
    ((array([1, 0, 1]), 3), (array([1, 1]), 0))
    """
    several = np.unique(amount[amount > 0])
    return (amount > 0).astype(np.int64), int(several[0]) if several.size == 1 else 0


def mated_totals(tail: ScoreTail, groups: Groups) -> MatedTotals:
    """Mated denominators of a tail, in arrays of their own: ``_sums`` is compiled for one kind of array."""
    return MatedTotals(subjects=_members(members(groups, tail.n_samples.size)), pairs=np.array(tail.n_mated))


def non_mated_totals(tail: ScoreTail, groups: Groups) -> NonMatedTotals:
    """Non-mated denominators of a tail: in closed form when complete, else over its blocks."""
    membership = members(groups, tail.n_samples.size)
    if tail.blocks is None:
        return _complete(membership, tail)
    k, l, count = tail.blocks.k, tail.blocks.l, tail.blocks.count  # noqa: E741  the paper's letter
    return ListedTotals(blocks=_members(membership[:, k] & membership[:, l]), k=k, l=l, count=count)


def _complete(membership: Flags, tail: ScoreTail) -> CompleteTotals:
    group_index, subject = np.nonzero(membership & (tail.cells >= 0))
    n_cells = int(tail.cells.max(initial=0)) + 1
    room, row = np.unique(group_index * n_cells + tail.cells[subject], return_inverse=True)
    inside = np.zeros((room.size, membership.shape[1]), dtype=np.bool_)
    inside[row, subject] = True
    return CompleteTotals(
        rooms=_members(inside),
        group_index=room // n_cells,
        group_indices=membership.shape[0],
        samples=np.array(tail.n_samples),
    )


def _members(flags: Flags) -> Members:
    start = np.concatenate(([0], np.cumsum(np.count_nonzero(flags, axis=1))))
    return Members(start.astype(np.int64), np.nonzero(flags)[1].astype(np.int64))


@kernel
def _sums(start: Ints, who: Ints, copies: Bytes | Ints, amount: Ints) -> tuple[Ints, Ints]:
    """Sums (rows, L) of copies times amounts over what each row holds, and of their squares."""
    shape = (start.size - 1, copies.shape[1])
    linear, square = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for row in range(start.size - 1):
        for place in range(start[row], start[row + 1]):
            member = who[place]
            for replicate in range(copies.shape[1]):
                weighed = np.int64(copies[member, replicate]) * amount[member]
                linear[row, replicate] += weighed
                square[row, replicate] += weighed * weighed
    return linear, square
