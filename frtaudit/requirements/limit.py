"""Judge a declared limit on the one-sided bound of an interval, never on the estimate (FORMULAS 8.8)."""

from collections.abc import Sequence
from dataclasses import dataclass

from frtaudit.core import Estimate, Finding, Interval, Method, Target, Verdict
from frtaudit.core.spec import RequirementSpec, ThresholdSource, Weighting

EACH = "each"
MONTE_CARLO_ERRORS = 3.0
MAX_DIGITS = 17
DECIDING = (
    Method.WILSON,
    Method.MAX_T,
    Method.VERTEX_GAUSSIAN,
    Method.VERTEX,
    Method.DOUBLE_OR_NOTHING,
    Method.T,
)  # FORMULAS 8.2: the default first; neither two_level, a diagnostic, nor the published plug-in ever decides
POOLED_ONLY = ("eer", "fnmr_best_case", "fnmr_worst_case", "fmr_best_case", "fmr_worst_case")
WORDS = {
    "fmr": "FMR",
    "fnmr": "FNMR",
    "fnmr_at_fmr": "FNMR",
    "threshold_at_fmr": "threshold",
    "eer": "EER",
    "fta": "failure to acquire",
    "frr": "FRR",
    "max_min": "largest rate over smallest",
    "max_geomean": "largest rate over geometric mean",
    "log_geomean": "sum of log distances from the geometric mean",
    "gini": "Gini coefficient",
    "fdr": "FDR",
    "inequity_rate": "inequity rate",
    "garbe": "GARBE",
    "accuracy_fold_sd": "spread of the folds' accuracies",
}
KEYS = {"fmr": "FMR", "rate": "of"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What a requirement is judged on.

    ``estimates``: the result's estimates; ``bounds``: the same estimates with intervals of level 1 - 2 alpha, so that
    each bound is one-sided at 1 - ``alpha``; ``ranked``: schema to its classes.
    """

    estimates: Sequence[Estimate]
    bounds: Sequence[Estimate]
    ranked: dict[str, tuple[str, ...]]
    alpha: float
    weighting: Weighting


def judge(requirement: RequirementSpec, bench: Bench) -> tuple[Finding, ...]:
    """One finding for each estimate that the requirement names; one that is not testable when it names none."""
    places = [index for index, item in enumerate(bench.estimates) if _names(requirement, item, bench)]
    if not places:
        return (_nothing(requirement),)
    return tuple(_decide(requirement, bench, index) for index in places)


def _names(requirement: RequirementSpec, item: Estimate, bench: Bench) -> bool:
    weighting = requirement.weighting or (
        item.weighting if item.metric in POOLED_ONLY else bench.weighting.value
    )
    if item.metric != requirement.metric or item.weighting not in (weighting, None):
        return False
    if any(not _same(item.at.get(key), value) for key, value in requirement.at.items()):
        return False
    if set(item.at) - set(requirement.at) - _free(requirement):
        return False
    if requirement.schema is not None and item.schema not in (requirement.schema, None):
        return False
    if requirement.group == EACH:
        classes = bench.ranked.get(item.schema or "", ())
        return item.schema is not None and item.group in classes
    return item.group == requirement.group


def _free(requirement: RequirementSpec) -> set[str]:
    """What ``at`` need not name: what an audit has one of, and a threshold and its name by each other."""
    origin = {"recommended", "source", "name"}
    if origin & set(requirement.at):
        named = {"threshold", "version"}
    else:
        named = {*origin, "version"} if "threshold" in requirement.at else set()
    return {"pairs", "space", "weight", *named}


def _same(found: float | str | None, asked: float | str) -> bool:
    if isinstance(found, str) or isinstance(asked, str) or found is None:
        return found == asked
    return abs(found - asked) <= 1e-12 * max(abs(found), abs(asked), 1e-300)


def _decide(requirement: RequirementSpec, bench: Bench, index: int) -> Finding:
    estimate, bounded = bench.estimates[index], bench.bounds[index]
    interval = deciding(bounded)
    reason = _untestable(requirement, bounded, interval)
    if reason or interval is None or interval.low is None or interval.high is None:
        sentence = f"{_subject(estimate)} cannot be tested against {_limit(requirement)}: {reason}."
        return _finding(requirement, index, Verdict.NOT_TESTABLE, None, None, sentence)
    verdict, bound = _verdict(requirement, interval.low, interval.high, interval.mc_error or 0.0)
    sentence = _sentence(requirement, estimate, verdict, bound, bench.alpha)
    return _finding(requirement, index, verdict, bound, 1 - bench.alpha, sentence)


def deciding(estimate: Estimate) -> Interval | None:
    """The interval that decides: target population, bounds present, the first of :data:`DECIDING`."""
    serving = [
        item
        for item in estimate.intervals
        if item.target is Target.POPULATION and item.low is not None and item.method in DECIDING
    ]
    serving.sort(key=lambda item: DECIDING.index(item.method))
    return serving[0] if serving else None


def _untestable(requirement: RequirementSpec, estimate: Estimate, interval: Interval | None) -> str | None:
    if estimate.value is None:
        return estimate.note
    if _constructed(estimate):
        return "its threshold was chosen on these data, so it meets the target by construction"
    if interval is None:
        notes = [item.note for item in estimate.intervals if item.note]
        return notes[0] if notes else f"no interval for the population is offered for {requirement.metric}"
    return None


def _constructed(estimate: Estimate) -> bool:
    """Whether the rate was set by choosing its threshold on the same data (FORMULAS 8.13).

    So is FMR at its own target, wherever other thresholds come from, and the rate that a grid threshold was read off.
    """
    if estimate.group != "all" or estimate.metric not in ("fmr", "fnmr"):
        return False
    chosen_by = str(estimate.at.get("name", ""))
    measured = estimate.at.get("source") == ThresholdSource.SAME_DATA.value
    on_grid = measured and chosen_by.startswith(f"{estimate.metric}=")
    return on_grid or (estimate.metric == "fmr" and "fmr" in estimate.at)


def _verdict(requirement: RequirementSpec, low: float, high: float, mc_error: float) -> tuple[Verdict, float]:
    limit = requirement.limit
    at_most = requirement.sense == "<="
    good, bad = (high, low) if at_most else (low, high)
    if (good <= limit) if at_most else (good >= limit):
        verdict, bound = Verdict.PASS, good
    elif (bad > limit) if at_most else (bad < limit):
        verdict, bound = Verdict.FAIL, bad
    else:
        verdict, bound = Verdict.INCONCLUSIVE, good
    if verdict is not Verdict.INCONCLUSIVE and abs(bound - limit) < MONTE_CARLO_ERRORS * mc_error:
        return Verdict.INCONCLUSIVE, bound
    return verdict, bound


def _sentence(
    requirement: RequirementSpec, estimate: Estimate, verdict: Verdict, bound: float, alpha: float
) -> str:
    shown = text_beside(bound, requirement.limit)
    upper = (requirement.sense == "<=") == (verdict is not Verdict.FAIL)
    side = "at most" if upper else "at least"
    value = "" if estimate.value is None else f" is {text_beside(estimate.value, requirement.limit)}"
    ends = {
        Verdict.PASS: f"which meets {_limit(requirement)}",
        Verdict.FAIL: f"which breaks {_limit(requirement)}",
        Verdict.INCONCLUSIVE: f"so these data do not decide about {_limit(requirement)}",
    }
    return (
        f"{_subject(estimate)}{value}{_counts(estimate)}; with {100 * (1 - alpha):g} % confidence it is {side} "
        f"{shown}, {ends[verdict]}."
    )


def _counts(estimate: Estimate) -> str:
    """Pooled counts; where people (and pairs of people) weigh alike the value is not their quotient."""
    if estimate.numerator is None:
        return ""
    alike = "" if estimate.weighting != Weighting.IDENTITY.value else "people weighed alike; "
    return f" ({alike}{estimate.numerator} of {estimate.denominator})"


def text_beside(value: float, limit: float) -> str:
    """``value`` in the fewest digits, from three, that keep it on its side of ``limit``.

    >>> text_beside(0.0300004, 0.03), text_beside(0.012345, 0.03)
    ('0.0300004', '0.0123')
    """
    for digits in range(3, MAX_DIGITS):
        shown = float(f"{value:.{digits}g}")
        if (shown > limit) == (value > limit) and (shown < limit) == (value < limit):
            return f"{value:.{digits}g}"
    return repr(value)


def _subject(estimate: Estimate) -> str:
    at = ", ".join(_place(key, value) for key, value in estimate.at.items())
    alone = estimate.group == "all" and estimate.schema is None
    group = "" if alone else f" of {estimate.schema} {estimate.group}"
    return f"{estimate.provider}: {WORDS.get(estimate.metric, estimate.metric)}{group}{f' at {at}' if at else ''}"


def _place(key: str, value: float | str) -> str:
    shown = f"{value:g}" if isinstance(value, float) else value
    return f"{KEYS.get(key, key)} {shown}"


def _limit(requirement: RequirementSpec) -> str:
    return f"the limit {requirement.sense} {requirement.limit:g}"


def _nothing(requirement: RequirementSpec) -> Finding:
    at = ", ".join(f"{key}={value}" for key, value in requirement.at.items())
    sentence = f"Nothing in this audit estimates {requirement.metric} at {at or 'any point'} for {requirement.group}."
    return _finding(requirement, None, Verdict.NOT_TESTABLE, None, None, sentence)


def _finding(
    requirement: RequirementSpec,
    index: int | None,
    verdict: Verdict,
    bound: float | None,
    level: float | None,
    sentence: str,
) -> Finding:
    return Finding(
        requirement=requirement.name,
        estimate=None if index is None else f"/estimates/{index}",
        verdict=verdict,
        limit=requirement.limit,
        bound=bound,
        bound_level=level,
        sentence=sentence,
    )
