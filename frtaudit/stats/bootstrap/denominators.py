"""Denominators of replicates: weighted numbers of comparisons, of subjects and of pairs of subjects."""

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import scipy

from frtaudit.core.arrays import Flags, Index, Ints
from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.stats.rates.trials import members

Members: TypeAlias = "scipy.sparse.csr_array"


class Totals(NamedTuple):
    """Weighted denominators, each (G+1, L) int64: of counts (comparisons), of rates (subjects or their pairs)."""

    counts: Ints
    rates: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class MatedTotals:
    """Mated denominators under copies v_k of the subjects (FORMULAS 1, identity-level bootstrap).

    ``held`` (G+1, K): subjects of each group, sparse, 0 and 1; ``pairs`` (K,): mated comparisons of each subject.
    """

    held: Members
    pairs: Ints

    def of(self, copies: Ints) -> Totals:
        """Sum of v_k pairs_k, and of v_k over subjects with a pair; ``copies`` (K, L) int64."""
        paired = (self.pairs > 0).astype(np.int64)
        return Totals(self.held @ (copies * self.pairs[:, None]), self.held @ (copies * paired[:, None]))


@dataclass(frozen=True, slots=True, kw_only=True)
class CompleteTotals:
    """Non-mated denominators where every pair within a cell was compared.

    A pair of subjects k < l counts v_k v_l times: copies of one subject are no non-mated comparison. In each room
    (the part of a cell that a group holds) the sum is ((sum x)^2 - sum x^2) / 2. ``rooms`` (rooms, K): sparse, 0 and 1;
    ``group_index``: group of each room; ``group_indices``: G+1; ``samples`` (K,): acquired samples.
    """

    rooms: Members
    group_index: Ints
    group_indices: int
    samples: Ints

    def of(self, copies: Ints) -> Totals:
        """Sum over k < l of v_k v_l n_k n_l, and of v_k v_l where both have samples; ``copies`` (K, L) int64."""
        present = (self.samples > 0).astype(np.int64)
        counts = self._pairs(copies * self.samples[:, None])
        return Totals(counts, self._pairs(copies * present[:, None]))

    def _pairs(self, amount: Ints) -> Ints:
        linear, square = self.rooms @ amount, self.rooms @ (amount * amount)
        out = np.zeros((self.group_indices, amount.shape[1]), dtype=np.int64)
        np.add.at(out, self.group_index, (linear * linear - square) // 2)
        return out


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTotals:
    """Non-mated denominators of listed comparisons.

    ``blocks`` (G+1, Q): pairs of subjects of each group, sparse, 0 and 1; ``k``, ``l``, ``count`` (Q,): see core
    ``Blocks``.
    """

    blocks: Members
    k: Index
    l: Index  # noqa: E741  the paper's letter
    count: Ints

    def of(self, copies: Ints) -> Totals:
        """Sum over listed k < l of v_k v_l n_kl, and of v_k v_l; ``copies`` (K, L) int64."""
        both = copies[self.k] * copies[self.l]
        return Totals(self.blocks @ (both * self.count[:, None]), self.blocks @ both)


NonMatedTotals = CompleteTotals | ListedTotals


def mated_totals(tail: ScoreTail, groups: Groups) -> MatedTotals:
    """Mated denominators of a tail."""
    membership = members(groups, tail.n_samples.size)
    return MatedTotals(held=_sparse(membership), pairs=tail.n_mated)


def non_mated_totals(tail: ScoreTail, groups: Groups) -> NonMatedTotals:
    """Non-mated denominators of a tail: in closed form when complete, else over its blocks."""
    membership = members(groups, tail.n_samples.size)
    if tail.blocks is None:
        return _complete(membership, tail)
    k, l, count = tail.blocks.k, tail.blocks.l, tail.blocks.count  # noqa: E741  the paper's letter
    return ListedTotals(blocks=_sparse(membership[:, k] & membership[:, l]), k=k, l=l, count=count)


def _complete(membership: Flags, tail: ScoreTail) -> CompleteTotals:
    group_index, subject = np.nonzero(membership & (tail.cells >= 0))
    n_cells = int(tail.cells.max(initial=0)) + 1
    room, row = np.unique(group_index * n_cells + tail.cells[subject], return_inverse=True)
    inside = np.zeros((room.size, membership.shape[1]), dtype=np.bool_)
    inside[row, subject] = True
    return CompleteTotals(
        rooms=_sparse(inside),
        group_index=room // n_cells,
        group_indices=membership.shape[0],
        samples=tail.n_samples,
    )


def _sparse(flags: Flags) -> Members:
    return scipy.sparse.csr_array(flags.astype(np.int64))
