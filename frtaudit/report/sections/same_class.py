"""FMR among people of one class beside FMR among all, by system and schema."""

from frtaudit.core import Target
from frtaudit.report import phrases
from frtaudit.report.pieces import Footnotes, Text, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections.tables import build_table, grouped_blocks, header, interval_cells, methods_said
from frtaudit.report.source import Record, Source

FMR, RATIO = "fmr_same_class", "fmr_same_class_ratio"


@section("same_class", "FMR within classes", after="groups")
def build(source: Source) -> View | None:
    """None where the analysis was not asked for."""
    records = source.select(FMR, RATIO, primary=True)
    if not records:
        return None
    notes = Footnotes()
    blocks = grouped_blocks(
        source, records, lambda record: record.estimate.place, lambda here: _row(here, notes)
    )
    columns = header(
        ["Schema", "At"], ["FMR", "false matches", "interval", "ratio to FMR of all", "interval"]
    )
    caption = phrases.titled(
        "FMR within classes.",
        "FMR of comparisons of two subjects of one class of a schema, and its ratio to FMR of all comparisons at the "
        "same threshold.",
        methods_said(records, Target.POPULATION),
    )
    return View(tables=(build_table("same-class", caption, columns, blocks, notes),))


def _row(records: list[Record], notes: Footnotes) -> tuple[Text, ...]:
    pair = {record.estimate.metric: record for record in records}
    rate, ratio = pair[FMR], pair[RATIO]
    schema = rate.estimate.schema
    bound = ratio.bound(Target.POPULATION)
    known = bound is not None and bound.interval.low is not None  # its counts are those of FMR: no footnote
    return (
        spans("class of every schema" if schema is None else schema.replace("_", " ")),
        phrases.at_words(rate.estimate.at, rate.pointer),
        phrases.value(rate, notes),
        phrases.counts(rate),
        *interval_cells(rate, notes, Target.POPULATION),
        phrases.value(ratio, notes),
        phrases.bounds(bound, ratio.estimate, None if known else notes),
    )
