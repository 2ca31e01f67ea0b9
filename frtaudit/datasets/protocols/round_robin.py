"""Each sample against every other of its subject, in both orders (thesis)."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from frtaudit.core.canonical import seed_of
from frtaudit.core.registry import register
from frtaudit.core.spec import ADDED
from frtaudit.core.spec_values import NonMated, OrderRule
from frtaudit.errors import DataError, SpecError

if TYPE_CHECKING:
    from frtaudit.core.arrays import Index
    from frtaudit.core.cohort import Cohort, CohortData
    from frtaudit.core.comparisons import Comparisons


@register("protocol", "round_robin")
@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRobin:
    """Ordered mated comparisons, sum over subjects of n (n - 1), for systems where A-B is not B-A.

    ``strangers``: with how many other subjects each is compared, first samples in both orders; 0, the default: no
    non-mated comparison is made, so there is no FMR. Who meets whom is a ring of the subjects of one cell in the order
    of a digest of their ids, each with the next ones: no class, no name and no file decides it. ``orders``: whether
    the two orders of a pair are one comparison with their mean score, or each is one (thesis). ``non_mated`` and
    ``within`` make the cells.
    """

    non_mated: NonMated = NonMated.ALL
    within: str | None = None
    strangers: int = field(default=0, metadata=ADDED)
    orders: OrderRule = field(default=OrderRule.MEAN, metadata=ADDED)

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for a negative number of strangers."""
        if self.strangers < 0:
            raise SpecError("protocol.strangers", f"found {self.strangers}", "0 or more")

    def comparisons(self, cohort_data: "CohortData") -> "Comparisons":
        """Both orders of every mated pair, by subject, probe, reference. :class:`DataError` when there is none."""
        import numpy as np

        from frtaudit.inputs.pairing import cells_of, listed_comparisons

        cohort = cohort_data.cohort
        probe, reference = mated_orders(cohort)
        if not probe.size:
            raise DataError("protocol", "no subject has two samples", "subjects with two samples or more")
        cells = cells_of(cohort, self.non_mated, self.within)
        if self.strangers:
            first, second = strangers_of(cohort, cells, self.strangers)
            probe = np.concatenate([probe, first, second])
            reference = np.concatenate([reference, second, first])
        return listed_comparisons(cohort, probe, reference, cells, ordered=True, order_rule=self.orders)


def mated_orders(cohort: "Cohort") -> "tuple[Index, Index]":
    """Probe and reference of every ordered pair of different samples of one subject, shape (P,), int32."""
    import numpy as np

    sizes = np.bincount(cohort.subject_of, minlength=cohort.n_subjects)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    partners = sizes[cohort.subject_of]
    probe = np.repeat(np.arange(cohort.n_samples), partners)
    rank = np.arange(probe.size) - np.repeat(np.cumsum(partners) - partners, partners)
    reference = starts[cohort.subject_of[probe]] + rank
    other = probe != reference
    return probe[other].astype(np.int32), reference[other].astype(np.int32)


def strangers_of(cohort: "Cohort", cells: "Index", number: int) -> "tuple[Index, Index]":
    """First samples of each subject and of the ``number`` next ones in the ring of its cell, each pair once."""
    import numpy as np

    starts = np.searchsorted(cohort.subject_of, np.arange(cohort.n_subjects))
    key = np.array([seed_of(0, "strangers", name) for name in cohort.subject_ids], dtype=np.uint64)
    pairs: set[tuple[int, int]] = set()
    for cell in np.unique(cells[cells >= 0]):
        ring = np.flatnonzero(cells == cell)
        ring = ring[np.argsort(key[ring], kind="stable")]
        for step in range(1, min(number, ring.size - 1) + 1):
            others = np.roll(ring, -step)
            low, high = np.minimum(ring, others), np.maximum(ring, others)
            pairs |= set(zip(low.tolist(), high.tolist(), strict=True))
    subject_pairs = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    return starts[subject_pairs[:, 0]].astype(np.int32), starts[subject_pairs[:, 1]].astype(np.int32)
