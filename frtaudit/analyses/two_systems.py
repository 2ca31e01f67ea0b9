"""Systems as Conti and Clemencon compare them (002): two curves with bands, all on two splits, two in zones."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from frtaudit.analyses.comparison import published
from frtaudit.core import CohortData
from frtaudit.core.registry import register
from frtaudit.core.spec import AuditSpec
from frtaudit.errors import SpecError
from frtaudit.evaluation.system import AnalysisOutput, SystemData, on_panel
from frtaudit.stats.groups.differentials import RateIndex

RATES = ("fnmr", "fmr")


@register("analysis", "two_systems")
@dataclass(frozen=True, slots=True, kw_only=True)
class TwoSystems:
    """Curves of ``first`` and ``second`` (default: the first two) with zones, and of all systems on two splits.

    ``zones``: the fairness metrics whose zones are drawn, by the rate that they compare, ``fnmr`` or ``fmr``.
    """

    first: str | None = None
    second: str | None = None
    zones: Mapping[str, tuple[RateIndex, ...]] = field(
        default_factory=lambda: {"fnmr": (RateIndex.MAX_GEOMEAN,)}
    )

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for a system against itself, a rate without zones, a metric named twice."""
        for rate, metrics in self.zones.items():
            if rate not in RATES:
                raise SpecError(".zones", f"found {rate!r}", " or ".join(RATES))
            if len(set(metrics)) < len(metrics):
                raise SpecError(f".zones.{rate}", "a metric appears twice", "each metric once")
        if self.first is not None and self.first == self.second:
            raise SpecError("analyses.two_systems.second", f"found {self.second!r} twice", "another system")

    def survey(self, spec: AuditSpec, cohort_data: CohortData) -> object:
        """Refuse, before anything is scored, a system that is not audited."""
        names = on_panel(spec, cohort_data)
        for name in (self.first, self.second):
            if name is not None and name not in names:
                raise SpecError("analyses.two_systems", f"no system {name!r} is audited", ", ".join(names))
        return None

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:  # noqa: ARG002  analyses share a signature
        """Nothing of one system alone: its data are kept."""
        return AnalysisOutput(per_system_state=system)

    def across(self, states: Mapping[str, object], spec: AuditSpec, alpha: float) -> AnalysisOutput:  # noqa: ARG002  the same
        """The curves of all three figures; a note where only one system was audited."""
        names = self._ordered(list(states))
        if len(names) < 2:
            return AnalysisOutput(
                notes=("two_systems: one system was audited, so nothing to draw beside it",)
            )
        systems = [cast("SystemData", states[name]) for name in names]
        pair = systems[:2]
        curves = [
            *published.two_models(pair, alpha),
            *published.two_splits(systems, alpha),
            *published.zones(pair, self.zones, alpha),
        ]
        return AnalysisOutput(curves=tuple(curves))

    def _ordered(self, names: list[str]) -> list[str]:
        """The systems, the pair first: where one of the pair is not named, the first of the others is."""
        others = [name for name in names if name not in (self.first, self.second)]
        first = self.first or next(iter(others), None)
        second = self.second or next((name for name in others if name != first), None)
        pair = [name for name in (first, second) if name is not None]
        return pair + [name for name in others if name not in pair]
