"""FMR among people of one class beside FMR among all, by system and schema."""

from dataclasses import dataclass

from frtaudit.core import Target
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Column, Footnotes, Table, Text, TextSpan, spans
from frtaudit.report.sections.tables import build_table, by_provider, interval_cells, methods_said, provider
from frtaudit.report.source import Record, Source

FMR, RATIO = "fmr_same_class", "fmr_same_class_ratio"


@dataclass(frozen=True, slots=True, kw_only=True)
class SameClass:
    """The view: one table of all systems."""

    tables: tuple[Table, ...]


def build(source: Source) -> SameClass | None:
    """None where the analysis was not asked for."""
    records = source.select(FMR, RATIO, primary=True)
    if not records:
        return None
    notes = Footnotes()
    blocks = [
        Block(head=(provider(own[0]),), rows=tuple(_row(pair, notes) for pair in _pairs(own).values()))
        for _, own in by_provider(source, records)
    ]
    columns = (
        Column(title="Both people of one"),
        Column(title="at"),
        Column(title="FMR", kind="num"),
        Column(title="false matches", kind="num"),
        Column(title="interval", kind="num"),
        Column(title="over FMR of all", kind="num"),
        Column(title="interval", kind="num"),
    )
    caption = spans(
        TextSpan(text="False matches among people of one class. ", kind="b"),
        "FMR of comparisons within the classes of a schema, and its ratio to FMR of all comparisons at the same "
        "threshold.",
        methods_said(records, Target.POPULATION),
    )
    return SameClass(tables=(build_table("same-class", caption, columns, blocks, notes),))


def _pairs(records: list[Record]) -> dict[tuple[object, ...], dict[str, Record]]:
    """FMR and ratio of one place, by place."""
    found: dict[tuple[object, ...], dict[str, Record]] = {}
    for record in records:
        found.setdefault(record.estimate.place, {})[record.estimate.metric] = record
    return found


def _row(pair: dict[str, Record], notes: Footnotes) -> tuple[Text, ...]:
    rate, ratio = pair[FMR], pair[RATIO]
    schema = rate.estimate.schema
    return (
        spans("class of every schema" if schema is None else schema.replace("_", " ")),
        phrases.at_words(rate.estimate.at, rate.pointer),
        phrases.value(rate, notes),
        phrases.counts(rate),
        *interval_cells(rate, notes, Target.POPULATION),
        phrases.value(ratio, notes),
        *interval_cells(ratio, notes, Target.POPULATION),
    )
