"""FAR and FRR of transactions by number of attempts, by class, and with failures to enrol."""

from collections.abc import Iterable
from dataclasses import dataclass

from frtaudit.core import Target
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Column, Footnotes, Table, Text, TextSpan, spans
from frtaudit.report.sections.tables import build_table, by_provider, interval_cells, methods_said, provider
from frtaudit.report.source import Record, Source

ANALYSIS = "transactions"
RATES, GENERALISED = ("far", "frr"), ("gfar", "gfrr")


@dataclass(frozen=True, slots=True, kw_only=True)
class Transactions:
    """The view: rates, then rates with failures to enrol, then failures to enrol."""

    tables: tuple[Table, ...]


def build(source: Source) -> Transactions | None:
    """None where the analysis was not asked for."""
    records = [
        record
        for record in source.select(*RATES, *GENERALISED, primary=True)
        if record.estimate.analysis == ANALYSIS
    ]
    if not records:
        return None
    tables = [_rates(source, records, RATES, "transactions", PLAIN, SAYS)]
    if any(record.estimate.metric in GENERALISED for record in records):
        tables.append(_rates(source, records, GENERALISED, "transactions-generalised", WITH_FTE, SAYS_FTE))
        tables.append(_enrolment(source))
    return Transactions(tables=tuple(tables))


PLAIN, WITH_FTE = "Transactions accepted and rejected wrongly. ", "The same with failures to enrol. "
SAYS = (
    "A transaction accepts if any of its attempts matches; one without a score is rejected. All attempts that the "
    "audit allows, unless a row says how many. Of a class: of people of one class."
)
SAYS_FTE = "GFAR = (1 − FTE) FAR, GFRR = FTE + (1 − FTE) FRR."


def _rates(
    source: Source, records: list[Record], metrics: tuple[str, str], name: str, title: str, says: str
) -> Table:
    notes = Footnotes()
    chosen = [record for record in records if record.estimate.metric in metrics]
    blocks = [
        Block(
            head=(provider(own[0]),),
            rows=tuple(_row(source, pair, metrics, notes) for pair in _pairs(own).values()),
        )
        for _, own in by_provider(source, chosen)
    ]
    columns = [Column(title="Of"), Column(title="at")]
    for metric in metrics:
        columns += [
            Column(title=phrases.metric(metric), kind="num"),
            *([Column(title="errors / transactions", kind="num")] if metrics == RATES else []),
            Column(title="interval", kind="num"),
        ]
    caption = spans(TextSpan(text=title, kind="b"), says, methods_said(chosen, Target.POPULATION))
    return build_table(name, caption, columns, blocks, notes)


def _pairs(records: Iterable[Record]) -> dict[tuple[object, ...], dict[str, Record]]:
    """Both rates of one place, by place."""
    found: dict[tuple[object, ...], dict[str, Record]] = {}
    for record in records:
        found.setdefault(record.estimate.place, {})[record.estimate.metric] = record
    return found


def _row(
    source: Source, pair: dict[str, Record], metrics: tuple[str, str], notes: Footnotes
) -> tuple[Text, ...]:
    first = pair[metrics[0]]
    cells: list[Text] = [(phrases.group(source, first),), phrases.at_words(first.estimate.at, first.pointer)]
    for metric in metrics:
        record = pair[metric]
        cells.append(phrases.value(record, notes))
        if metrics == RATES:
            cells.append(phrases.counts(record))
        cells += interval_cells(record, notes, Target.POPULATION)
    return tuple(cells)


def _enrolment(source: Source) -> Table:
    """Failure to enrol, of people: the same for every system of one table of people."""
    notes = Footnotes()
    records = source.select("fte")
    blocks = [
        Block(
            head=(provider(own[0]),),
            rows=tuple(
                (
                    (phrases.group(source, record),),
                    phrases.value(record, notes),
                    phrases.counts(record),
                    *interval_cells(record, notes, Target.POPULATION),
                )
                for record in own
            ),
        )
        for _, own in by_provider(source, records)
    ]
    columns = (
        Column(title="Of"),
        Column(title="FTE", kind="num"),
        Column(title="not enrolled / people", kind="num"),
        Column(title="interval", kind="num"),
    )
    caption = spans(
        TextSpan(text="Failure to enrol. ", kind="b"),
        "People who could not be enrolled, of all.",
        methods_said(records, Target.POPULATION),
    )
    return build_table("fte", caption, columns, blocks, notes)
