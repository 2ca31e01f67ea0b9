"""Estimates of analyses that no section of their own prints: nothing of the result stays unread."""

from frtaudit.core.metrics import IN_SECTIONS
from frtaudit.core.spec import Weighting
from frtaudit.report import phrases
from frtaudit.report.pieces import Footnotes, Part, Table, Text, TextSpan, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections.tables import BOTH, build_table, header, interval_cells, system_blocks
from frtaudit.report.source import Record, Source
from frtaudit.report.words import words


@section("other", "Further estimates", after="identity_check", annex=True)
def build(source: Source) -> View | None:
    """None when every estimate has a section of its own."""
    names = dict.fromkeys(
        record.estimate.analysis for record in source.records if record.estimate.metric not in IN_SECTIONS
    )
    tables = tuple(_table(source, name) for name in names)
    return View(tables=tables) if tables else None


def _table(source: Source, analysis: str) -> Table:
    notes = Footnotes()
    records = [
        record
        for record in source.records
        if record.estimate.analysis == analysis and record.estimate.metric not in IN_SECTIONS
    ]

    def row(record: Record) -> tuple[Text, ...]:
        intervals = interval_cells(record, notes, *BOTH)
        estimate = record.estimate
        parts: list[Part] = [
            TextSpan(text=phrases.metric(estimate.metric), pointer=f"{record.pointer}/metric")
        ]
        if estimate.group != "all":
            parts += [", ", phrases.group(source, record)]
        if estimate.at:
            parts += [" at ", phrases.at_words(estimate.at, record.pointer)]
        if estimate.weighting == Weighting.IDENTITY.value:
            parts += [f", {words().weighting[Weighting.IDENTITY.value]}"]
        return spans(*parts), phrases.value(record, notes), phrases.counts(record), *intervals

    columns = header(
        ["Estimate"], ["Value", "errors / trials", "for the population", "for the same subjects, new images"]
    )
    caption = spans(phrases.bold(f"Analysis {analysis}."))
    return build_table(f"other-{analysis}", caption, columns, system_blocks(source, records, row), notes)
