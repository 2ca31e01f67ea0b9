"""The pipeline: spec -> cohort -> comparisons -> scores -> estimates -> findings -> result. Start reading here."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pyarrow as pa

from frtaudit import parquet
from frtaudit.core import AuditResult, Estimate, Finding, Groups
from frtaudit.core.spec import AuditSpec
from frtaudit.description import cohort_counts, digests_of, inputs_of, notes_of, versions
from frtaudit.identity import to_plain
from frtaudit.panel import analyses_of, comparisons_of, material_of, panel_of
from frtaudit.progress import Progress, quiet
from frtaudit.requirements.limit import Bench, judge
from frtaudit.scoring import groups_of, put_on_trial, refuse_unresolved
from frtaudit.trial import Outcome, Trial

Tables = dict[str, list[pa.Table]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """An audit's result and the big tables that stand beside it."""

    result: AuditResult
    tables: Tables = field(default_factory=dict)


def audit(spec: AuditSpec, progress: Progress = quiet) -> Audited:
    """Run a whole audit in memory: nothing is written.

    Raises :class:`~frtaudit.errors.FrtauditError` with one line that names the place.
    """
    material = material_of(spec)
    groups = groups_of(material.cohort)
    panel = panel_of(spec, material)
    inputs = inputs_of(spec, material, panel)
    comparisons = comparisons_of(spec, material)
    refuse_unresolved(spec, material, comparisons)

    estimates: list[Estimate] = []
    bounds: list[Estimate] = []
    outcomes: list[Outcome] = []
    tables: Tables = {parquet.SCORES: [], parquet.TAIL: [], parquet.REPLICATES: []}
    for provider in progress(panel, "providers"):
        trial = put_on_trial(spec, provider, material, comparisons, groups)
        outcomes.append(Outcome(notes=trial.notes))
        for outcome, one_sided in _analyse(spec, trial):
            outcomes.append(outcome)
            estimates += outcome.estimates
            bounds += one_sided
        _add_tables(tables, trial)

    result = AuditResult(
        spec=to_plain(spec) | {"inputs": dict(inputs)},
        digests=digests_of(spec, material, inputs),
        versions=versions(),
        estimates=tuple(estimates),
        curves=tuple(curve for outcome in outcomes for curve in outcome.curves),
        findings=_judge(spec, groups, estimates, bounds),
        failures=(*material.cohort.ledger, *(entry for outcome in outcomes for entry in outcome.failures)),
        cohort=cohort_counts(material.cohort),
        notes=notes_of(spec, outcomes),
    )
    return Audited(result=result, tables=tables)


def _analyse(spec: AuditSpec, trial: Trial) -> Iterator[tuple[Outcome, tuple[Estimate, ...]]]:
    """Each analysis at alpha, and again at 2 alpha where requirements need one-sided bounds at 1 - alpha."""
    alpha, judged = spec.bootstrap.alpha, {requirement.metric for requirement in spec.requirements}
    for analysis in analyses_of(spec):
        outcome = analysis.estimates(trial, alpha)
        needed = judged & {estimate.metric for estimate in outcome.estimates}
        one_sided = analysis.estimates(trial, 2 * alpha) if needed else outcome
        yield outcome, one_sided.estimates


def _add_tables(tables: Tables, trial: Trial) -> None:
    tables[parquet.SCORES].append(parquet.score_rows(trial))
    tables[parquet.TAIL].append(parquet.tail_rows(trial))
    tables[parquet.REPLICATES].append(parquet.replicate_rows(trial))


def _judge(
    spec: AuditSpec, groups: Groups, estimates: list[Estimate], bounds: list[Estimate]
) -> tuple[Finding, ...]:
    ranked = {
        schema: tuple(
            name
            for (own, name), flag in zip(groups.names, groups.ranked, strict=True)
            if own == schema and flag
        )
        for schema in groups.schemas
    }
    bench = Bench(
        estimates=estimates,
        bounds=bounds,
        ranked=ranked,
        alpha=spec.bootstrap.alpha,
        weighting=spec.weighting,
    )
    return tuple(finding for requirement in spec.requirements for finding in judge(requirement, bench))
