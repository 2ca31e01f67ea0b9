"""Which comparisons are made: listed pairs, or all pairs, implied."""

from dataclasses import dataclass, replace

import numpy as np

from frtaudit.core.arrays import Flags, Index, Ints, Shorts
from frtaudit.core.freeze import freeze, require
from frtaudit.core.spec_values import OrderRule

UNSCORED_PAIR = "pair_without_score"  # ends the code of what accuracy leaves out, among the failures


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one rule left while a list of pairs was made: ``left`` of ``unit`` (images or pairs) of one kind and group.

    ``kind``: ``mated``, ``non_mated`` or ``images``; ``group``: a class of the schema that the list is balanced by, or
    ``all``.
    """

    rule: str
    kind: str
    group: str
    left: int
    unit: str = "pairs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparisons:
    """Comparisons by cohort sample index: listed ones, or all pairs, implied. ``listed_comparisons`` makes listed ones.

    Attributes
    ----------
    all_pairs : bool
        Every unordered pair of samples is one comparison. The arrays of shape (P,) are then empty.
    probe, reference : ndarray of int32, shape (P,)
        Cohort indices of the two samples.
    mated : ndarray of bool, shape (P,)
        Whether both samples are of one subject.
    cells : ndarray of int32, shape (K,)
        A non-mated comparison counts only within one cell; -1 is in no cell.
    fold : ndarray of int16, shape (P,), or None
        The fold of each comparison.
    ordered : bool
        Whether A-B and B-A are both listed (round robin).
    order_rule : OrderRule
        Whether the two orders count as one comparison with their mean score, or as one each.
    steps : tuple of Step
        What each rule left, where rules made the list.
    transaction : ndarray of int32, shape (P,), or None
        The transaction that each comparison is an attempt of, in the order of its attempts.

    Examples
    --------
    >>> none = np.empty(0, dtype=np.int32)
    >>> all_pairs = Comparisons(all_pairs=True, probe=none, reference=none, mated=none.astype(bool),
    ...                         cells=np.zeros(3, np.int32))
    >>> all_pairs.n_listed
    0
    """

    all_pairs: bool
    probe: Index
    reference: Index
    mated: Flags
    cells: Index
    fold: Shorts | None = None
    ordered: bool = False
    order_rule: OrderRule = OrderRule.MEAN
    steps: tuple[Step, ...] = ()
    transaction: Index | None = None

    def __post_init__(self) -> None:
        freeze(self, "probe", "reference", "mated", "fold", "cells", "transaction")
        require(self.probe.shape == self.reference.shape == self.mated.shape, "equal lengths")
        require(not bool(np.any(self.probe == self.reference)), "no self-comparison")
        require(not (self.all_pairs and self.probe.size), "all pairs are implied, not listed")
        require(self.fold is None or self.fold.shape == self.probe.shape, "one fold per pair")
        require(
            self.transaction is None or self.transaction.shape == self.probe.shape, "one transaction per pair"
        )

    @property
    def n_listed(self) -> int:
        """Number of listed comparisons (0 for all pairs)."""
        return int(self.probe.size)


def chosen(listed: Comparisons, rows: Flags | Ints) -> Comparisons:
    """The listed comparisons that are flagged or numbered."""
    names = "probe", "reference", "mated", "fold", "transaction"
    picked = {name: getattr(listed, name)[rows] for name in names if getattr(listed, name) is not None}
    return replace(listed, **picked)
