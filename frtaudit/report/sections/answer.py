"""The answer of the first page in sentences: requirements, groups, and what the data cannot decide."""

from collections.abc import Iterator, Sequence

from frtaudit.core import Verdict
from frtaudit.core.result import DECISION
from frtaudit.report import phrases
from frtaudit.report.pieces import Part, Text, TextSpan, listed, plain_text, semicolons, spans
from frtaudit.report.sections import (
    deciding,
    group_sentences,
    identity_labels,
    label_notice,
    operating_points,
    releases,
    vendor_tables,
)
from frtaudit.report.sections.group_sentences import FEW_SYSTEMS, MAX_NAMED
from frtaudit.report.sections.interclass import farthest
from frtaudit.report.sections.operating_points import main_target, overall
from frtaudit.report.sections.tables import provider
from frtaudit.report.sections.verdicts import FindingRow, confidence, marks, named
from frtaudit.report.source import OF_SUBJECTS, Record, Source

MODELLED = "fmr_model"


def sentences(source: Source, finding_rows: Sequence[FindingRow]) -> tuple[Text, ...]:
    """For the requirements of each system, the groups by rate, releases, and what the data cannot decide."""
    rates = () if source.select(DECISION) else _rates(source)  # a comparison shows them in its table
    return (
        *(_requirements(source, finding_rows) if finding_rows else rates),
        *_modelled(finding_rows),
        *identity_labels.against_annotation(source),
        *vendor_tables.changed(source),
        *group_sentences.sentences(source),
        *releases.answers(source),
        *_undecided(source, finding_rows),
    )


def _requirements(source: Source, finding_rows: Sequence[FindingRow]) -> Iterator[Text]:
    """Each system that fails with its failures, their numbers and limits; then the others, by their outcomes."""
    alike: dict[tuple[int, str], list[TextSpan]] = {}
    systems = whole = 0
    limit = MAX_NAMED if len(source.providers) <= FEW_SYSTEMS else 1
    for name in source.providers:
        rows = [
            row
            for row in finding_rows
            if row.record
            and row.record.estimate.provider == name
            and not source.result.findings[row.index].advisory
        ]
        failed = [row for row in rows if row.code == Verdict.FAIL.value]
        rest = [row for row in rows if row.code in (Verdict.INCONCLUSIVE.value, Verdict.NOT_TESTABLE.value)]
        if not rows:
            continue
        system = phrases.bold(name, f"{rows[0].record.pointer}/provider" if rows[0].record else None)
        passed = len(rows) - len(failed) - len(rest)
        whole += passed == len(rows)
        systems += 1
        if failed:
            failures = _failures(source, failed)
            shared = _shared(failed) if len(failures) > 1 else ()
            if shared:
                failures = _failures(source, failed, told=True)
            first = [text for text, _ in failures[:limit]]
            left = sum(count for _, count in failures[limit:])
            more: list[Part] = [f"; {left} more below"] if left else []
            fails = _of(_requirements_of(source, failed), _requirements_of(source, rows))
            yield spans(system, f" fails {fails}", *shared, ": ", semicolons(first), *more, ".")
        else:
            key = _requirements_of(source, rows), _outcomes(passed, rest) if rest else ""
            alike.setdefault(key, []).append(system)
    yield from (_without_failure(total, outcomes, names) for (total, outcomes), names in alike.items())
    if systems > 1 and alike and not whole:  # where each fails, the sentences above have said it
        yield spans("No system passes all that was required of it.")


def _without_failure(total: int, outcomes: str, names: Sequence[TextSpan]) -> Text:
    """Systems that fail no requirement and have the same outcomes."""
    several = len(names) > 1
    if outcomes:
        each = "for each of them, " if several else ""
        return spans(listed(names), f" fail{'' if several else 's'} no requirement: {each}{outcomes}.")
    of = _of(total, total) if not several or total > 1 else "their requirement"
    return spans(listed(names), f" pass{'' if several else 'es'} {of}.")


def _modelled(finding_rows: Sequence[FindingRow]) -> Iterator[Text]:
    """That a model of the tail decided, where one did."""
    decided = Verdict.PASS.value, Verdict.FAIL.value
    names = {
        row.requirement.text: row.requirement
        for row in finding_rows
        if row.record and row.record.estimate.metric == MODELLED and row.code in decided
    }
    if names:
        yield phrases.titled(
            "Decided by a model of the tail beyond the data, not by the data:",
            listed(list(names.values())),
            ". The model does not cover people who are missing from the cohort, such as look-alikes.",
        )


def _outcomes(passed: int, rest: Sequence[FindingRow]) -> str:
    """``4 findings pass and 1 is inconclusive``: how many findings have each outcome but a failure."""
    counts = [(passed, "pass" if passed > 1 else "passes")]
    for verdict, word in ((Verdict.INCONCLUSIVE, "inconclusive"), (Verdict.NOT_TESTABLE, "not testable")):
        count = sum(row.code == verdict.value for row in rest)
        counts.append((count, f"{'are' if count > 1 else 'is'} {word}"))
    (first, *others) = [(count, outcome) for count, outcome in counts if count]
    noun = "findings" if first[0] > 1 else "finding"
    parts = [f"{first[0]} {noun} {first[1]}", *(f"{count} {outcome}" for count, outcome in others)]
    return plain_text(listed(parts))


def _requirements_of(source: Source, rows: Sequence[FindingRow]) -> int:
    """How many requirements the findings are of; one for each group has several findings."""
    return len({source.result.findings[row.index].requirement for row in rows})


def _of(count: int, total: int) -> str:
    if count == total:
        return {1: "its requirement", 2: "both requirements"}.get(total, f"all {total} requirements")
    return f"{count} of {total} requirements"


def _shared(failed: Sequence[FindingRow]) -> Text:
    """`` at FMR 0.1 %, limit at most 5 %`` where failures are of one operating point and one limit."""
    conditions = {
        (plain_text(_point(row.record)), plain_text(row.limit)): (row.record, row.limit)
        for row in failed
        if row.record is not None
    }
    if len(conditions) != 1 or any(row.record is None for row in failed):
        return ()
    ((record, limit),) = conditions.values()
    return spans(*_point(record), ", limit ", limit)


def _point(record: Record) -> Text:
    """`` at FMR 0.1 %``, of a finding; empty where it has no operating point."""
    at = {key: value for key, value in record.estimate.at.items() if key not in ("rate", "space")}
    return spans(" at ", phrases.at_words(at, record.pointer)) if at else ()


def _failures(source: Source, failed: Sequence[FindingRow], *, told: bool = False) -> list[tuple[Text, int]]:
    """Each failure once, and of how many requirements: those that ask the same are named, as is a source not read.

    ``told``: whether the operating point and the limit stand before them.
    """
    alike: dict[str, list[FindingRow]] = {}
    for row in failed:
        alike.setdefault(plain_text(_failure(source, row, told=told)), []).append(row)
    failures: list[tuple[Text, int]] = []
    for rows in alike.values():
        source_marks = [tuple(marks(source, source.result.findings[row.index])) for row in rows]
        whose = spans(*source_marks[0])
        if len(rows) > 1:
            each = (spans(row.requirement, *mark) for row, mark in zip(rows, source_marks, strict=True))
            whose = spans(" (", *semicolons(list(each)), ")")
        failures.append((spans(*_failure(source, rows[0], told=told), *whose), len(rows)))
    return failures


def _failure(source: Source, row: FindingRow, *, told: bool) -> Text:
    """``FNMR of Cedar at FMR 0.1 % is 15.8 %, 95 % CI 11.5 % to 20.9 %, limit at most 10 %``."""
    if row.record is None:
        return spans(row.requirement)
    interval = confidence(row.record)
    between: list[Part] = [", ", interval] if interval else []
    judged = (*_rate(source, row, row.record), *(() if told else _point(row.record)))
    return spans(*judged, " is ", row.value, *between, *(() if told else spans(", limit ", row.limit)))


def _rate(source: Source, row: FindingRow, record: Record) -> Text:
    """The metric and the group of a finding."""
    group: list[Part] = [part for part in row.who[1:] if part.text != ", "]
    of = farthest(source, record)
    return spans(named(record), phrases.among(source, record), *of, " of " if group else "", *group)


def _rates(source: Source) -> Iterator[Text]:
    """Without requirements: FNMR and FMR of each system at the threshold of the main target, with intervals.

    Of many systems FNMR alone.
    """
    target = main_target(source)
    if target is None:
        return
    records = overall(source, "fnmr_at_fmr", target)
    beside = {record.estimate.provider: record for record in overall(source, "fmr", target)}
    for record in records:
        name = provider(record)
        point = phrases.at_words(record.estimate.at, record.pointer)
        if record.estimate.value is None:
            yield spans(name, ": no FNMR at ", point, ": ", *phrases.note(record), ".")
            continue
        labels, fmr = label_notice.beside(source, record), beside.get(record.estimate.provider)
        there: list[Part] = []
        if fmr is not None and len(records) <= FEW_SYSTEMS:
            interval = operating_points.confidence(fmr.bound(*OF_SUBJECTS), fmr)
            there = ["; FMR of that threshold ", phrases.value(fmr), *interval]
        interval = operating_points.confidence(record.bound(*OF_SUBJECTS), record)
        yield spans(name, ": FNMR ", phrases.value(record), " at ", point, *interval, *labels, *there, ".")


def _undecided(source: Source, finding_rows: Sequence[FindingRow]) -> Iterator[Text]:
    """What stays inconclusive, with the number of subjects that would decide it if the estimates stay as they are."""
    parts: dict[str, tuple[Text, Text, Text]] = {}  # several requirements may ask the same
    conditions: dict[str, None] = {}
    unsure = [finding_row for finding_row in finding_rows if finding_row.code == Verdict.INCONCLUSIVE.value]
    for finding in unsure[:MAX_NAMED]:
        if finding.record is not None:
            counted, enough = deciding.what_would(source, finding, finding.record)
            advisory = ", advisory" if source.result.findings[finding.index].advisory else ""
            asked = spans(_rate(source, finding, finding.record), *_point(finding.record), advisory)
            part = spans(finding.who[:1]), asked, spans(enough)
            parts.setdefault(" ".join(map(plain_text, part)), part)
            if counted:
                conditions[f" {deciding.condition(finding.record)}"] = None
    more = f" and {len(unsure) - MAX_NAMED} more" if len(unsure) > MAX_NAMED else ""
    if len(parts) > 1 and len({plain_text(asked) for _, asked, _ in parts.values()}) == 1:
        ((_, asked, _), *_) = parts.values()
        named = semicolons([spans(*who, *enough) for who, _, enough in parts.values()])
        yield spans("Inconclusive on these data: ", *asked, " of ", named, f"{more}.", *conditions)
    elif parts:
        named = semicolons([spans(*who, ", ", *asked, *enough) for who, asked, enough in parts.values()])
        yield spans("Inconclusive on these data: ", named, f"{more}.", *conditions)
