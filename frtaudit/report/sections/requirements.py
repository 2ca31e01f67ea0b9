"""Findings, one to a part of a page: the sentence, its line, the numbers with counts, intervals and methods."""

from dataclasses import dataclass

from frtaudit.core.text.file_names import name_of
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Footnotes, Table, Text, plain_text, spans
from frtaudit.report.section import section
from frtaudit.report.sections.tables import INTERVAL_COLUMNS, interval_rows
from frtaudit.report.sections.verdicts import ORDER, FindingRow, all_finding_rows
from frtaudit.report.source import Record, Source
from frtaudit.report.words import display_name, words

MAX_PARTS = 20  # findings with a part of their own; the others stand in one table
MAX_ROWS = 500


FindingPart = tuple[
    FindingRow, tuple[tuple[str, Text], ...], Table | None
]  # a finding, its facts, its intervals


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """The view: findings with parts of their own, the rest in a table, what the verdicts mean, how many were cut."""

    parts: tuple[FindingPart, ...]
    finding_rows: tuple[FindingRow, ...]
    meanings: tuple[tuple[str, str, str], ...]
    left_out: int


@section("requirements", "Findings", annex=True)
def build(source: Source) -> Requirements | None:
    """None without requirements."""
    if not source.result.findings:
        return None
    finding_rows = all_finding_rows(source)
    verdicts, means = words().verdict, words().verdict_means
    return Requirements(
        parts=tuple(_part(finding_row) for finding_row in finding_rows[:MAX_PARTS]),
        finding_rows=finding_rows[MAX_PARTS:MAX_ROWS],
        meanings=tuple(
            (code, display_name(verdicts, code), means[code]) for code in (verdict.value for verdict in ORDER)
        ),
        left_out=max(len(finding_rows) - MAX_ROWS, 0),
    )


def _part(row: FindingRow) -> FindingPart:
    record = row.record
    facts: list[tuple[str, Text]] = []
    if record is not None and record.estimate.value is not None:
        facts.append(("Estimate", phrases.value(record)))
    if record is not None and record.estimate.numerator is not None:
        facts.append(("Errors / trials", phrases.counts(record)))
    table = None if record is None or not record.bounds else _intervals(row, record)
    return row, (*facts, ("Limit", row.limit)), table


def _intervals(row: FindingRow, record: Record) -> Table:
    notes, estimate = Footnotes(), record.estimate
    rows = interval_rows(record, notes)
    group = f"{estimate.schema}_{estimate.group}" if estimate.schema else estimate.group
    at = "_".join(f"{key}_{value}" for key, value in sorted(estimate.at.items()))
    who = plain_text(row.who)
    caption = spans(
        f"Intervals of {phrases.index_name(record)}, {row.requirement.text}{', ' if who else ''}{who}"
    )
    return Table(
        name=name_of("intervals", estimate.provider, group, at, row.requirement.text),
        caption=caption,
        columns=INTERVAL_COLUMNS,
        blocks=(Block(rows=rows),),
        notes=notes.all(),
        kind="dense quiet",
    )
