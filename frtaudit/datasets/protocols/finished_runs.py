"""The comparisons that finished runs made."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from frtaudit.core.registry import register
from frtaudit.errors import SpecError

if TYPE_CHECKING:
    from frtaudit.core.cohort import CohortData
    from frtaudit.core.comparisons import Comparisons


@register("protocol", "finished")
@dataclass(frozen=True, slots=True, kw_only=True)
class AsFinished:
    """All pairs or the listed ones, as in the runs of the cohort."""

    def comparisons(self, cohort_data: "CohortData") -> "Comparisons":
        """The runs' comparisons. Raises :class:`SpecError` for a cohort that is not made of runs."""
        if cohort_data.compared is None:
            problem = "the cohort holds no finished run"
            raise SpecError("protocol", problem, "cohort=runs, or another protocol")
        return cohort_data.compared
