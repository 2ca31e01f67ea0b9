"""The eight fairness metrics of Conti and Clemencon as curves over FMR, with bands and their normalized uncertainty."""

from dataclasses import dataclass
from itertools import product

from frtaudit.core import Curve, Target
from frtaudit.core.curves import spans
from frtaudit.core.registry import register
from frtaudit.evaluation.over_fmr import Drawn, classes_along, index_along, without_value
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
        wanted = [spec for spec in system.intervals if spec.target is Target.FIXED_IDENTITIES]
        curves: list[Curve | None] = []
        for schema, rate in product(system.groups.schemas, RATES):
            groups = classes_along(system, schema, rate)
            for kind in RateIndex if len(groups) > 1 and groups[0][1].x.size else ():
                named = Drawn(
                    system=system, kind=KIND, schema=schema, group="all", metric=kind.value, rate=rate
                )
                along, unseen = index_along(kind, groups), without_value(kind, groups)
                curves += [named.banded(along, spec, alpha, unseen) for spec in wanted]
                if not wanted:
                    curves.append(named.curve(along, along.value, spans(along.x.tolist(), unseen)))
                curves.append(named.uncertainty(along))
        return AnalysisOutput(curves=tuple(curve for curve in curves if curve is not None))
