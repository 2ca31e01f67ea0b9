"""Systems that lack a threshold which a requirement names: an estimate without a value stands for each."""

from collections.abc import Sequence
from dataclasses import replace

from frtaudit.core import Estimate
from frtaudit.core.metrics import EVERY_SYSTEM
from frtaudit.core.spec import RequirementSpec
from frtaudit.evaluation.requirements import JudgementContext, is_named

LACKING = " has no such threshold"  # ends the note of a system that lacks one
# By which ``at`` names a threshold that is not of the data.
THRESHOLD_KEYS = {"threshold", "name", "recommended"}


def without_threshold(
    requirements: Sequence[RequirementSpec], context: JudgementContext
) -> tuple[Estimate, ...]:
    """Estimates without a value of systems that lack a threshold which a requirement names, and other systems have.

    One for each group of the others, so that a requirement is judged on every system, or said not to be.
    """
    lacking: dict[tuple[object, ...], Estimate] = {}
    for requirement in requirements:
        named = [estimate for estimate in context.estimates if is_named(requirement, estimate, context)]
        named = [estimate for estimate in named if "pairs" not in estimate.at]
        judged, analyses = ({getattr(each, key) for each in named} for key in ("provider", "analysis"))
        systems = dict.fromkeys(
            estimate.provider
            for estimate in context.estimates
            if estimate.analysis in analyses and estimate.provider != EVERY_SYSTEM
        )
        for system in systems if THRESHOLD_KEYS & set(requirement.at) else ():
            for estimate in named if system not in judged else ():
                at = {key: value for key, value in estimate.at.items() if key in requirement.place}
                empty = replace(
                    estimate, provider=system, at=at, value=None, numerator=None, denominator=None,
                    intervals=(), test=None, note=f"{system}{LACKING}",
                )  # fmt: skip
                lacking.setdefault((empty.metric, *empty.place), empty)
    return tuple(lacking.values())


def wrongly_lacking(
    requirements: Sequence[RequirementSpec], context: JudgementContext, *, whole: bool
) -> str | None:
    """Where systems that lack a threshold are left out, or systems that have it are said to lack it.

    Of a publishable variant, which may withhold the others' estimates, only the latter is known.
    """
    lacking = [each for each in context.estimates if str(each.note).endswith(LACKING)]
    others = replace(context, estimates=[each for each in context.estimates if each not in lacking])
    due = without_threshold(requirements, others)
    if whole and {*map(_key, lacking)} != {*map(_key, due)}:
        return "says of other systems than those that lack it that they have no threshold which a requirement names"
    for each in lacking:
        at = {key: value for key, value in each.at.items() if key in THRESHOLD_KEYS}
        if any(
            other.provider == each.provider
            and at
            and at.items() <= other.at.items()
            and other.value is not None
            for other in others.estimates
        ):
            return f"says that {each.provider} has no threshold at which it is estimated"
    return None


def _key(estimate: Estimate) -> tuple[object, ...]:
    return estimate.metric, estimate.note, estimate.value, *estimate.place
