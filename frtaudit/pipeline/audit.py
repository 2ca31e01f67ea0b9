"""The pipeline: spec -> cohort -> comparisons -> scores -> estimates -> findings -> result. Start reading here."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import pyarrow as pa

from frtaudit.config.plugins import naming
from frtaudit.core import AuditResult, CohortData, Groups
from frtaudit.core.canonical import Json
from frtaudit.core.identity import to_plain
from frtaudit.core.machine import signals
from frtaudit.core.machine.progress import Progress, quiet
from frtaudit.core.spec import AuditSpec, Weighting
from frtaudit.errors import printable
from frtaudit.evaluation.answerable import TRANSACTIONS
from frtaudit.evaluation.missing_thresholds import without_threshold
from frtaudit.evaluation.picked_group import highest
from frtaudit.evaluation.protocols import CohortSource, Comparison
from frtaudit.evaluation.requirements import JudgementContext, judge, subjects_of
from frtaudit.evaluation.returned import check_returned
from frtaudit.evaluation.suspected_duplicates import with_suspects, without_confirmed
from frtaudit.evaluation.system import AnalysisOutput, SystemData
from frtaudit.inputs.score_lists import nameless
from frtaudit.labelling.cautions import cautions
from frtaudit.pipeline import tables as parquet
from frtaudit.pipeline.checkpoint import checkpointed
from frtaudit.pipeline.components import analyses_of
from frtaudit.pipeline.dask import executor_of
from frtaudit.pipeline.evaluate import evaluate_system
from frtaudit.pipeline.multiplicity import adjusted
from frtaudit.pipeline.prepared import prepare, ranked_classes
from frtaudit.pipeline.provenance import counts_of, digests_of, inputs_of, made_of, notes_of, versions
from frtaudit.pipeline.test_sets import scored_sets

Tables = dict[str, list[pa.Table | parquet.Rows]]
Files = dict[str, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """An audit's result and what stands beside it: the big tables, and the lists that analyses made."""

    result: AuditResult
    tables: Tables = field(default_factory=dict)
    files: Files = field(default_factory=dict)


def audit(spec: AuditSpec, progress: Progress = quiet, source: CohortSource | None = None) -> Audited:
    """Run a whole audit in memory: nothing is written. Long because each step of an audit stands here once.

    ``source``: loads the cohort in place of ``spec.cohort``, for data that are in memory already.
    Raises :class:`~frtaudit.errors.FrtauditError` with one line that names the place.
    """
    from frtaudit.signing.seal import attach_seal, load_seal  # pyHanko: not for a check

    seal = load_seal(spec.seal)
    prepared = prepare(spec, source)
    cohort_data, groups, comparisons = prepared.cohort_data, prepared.groups, prepared.comparisons
    inputs = inputs_of(spec, cohort_data, prepared.providers)

    of_labels = () if cohort_data.labelling is None else cautions(cohort_data.labelling)
    unnamed = () if cohort_data.named else (nameless.SAID,)
    outcomes = [AnalysisOutput(notes=(*unnamed, *cohort_data.notes, *prepared.notes, *of_labels))]
    tables: Tables = {}
    read: dict[str, dict[str, AnalysisOutput]] = {}
    with (
        executor_of(spec.dask, spec.threads, spec.engine) as plain,
        checkpointed(spec, plain) as executor,
    ):
        for provider in progress(prepared.providers, "systems"):
            with naming(provider):
                system = replace(
                    evaluate_system(spec, provider, cohort_data, comparisons, groups, progress, executor),
                    test_sets=scored_sets(spec, provider, cohort_data, prepared.lists),
                    surveys=prepared.surveys,
                )
            read[system.provider] = _read(spec, system, progress)
            outcomes += [AnalysisOutput(notes=system.notes), *read[system.provider].values()]
            for name, rows in parquet.TABLES.items():
                tables.setdefault(name, []).append(rows(system))
    outcomes += _across(spec, read)

    files = {name: data for outcome in outcomes for name, data in outcome.files.items()}
    result = _result(
        spec, cohort_data, inputs, groups, outcomes, digests_of(spec, cohort_data, inputs, files)
    )
    return Audited(result=attach_seal(seal, result), tables=tables, files=files)


def _result(
    spec: AuditSpec,
    cohort_data: CohortData,
    inputs: Mapping[str, str],
    groups: Groups,
    outcomes: Sequence[AnalysisOutput],
    digests: Mapping[str, Json],
) -> AuditResult:
    """Every estimate, with what they come to: the highest groups, the findings, the adjusted p values."""
    estimates = [estimate for outcome in outcomes for estimate in outcome.estimates]
    estimates += highest(estimates, ranked_classes(groups), spec.weighting, spec.bootstrap.alpha)
    counts = counts_of(cohort_data)
    context = JudgementContext(
        estimates=estimates,
        ranked=ranked_classes(groups),
        alpha=spec.bootstrap.alpha,
        weighting=spec.weighting,
        labels={
            name: dict(zip(classification.classes, classification.labels, strict=True))
            for name, classification in cohort_data.cohort.classifications.items()
        },
        corrected=without_confirmed(estimates),
        subjects=subjects_of(counts),
        has_transactions=TRANSACTIONS in spec.analyses,
        spec=spec,
    )
    estimates += without_threshold(spec.requirements, context)
    findings = with_suspects(judge(spec.requirements, context), spec.requirements, context)
    named = {finding.index for finding in findings if finding.index is not None}
    return AuditResult(
        spec=to_plain(spec) | {"inputs": dict(inputs)},
        digests=digests,
        versions=versions(),
        estimates=adjusted(estimates, named, spec.weighting, spec.bootstrap.alpha),
        curves=tuple(curve for outcome in outcomes for curve in outcome.curves),
        findings=findings,
        failures=(*cohort_data.cohort.ledger, *(entry for outcome in outcomes for entry in outcome.failures)),
        cohort=counts | made_of(cohort_data, inputs),
        notes=notes_of(spec, outcomes),
    )


def _read(spec: AuditSpec, system: SystemData, progress: Progress) -> dict[str, AnalysisOutput]:
    """What each analysis finds in one system."""
    named = list(zip(spec.analyses, analyses_of(spec), strict=True))
    outputs: dict[str, AnalysisOutput] = {}
    for name, analysis in progress(named, f"{printable(system.provider)}: analyses"):
        with naming(analysis):
            outputs[name] = analysis.estimates(system, spec.bootstrap.alpha)
            check_returned(name, analysis, outputs[name], [system.provider])
    return (
        outputs if system.cohort_data.named else {name: _pooled(outcome) for name, outcome in outputs.items()}
    )


def _pooled(outcome: AnalysisOutput) -> AnalysisOutput:
    """What weights every comparison equally: without subject ids there is no other weighting."""
    pooled = (Weighting.POOLED.value, None)
    return replace(
        outcome,
        notes=(),  # they are about how many people err
        estimates=tuple(estimate for estimate in outcome.estimates if estimate.weighting in pooled),
        curves=tuple(curve for curve in outcome.curves if curve.weighting in pooled),
    )


def _across(spec: AuditSpec, read: Mapping[str, Mapping[str, AnalysisOutput]]) -> Iterator[AnalysisOutput]:
    """What analyses that compare systems find, each in what it kept of them."""
    for name in spec.analyses:
        states = {provider: outputs[name].per_system_state for provider, outputs in read.items()}
        known = {provider: state for provider, state in states.items() if state is not None}
        signals.check()
        if known:
            analysis = cast("Comparison", spec.analyses[name])
            with naming(analysis):
                output = analysis.across(known, spec, spec.bootstrap.alpha)
                check_returned(name, analysis, output)
            yield output
