"""FAR and FRR of transactions by number of attempts, by class, and with failures to enrol."""

from collections.abc import Iterator

from frtaudit.core import Target
from frtaudit.core.canonical import escape, mapping
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Footnotes, Part, Table, Text, TextSpan, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections.tables import (
    build_table,
    by_provider,
    header,
    interval_cells,
    methods_said,
    provider,
    system_blocks,
)
from frtaudit.report.source import Record, Source, at_key, by_place, grouped

ANALYSIS, FEWER = "transactions", "attempts"
RATES, GENERALISED = ("far", "frr"), ("gfar", "gfrr")


@section("transactions", "Transactions", after="same_class")
def build(source: Source) -> View | None:
    """None where the analysis was not asked for."""
    records = [
        record
        for record in source.select(*RATES, *GENERALISED, primary=True)
        if record.estimate.analysis == ANALYSIS
    ]
    if not records:
        return None
    tables = [_rates(source, records, RATES, "transactions", PLAIN, SAYS)]
    general = [
        record
        for record in records
        if record.estimate.metric in GENERALISED and FEWER not in record.estimate.at
    ]
    if general:
        tables.append(_rates(source, general, GENERALISED, "transactions-generalised", WITH_FTE, SAYS_FTE))
        tables.append(_enrolment(source))
    return View(tables=tuple(tables))


PLAIN, WITH_FTE = "False acceptances and false rejections of transactions. ", "With failures to enrol. "
SAYS = (
    "A transaction of up to that many attempts is accepted if one of them matches in time, rejected if none has a "
    "score. A class: both subjects are of it."
)
ONE = "Of two subjects who claim each other's identity, one direction counts."
BOTH = "Both directions of two subjects who claim each other's identity count: the algorithm is declared asymmetric."
SAYS_FTE = (
    "GFAR = (1 − FTE) FAR, GFRR = FTE + (1 − FTE) FRR, of all attempts; those of fewer are in result.json."
)


def _rates(
    source: Source, records: list[Record], metrics: tuple[str, str], name: str, title: str, says: str
) -> Table:
    notes = Footnotes()
    chosen = [record for record in records if record.estimate.metric in metrics]
    blocks = []
    for _, system_records in by_provider(source, chosen):
        for here in grouped(system_records, lambda record: at_key(_point(record))).values():
            rows = tuple(_row(source, pair, metrics, notes) for pair in by_place(here).values())
            at = phrases.at_words(_point(here[0]), here[0].pointer)
            blocks.append(Block(head=spans(provider(here[0]), " ", at), rows=rows))
    attempts, counts = (["Attempts"], ["errors / all"]) if metrics == RATES else ([], [])
    titles = (title for metric in metrics for title in (phrases.metric(metric), *counts, "interval"))
    columns = header([*attempts, "Of"], titles)
    caption = spans(phrases.bold(title), *_declared(source), says, methods_said(chosen, Target.POPULATION))
    return build_table(name, caption, columns, blocks, notes)


def _declared(source: Source) -> Iterator[Part]:
    """Which transactions these are: composed or recorded, until when an attempt counts, in one direction or both."""
    analyses = mapping(source.result.spec.get("analyses")).items()
    name, asked = next(
        (name, settings) for name, entry in analyses if (settings := mapping(entry)).get("type") == ANALYSIS
    )
    protocol, at = mapping(source.result.spec.get("protocol")), f"/spec/analyses/{escape(name)}"
    if protocol.get("type") == ANALYSIS:
        yield "Composed of a subject's images: a reference, then attempts, "
        yield phrases.whole(int(str(protocol["k"])), "/spec/protocol/k")
        yield " for each transaction. "
    timeout = asked.get("timeout")
    if isinstance(timeout, int | float):
        yield "An attempt that ends after "
        yield phrases.number(f"{timeout:g}", f"{at}/timeout")
        yield " s does not count. "
    yield TextSpan(text=BOTH if asked.get("ordered") else ONE, pointer=f"{at}/ordered")
    yield " "


def _point(record: Record) -> dict[str, float | str]:
    """The operating point, for whatever number of attempts."""
    return {key: setting for key, setting in record.estimate.at.items() if key != FEWER}


def _row(
    source: Source, pair: dict[str, Record], metrics: tuple[str, str], notes: Footnotes
) -> tuple[Text, ...]:
    first = pair[metrics[0]]
    fewer, attempts = first.estimate.at.get(FEWER), spans("all allowed")
    if isinstance(fewer, float):
        shown = phrases.whole(int(fewer), f"{first.pointer}/at/{FEWER}")
        attempts = spans("first ", shown) if fewer > 1 else spans("first")
    cells: list[Text] = [attempts] if metrics == RATES else []
    cells.append((phrases.group(source, first),))
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

    def row(record: Record) -> tuple[Text, ...]:
        intervals = interval_cells(record, notes, Target.POPULATION)
        group = (phrases.group(source, record),)
        return group, phrases.value(record, notes), phrases.counts(record), *intervals

    columns = header(["Of"], ["FTE", "not enrolled / subjects", "interval"])
    caption = phrases.titled(
        "Failure to enrol.",
        "Subjects who could not be enrolled, of all.",
        methods_said(records, Target.POPULATION),
    )
    return build_table("fte", caption, columns, system_blocks(source, records, row), notes)
