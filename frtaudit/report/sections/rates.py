"""Error rates of everybody: curves with bands, a table for each FMR target, fixed thresholds, equal error rate."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from frtaudit.core import Target
from frtaudit.core.text import formatting
from frtaudit.core.text.file_names import name_of
from frtaudit.report import phrases
from frtaudit.report.figures import curves as figures
from frtaudit.report.figures import scales
from frtaudit.report.figures.curves import Series
from frtaudit.report.pieces import Block, Figure, Footnotes, Panel, Part, Table, Text, TextSpan, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections import front, operating_points
from frtaudit.report.sections.tables import (
    BOTH,
    INTERVAL_COLUMNS,
    RATE_COLUMNS,
    blocks_of_systems,
    build_table,
    header,
    interval_rows,
    methods_said,
    provider,
)
from frtaudit.report.source import Record, Source, grouped
from frtaudit.report.words import display_name, words

KINDS = ("det", "fmr", "fnmr")
ALONE = {
    "roc": "Higher is better. FMR is logarithmic. ",
    "det": "Lower is better. Both axes are logarithmic. ",
}


@section("rates", "Error rates", after="label_cost")
def build(source: Source) -> View | None:
    """None when no error rate was estimated."""
    tables = [_target_table(source, target) for target in operating_points.targets_of(source)]
    tables += [*_at_thresholds(source), *_eer(source)]
    drawn = [figure for figure in (_curves(source), _over_threshold(source)) if figure is not None]
    return View(figures=tuple(drawn), tables=tuple(tables)) if tables or drawn else None


def _curves(source: Source) -> Figure | None:
    series = front.det_curves(source)
    if not series:
        return None
    panels, rest = tuple(_pairs(series)), (*_band_words(series), f"Rates: {_weights(series)}.")
    return Figure(
        name="curves",
        title="ROC and DET",
        alone={
            name_of(kind, which): spans(*(front.named(_names(part)) if which else ()), reading, *rest)
            for kind, reading in ALONE.items()
            for which, _, part in _parts(series)
        },
        caption=spans(
            "Receiver operating characteristic, left: higher is better. Detection error trade-off, right: lower is "
            "better. ",
            *_band_words(series),
            f"Rates in the figure: {_weights(series)}. Scales: FMR logarithmic, on the right FNMR too",
            ", where 0 is drawn at the edge." if any(0.0 in trace.curve.y for trace in series) else ".",
        ),
        panels=panels,
        keys=figures.keys("curves", [(trace.index, trace.name) for trace in series]),
    )


def _pairs(series: list[Series]) -> Iterator[Panel]:
    """ROC and DET of all systems, or on the same axes of a few at a time."""
    if len(series) <= front.MAX_SYSTEMS_IN_PANEL:
        yield from (figures.roc("roc", series), figures.det("det", series))
        return
    for which, of, part in _parts(series):
        yield _of(part, figures.roc(name_of("roc", which), part, f"ROC{of}", series))
        yield _of(part, figures.det(name_of("det", which), part, f"DET{of}", every=series))


def _parts(series: list[Series]) -> Iterator[tuple[str, str, Sequence[Series]]]:
    """All systems, or a few at a time: how name and title of their panel end, and their curves."""
    for which, part in front.in_parts(series):
        yield which, f", {front.first_to_last(_names(part))}" if which else "", part


def _names(part: Sequence[Series]) -> tuple[str, ...]:
    return tuple(trace.name for trace in part)


def _weights(series: list[Series]) -> str:
    codes = dict.fromkeys(trace.curve.weighting for trace in series if trace.curve.weighting)
    return ", ".join(display_name(words().weighting, code) for code in codes) or "as the result has them"


def _band_words(series: list[Series]) -> list[Part]:
    banded = next((trace.curve for trace in series if trace.curve.low is not None), None)
    if banded is None or banded.target is None or banded.method is None:
        return ["No band is drawn: the result contains none for these curves. "]
    target = display_name(words().target, banded.target.value)
    method = display_name(words().method, banded.method.value)
    return [f"The bands are pointwise intervals for {target} ({method}); a whole curve may leave its band. "]


def _over_threshold(source: Source) -> Figure | None:
    drawn = [trace for kind in KINDS for trace in front.of_everybody(source, kind)]
    panels = scales.alike(lambda: _threshold_panels(source))
    if not panels:
        return None
    return Figure(
        name="over-threshold",
        title="Effect of the threshold",
        caption=spans(
            "A higher threshold gives fewer false matches and more false non-matches. Scores of different systems "
            "have different scales: compare the rates, not the thresholds. A curve ends where its rate is 0 or below "
            f"the axis. Rates: {_weights(drawn)}; no bands."
        ),
        panels=panels,
        keys=figures.keys("over-threshold", list(enumerate(source.providers))),
    )


def _threshold_panels(source: Source) -> Iterator[Panel]:
    """DET, and each rate over the threshold; FNMR has one lower edge, where curves end."""
    series = {kind: front.of_everybody(source, kind) for kind in KINDS}
    if series["det"] and front.lines(source):
        floor = figures.lower_edge(series["fnmr"]) if series["fnmr"] else None
        for which, of, part in _parts(series["det"]):
            title = f"DET over the whole range{of}"
            panel = figures.det(
                name_of("det-whole-range", which), part, title, figures.LOW, series["det"], floor
            )
            yield _of(part, panel)
    for kind, rate in (("fmr", "FMR"), ("fnmr", "FNMR")):
        for which, of, part in _parts(series[kind]):
            title = f"{rate} over the threshold{of}"
            name = name_of(f"{kind}-over-threshold", which)
            yield _of(part, figures.over_threshold(name, title, part, phrases.metric(kind)))


def _of(part: Sequence[Series], drawn: Panel) -> Panel:
    """The panel with the systems that it shows, for its legend."""
    return replace(drawn, names=_names(part))


def _target_table(source: Source, target: float) -> Table:
    notes = Footnotes()
    records = operating_points.overall(source, "fnmr_at_fmr", target)
    none = ((spans("no interval"), *[()] * (len(INTERVAL_COLUMNS) - 1)),)
    blocks = [
        Block(head=_target_head(source, record, notes), rows=interval_rows(record, notes) or none)
        for record in records
    ]
    caption = phrases.titled(
        "FNMR at FMR",
        TextSpan(text=formatting.exact(target), pointer=f"{records[0].pointer}/at/fmr", kind="n b"),
        f". Rates: {display_name(words().weighting, source.weighting)}, beside it the other weighting, "
        "at a threshold of its own; errors and comparisons are pooled counts.",
    )
    return build_table(f"fnmr-at-fmr-{target:g}", caption, INTERVAL_COLUMNS, blocks, notes)


def _target_head(source: Source, record: Record, notes: Footnotes) -> Text:
    parts: list[Part] = [provider(record), "  FNMR ", *phrases.styled(phrases.value(record, notes), "b")]
    if record.estimate.numerator is not None:
        parts += [" (", phrases.counts(record), ")"]
    weighted = _beside(record, source.select(record.estimate.metric, grouped=False))
    others = [other for other in weighted if other.estimate.weighting != record.estimate.weighting]
    if others:
        parts += [f" · {others[0].estimate.weighting} ", phrases.value(others[0])]
    thresholds = _beside(record, source.select("threshold_at_fmr", grouped=False, primary=True))
    if thresholds:
        parts += [" · threshold ", phrases.value(thresholds[0], notes)]
    return spans(*parts)


def _beside(record: Record, candidates: Sequence[Record]) -> list[Record]:
    """Those of the same system at the same operating point."""
    return [
        candidate
        for candidate in candidates
        if candidate.at == record.at and candidate.estimate.provider == record.estimate.provider
    ]


def _at_thresholds(source: Source) -> list[Table]:
    """FMR and FNMR side by side at fixed thresholds: those declared, and those vendors recommend."""
    records = [
        record
        for record in source.select("fmr", "fnmr", grouped=False, primary=True)
        if "threshold" in record.estimate.at and "pairs" not in record.estimate.at
    ]
    if not records:
        return []
    notes = Footnotes()
    blocks = blocks_of_systems(source, records, lambda every: _threshold_rows(every, notes))
    columns = (*header(["Operating point"]), *RATE_COLUMNS)
    people = any(record.bound(Target.POPULATION) for record in records)
    caption = phrases.titled(
        "FMR and FNMR at fixed thresholds.",
        f"Rates: {display_name(words().weighting, source.weighting)}.",
        methods_said(records, Target.POPULATION if people else Target.COMPARISONS_IID),
    )
    return [build_table("fixed-thresholds", caption, columns, blocks, notes, "dense")]


def _threshold_rows(records: list[Record], notes: Footnotes) -> Iterator[tuple[Text, ...]]:
    for here in grouped(records, lambda record: record.at).values():
        pair = {record.estimate.metric: record for record in here}
        yield (
            phrases.at_words(here[0].estimate.at, here[0].pointer),
            *rate_cells(pair.get("fmr"), notes),
            *rate_cells(pair.get("fnmr"), notes),
        )


def rate_cells(record: Record | None, notes: Footnotes) -> tuple[Text, ...]:
    """Rate, counts, and the interval for the population, else for the same subjects, else of independent scores."""
    if record is None:
        return tuple((TextSpan(text=phrases.ABSENT),) for _ in range(3))
    return (
        phrases.value(record, notes),
        phrases.counts(record),
        phrases.bounds(record.bound(*BOTH, Target.COMPARISONS_IID), record.estimate, notes),
    )


def _eer(source: Source) -> list[Table]:
    records = source.select("eer")
    if not records:
        return []
    rows = []
    for record in records:
        where: list[Part] = [] if record.estimate.group == "all" else [phrases.group(source, record)]
        where += phrases.at_words(record.estimate.at, record.pointer) if record.estimate.at else ()
        on = spans(*where) if where else spans("all comparisons")
        rows.append(((provider(record),), on, phrases.value(record), phrases.note(record)))
    columns = header(["System", "On"], ["EER", "Note"])
    caption = phrases.titled(
        "Equal error rate.",
        "The rate where FMR and FNMR are equal, over all distinct scores; pooled. A summary, not an operating "
        "point, without an interval.",
    )
    return [build_table("eer", caption, columns, [Block(rows=tuple(rows))], Footnotes())]
