"""Failures to acquire: per provider and group, what they do to FRR, and the bounds for what was not scored."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from frtaudit.analyses.shared.failure_counts import Attempts, attempts_of, members_of, was_listed
from frtaudit.analyses.shared.overall_ratios import every_point
from frtaudit.core import Estimate, Interval, LedgerEntry, Method
from frtaudit.core.arrays import Floats, Ints
from frtaudit.core.methods import MIN_ERROR_SUBJECTS, MIN_ERRORS
from frtaudit.core.registry import register
from frtaudit.core.spec import FailureScore, Plan, Weighting
from frtaudit.evaluation.intervals import AtKey, RateSummary, empty, from_variance
from frtaudit.evaluation.operating_points import OperatingPoint, read
from frtaudit.evaluation.shares import pooled_share
from frtaudit.evaluation.system import POOLED, AnalysisOutput, SystemData
from frtaudit.labelling.tried import by_code
from frtaudit.stats.intervals import clustered_share, dependence, wilson
from frtaudit.stats.intervals.bootstrap_intervals import variance_error

NAME = "failures"
ATTEMPTS = "share of attempts"


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """FTA, FRR = FTA + FNMR (1 - FTA), best- and worst-case FMR and FNMR, and the list of failures and exclusions."""

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """Everything about samples and comparisons without a score."""
        counts = attempts_of(system)
        apart = counts if system.spec.failures is FailureScore.APART else counts.scored()
        fta = (
            pooled_share(
                system, NAME, "fta", counts.failed[g], counts.tried[g], alpha, counts.unit, of=(schema, group)
            )
            for g, schema, group in system.every_group()
        )
        estimates = [*fta, *_frr(system, apart, alpha), *_bounds(system, apart)]
        return AnalysisOutput(estimates=tuple(estimates), failures=tuple(_ledger(system)))


def _frr(system: SystemData, counts: Attempts, alpha: float) -> Iterator[Estimate]:
    """ISO/IEC 19795-1: FRR = FTA + FNMR (1 - FTA), one attempt, pooled FNMR at each declared FMR target."""
    for a in system.operating_points.declared:
        threshold = float(system.operating_points.at_target[POOLED, a])
        at: AtKey = {"fmr": system.operating_points.targets[a]}
        for group_index, schema, group in system.every_group():
            make = partial(
                Estimate.of, system.provider, NAME, "frr", unit=ATTEMPTS, of=(schema, group), at=at
            )
            if not np.isfinite(threshold):
                yield make(None, note=system.refused(POOLED, a))
                continue
            place = OperatingPoint("fnmr", Weighting.POOLED, group_index, threshold, a)
            value, intervals, note = _frr_at(system, counts, place, alpha)
            yield make(value, intervals=intervals, note=note)


def _frr_at(
    system: SystemData, counts: Attempts, place: OperatingPoint, alpha: float
) -> tuple[float | None, tuple[Interval, ...], str | None]:
    summary = read(system, place)
    failed, tried = counts.failed[place.group_index], counts.tried[place.group_index]
    if not tried.sum() or not np.isfinite(summary.value):
        return None, (), "no comparison"
    fta = float(failed.sum() / tried.sum())
    interval = _frr_interval(summary, failed, tried, alpha, known=counts.known)
    return fta + summary.value * (1 - fta), (interval,), None


def _frr_interval(summary: RateSummary, failed: Ints, tried: Ints, alpha: float, *, known: bool) -> Interval:
    """Where FTA is no estimate, FNMR's own; by the variances where both parts have errors enough; else by the ends."""
    ruled = empty(Method.WILSON, alpha, "no comparison") if summary.rule is None else summary.rule(alpha)
    if known or ruled.low is None or ruled.high is None:
        return ruled
    errors = min(int(failed.sum()), summary.errors)
    subjects_with_errors = min(int(np.count_nonzero(failed)), summary.subjects_with_errors)
    drawn = summary.replicates.get(Plan.SUBJECTS)
    if drawn is not None and errors >= MIN_ERRORS and subjects_with_errors >= MIN_ERROR_SUBJECTS:
        fta = float(failed.sum() / tried.sum())
        interval = _by_variance(summary, fta, failed, tried, drawn, alpha)
        if interval is not None:
            return interval
    return _by_ends(ruled, failed, tried, alpha)


def _by_ends(fnmr: Interval, failed: Ints, tried: Ints, alpha: float) -> Interval:
    """FRR rises with FTA and with FNMR: the lower ends of both give its lower end, the upper ones its upper end."""
    bounds = clustered_share.share_bounds(failed, tried)
    if bounds is None or fnmr.low is None or fnmr.high is None:
        return empty(Method.WILSON, alpha, "nothing was tried")
    fta = bounds.interval(alpha)
    low, high = (share + rate * (1 - share) for share, rate in ((fta.low, fnmr.low), (fta.high, fnmr.high)))
    again = fnmr.one_sided
    return Interval.of(
        low,
        high,
        alpha,
        Method.WILSON,
        note="few errors: the ends of FTA's and of FNMR's interval together, whatever their correlation",
        one_sided=None if again is None else lambda error: _by_ends(again(error), failed, tried, 2 * error),
    )


def _by_variance(
    summary: RateSummary, fta: float, failed: Ints, tried: Ints, drawn: Floats, alpha: float
) -> Interval | None:
    """Wilson on n_eff from the delta-method variance; the two parts' correlation is bounded by its largest value."""
    drawn, fnmr = drawn[np.isfinite(drawn)], summary.value
    spread = float(drawn.std(ddof=1)) if drawn.size > 1 else 0.0
    used = tried > 0
    other = (1 - fnmr) * np.sqrt(clustered_share.share_variance(failed[used], tried[used]))
    value = fta + fnmr * (1 - fta)
    if not (0 < value < 1 and 0 < (1 - fta) * spread + other < np.inf):
        return None
    subjects = dependence.effective_number(tried[used])
    if summary.effective_subjects is not None:
        subjects = min(subjects, summary.effective_subjects)
    degrees = dependence.degrees_of_freedom(subjects)
    spreads = (spread, float(np.sqrt(spread**2 + variance_error(drawn))))
    image = (1 - fta) * summary.bounds().image if summary.bounds is not None else 0.0
    bounds, wider = (
        wilson.bounds_from_variance(
            value, float(((1 - fta) * deviation + other) ** 2), int(tried.sum()), degrees, image
        )
        for deviation in spreads
    )
    note = "standard errors of FTA and FNMR added: no assumption on their correlation"
    return from_variance(bounds, wider, int(drawn.size), alpha, note)


def _bounds(system: SystemData, counts: Attempts) -> Iterator[Estimate]:
    """Every comparison without a score as right, and as wrong: pooled rates where limits are declared."""
    for point, threshold, at in _declared(system):
        for group_index, schema, group in system.every_group():
            for rate, lost in (("fnmr", counts.mated), ("fmr", counts.non_mated)):
                place = OperatingPoint(rate, Weighting.POOLED, group_index, threshold, point)
                yield from _case(system, place, schema, group, at, int(lost[group_index]))


def _declared(system: SystemData) -> Iterator[tuple[int, float, AtKey]]:
    """Place, threshold and name of declared FMR targets, and of fixed thresholds where a requirement limits FNMR there.

    Only those that the data resolve.
    """
    limited = any(requirement.metric == "fnmr" for requirement in system.spec.requirements)
    for point, at, threshold in every_point(system, POOLED):
        if "fmr" in at and np.isfinite(threshold):
            yield point, threshold, at
        if "threshold" in at and limited and system.censoring.beyond(threshold) is None:
            yield point, threshold, at


def _case(
    system: SystemData, place: OperatingPoint, schema: str | None, group: str, at: AtKey, lost: int
) -> Iterator[Estimate]:
    summary = read(system, place)
    total = summary.trials + lost
    if not lost:
        return
    for case, errors in (("best", summary.errors), ("worst", summary.errors + lost)):
        metric, counts = f"{place.rate}_{case}_case", (errors, total)
        yield Estimate.share(
            system.provider, NAME, metric, counts, of=(schema, group), at=at, weighting="pooled"
        )


def _ledger(system: SystemData) -> Iterator[LedgerEntry]:
    entry = partial(LedgerEntry, provider=system.provider)
    if system.cohort_data.labelling is not None and was_listed(system):
        group_indices = system.every_group()
        for code, group_index, count in by_code(
            system.cohort_data.labelling, system.provider, system.groups.names
        ):
            _, schema, group = group_indices[group_index]
            yield entry(code=code, count=count, unit="comparisons", schema=schema, group=group)
        return
    unit, counts = _failures(system)
    names = _names(system) if system.spec.name_failures else {}
    for code in sorted({code for code, _ in counts}):
        for group_index, schema, group in system.every_group():
            member = members_of(system, group_index)
            count = sum(n for (known, subject), n in counts.items() if known == code and member[subject])
            if count:
                named = names.get(code, ()) if group_index == 0 else ()
                yield entry(code=code, count=count, unit=unit, schema=schema, group=group, names=named)


def _failures(system: SystemData) -> tuple[str, Counter[tuple[str, int]]]:
    """The unit, and failures by code and subject: of listed comparisons, else of samples."""
    if system.attempts is not None and was_listed(system):
        subjects = system.cohort.subject_of[system.comparisons.probe]
        failed = np.flatnonzero(system.attempts.failure >= 0)
        codes = (system.attempts.codes[system.attempts.failure[row]] for row in failed)
        return "comparisons", Counter(zip(codes, (int(subjects[row]) for row in failed), strict=True))
    return "samples", Counter(
        (code, int(system.cohort.subject_of[sample])) for sample, code in system.failed.items()
    )


def _names(system: SystemData) -> dict[str, tuple[str, ...]]:
    """Names of failed samples by code, when the spec asks for them."""
    failures = system.failed
    codes = sorted(set(failures.values()))
    ids = system.cohort.sample_ids
    return {
        code: tuple(ids[sample] for sample in sorted(failures) if failures[sample] == code) for code in codes
    }
