"""What the jobs of a sweep say together: headline numbers and verdicts, one row each, and what a setting moved.

A requirement that was looked at under several settings was looked at several times: a failure counts over the sweep
where it also holds after Holm's step-down over the findings of all jobs (FORMULAS 8.9). A pass stays what it was.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from frtaudit.cli.sweeps.jobs import JobResult, State
from frtaudit.cli.sweeps.plan import Plan
from frtaudit.cli.sweeps.sweep import Change, JobFinding, Measure, Row, Sweep
from frtaudit.core import AuditResult, Estimate, Verdict
from frtaudit.core.canonical import entries, mapping
from frtaudit.report.source import OF_SUBJECTS, Source
from frtaudit.stats.systems.multiplicity import holm

RATIO = "max_min"
# Metric: what ``at`` names.
EVERYBODY = {"fnmr_at_fmr": {"fmr"}, "eer": set(), "accuracy": {"pairs"}, "fta": set()}
PLACES = {target: place for place, target in enumerate(OF_SUBJECTS)}
ROUNDING = 1e-12


def table(plan: Plan, outcomes: Sequence[JobResult]) -> Sweep:
    """The sweep of these outcomes, in the plan's order; jobs that are not done have no rows."""
    done = [(outcome.job.number, outcome.result) for outcome in outcomes if outcome.result is not None]
    rows = tuple(row for number, result in done for row in _rows(number, result))
    findings = _over_the_sweep([finding for pair in done for finding in _findings(*pair)], dict(done))
    return Sweep(
        plan=plan,
        outcomes=tuple(outcomes),
        rows=rows,
        findings=findings,
        changes=tuple(_changes(plan, outcomes, rows, findings)),
        family=len(findings),
        alphas=tuple(sorted({_alpha(result) for _, result in done})),
        notes=tuple(_notes(outcomes)),
    )


def _rows(number: int, result: AuditResult) -> Iterator[Row]:
    weighting = str(result.spec.get("weighting", "identity"))
    for estimate in result.estimates:
        if _headlines(estimate, weighting):
            with_bounds = [interval for interval in estimate.intervals if interval.low is not None]
            interval = min(with_bounds, key=lambda of: PLACES.get(of.target, len(PLACES)), default=None)
            yield Row(
                job=number,
                provider=estimate.provider,
                measure=_measure(estimate, result),
                value=estimate.value,
                numerator=estimate.numerator,
                denominator=estimate.denominator,
                low=interval.low if interval else None,
                high=interval.high if interval else None,
                level=interval.level if interval else None,
                method=interval.method.value if interval else None,
                target=interval.target.value if interval else None,
                note=estimate.note or (interval.note if interval else None),
            )


def _headlines(estimate: Estimate, weighting: str) -> bool:
    """Everybody's rates, the largest d_l2, and the largest rate over the smallest; in the weighting of the spec."""
    if estimate.metric == "d_l2":
        return estimate.group == "max" and estimate.at.get("space") == "quantile"
    if estimate.weighting not in (weighting, None) and estimate.metric != "eer":
        return False
    if estimate.metric == RATIO:
        return set(estimate.at) == {"fmr", "rate"}
    everybody = estimate.schema is None and estimate.group == "all"
    return everybody and EVERYBODY.get(estimate.metric) == set(estimate.at)


def _findings(number: int, result: AuditResult) -> Iterator[JobFinding]:
    for finding in result.findings:
        about = result.judged(finding)
        yield JobFinding(
            job=number,
            requirement=finding.requirement,
            provider=about.provider if about else "",
            measure=_measure(about, result) if about else None,
            value=about.value if about else None,
            limit=finding.limit,
            bound=finding.bound,
            bound_level=finding.bound_level,
            verdict=finding.verdict,
            p=finding.p,
            p_adjusted=finding.p_adjusted,
            p_sweep=1.0,
            in_sweep=finding.verdict,
            advisory=finding.advisory,
        )


def _over_the_sweep(
    findings: Sequence[JobFinding], results: Mapping[int, AuditResult]
) -> tuple[JobFinding, ...]:
    """Holm's step-down over all of them; what could not be tested keeps its place with p = 1."""
    adjusted = holm([1.0 if finding.p is None else finding.p for finding in findings])
    swept = []
    for finding, p in zip(findings, adjusted, strict=True):
        alpha = _alpha(results[finding.job], finding.requirement)
        is_open = finding.verdict is Verdict.FAIL and p > alpha + ROUNDING
        swept.append(
            replace(finding, p_sweep=p, in_sweep=Verdict.INCONCLUSIVE if is_open else finding.verdict)
        )
    return tuple(swept)


def _measure(estimate: Estimate, result: AuditResult) -> Measure:
    systems = {other.provider for other in result.estimates if other.metric == estimate.metric}
    return Measure(
        provider="" if len(systems) == 1 else estimate.provider,
        metric=estimate.metric,
        schema=estimate.schema,
        group=estimate.group,
        at=tuple(sorted(estimate.at.items())),
        label=None if estimate.schema is None else Source(result).label(estimate.schema, estimate.group),
    )


def _changes(
    plan: Plan, outcomes: Sequence[JobResult], rows: Sequence[Row], findings: Sequence[JobFinding]
) -> Iterator[Change]:
    jobs = [outcome.job for outcome in outcomes if outcome.state is State.DONE]
    verdicts = {(finding.job, finding.requirement, finding.measure): finding.in_sweep for finding in findings}
    for key in plan.keys:
        values = tuple(dict.fromkeys(job.settings[key] for job in jobs))
        for before, after in combinations(values, 2):
            pairs = [
                (job.number, two.number)
                for job in jobs
                for two in jobs
                if job.settings[key] == before and dict(job.settings) | {key: after} == dict(two.settings)
            ]
            if not pairs:
                continue
            compared = [
                (verdict, verdicts[two, requirement, measure])
                for (number, requirement, measure), verdict in verdicts.items()
                for one_of_pair, two in pairs
                if number == one_of_pair and measure is not None and (two, requirement, measure) in verdicts
            ]
            moved = [move for move in _moves(pairs, rows) if move[0] > 0]
            most = max(moved, key=lambda move: move[0], default=None)
            yield Change(
                setting=key,
                before=before,
                after=after,
                pairs=len(pairs),
                compared=len(compared),
                verdicts=sum(verdict is not other for verdict, other in compared),
                measure=most[1].measure if most else None,
                value_before=most[1].value if most else None,
                value_after=most[2].value if most else None,
                jobs=(most[1].job, most[2].job) if most else None,
            )


def _moves(pairs: Sequence[tuple[int, int]], rows: Sequence[Row]) -> Iterator[tuple[float, Row, Row]]:
    """How far each headline number moved, relative to the larger of the two, with the rows."""
    finite = [row for row in rows if row.value is not None and math.isfinite(row.value)]
    known = {(row.job, row.measure): row for row in finite}
    for (job, measure), row in known.items():
        for number, two in pairs:
            other = known.get((two, measure))
            if job == number and other is not None:
                first, second = row.value or 0.0, other.value or 0.0
                yield abs(first - second) / (max(abs(first), abs(second)) or 1.0), row, other


def _notes(outcomes: Sequence[JobResult]) -> Iterator[str]:
    """What a reader must know before comparing rows."""
    seen: dict[str, set[str]] = {}
    for outcome in outcomes:
        inputs = outcome.result.digests.get("inputs") if outcome.result else None
        for name, value in inputs.items() if isinstance(inputs, Mapping) else ():
            seen.setdefault(name, set()).add(str(value))
    for name, values in sorted(seen.items()):
        if len(values) > 1:
            yield f"the file {name} is not the same in all jobs: their numbers are from different data"
    missing = [outcome.job.number for outcome in outcomes if outcome.state is not State.DONE]
    if missing:
        yield (
            f"{len(missing)} of {len(outcomes)} jobs have no result: they are not in the table, the family "
            "or the results by setting"
        )


def _alpha(result: AuditResult, requirement: str = "") -> float:
    """The audit's alpha, or that of a requirement with a level of its own."""
    for entry in map(mapping, entries(result.spec.get("requirements"))):
        if entry.get("name") == requirement and isinstance(level := entry.get("level"), float):
            return 1 - level
    alpha = mapping(result.spec.get("bootstrap")).get("alpha")
    return float(alpha) if isinstance(alpha, int | float) else 0.05
