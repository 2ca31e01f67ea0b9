"""Judge declared limits on one-sided bounds of intervals, never on estimates (FORMULAS 8.8, 8.9).

"All groups pass" is an intersection: each passes at alpha, uncorrected. "Group g fails" and "some group fails" are
claims of a family, all findings of the audit: Holm's step-down over their p values, and the bound of a failure is that
of its step.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any  # Any: JSON of mixed depth

from frtaudit.core import Estimate, Finding, Interval, Method, Target, Verdict
from frtaudit.core.methods import DECIDING
from frtaudit.core.metrics import D_L2, POOLED_ONLY
from frtaudit.core.spec import AuditSpec, RequirementSpec, ThresholdSource, Weighting
from frtaudit.evaluation.answerable import COUNTED, NO_TRANSACTIONS, TRANSACTIONS, below_minimum, why_not
from frtaudit.evaluation.family_size import EACH
from frtaudit.evaluation.requirement_findings import (
    CONSTRUCTED,
    RequirementTest,
    as_read,
    finding_of,
    limit_of,
    not_estimated,
    sentence_of,
    subject_of,
    too_few_people,
)
from frtaudit.stats.interclass.d_l2 import Space
from frtaudit.stats.systems.multiplicity import claim_p, holm, step_errors

BLURRED = "the bound lies within its Monte Carlo error of the limit; a larger bootstrap.B may decide"
ADJUSTED_BLURRED = f"after adjustment {BLURRED}"
MONTE_CARLO_ERRORS = 3.0
_NAMES = {"threshold", "recommended", "name", "source", "version"}  # of one threshold
BY_RANK = (Method.MAX_T, Method.VERTEX, Method.DOUBLE_OR_NOTHING)  # bounds that are quantiles of replicates


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementContext:
    """What a requirement is judged on.

    ``estimates``: the result's estimates, each interval with its one-sided form; ``ranked``: schema to its classes;
    ``labels``: what the classes of a schema are called in print, where they are not called by their names;
    ``corrected``: an estimate's place to that of the one which stands for it, on labels that a person corrected;
    ``subjects``: (schema, group) to how many there are, (None, "all") of everybody;
    ``has_transactions``: whether the spec counts transactions, at whatever threshold; ``spec``: the audit's, its
    analyses at least by name, which says why nothing estimates a requirement.
    """

    estimates: Sequence[Estimate]
    ranked: Mapping[str, tuple[str, ...]]
    alpha: float
    weighting: Weighting
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    corrected: Mapping[int, int] = field(default_factory=dict)
    subjects: Mapping[tuple[str | None, str], int] = field(default_factory=dict)
    has_transactions: bool = False
    spec: AuditSpec | None = None

    def label(self, estimate: Estimate) -> str:
        """What the group of an estimate is called."""
        labels = self.labels.get(estimate.schema or "", {})
        return " and ".join(labels.get(name, name) for name in estimate.group.split("|"))


def judge(requirements: Sequence[RequirementSpec], context: JudgementContext) -> tuple[Finding, ...]:
    """One finding for each estimate that a requirement names; one that is not testable where it names none.

    The family is all of them: what could not be tested keeps its place with p = 1, so that its size is declared and
    does not depend on the data.
    """
    cases = [case for requirement in requirements for case in cases_of(requirement, context)]
    p = [1.0 if case.p is None else case.p for case in cases]
    return tuple(
        decided(case, alpha, step, adjusted, len(cases))
        for case, (alpha, step, adjusted) in zip(cases, steps(cases, p, context.alpha), strict=True)
    )


def steps(
    cases: Sequence[RequirementTest], p: Sequence[float], alpha: float
) -> list[tuple[float, float, float]]:
    """Of each case its own alpha, the error of its step at that alpha, and its p value by Holm.

    The p values are adjusted together, whatever level each is held to: of the claims at a level or a stricter one, the
    chance that any is false is that level's.
    """
    alphas = [case.requirement.alpha(alpha) for case in cases]
    errors = {value: step_errors(p, value) for value in set(alphas)}
    return [
        (value, errors[value][k], adjusted)
        for k, (value, adjusted) in enumerate(zip(alphas, holm(p), strict=True))
    ]


def subjects_of(cohort: Mapping[str, Any]) -> dict[tuple[str | None, str], int]:
    """Subjects of everybody and of each class, from a result's counts of its cohort."""
    rows: dict[tuple[str | None, str], int] = {
        (str(schema), str(row["group"])): int(row["subjects"])
        for schema, counts in cohort.get("schemas", {}).items()
        for row in counts["groups"]
        if row.get("subjects") is not None
    }
    return {(None, "all"): int(cohort.get("subjects") or 0), **rows}


def cases_of(requirement: RequirementSpec, context: JudgementContext) -> list[RequirementTest]:
    """The requirement at each estimate that it names; at none, where nothing estimates it."""
    if requirement.minimum.get("transactions") and not context.has_transactions:
        return [RequirementTest(requirement=requirement, index=None, reason=f"{NO_TRANSACTIONS}; {COUNTED}")]
    places: dict[tuple[object, ...], int] = {}
    for index, estimate in enumerate(context.estimates):
        if is_named(requirement, estimate, context):
            place = _place(requirement, estimate)
            same = places.get(place)
            if same is None or _decides(estimate) > _decides(context.estimates[same]):
                places[place] = index  # of what is estimated twice, the one that has an interval
    if not places:
        reason = None if context.spec is None else why_not(requirement, context.spec, context.ranked)
        return [RequirementTest(requirement=requirement, index=None, reason=reason)]
    within = [place for place in places.values() if context.estimates[place].schema is not None]
    named = sorted(within if requirement.schema is not None and within else places.values())
    of_all = [index for index in named if "pairs" not in context.estimates[index].at]  # not of folds too
    return [_case(requirement, context, context.corrected.get(index, index)) for index in of_all or named]


def _place(requirement: RequirementSpec, estimate: Estimate) -> tuple[object, ...]:
    """What a finding is of: a threshold that a requirement asks for by its value is one, whatever names it has."""
    if "threshold" not in requirement.at or "name" in requirement.at:
        return estimate.place
    at = {key: value for key, value in estimate.at.items() if key not in _NAMES}
    return replace(estimate, at=at).place


def _decides(estimate: Estimate) -> tuple[bool, bool]:
    return bool(estimate.intervals), not _constructed(estimate)


def _case(requirement: RequirementSpec, context: JudgementContext, index: int) -> RequirementTest:
    estimate = context.estimates[index]
    interval = deciding(estimate)
    reason = _untestable(requirement, estimate, interval) or _too_small(requirement, estimate, context)
    case = RequirementTest(
        requirement=requirement,
        index=index,
        estimate=estimate,
        label=context.label(estimate),
        interval=interval,
        reason=reason,
    )
    if reason or interval is None:
        return replace(case, interval=None)
    return replace(case, p=min(1.0, case.sides * _one_sided_p(case, interval)))


def _one_sided_p(case: RequirementTest, interval: Interval) -> float:
    """Of "the limit is broken"; an interval that is known at one level only gives that level's p, or 1."""
    if interval.p_value is not None:
        return interval.p_value(case.requirement.limit, case.requirement.sense)
    if interval.one_sided is None:
        return round((1 - interval.level) / 2, 12) if case.breaks(interval) else 1.0
    by_rank = interval.n_resamples if interval.method in BY_RANK else None
    return claim_p(lambda error: case.breaks(case.bounds(error * case.sides)), by_rank)


def is_named(requirement: RequirementSpec, estimate: Estimate, context: JudgementContext) -> bool:
    """Whether a requirement is about an estimate."""
    weighting = requirement.weighting or (
        estimate.weighting if estimate.metric in POOLED_ONLY else context.weighting.value
    )
    if estimate.metric != requirement.metric or estimate.weighting not in (weighting, None):
        return False
    asked = requirement.place
    if requirement.metric == D_L2:  # in quantile space where it names none (FORMULAS 3)
        asked = {"space": Space.QUANTILE.value, **asked}
    if _other_source(asked, estimate.at) or set(estimate.at) - set(asked) - _free(requirement):
        return False
    if any(not _same(estimate.at.get(key), value) for key, value in asked.items()):
        return False
    if requirement.schema is not None and estimate.schema not in (requirement.schema, None):
        return False
    if requirement.group == EACH:
        return estimate.schema is not None and estimate.group in context.ranked.get(estimate.schema or "", ())
    return estimate.group == requirement.group


def _other_source(asked: Mapping[str, float | str], at: Mapping[str, float | str]) -> bool:
    """Whether a threshold of these data has the name that a requirement gives to one from elsewhere."""
    alone = "name" in asked and not {"source", "threshold"} & set(asked)
    return alone and at.get("source") == ThresholdSource.SAME_DATA.value


def _free(requirement: RequirementSpec) -> set[str]:
    """What ``at`` need not name: what an audit has one of, and a threshold and its name by each other."""
    names = {"threshold", "recommended", "name"}
    named = _NAMES if names & set(requirement.at) else set()
    return {"pairs", "space", "weight", *named}


def _same(actual: float | str | None, asked: float | str) -> bool:
    if isinstance(actual, str) or isinstance(asked, str) or actual is None:
        return actual == asked
    return abs(actual - asked) <= 1e-12 * max(abs(actual), abs(asked), 1e-300)


def decided(case: RequirementTest, alpha: float, step: float, adjusted: float, family: int) -> Finding:
    """The verdict: a pass at alpha; a failure at its step of Holm's; else inconclusive."""
    estimate, requirement = case.estimate, case.requirement
    if estimate is None:
        return not_estimated(requirement, family, case.reason)
    if case.p is None:
        sentence = (
            f"{subject_of(case, estimate)} cannot be tested against {limit_of(requirement)}: {case.reason}."
        )
        return finding_of(case, Verdict.NOT_TESTABLE, None, None, as_read(case, sentence), None, family)
    alone, stepped = case.bounds(alpha), case.bounds(step)
    good, bad = ("high", "low") if requirement.sense == "<=" else ("low", "high")
    level, claimed, blurred, near = alpha, False, "", None
    verdict, shown, side = Verdict.INCONCLUSIVE, alone, good
    if adjusted <= alpha and case.breaks(stepped):
        claimed, side = True, bad
        if _blurred(stepped, bad, requirement.limit):
            blurred = ADJUSTED_BLURRED
        else:
            verdict, shown, level = Verdict.FAIL, stepped, step
    elif case.p <= alpha < adjusted and case.breaks(alone):
        side, claimed = bad, True
    elif case.passes(alone):
        blurred = BLURRED if _blurred(alone, good, requirement.limit) else ""
        verdict = Verdict.INCONCLUSIVE if blurred else Verdict.PASS
    elif (people := case.people(alpha)) is not None:
        sentence = too_few_people(case, estimate, people)
        return finding_of(case, Verdict.NOT_TESTABLE, None, None, as_read(case, sentence), adjusted, family)
    elif case.breaks(case.interval):
        near = _end(alone, bad)
    finding = finding_of(case, verdict, _end(shown, side), 1 - level, "judged", adjusted, family)
    sentence = sentence_of(finding, case, estimate, side, claimed=claimed, reason=blurred)
    sentence = as_read(case, sentence)
    return replace(finding, sentence=sentence, other_bound=_otherwise(case, level, side), near_bound=near)


def _otherwise(case: RequirementTest, level: float, side: str) -> float | None:
    """The bound of a requirement's own level with the interval one-sided for two-sided, or the reverse."""
    if case.requirement.level is None or case.interval is None or case.interval.one_sided is None:
        return None
    return _end(case.interval.one_sided(level if case.sides > 1 else level / 2), side)


def _end(interval: Interval | None, side: str) -> float | None:
    return None if interval is None else (interval.low if side == "low" else interval.high)


def _blurred(interval: Interval | None, side: str, limit: float) -> bool:
    """Whether a bound lies within three Monte Carlo standard errors of the limit."""
    bound = _end(interval, side)
    if interval is None or bound is None:
        return True
    return abs(bound - limit) < MONTE_CARLO_ERRORS * (interval.mc_error or 0.0)


def deciding(estimate: Estimate) -> Interval | None:
    """The interval that decides: target population, bounds present, the first of :data:`DECIDING`.

    One of a model decides where the spec says so: elsewhere its note says that it does not.
    """
    serving = [
        interval
        for interval in estimate.intervals
        if interval.low is not None
        and interval.method in DECIDING
        and (
            interval.target is Target.POPULATION
            or (interval.target is Target.MODEL and interval.note is None)
        )
    ]
    return min(serving, key=lambda interval: DECIDING.index(interval.method), default=None)


def _too_small(requirement: RequirementSpec, estimate: Estimate, context: JudgementContext) -> str | None:
    """Which of the requirement's minimum sizes these data miss."""
    place = (None if estimate.group == "all" else estimate.schema, estimate.group)
    sizes = {"subjects": context.subjects.get(place), "comparisons": estimate.denominator}
    if requirement.minimum.get("transactions"):
        if estimate.analysis != TRANSACTIONS:
            return NO_TRANSACTIONS
        sizes["transactions"] = estimate.denominator
    return below_minimum(requirement, sizes)


def _untestable(requirement: RequirementSpec, estimate: Estimate, interval: Interval | None) -> str | None:
    if estimate.value is None:
        return estimate.note
    if _constructed(estimate):
        return CONSTRUCTED
    if interval is None:
        notes = [candidate.note for candidate in estimate.intervals if candidate.note]
        return notes[0] if notes else f"no interval for the population is offered for {requirement.metric}"
    return None


def _constructed(estimate: Estimate) -> bool:
    """Whether the rate was set by choosing its threshold on the same data (FORMULAS 8.13).

    So is FMR at its own target, wherever other thresholds come from, and the rate that a grid threshold was read off.
    """
    if estimate.group == "all" and estimate.metric in ("far", "gfar") and "far" in estimate.at:
        return True
    if estimate.group != "all" or estimate.metric not in ("fmr", "fnmr"):
        return False
    chosen_by = str(estimate.at.get("name", ""))
    measured = estimate.at.get("source") == ThresholdSource.SAME_DATA.value
    on_grid = measured and chosen_by.startswith(f"{estimate.metric}=")
    return on_grid or (estimate.metric == "fmr" and "fmr" in estimate.at)
