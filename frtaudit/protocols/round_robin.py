"""Each sample against every other of its subject, in both orders (thesis)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from frtaudit.core.cohort import Cohort, Material
from frtaudit.core.comparisons import Comparisons, NonMated
from frtaudit.errors import DataError
from frtaudit.intake.pairing import cells_of, listed_comparisons
from frtaudit.registry import register

Index = npt.NDArray[np.int32]


@register("protocol", "round_robin")
@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRobin:
    """Ordered mated comparisons, sum over subjects of n (n - 1), for systems where A-B is not B-A.

    No non-mated comparison is made, so there is no FMR; ``non_mated`` and ``within`` are kept with the comparisons
    as the other protocols keep them.
    """

    non_mated: NonMated = NonMated.ALL
    within: str | None = None

    def comparisons(self, material: Material) -> Comparisons:
        """Both orders of every mated pair, by subject, probe, reference. :class:`DataError` when there is none."""
        probe, reference = mated_orders(material.cohort)
        if not probe.size:
            raise DataError("protocol", "no subject has two samples", "subjects with two samples or more")
        cells = cells_of(material.cohort, self.non_mated, self.within)
        return listed_comparisons(material.cohort, probe, reference, cells, ordered=True)


def mated_orders(cohort: Cohort) -> tuple[Index, Index]:
    """Probe and reference of every ordered pair of different samples of one subject, shape (P,), int32."""
    sizes = np.bincount(cohort.subject_of, minlength=cohort.n_subjects)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    partners = sizes[cohort.subject_of]
    probe = np.repeat(np.arange(cohort.n_samples), partners)
    rank = np.arange(probe.size) - np.repeat(np.cumsum(partners) - partners, partners)
    reference = starts[cohort.subject_of[probe]] + rank
    other = probe != reference
    return probe[other].astype(np.int32), reference[other].astype(np.int32)
