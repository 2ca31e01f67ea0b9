"""The rule by which a comparison decides, declared in its spec."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from frtaudit.analyses.comparison.measures import ACCURACY, FNMR, METRICS, OF_CLASSES
from frtaudit.core.spec import AuditSpec, FoldSource
from frtaudit.errors import SpecError
from frtaudit.stats.systems.multiplicity import enough_for_holm

WHERE = "analyses.vendor_comparison"


class Rule(Enum):
    """Who is chosen: best or tied with the best; better than the incumbent; no different from it within a margin."""

    BEST_OR_TIED = "best_or_tied"
    BETTER_THAN = "better_than"
    EQUIVALENT = "equivalent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What decides: one ``metric`` at one FMR target (None: the smallest declared), by one ``rule``.

    ``against``: the incumbent, for the rules that need one; ``schema``: for differentials and d_l2 (None: the first).
    """

    metric: str = FNMR
    rule: Rule = Rule.BEST_OR_TIED
    fmr: float | None = None
    schema: str | None = None
    against: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that a comparison is told beforehand.

    ``margins``: metric to the largest difference that does not matter; of a ratio, the largest quotient of two ratios;
    ``services``: a vendor to its systems by date: has the service changed?
    """

    decision: Decision = field(default_factory=Decision)
    margins: Mapping[str, float] = field(default_factory=dict)
    services: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def check(self) -> None:
        """Raise :class:`SpecError` for an unknown metric, a margin that is none, a rule without its incumbent."""
        _known("decision.metric", self.decision.metric)
        if self.decision.rule is not Rule.BEST_OR_TIED and self.decision.against is None:
            raise _refused(
                "decision.against", "no incumbent", f"a system, for rule {self.decision.rule.value}"
            )
        for metric, margin in self.margins.items():
            _known("margins", metric)
            least = 1.0 if metric == "max_min" else 0.0
            if not margin > least:
                raise _refused(f"margins.{metric}", f"found {margin:g}", f"a number above {least:g}")
        if self.decision.rule is Rule.EQUIVALENT and self.decision.metric not in self.margins:
            raise _refused("margins", f"no margin of {self.decision.metric}", "one, for rule equivalent")
        for vendor, systems in self.services.items():
            if len(systems) < 2 or len(set(systems)) < len(systems):
                raise _refused(
                    f"services.{vendor}", "fewer than two systems", "its systems by date, each once"
                )

    def foresee(self, spec: AuditSpec, names: Sequence[str], schemas: Sequence[str]) -> None:
        """Raise :class:`SpecError`, before anything is scored, where the declared rule could not be applied.

        Too few systems or replicates (FORMULAS 8.9), an incumbent that is not audited, a target that is not declared.
        """
        if len(names) < 2:
            raise SpecError("providers", f"{len(names)} audited", "two or more to compare")
        named = [(f"services.{vendor}", name) for vendor in self.services for name in self.services[vendor]]
        if self.decision.against is not None:
            named = [("decision.against", self.decision.against), *named]
        for where, name in named:
            if name not in names:
                raise _refused(where, f"no system {name!r} is audited", ", ".join(names))
        decision = self.decision
        if decision.fmr is not None and decision.fmr not in spec.thresholds.fmr:
            declared = ", ".join(f"{value:g}" for value in spec.thresholds.fmr)
            raise _refused(
                "decision.fmr", f"{decision.fmr:g} is not a target", declared or "a target in thresholds.fmr"
            )
        if decision.schema is not None and decision.schema not in schemas:
            raise _refused("decision.schema", f"no schema {decision.schema!r}", ", ".join(schemas) or "none")
        if decision.metric in OF_CLASSES and not schemas:
            raise _refused("decision.metric", f"{decision.metric} without a schema", "a schema in schemas")
        if decision.metric == ACCURACY and spec.folds.source is FoldSource.NONE and not spec.test_sets:
            raise _refused("decision.metric", "accuracy without folds", "folds.source, or a test set")
        needed = enough_for_holm(spec.bootstrap.alpha, 1)
        if needed > spec.bootstrap.B:
            raise SpecError(
                "bootstrap.B",
                f"found {spec.bootstrap.B}",
                f"{needed} or more at alpha {spec.bootstrap.alpha:g}",
            )


def _refused(where: str, problem: str, accepted: str) -> SpecError:
    return SpecError(f"{WHERE}.{where}", problem, accepted)


def _known(where: str, metric: str) -> None:
    if metric not in METRICS:
        raise _refused(where, f"found {metric!r}", ", ".join(METRICS))
