"""What suspected duplicates of people do to a verdict on FMR (FORMULAS 8.20).

A pass holds on the data as labelled. A failure stands only where it also stands without the suspects: else it accuses a
system of what may be a fault of the labels. What a person has confirmed is left out from the start, what is only
suspected never makes a pass.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from frtaudit.core import Estimate, Finding, Verdict
from frtaudit.core.metrics import kind_of
from frtaudit.core.spec import RequirementSpec
from frtaudit.core.text import kinds
from frtaudit.evaluation.requirement_findings import RequirementTest
from frtaudit.evaluation.requirements import JudgementContext, deciding

WITHOUT = " Without suspected duplicate subjects "
CONFIRMED, SUSPECTED = "fmr_without_confirmed", "fmr_without_suspected"
Key = tuple[object, ...]


def without_confirmed(estimates: Sequence[Estimate]) -> Mapping[int, int]:
    """Places of FMR estimates to those of the same without the duplicates that a person confirmed."""
    confirmed = _places(estimates, CONFIRMED)
    return {
        place: confirmed[estimate.place]
        for place, estimate in enumerate(estimates)
        if estimate.metric == "fmr" and estimate.place in confirmed
    }


def with_suspects(
    findings: Sequence[Finding], requirements: Sequence[RequirementSpec], context: JudgementContext
) -> tuple[Finding, ...]:
    """The findings, each on FMR with its fate without the suspects where that differs."""
    without = _places(context.estimates, SUSPECTED)
    asked = {requirement.name: requirement for requirement in requirements}
    return tuple(_judged(finding, asked[finding.requirement], context, without) for finding in findings)


def _judged(
    finding: Finding, requirement: RequirementSpec, context: JudgementContext, without: Mapping[Key, int]
) -> Finding:
    """The finding, a failure made inconclusive where it falls without the suspects."""
    if finding.index is None or finding.bound_level is None:
        return finding
    labelled = context.estimates[finding.index]
    if labelled.metric not in ("fmr", CONFIRMED) or labelled.place not in without:
        return finding
    other = context.estimates[without[labelled.place]]
    case = RequirementTest(requirement=requirement, index=None, estimate=other, interval=deciding(other))
    fate = _fate(case, requirement.alpha(context.alpha), 1 - finding.bound_level)
    if fate is finding.verdict or finding.verdict is Verdict.NOT_TESTABLE:
        return finding
    failed = finding.verdict is Verdict.FAIL
    verdict = Verdict.INCONCLUSIVE if failed else finding.verdict
    text = f"{finding.sentence}{fate_of(other, requirement, fate)}"
    return replace(finding, verdict=verdict, sentence=text, set_aside=failed)


def fate_of(other: Estimate, requirement: RequirementSpec, fate: Verdict) -> str:
    """What a finding's sentence says of the estimate without the suspects."""
    value = "no rate is left"
    if other.value is not None:
        value = f"it is {kinds.printed(kind_of(other.metric), other.value, limit=requirement.limit)}"
    return (
        f"{WITHOUT}{value} and the verdict would be {fate.value}; they are left out "
        "only after a person has confirmed them (identity_check/review.csv)."
    )


def is_fate(test: RequirementTest, finding: Finding, suspected: Mapping[Key, Estimate]) -> bool:
    """Whether what a finding's sentence says of the suspects, if anything, is of the estimate without them.

    ``suspected``: as :func:`without_suspected` gives them.
    """
    start, mark, _ = finding.sentence.partition(WITHOUT)
    if not mark or test.estimate is None:
        return not mark
    other = suspected.get(test.estimate.place)
    ends = () if other is None else (fate_of(other, test.requirement, verdict) for verdict in Verdict)
    return any(finding.sentence == start + end for end in ends)


def without_suspected(estimates: Sequence[Estimate]) -> Mapping[Key, Estimate]:
    """The estimates without the suspects, by their places."""
    return {estimate.place: estimate for estimate in estimates if estimate.metric == SUSPECTED}


def _fate(case: RequirementTest, alpha: float, step: float) -> Verdict:
    """The verdict on the estimate without suspects: a pass at alpha, a failure at the step of the finding."""
    if case.passes(case.bounds(alpha)):
        return Verdict.PASS
    return Verdict.FAIL if case.breaks(case.bounds(min(step, alpha))) else Verdict.INCONCLUSIVE


def _places(estimates: Sequence[Estimate], metric: str) -> dict[Key, int]:
    return {estimate.place: index for index, estimate in enumerate(estimates) if estimate.metric == metric}
