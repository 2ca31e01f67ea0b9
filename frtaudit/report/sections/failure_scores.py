"""Failures as scores of zero: d_l2 with failed comparisons apart and as the lowest score, and the difference."""

from frtaudit.core.text.file_names import name_of
from frtaudit.report import phrases
from frtaudit.report.pieces import Footnotes, Table, Text, TextSpan
from frtaudit.report.section import View, section
from frtaudit.report.sections.tables import build_table, grouped_blocks, header
from frtaudit.report.source import Record, Source

METRICS = ("failed_mated", "d_l2_failures", "d_l2_failures_change")


@section("failure_scores", "Failures as scores of zero", after="annotation", annex=True)
def build(source: Source) -> View | None:
    """None when the analysis did not run."""
    schemas = [name for name in source.schemas if source.select(*METRICS, schema=name)]
    return View(tables=tuple(_table(source, name) for name in schemas)) if schemas else None


def _table(source: Source, schema: str) -> Table:
    records = source.select(*METRICS, schema=schema)
    blocks = grouped_blocks(
        source, records, lambda record: record.estimate.group, lambda here: _row(source, here)
    )
    columns = header(
        ["Class"],
        ["failed / mated comparisons", "d_l2, failures apart", "d_l2, failures as score 0", "difference"],
    )
    caption = phrases.titled(
        f"The effect of failures on d_l2, by {schema.replace('_', ' ')}.",
        "Peña-Alcántara (2022) assigns the lowest score to every comparison with an image that failed; this report "
        "counts failures separately unless its spec says otherwise. The same comparisons under both rules; points on 0 "
        "to 100.",
    )
    return build_table(name_of("d_l2-failure-scores", schema), caption, columns, blocks, Footnotes(), "dense")


def _row(source: Source, records: list[Record]) -> tuple[Text, ...]:
    here = {(record.estimate.metric, record.estimate.at.get("failures")): record for record in records}
    label = phrases.group(source, records[0])
    name = "largest of the classes" if records[0].estimate.group == "max" else label.text
    return (
        (TextSpan(text=name, pointer=label.pointer),),
        phrases.counts(here.get(("failed_mated", None))),
        phrases.value(here.get(("d_l2_failures", "apart"))),
        phrases.value(here.get(("d_l2_failures", "score_zero"))),
        phrases.value(here.get(("d_l2_failures_change", None))),
    )
