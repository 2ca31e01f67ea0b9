"""What a finished result says more than once, held against itself: numbers that were changed by hand seldom agree.

:func:`contradiction` holds for results of every version. :func:`unfounded` judges the requirements again, as far as a
result tells without scores, in the words of this version.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast  # Any: JSON of mixed depth

from frtaudit.core import UNKNOWN, AuditResult, Estimate, Finding, Interval, Method, Verdict
from frtaudit.core.canonical import mapping
from frtaudit.core.metrics import METRICS, published_as
from frtaudit.core.plain.structure import build
from frtaudit.core.spec import AuditSpec, RequirementSpec, Thresholds, Weighting
from frtaudit.core.text import formatting
from frtaudit.evaluation.answerable import TRANSACTIONS
from frtaudit.evaluation.missing_thresholds import wrongly_lacking
from frtaudit.evaluation.requirement_findings import (
    RequirementTest,
    alone,
    as_read,
    finding_of,
    keeps,
    limit_of,
    not_estimated,
    subject_of,
    too_few_people,
)
from frtaudit.evaluation.requirements import JudgementContext, cases_of, decided, steps, subjects_of
from frtaudit.evaluation.suspected_duplicates import WITHOUT, is_fate, without_confirmed, without_suspected

ROUNDING = 1e-9
FULL = "full"  # the digest that a publishable variant has: some of its findings and families are withheld
OF_TWO = ("fmr", "far", "gfar")  # rates of comparisons of two people, who may be too few
_NUMBER = re.compile(r"Without any false match ([0-9,]+) subjects? or more")  # which a result does not tell
BARE = "nothing estimates it"
NONE = (0.0, 0.0, 1.0)  # alpha, step and p of what has no estimate: none of them is used
APART = frozenset({"vendor_difference"})  # whose counts are those of the decisions on which both differ
QUOTIENTS = frozenset({"fta"})  # quotients of their counts that have no weighting


def contradiction(result: AuditResult) -> str | None:
    """Where a result contradicts itself, and how; None where it does not."""
    return next(_contradictions(result), None)


def unfounded(result: AuditResult) -> str | None:
    """The first finding that does not follow from the estimates, p values and bounds of its result; None for none.

    Raises whatever a forged spec leads to.
    """
    context = _context(result)
    requirements = _requirements(result)
    tests = [test for requirement in requirements for test in cases_of(requirement, context)]
    if wrong := wrongly_lacking(requirements, context, whole=FULL not in result.digests):
        return wrong
    if FULL in result.digests:
        return _of_variant(result, tests, context.alpha)
    if len(tests) != len(result.findings):
        return f"holds {len(result.findings)} findings, its requirements lead to {len(tests)}"
    p = [1.0 if finding.p is None else finding.p for finding in result.findings]
    suspected = without_suspected(result.estimates)
    places = zip(tests, result.findings, steps(tests, p, context.alpha), strict=True)
    for index, (test, finding, errors) in enumerate(places):
        follows = _follows(test, finding, errors, len(tests)) and is_fate(test, finding, suspected)
        if not follows or not _is_of(finding, test):
            return f"/findings/{index} does not follow from the estimates"
    return None


def _of_variant(result: AuditResult, tests: Sequence[RequirementTest], alpha: float) -> str | None:
    """The same of a publishable variant, each finding alone: some p values of the family may be withheld.

    Findings stand in the order of the tests, each once. Where no class is withheld none is missing but those on metrics
    that are never published. Else Holm's p lies between the raw one and its product with the size of the family.
    """
    family, is_whole = _family(result), not mapping(result.cohort.get("publication")).get("withheld")
    left = iter(tests)
    for index, finding in enumerate(result.findings):
        test = next(
            (test for test in left if _is_next(test, finding) or _stands(test, is_whole=is_whole)), None
        )
        if (
            test is None
            or not _is_next(test, finding)
            or is_whole != (finding.family is not None)
            or not _is_right(test, finding, test.requirement.alpha(alpha), family, is_whole=is_whole)
        ):
            return f"/findings/{index} does not follow from the estimates"
    if any(_stands(test, is_whole=is_whole) for test in left):
        why = "no class is withheld" if is_whole else "its estimate stands"
        return f"a finding is missing, although {why}"
    return None


def _is_next(test: RequirementTest, finding: Finding) -> bool:
    return (test.requirement.name, test.index) == (finding.requirement, finding.index)


def _stands(test: RequirementTest, *, is_whole: bool) -> bool:
    """Whether a variant has the finding of a test: its estimate is published, or no class and no metric is withheld."""
    return test.index is not None or (is_whole and published_as(test.requirement.metric) is not None)


def _is_right(
    test: RequirementTest, finding: Finding, alpha: float, family: int | None, *, is_whole: bool
) -> bool:
    if finding.index is None:
        return is_whole and _follows(test, finding, NONE, family)
    if finding.p is None or test.p is None:
        known = test.p is None or (not is_whole and _names_minimum(test, finding.sentence))
        return finding.p is None and finding.verdict is Verdict.NOT_TESTABLE and known
    most = 1.0 if family is None else min(1.0, family * finding.p)
    adjusted = {finding.p, most} if finding.p_adjusted is None else {finding.p_adjusted}
    steps_of = {alpha} if finding.bound_level is None else {alpha, 1 - finding.bound_level}
    errors = [
        (alpha, step, p)
        for step in steps_of
        for p in adjusted
        if step <= alpha and p <= most * (1 + ROUNDING)
    ]
    return _is_of(finding, test) and any(_follows(test, finding, each, finding.family) for each in errors)


def _names_minimum(test: RequirementTest, sentence: str) -> bool:
    """Whether a sentence names a minimum size of its requirement as missed: the counts themselves are withheld."""
    if test.estimate is None:
        return False
    start = f"{subject_of(test, test.estimate)} cannot be tested against {limit_of(test.requirement)}: it asks for "
    sizes = (f"{start}{formatting.count(least)} {kind}, " for kind, least in test.requirement.minimum.items())
    return sentence.startswith(tuple(sizes))


def _family(result: AuditResult) -> int | None:
    """How many findings the audit has; None where a publishable variant does not say how many it leaves out."""
    if FULL not in result.digests:
        return len(result.findings)
    left_out = mapping(mapping(result.cohort.get("publication")).get("left_out")).get("findings")
    return len(result.findings) + left_out if isinstance(left_out, int) else None


def _contradictions(result: AuditResult) -> Iterator[str]:
    seen: set[tuple[object, ...]] = set()
    for index, estimate in enumerate(result.estimates):
        if estimate.metric not in METRICS:  # a plug-in's: it alone knows what its numbers are
            continue
        place, identity = f"/estimates/{index}", (estimate.analysis, estimate.metric, *estimate.place)
        if identity in seen:
            yield f"{place} is estimated twice"
        seen.add(identity)
        yield from _of_estimate(estimate, place)
    yield from _of_findings(result)
    for name, rows in _classes(result.cohort):
        for row in rows:
            for kind in ("subjects", "samples"):
                part, whole = row.get(kind), result.cohort.get(kind)
                if isinstance(part, int) and isinstance(whole, int) and part > whole:
                    yield f"/cohort has more {kind} in a class of {name} than in all"
    if (FULL in result.digests) != ("publication" in result.cohort):
        yield "it is a publishable variant in one place only"


def _of_estimate(estimate: Estimate, place: str) -> Iterator[str]:
    value, errors, trials = estimate.value, estimate.numerator, estimate.denominator
    pooled = estimate.weighting == Weighting.POOLED.value or estimate.metric in QUOTIENTS
    if (
        pooled
        and estimate.metric not in APART
        and value is not None
        and errors is not None
        and trials
        and abs(value - errors / trials) > ROUNDING
    ):
        yield f"{place} is not its numerator over its denominator"
    for number, interval in enumerate(estimate.intervals):
        if (
            interval.low is None
            or interval.high is None
            or value is None
            or interval.method is not Method.WILSON
        ):
            continue
        if not interval.low - ROUNDING <= value <= interval.high + ROUNDING:
            yield f"{place}/intervals/{number} does not hold the estimate"
    test = estimate.test
    if test is not None and _is_less(test.p_adjusted, test.p):
        yield f"{place}/test has an adjusted p value below the raw one"


def _of_findings(result: AuditResult) -> Iterator[str]:
    limits: dict[str, list[RequirementSpec]] = {}
    family = _family(result)
    for requirement in _requirements(result):
        limits.setdefault(requirement.name, []).append(requirement)
    for index, finding in enumerate(result.findings):
        place, named = f"/findings/{index}", limits.get(finding.requirement, [])
        if not named:
            yield f"{place} is about {finding.requirement!r}, which the spec does not require"
        elif not any(finding.limit == requirement.limit for requirement in named):
            yield f"{place} has another limit than the spec"
        elif not any(_keeps(finding, requirement) for requirement in named):
            yield f"{place} says {finding.verdict.value}, which its bound and limit do not"
        if _is_less(finding.p_adjusted, finding.p):
            yield f"{place} has an adjusted p value below the raw one"
        if family is not None and finding.family not in (None, family):
            more = "" if FULL not in result.digests else f" and leaves out {family - len(result.findings)}"
            yield f"{place} is of a family of {finding.family}, the result holds {len(result.findings)} findings{more}"
    judged = {finding.requirement for finding in result.findings}
    for name in sorted(set(limits) - judged if family == len(result.findings) else ()):
        yield f"no finding is about the requirement {name!r}"


def _keeps(finding: Finding, requirement: RequirementSpec) -> bool:
    """Whether a verdict agrees with its bound and limit, as far as these decide."""
    if finding.bound is None:
        return finding.verdict in (Verdict.INCONCLUSIVE, Verdict.NOT_TESTABLE)
    if finding.near_bound is not None and not keeps(requirement, finding.near_bound):
        # p by rank of replicates may lie just above the level at which the bound breaks the limit
        level, p = finding.bound_level, finding.p
        return (
            finding.verdict is Verdict.INCONCLUSIVE
            and None not in (level, p)
            and (p or 0.0) > 1 - (level or 0.0)
        )
    is_met = keeps(requirement, finding.bound)
    return {Verdict.PASS: is_met, Verdict.FAIL: not is_met}.get(
        finding.verdict, finding.verdict is not Verdict.NOT_TESTABLE
    )


def _follows(
    test: RequirementTest, finding: Finding, errors: tuple[float, float, float], family: int | None
) -> bool:
    """Whether a finding is what its place, its p value and its bound lead to; ``errors``: alpha, Holm's step and p.

    ``family``: None where a publishable variant withholds what Holm's family says.
    """
    alpha, step, adjusted = errors
    size, shown = family or 0, alone if family is None else _as_it_is
    known = replace(test, p=finding.p)
    exact: list[Finding] = []
    if test.index is None:  # audits of before gave no reason, or a bare one where a requirement has a minimum
        reasons = (test.reason, None, BARE if test.requirement.minimum else None)
        exact = [not_estimated(test.requirement, size, reason) for reason in reasons]
    elif test.p is None or test.interval is None or test.estimate is None:
        exact = [decided(test, alpha, step, adjusted, size)]
    elif finding.p is not None and finding.bound is not None:
        widths = (0.0, math.inf) if test.interval.mc_error else (0.0,)
        cases = [_at_bound(known, finding.bound, width) for width in widths]
        return any(_is_same(finding, shown(decided(case, alpha, step, adjusted, size))) for case in cases)
    elif finding.p is not None:
        number = _NUMBER.search(finding.sentence)
        is_counted = test.estimate.metric.startswith(OF_TWO) or test.estimate.metric not in METRICS
        known_number = number is not None and is_counted and adjusted > alpha
        people = int(number[1].replace(",", "")) if number is not None and known_number else 0
        sentence = as_read(known, too_few_people(known, test.estimate, people))
        exact = [finding_of(known, Verdict.NOT_TESTABLE, None, None, sentence, adjusted, size)]
        if test.estimate.metric not in METRICS:  # a plug-in's interval may be of one level alone
            exact.append(decided(known, alpha, step, adjusted, size))
    return finding in map(shown, exact)


def _as_it_is(finding: Finding) -> Finding:
    return finding


def _is_of(finding: Finding, test: RequirementTest) -> bool:
    """Whether the bound of a pass or a failure is one of the interval that decides, at another level.

    Wilson's moves outwards with its level, on its side of the estimate. What passes at a level is not broken at it.
    """
    level, interval, requirement = finding.bound_level, test.interval, test.requirement
    if finding.bound is None or level is None or interval is None:
        return _agrees(finding, test)
    if finding.verdict is Verdict.INCONCLUSIVE:
        return _agrees(finding, test) and _is_on_its_side(finding, test)
    if finding.verdict is Verdict.PASS and finding.p is not None and finding.p <= 1 - level < 0.5:
        return False
    upper = (requirement.sense == "<=") == (finding.verdict is Verdict.PASS)
    value = None if test.estimate is None else test.estimate.value
    return _is_bound_of(interval, value, finding.bound, (1 - level) / test.sides, upper=upper)


def _agrees(finding: Finding, test: RequirementTest) -> bool:
    """Whether a p value is as small as Wilson's interval says, where that lies beyond the limit."""
    interval, p = test.interval, finding.p
    if interval is None or p is None or interval.method is not Method.WILSON or not test.breaks(interval):
        return True
    return p <= test.sides * (1 - interval.level) / 2 * (1 + ROUNDING) + ROUNDING


def _is_on_its_side(finding: Finding, test: RequirementTest) -> bool:
    """Whether the bound of an inconclusive finding lies above the estimate if it is an upper one, else below."""
    value = None if test.estimate is None else test.estimate.value
    bound, requirement = finding.bound, test.requirement
    if value is None or bound is None or finding.bound_level is None:
        return True
    breaking = (finding.p or 0.0) <= 1 - finding.bound_level + ROUNDING and not keeps(requirement, bound)
    upper = (requirement.sense == "<=") != breaking
    return bound >= value - ROUNDING if upper else bound <= value + ROUNDING


def _is_bound_of(interval: Interval, value: float | None, bound: float, error: float, *, upper: bool) -> bool:
    low, high = interval.low or 0.0, interval.high if interval.high is not None else math.inf
    if (
        interval.method is not Method.WILSON
    ):  # what decides may allow for more: look-alikes, bias of a distance
        low, high = (low, math.inf) if upper else (-math.inf, high)
    elif error < (1 - interval.level) / 2 - ROUNDING:
        low, high = (high, math.inf) if upper else (-math.inf, low)
    elif value is not None:
        low, high = (max(low, value), high) if upper else (low, min(high, value))
    return low - ROUNDING <= bound <= high + ROUNDING


def _at_bound(test: RequirementTest, bound: float, mc_error: float) -> RequirementTest:
    """The test, its interval the recorded bound alone, which is as uncertain as ``mc_error``."""
    interval = test.interval
    if interval is None:
        return test
    point = replace(interval, low=bound, high=bound, mc_error=mc_error)
    return replace(test, interval=replace(point, one_sided=lambda _: point))


def _is_same(finding: Finding, again: Finding) -> bool:
    """Equal, or so but for what suspected duplicates of people do to a verdict. Further bounds are not made again."""
    again = replace(again, other_bound=finding.other_bound, near_bound=finding.near_bound)
    if not finding.sentence.startswith(again.sentence + WITHOUT):
        return finding == again
    verdict = finding.verdict
    allowed = verdict is again.verdict or (verdict, again.verdict) == (Verdict.INCONCLUSIVE, Verdict.FAIL)
    aside = verdict is not again.verdict and finding.set_aside  # not in results of before
    return allowed and finding == replace(again, verdict=verdict, sentence=finding.sentence, set_aside=aside)


def _is_less(adjusted: float | None, raw: float | None) -> bool:
    return adjusted is not None and raw is not None and adjusted < raw * (1 - ROUNDING)


def _requirements(result: AuditResult) -> tuple[RequirementSpec, ...]:
    """The requirements of a result's spec. Raises SpecError for what are none."""
    specs = build(tuple[RequirementSpec, ...], result.spec.get("requirements", []), "requirements")
    return (
        tuple(spec for spec in specs if isinstance(spec, RequirementSpec)) if isinstance(specs, tuple) else ()
    )


def _context(result: AuditResult) -> JudgementContext:
    classes = {
        name: {str(row["group"]): str(row["label"]) for row in rows if row["group"] != UNKNOWN}
        for name, rows in _classes(result.cohort)
    }
    bootstrap, analyses = result.spec["bootstrap"], result.spec.get("analyses")
    return JudgementContext(
        estimates=result.estimates,
        ranked={name: tuple(labels) for name, labels in classes.items()},
        alpha=float(bootstrap["alpha"]),  # type: ignore[index,call-overload,arg-type]  # a mapping with a number
        weighting=Weighting(result.spec["weighting"]),
        labels=classes,
        corrected=without_confirmed(result.estimates),
        subjects=subjects_of(result.cohort),
        has_transactions=isinstance(analyses, Mapping) and TRANSACTIONS in analyses,
        spec=_asked(result, analyses if isinstance(analyses, Mapping) else ()),
    )


def _asked(result: AuditResult, analyses: Iterable[str]) -> AuditSpec:
    """What of a spec says why nothing estimates a requirement. Raises SpecError for thresholds that are none."""
    thresholds = cast("Thresholds", build(Thresholds, result.spec.get("thresholds", {}), "thresholds"))
    return AuditSpec(
        name="", cohort=None, protocol=None, analyses=dict.fromkeys(analyses), thresholds=thresholds
    )


def _classes(cohort: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[Mapping[str, Any]]]]:
    """Every schema with the rows of its classes."""
    for name, schema in cohort.get("schemas", {}).items():
        yield name, schema["groups"]
