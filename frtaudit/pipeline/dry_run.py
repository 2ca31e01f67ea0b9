"""``frtaudit check``: validate a spec and its data without running the audit."""

import math
import os
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from frtaudit.core import UNKNOWN, Cohort, CohortData
from frtaudit.core.comparisons import Comparisons
from frtaudit.core.metrics import D_L2
from frtaudit.core.scores import ScoreTable
from frtaudit.core.spec import AuditSpec, Engine, Folds, FoldSource, RequirementSpec
from frtaudit.core.spec_values import FOLDS, OrderRule, PadesLevel
from frtaudit.core.text import formatting
from frtaudit.evaluation.answerable import EACH, EVERYBODY, TRANSACTIONS, why_not
from frtaudit.evaluation.family_size import planned
from frtaudit.evaluation.requirement_findings import limit_of, place_of
from frtaudit.evaluation.result_warnings import DECLARED, number_note
from frtaudit.evaluation.score_notes import direction_notes, lacking_notes, not_compared
from frtaudit.inputs.pairing import pair_keys
from frtaudit.inputs.places import MAX_NAMED
from frtaudit.inputs.schemas import undeclared
from frtaudit.inputs.tables import SUFFIXES
from frtaudit.pipeline.censoring import censoring_in
from frtaudit.pipeline.dask import executor_of
from frtaudit.pipeline.evaluate import planned_non_mated, request_of
from frtaudit.pipeline.prepared import Prepared, prepare, ranked_classes
from frtaudit.pipeline.test_sets import pairs_of
from frtaudit.stats.rates.orders import pool_orders

LIBRARY_BYTES, REPORT_BYTES = 4e8, 3.5e8  # Python and its libraries; those of the report and its layout
SAMPLE_BYTES, WEIGHT_BYTES = 500, 128  # names and classes of a sample; its weights in a tile of replicates
SORTED_BYTES = 36  # of a comparison kept, while the tail is sorted: what the budget counts
LAID_BYTES, STAYING_BYTES = 44, 29  # while it is laid out for replicates; while tables and report are written
RUN_BYTES, RUNS_OF_A_SAMPLE = 32, 60  # of a run, comparisons of one first sample; most runs of each sample
NO_INTERVAL = ("accuracy_fold_sd", "eer")  # metrics that are estimated without one for the population
SECONDS_OF_A_TERM = 8.6e-11  # of a score: 11 ns at 128 dimensions


def check(spec: AuditSpec) -> list[str]:
    """What the audit would do, one line each.

    Raises the error that the audit would stop with before it scores: it is prepared as the audit is.
    Loads the cohort and every provider's templates; reads the pair lists.
    """
    _check_files_of(spec)
    prepared = prepare(spec)
    cohort_data, groups, comparisons = prepared.cohort_data, prepared.groups, prepared.comparisons
    systems = [provider.name for provider in prepared.providers]
    lines = [_cohort_line(cohort_data)]
    lines += [f"schema {name}: {_classes(cohort_data.cohort, name)}" for name in groups.schemas]
    kind = "all pairs" if comparisons.all_pairs else f"{comparisons.n_listed} listed comparisons"
    lines.append(f"protocol: {kind}, {planned_non_mated(cohort_data.cohort, comparisons)} of them non-mated")
    shapes = {name: read().vectors.shape for name, read in cohort_data.templates.items()}
    lines += [_provider_line(cohort_data, name, shapes) for name in systems]
    lines += _requirement_lines(spec, prepared, systems)
    if spec.folds.source is not FoldSource.NONE:
        pairs_of(spec, spec.folds, cohort_data, comparisons)
    for name, (listed, origin) in prepared.lists.items():
        is_strict = spec.test_sets[name].folds.source is FoldSource.STRICT
        across = "; pairs across them are left out" if is_strict else ""
        lines.append(f"test set {name}: {listed.n_listed} pairs, folds {origin}{across}")
    resampling = f"B {spec.bootstrap.B}, alpha {spec.bootstrap.alpha:g}"
    lines.append(f"analyses: {', '.join(spec.analyses)}; {resampling}")
    if spec.engine is not Engine.CPU:
        with executor_of(spec.dask, spec.threads, spec.engine) as executor:  # the device, after its test
            tested = "its float32 products were tested; times are without it"
            lines.append(f"engine {spec.engine.value}: {executor}; {tested}")
    if comparisons.all_pairs:
        width = max((width for _, width in shapes.values()), default=0)
        lines.append(_expected_line(spec, cohort_data.cohort, len(systems), width))
    lines += [f"warning: {note}" for note in _warnings(spec, prepared)]
    return lines


def _check_files_of(spec: AuditSpec) -> None:
    """What a spec names beside its data and a run would open first. No password is asked for."""
    if spec.seal is not None:
        from frtaudit.signing.seal import load_seal  # signing is loaded where it is asked for

        load_seal(spec.seal)
    if spec.report.previous:
        from frtaudit.pipeline.last_audit import last_audit

        last_audit(spec.report.previous)
    if spec.report.key or spec.report.tsa or spec.report.evidence or spec.report.pades is not PadesLevel.B_B:
        from frtaudit.signing.signing import check_signing

        check_signing(spec.report)
    if spec.report.checklists:
        from frtaudit.report.checklists import check_names

        check_names(spec.report.checklists)
    if spec.report.templates:
        from frtaudit.report.render import check_shape

        check_shape(spec.report, spec.analyses)


def _warnings(spec: AuditSpec, prepared: Prepared) -> Iterator[str]:
    """What was noted of the data, and what looks wrong before anything is audited."""
    cohort_data = prepared.cohort_data
    yield from cohort_data.notes
    if unread := cohort_data.unread:
        more = f" and {len(unread) - MAX_NAMED} more" if len(unread) > MAX_NAMED else ""
        accepted = f"a score list ends in {', '.join(SUFFIXES)}, a file of templates in .npz"
        yield f"not read as scores or templates: {', '.join(unread[:MAX_NAMED])}{more}; {accepted}"
    for name, schema in spec.schemas.items():
        classes = cohort_data.cohort.classifications[name].classes
        declared = any(getattr(schema, field) for field in DECLARED)
        if not declared and (note := number_note(name, schema.column, classes)):
            yield note
        if values := undeclared(schema, cohort_data.attributes):
            yield f"schemas.{name}: column {schema.column!r} also holds {values}: counted as unknown"
    for name, (comparisons, table) in cohort_data.tables.items():
        once = prepared.comparisons.order_rule is not OrderRule.EACH
        lacking = _lacking(prepared.comparisons, comparisons, once=once) + not_compared(table)
        notes = (
            *direction_notes(table, comparisons),
            *lacking_notes(lacking),
            *_hiding(table, comparisons, once=once),
        )
        yield from (f"{name}: {note}" for note in notes)
    is_read = prepared.lists or spec.folds.source is FoldSource.OFFICIAL or not prepared.comparisons.all_pairs
    if cohort_data.pairs and not is_read:
        yield f"{cohort_data.pairs.name} is not read: protocol=listed compares its pairs"
    if spec.folds.source is FoldSource.NONE and spec.folds != Folds():
        yield "folds: there are none, so that the other keys have no effect; folds.source=disjoint makes some"
    yield from prepared.notes


def _hiding(table: ScoreTable, comparisons: Comparisons, *, once: bool) -> tuple[str, ...]:
    """What the report will note of scores that hide others; ``once``: both orders of a pair are one comparison."""
    if comparisons.ordered and once:
        pooled = pool_orders(comparisons, table)
        table, comparisons = pooled.table, pooled.comparisons
    censoring = censoring_in(table, comparisons)
    sentences = censoring.sentences()
    if censoring.floor is not None:  # the first sentence is about it
        sentences = (f"{sentences[0]}; of failures, leave the score empty", *sentences[1:])
    return sentences


def _lacking(asked: Comparisons, listed: Comparisons, *, once: bool) -> int:
    """How many comparisons are asked for that a list lacks; ``once``: both orders of a pair are one."""
    ordered = asked.ordered and not once
    wanted, have = (pair_keys(each.probe, each.reference, ordered=ordered) for each in (asked, listed))
    return int(np.count_nonzero(~np.isin(np.unique(wanted) if asked.ordered and once else wanted, have)))


def _cohort_line(cohort_data: CohortData) -> str:
    cohort = cohort_data.cohort
    size = f"{cohort.n_samples} samples of {cohort.n_subjects} subjects"
    dropped = [
        f"; {entry.count} {entry.unit}: {entry.code.replace('_', ' ')}"
        f"{f' {entry.group} of {entry.schema}' if entry.group else ''}"
        for entry in cohort.ledger
    ]
    return f"cohort: {size if cohort_data.named else 'the files name no subjects'}{''.join(dropped)}"


def _classes(cohort: Cohort, name: str) -> str:
    """Each class with its size, beside a label of its own that it has."""
    schema = cohort.classifications[name]
    shown = [
        known if _alike(label, known) else f"{label} ({known})"
        for known, label in zip(schema.classes, schema.labels, strict=True)
    ]
    counts = [f"{label}: {int((schema.codes == code).sum())}" for code, label in enumerate(shown)]
    unknown = int((schema.codes < 0).sum())
    return f"{', '.join(counts)}{f', unknown: {unknown}' if unknown else ''} subjects"


def _alike(label: str, name: str) -> bool:
    return label.replace(" ", "_").lower() == name.replace(" ", "_").lower()


def _provider_line(cohort_data: CohortData, name: str, shapes: Mapping[str, tuple[int, int]]) -> str:
    if name not in shapes:
        return f"provider {name}"
    rows, width = shapes[name]
    failed = cohort_data.cohort.n_samples - rows
    return f"provider {name}: {rows} templates of {width} numbers{f', {failed} failures to acquire' if failed else ''}"


def _requirement_lines(spec: AuditSpec, prepared: Prepared, systems: Sequence[str]) -> Iterator[str]:
    """Each requirement with its limit, group and systems, or the reason why it is not testable."""
    if not spec.requirements:
        yield "requirement: none, so there will be no verdict"
    cohort, ranked = prepared.cohort_data.cohort, ranked_classes(prepared.groups)
    for requirement in spec.requirements:
        at = ", ".join(place_of(key, value) for key, value in requirement.at.items())
        what = f"requirement {requirement.name}: {requirement.metric}{f' at {at}' if at else ''}"
        reason = why_not(requirement, spec, ranked) or _no_verdict(requirement, spec, prepared)
        if reason:
            yield f"{what}: not testable: {reason}"
            continue
        of = planned([requirement], ranked, len(systems), counted=TRANSACTIONS in spec.analyses)
        verdicts = "one verdict" if of == 1 else f"{of} verdicts"
        limit = limit_of(requirement).removeprefix("the limit of ")
        few = ", ".join(_too_small(requirement, cohort))
        lacks = (
            f"; not testable, fewer than {formatting.count(requirement.minimum['subjects'])} subjects: {few}"
            if few
            else ""
        )
        advisory = "; advisory" if requirement.advisory else ""
        yield f"{what}, {limit}, group {requirement.group}: {verdicts} on {', '.join(systems)}{lacks}{advisory}"


def _no_verdict(requirement: RequirementSpec, spec: AuditSpec, prepared: Prepared) -> str | None:
    """Why a requirement can have no verdict in this audit; None where it may have one."""
    in_tar = requirement.metric == D_L2 and requirement.at.get("space") == "tar"
    if requirement.metric in NO_INTERVAL or in_tar:
        return f"no interval for the population is offered for {requirement.metric}"
    sets = [*([] if spec.folds.source is FoldSource.NONE else [FOLDS]), *spec.test_sets]
    if requirement.metric == "accuracy" and not sets:
        return "there are no folds; write folds.source=disjoint, or another source"
    if sets and requirement.at.get("pairs", sets[0]) not in sets:
        return f"no test set is named {requirement.at['pairs']}; write at: {{pairs: {' or '.join(sets)}}}"
    of_non_mated = "fmr" in requirement.at or requirement.metric == "fmr"
    cohort, comparisons = prepared.cohort_data.cohort, prepared.comparisons
    if of_non_mated and not planned_non_mated(cohort, comparisons):
        return "no comparison is non-mated"
    several = cohort.n_samples > cohort.n_subjects
    some = several if comparisons.all_pairs else bool(comparisons.mated.any())
    return "no comparison is mated" if requirement.metric in {"fnmr", "fnmr_at_fmr"} and not some else None


def _too_small(requirement: RequirementSpec, cohort: Cohort) -> Iterator[str]:
    """The groups of a requirement that have fewer subjects than it asks for."""
    least = requirement.minimum.get("subjects", 0)
    if requirement.group == EVERYBODY and cohort.n_subjects < least:
        yield f"these are {formatting.count(cohort.n_subjects)}"
    for name, schema in cohort.classifications.items():
        for code, group in [*enumerate(schema.classes), (-1, UNKNOWN)]:
            people = int((schema.codes == code).sum())
            each = requirement.group == EACH and group != UNKNOWN
            asked = (each or requirement.group == group) and requirement.schema in (None, name)
            if asked and 0 < people < least:
                yield f"{group} ({formatting.count(people)})"


def _expected_line(spec: AuditSpec, cohort: Cohort, systems: int, width: int) -> str:
    """Comparisons, time to score them, and memory, by the arithmetic of docs/guides/large.md."""
    n = cohort.n_samples
    pairs, cores = n * (n - 1) // 2, spec.threads or os.cpu_count() or 1
    memory = memory_of(spec, n, cohort.n_subjects, systems, width)
    seconds = SECONDS_OF_A_TERM * width * pairs * systems / cores
    return (
        f"expected: {pairs:,} comparisons of each system; scoring alone takes about {max(seconds, 1):.0f} s "
        f"on {cores} cores, bootstrap and report not counted; about {memory / 1e9:.1f} GB of memory"
    )


def memory_of(spec: AuditSpec, samples: int, subjects: int, systems: int, width: int) -> float:
    """The most bytes that an audit of all pairs takes: for its replicates, or afterwards: digests of its files, report.

    Of each system before the last one the templates stay, and what is kept of its comparisons.
    """
    wanted = 1.25 * (1 + 10 / (math.isqrt(subjects) or 1)) * request_of(spec, []).fmr
    tail_pairs = min(wanted * samples * (samples - 1) / 2, spec.tail_budget / SORTED_BYTES)
    templates, cores = 8 * samples * (width + 1), spec.threads or os.cpu_count() or 1
    report = REPORT_BYTES if spec.report.html or spec.report.pdf else 0
    after = STAYING_BYTES * tail_pairs + max(report, 4 * samples * width)
    laid = LAID_BYTES * tail_pairs + RUN_BYTES * min(tail_pairs, RUNS_OF_A_SAMPLE * samples)
    most = max(laid + WEIGHT_BYTES * samples * cores, after)
    earlier = (systems - 1) * (templates + STAYING_BYTES * tail_pairs)
    return LIBRARY_BYTES + SAMPLE_BYTES * samples + templates + earlier + most
