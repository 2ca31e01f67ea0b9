"""Whether B is enough for the findings that a spec asks for (FORMULAS 8.9)."""

from collections.abc import Mapping

from frtaudit.config.validate import check_resamples
from frtaudit.core.methods import Sided
from frtaudit.core.spec import AuditSpec
from frtaudit.evaluation.answerable import TRANSACTIONS
from frtaudit.evaluation.family_size import directions, planned
from frtaudit.stats.systems.multiplicity import enough_for_holm


def refuse_few_replicates(spec: AuditSpec, ranked: Mapping[str, tuple[str, ...]], systems: int) -> None:
    """Refuse, before anything is scored, a B too small for alpha or for the family's first step (FORMULAS 8.9).

    ``ranked``: schema to its classes, ``unknown`` apart; ``systems``: how many are audited.
    """
    counted = TRANSACTIONS in spec.analyses
    findings = planned(spec.requirements, ranked, systems, counted=counted)
    sides = directions(spec.requirements)  # the p of a two-sided finding is twice that of its worse side
    default = spec.bootstrap.alpha
    strictest = min(spec.requirements, key=lambda requirement: requirement.alpha(default), default=None)
    alpha = default if strictest is None else min(default, strictest.alpha(default))
    two_sided = next((each.name for each in spec.requirements if each.sided is Sided.TWO), None)
    family = f"findings: {findings}" + (f", twice for the two-sided {two_sided!r}" if two_sided else "")
    if strictest is not None and alpha < default:
        family += f"; requirement {strictest.name!r} has level {strictest.level:g}"
    check_resamples(spec.bootstrap, enough_for_holm(alpha, sides * findings), alpha, f" ({family})")
