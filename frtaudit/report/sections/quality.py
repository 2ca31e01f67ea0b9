"""Sample quality by class: boxes of an attribute, whether classes differ in it, d_l2 at like quality."""

from collections.abc import Iterator

from frtaudit.core import Target
from frtaudit.core.text import formatting
from frtaudit.core.text.file_names import name_of
from frtaudit.report import phrases
from frtaudit.report.figures import interclass
from frtaudit.report.figures.interclass import BoxStats
from frtaudit.report.pieces import Block, Figure, Footnotes, Table, Text, TextSpan, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections import differences
from frtaudit.report.sections.tables import build_table, grouped_blocks, header, methods_said, provider
from frtaudit.report.source import Record, Source

MEAN, SPREAD, WITHIN = "quality_mean", "quality_spread", "d_l2_within"


@section("quality", "Sample quality", after="densities", annex=True)
def build(source: Source) -> View | None:
    """None when the analysis did not run, or the cohort has no such column."""
    schemas = [name for name in source.schemas if source.select(MEAN, WITHIN, schema=name)]
    if not schemas:
        return None
    drawn = tuple(figure for name in schemas for figure in _figure(source, name))
    tables = [
        table
        for name in schemas
        for table in (_means(source, name), _within(source, name))
        if table is not None
    ]
    return View(figures=drawn, tables=tuple(tables))


def _figure(source: Source, schema: str) -> Iterator[Figure]:
    """Boxes by class of the cohort's samples."""
    drawn = source.curves("quality_box", "quality_outliers", grouped=True)
    curves = [curve for curve in drawn if curve.schema == schema]
    if not curves:
        return
    attribute = (curves[0].metric or "").replace("_", " ")
    values = {(curve.analysis, curve.group): curve.y for curve in curves}
    box_stats = [
        BoxStats(
            name=source.label(schema, group),
            index=place,
            numbers=values["quality_box", group],
            outliers=values.get(("quality_outliers", group), ()),
        )
        for group, place in source.pens(schema, (curve.group for curve in curves)).items()
    ]
    key = name_of("quality", schema)
    title = f"{attribute} of the samples by {schema.replace('_', ' ')}"
    caption = spans(
        "Line in a box: median; box: quartiles; whiskers: the most extreme values within one and a half box lengths; "
        "dots: beyond."
    )
    panels = (interclass.boxes(key, title, attribute, box_stats),)
    yield Figure(name=key, title=title, caption=caption, panels=panels)


def _means(source: Source, schema: str) -> Table | None:
    """One row: the mean of each class with its interval, and whether they differ."""
    records = source.select(MEAN, SPREAD, schema=schema)
    here = {record.estimate.group: record for record in records}
    groups = [name for name in here if name != "max"]
    if not groups:
        return None
    notes = Footnotes()
    spread = here.get("max")
    sentence = phrases.DASH if spread is None else differences.sentence(spread, notes)
    means = []
    for mean in (here[name] for name in groups):
        bound = phrases.bounds(mean.bound(Target.POPULATION), mean.estimate, notes)
        means.append(spans(phrases.value(mean, notes), phrases.BREAK, bound))
    rows = (((provider(records[0]),), *means, sentence),)
    labels = (source.label(schema, name) for name in groups)
    columns = header(["Samples"], labels, wide=["Do classes differ?"])
    caption = phrases.titled(
        f"Mean {records[0].estimate.unit.replace('_', ' ')} by {schema.replace('_', ' ')}.",
        "Below each mean its interval for the population; the test draws subjects, not samples.",
        methods_said(records, Target.POPULATION),
    )
    return build_table(name_of("quality", schema), caption, columns, [Block(rows=rows)], notes, "dense")


def _within(source: Source, schema: str) -> Table | None:
    """One row for each stratum: d_l2 of each class and the largest with its test."""
    records = source.select(WITHIN, schema=schema)
    groups = [name for name in dict.fromkeys(record.estimate.group for record in records) if name != "max"]
    if not records:
        return None
    notes = Footnotes()
    blocks = grouped_blocks(
        source,
        records,
        lambda record: record.estimate.at["stratum"],
        lambda here: _stratum(here, groups, notes),
    )
    labels = (source.label(schema, name) for name in groups)
    columns = header(["Comparisons"], [*labels, "largest"], wide=["Is there a difference?"])
    caption = phrases.titled(
        f"d_l2 at equal quality, by {schema.replace('_', ' ')}.",
        "Comparisons split into parts of equal size by the lower ",
        TextSpan(text=str(records[0].estimate.at["attribute"]), pointer=f"{records[0].pointer}/at/attribute"),
        " of their two samples. A differential that disappears within parts is associated with quality; one that "
        "remains is not. Minus: the class is below overall.",
    )
    return build_table(name_of("d_l2-at-equal-quality", schema), caption, columns, blocks, notes, "dense")


def _stratum(records: list[Record], groups: list[str], notes: Footnotes) -> tuple[Text, ...]:
    here = {record.estimate.group: record for record in records}
    first = records[0]
    name = str(first.estimate.at["stratum"])
    text = "all of known quality" if name == "all" else name
    text_spans = spans(TextSpan(text=text, pointer=f"{first.pointer}/at/stratum"))
    if "low" in first.estimate.at:
        low, high = (
            phrases.number(formatting.plain(float(first.estimate.at[end])), f"{first.pointer}/at/{end}")
            for end in ("low", "high")
        )
        text_spans = spans(text_spans, ": ", low, " to ", high)
    largest = here.get("max")
    cells = []
    for record in map(here.get, groups):  # with a minus where the class lies below overall
        below = record is not None and (record.estimate.note or "").startswith("below")
        cells.append(spans("−" if below else "", phrases.value(record)))
    if largest is None:
        return (text_spans, *cells, phrases.DASH, phrases.DASH)
    alike = differences.sentence(largest, notes) if largest.estimate.test else spans("see Interclass bias")
    return (text_spans, *cells, phrases.value(largest, notes), alike)
