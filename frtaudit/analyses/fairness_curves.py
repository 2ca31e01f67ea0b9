"""The eight fairness metrics of Conti and Clemencon as curves over FMR, with bands and their normalized uncertainty."""

from collections.abc import Iterator
from dataclasses import dataclass

from frtaudit.core import Curve, Target
from frtaudit.core.curves import spans
from frtaudit.core.registry import register
from frtaudit.evaluation.over_fmr import Drawn, OverFmr, Reasons, classes_along, index_along, without_value
from frtaudit.evaluation.system import AnalysisOutput, SystemData
from frtaudit.stats.groups.differentials import RateIndex

NAME = "fairness_curves"
KIND = "fairness"
RATES = ("fnmr", "fmr")


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class FairnessCurves:
    """Four indices of the classes' FNMR, four of their FMR, at the overall threshold (Conti and Clémençon, A.1, D.3).

    In the spec's primary weighting, with the band of every interval of target fixed_identities that the spec asks for.
    """

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """Curves only: the indices at the declared targets are estimates of ``differentials``."""
        return AnalysisOutput(curves=tuple(self._curves(system, alpha)))

    def _curves(self, system: SystemData, alpha: float) -> Iterator[Curve]:
        for schema in system.groups.schemas:
            for rate in RATES:
                groups = classes_along(system, schema, rate)
                if len(groups) < 2 or not groups[0][1].x.size:
                    continue
                for kind in RateIndex:
                    named = Drawn(
                        system=system, kind=KIND, schema=schema, group="all", metric=kind.value, rate=rate
                    )
                    yield from _index_curves(
                        named, index_along(kind, groups), without_value(kind, groups), alpha
                    )


def _index_curves(named: Drawn, along: OverFmr, unseen: Reasons, alpha: float) -> Iterator[Curve]:
    wanted = [spec for spec in named.system.intervals if spec.target is Target.FIXED_IDENTITIES]
    for spec in wanted:
        yield named.banded(along, spec, alpha, unseen)
    if not wanted:
        yield named.curve(along, along.value, spans(along.x.tolist(), unseen))
    uncertainty = named.uncertainty(along)
    if uncertainty is not None:
        yield uncertainty
