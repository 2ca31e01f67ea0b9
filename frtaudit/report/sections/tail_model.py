"""FMR beyond the data by a model of the tail: rates, thresholds, fits, and how stable they are."""

from collections.abc import Callable, Iterator

from frtaudit.core import Target
from frtaudit.report import phrases
from frtaudit.report.figures import curves, tails
from frtaudit.report.pieces import Column, Figure, Footnotes, Table, Text, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections import front
from frtaudit.report.sections.tables import build_table, grouped_blocks, header, interval_cells, methods_said
from frtaudit.report.source import Record, Source

ANALYSIS = "tail_model"
RATE, CHOICE, SEEN = "fmr_model", "fmr_model_choice", "fmr_model_seen"
TARGET = "threshold_model"
FIT = ("tail_threshold", "tail_shape", "tail_fit_p")
LEAD = (
    "Beyond the data FMR is known only by a model: a generalised Pareto tail fitted to the highest non-mated scores. "
    "It assumes that the tail continues as in the data. Look-alikes, twins or people under two names that are not in "
    "the cohort violate this assumption, and no test on these data can show it; real sets contain some."
)


@section("tail_model", "FMR beyond the data", after="transactions")
def build(source: Source) -> View | None:
    """None where the analysis was not asked for."""
    records = [record for record in source.records if record.estimate.analysis == ANALYSIS]
    if not records:
        return None
    built = (_rates(source, records), _targets(source, records), _fits(source, records))
    return View(
        lead=(spans(LEAD),),
        main=tuple(table for table in built if table is not None),
        figures=tuple(_stability(source)),
    )


def _rates(source: Source, records: list[Record]) -> Table | None:
    columns = header(["At"], ["FMR", "interval", "false matches seen", "by one threshold", "interval"])
    says = (
        "FMR is the average over the chosen threshold and the higher ones; by one threshold: by the chosen one alone. "
        "The smallest value given is two decades below what the data resolve."
    )

    def row(by_metric: dict[str, Record], notes: Footnotes) -> tuple[Text, ...]:
        first, other = by_metric[RATE], by_metric[CHOICE]
        return (
            phrases.at_words(first.estimate.at, first.pointer),
            phrases.value(first, notes),
            *interval_cells(first, notes, Target.MODEL),
            phrases.counts(by_metric.get(SEEN, first)),
            phrases.value(other, notes),
            *interval_cells(other, notes, Target.MODEL),
        )

    named = ("tail-rates", "FMR by the model. ", says)
    return _table(source, records, (RATE, CHOICE, SEEN), named, columns, row)


def _targets(source: Source, records: list[Record]) -> Table | None:
    columns = header(["For"], ["threshold", "interval"])

    def row(by_metric: dict[str, Record], notes: Footnotes) -> tuple[Text, ...]:
        record = by_metric[TARGET]
        at = phrases.at_words(record.estimate.at, record.pointer)
        return at, phrases.value(record, notes), *interval_cells(record, notes, Target.MODEL)

    named = ("tail-targets", "Thresholds by the model. ", "By the average.")
    return _table(source, records, (TARGET,), named, columns, row)


def _fits(source: Source, records: list[Record]) -> Table | None:
    columns = header([], ["Exceedances", "of threshold", "shape", "interval", "p of the fit"])
    says = (
        "Anderson and Darling's test by parametric bootstrap, in which comparisons that share subjects are as "
        "dependent as these are; a small p rejects the fit. The chosen threshold has the most exceedances of those "
        "from which on no fit is rejected."
    )

    def row(by_metric: dict[str, Record], notes: Footnotes) -> tuple[Text, ...]:
        threshold, shape, p = (by_metric[name] for name in FIT)
        count = f"{threshold.estimate.at['exceedances']:g}"
        return (
            (phrases.number(count, f"{threshold.pointer}/at/exceedances"),),
            phrases.value(threshold, notes),
            phrases.value(shape, notes),
            *interval_cells(shape, notes, Target.MODEL),
            phrases.value(p, notes),
        )

    return _table(source, records, FIT, ("tail-fits", "Fits of the tail. ", says), columns, row)


def _table(
    source: Source,
    records: list[Record],
    metrics: tuple[str, ...],
    named: tuple[str, str, str],
    columns: tuple[Column, ...],
    row: Callable[[dict[str, Record], Footnotes], tuple[Text, ...]],
) -> Table | None:
    chosen = [record for record in records if record.estimate.metric in metrics]
    if not chosen:
        return None
    notes = Footnotes()
    blocks = grouped_blocks(
        source,
        chosen,
        lambda record: record.at,
        lambda here: row({record.estimate.metric: record for record in here}, notes),
    )
    name, title, says = named
    caption = spans(phrases.bold(title), says, methods_said(chosen, Target.MODEL))
    return build_table(name, caption, columns, blocks, notes)


def _stability(source: Source) -> Iterator[Figure]:
    panels = []
    names: dict[int, str] = {}
    for kind, title, ylabel in (
        ("tail_shape", "Shape of the tail", "shape"),
        ("tail_fmr", "FMR extrapolated to one threshold", "FMR"),
    ):
        series = front.series(source, (curve for curve in source.result.curves if curve.analysis == kind))
        names |= {trace.index: trace.name for trace in series}
        if series:
            name = f"{kind.replace('_', '-')}-over-thresholds"
            panels.append(tails.over_candidates(name, title, series, ylabel, rates=kind == "tail_fmr"))
    if panels:
        yield Figure(
            name="tail-stability",
            title="The model over candidate thresholds",
            caption=spans(
                "If the model holds, the shape and the extrapolated FMR do not depend on the threshold from which "
                "the tail is fitted. FMR is extrapolated to each system's threshold of the first FMR target beyond "
                "its data."
            ),
            panels=tuple(panels),
            keys=curves.keys("tail-stability", sorted(names.items())),
        )
