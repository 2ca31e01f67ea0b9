"""Every unordered pair of samples is one comparison."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from frtaudit.core.registry import register
from frtaudit.core.spec_values import NonMated

if TYPE_CHECKING:
    from frtaudit.core.cohort import CohortData
    from frtaudit.core.comparisons import Comparisons


@register("protocol", "all_pairs")
@dataclass(frozen=True, slots=True, kw_only=True)
class AllPairs:
    """All mated comparisons, and the non-mated ones that ``non_mated`` allows.

    ``within``: the schema whose classes are the groups of ``within_group`` (default: the first schema).
    """

    non_mated: NonMated = NonMated.ALL
    within: str | None = None

    def comparisons(self, cohort_data: "CohortData") -> "Comparisons":
        """The implied comparisons: nothing is listed."""
        from frtaudit.inputs.pairing import cells_of, implied_comparisons  # NumPy: a spec is read without

        return implied_comparisons(cells_of(cohort_data.cohort, self.non_mated, self.within))
