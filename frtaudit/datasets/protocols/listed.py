"""Comparisons from a list: LFW's ``pairs.txt``, a table of pairs, or the lines of score lists."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from frtaudit.core.registry import register
from frtaudit.core.spec import ADDED
from frtaudit.core.spec_values import PATH, NonMated, OrderRule
from frtaudit.errors import DataError
from frtaudit.inputs.pairlist import need_pairs, read_pairs

if TYPE_CHECKING:
    from frtaudit.core.arrays import Index
    from frtaudit.core.cohort import CohortData
    from frtaudit.core.comparisons import Comparisons


@register("protocol", "listed")
@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """The pairs of ``file``, else the cohort's own list, else the lines of the cohort's score lists.

    Providers whose score lists differ are compared on the union of their lines: a line that one of them lacks is a
    failed comparison there. ``orders``: whether two lines of one pair in both orders are one comparison with their mean
    score, or each is one. ``non_mated``, ``within``: non-mated lines outside a group are not compared.
    """

    file: str | None = field(default=None, metadata=PATH)
    non_mated: NonMated = NonMated.ALL
    within: str | None = None
    orders: OrderRule = field(default=OrderRule.MEAN, metadata=ADDED)

    def check_files(self) -> None:
        """Raise :class:`DataError` for a list that is not there, before anything is read."""
        if self.file:
            need_pairs(Path(self.file))

    def comparisons(self, cohort_data: "CohortData") -> "Comparisons":
        """The listed comparisons, in the order of the list. Raises :class:`DataError` when there is no list."""
        from frtaudit.inputs.pairing import cells_of, listed_comparisons

        cohort = cohort_data.cohort
        cells = cells_of(cohort, self.non_mated, self.within)
        path = Path(self.file) if self.file else cohort_data.pairs
        if path is not None:
            pairs = read_pairs(path, cohort)
            return listed_comparisons(cohort, pairs.probe, pairs.reference, cells, fold=pairs.fold)
        tables = [comparisons for comparisons, _ in cohort_data.tables.values()]
        if not tables:
            accepted = "protocol.file, a cohort with pairs.txt, or a cohort of score lists"
            raise DataError("protocol", "the cohort holds no list of pairs", accepted)
        ordered = any(table.ordered for table in tables)
        probe, reference = _union(tables, ordered=ordered)
        return listed_comparisons(cohort, probe, reference, cells, ordered=ordered, order_rule=self.orders)


def _union(tables: "Sequence[Comparisons]", *, ordered: bool) -> "tuple[Index, Index]":
    """The lines of the first list, then of each further list those that are new."""
    import numpy as np

    from frtaudit.inputs.pairing import align, pair_keys

    probe, reference = tables[0].probe, tables[0].reference
    for table in tables[1:]:
        have = pair_keys(probe, reference, ordered=ordered)
        new = align(pair_keys(table.probe, table.reference, ordered=ordered), have) < 0
        probe = np.concatenate([probe, table.probe[new]])
        reference = np.concatenate([reference, table.reference[new]])
    return probe, reference
