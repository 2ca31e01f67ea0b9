"""Systems compared on the comparisons that all of them scored: who is best, tied, equivalent, changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from frtaudit.analyses.comparison.comparison import compare
from frtaudit.analyses.comparison.rules import Settings
from frtaudit.core import CohortData
from frtaudit.core.registry import register
from frtaudit.core.spec import AuditSpec
from frtaudit.evaluation.system import AnalysisOutput, SystemData, on_panel

NAME = "vendor_comparison"


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class VendorComparison(Settings):
    """Differences of every pair of systems in FNMR at FMR, differentials, d_l2, accuracy and FTA; ranks; a decision.

    ``decision``: the rule, declared beforehand; ``margins``: metric to the largest difference that does not matter;
    ``services``: a vendor to its systems by date (has the service changed?).
    """

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for a rule that could not be applied to any data."""
        self.check()

    def survey(self, spec: AuditSpec, cohort_data: CohortData) -> object:
        """Refuse, before anything is scored, a rule that cannot be applied to this panel with this B."""
        self.foresee(spec, on_panel(spec, cohort_data), tuple(cohort_data.cohort.classifications))
        return None

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:  # noqa: ARG002  analyses share a signature
        """Nothing of one system alone: its data are kept."""
        return AnalysisOutput(per_system_state=system)

    def across(self, states: Mapping[str, object], spec: AuditSpec, alpha: float) -> AnalysisOutput:  # noqa: ARG002  the same
        """All comparisons."""
        return compare([cast("SystemData", state) for state in states.values()], self, alpha)
