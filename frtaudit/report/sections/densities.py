"""Densities of the mated scores by class, their bandwidths, scores on the ends of the scale, normality."""

from math import isfinite

from frtaudit.core.text.file_names import name_of
from frtaudit.report import phrases
from frtaudit.report.figures import curves as figures
from frtaudit.report.figures import interclass
from frtaudit.report.figures.interclass import Line
from frtaudit.report.pieces import Figure, Footnotes, Table, Text, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections.tables import build_table, grouped_blocks, header
from frtaudit.report.source import Record, Source

METRICS = ("density_bandwidth", "scores_at_end", "normality_k2", "normality_p")
OWN = " Each system has scales of its own."


@section("densities", "Densities", after="collected", annex=True)
def build(source: Source) -> View | None:
    """None when the analysis did not run."""
    curves = source.curves("density", grouped=True)
    if not curves:
        return None
    systems = [name for name in source.providers if any(curve.provider == name for curve in curves)]
    schemas = [name for name in source.schemas if any(curve.schema == name for curve in curves)]
    return View(
        figures=tuple(_figure(source, name, systems) for name in schemas),
        tables=tuple(_table(source, name) for name in schemas),
    )


def _figure(source: Source, schema: str, systems: list[str]) -> Figure:
    curves = [curve for curve in source.curves("density", grouped=True) if curve.schema == schema]
    groups = source.pens(schema, (curve.group for curve in curves))
    lines = {
        name: [
            Line(name=source.label(schema, curve.group), index=groups[curve.group], x=curve.x, y=curve.y)
            for curve in curves
            if curve.provider == name and all(isfinite(value) for value in curve.y)
        ]
        for name in systems
    }
    drawn = [name for name in systems if lines[name]]
    key = f"density-{schema}"
    return Figure(
        name=key,
        title=f"Densities of mated scores by {schema.replace('_', ' ')}",
        caption=spans(
            "Gaussian kernels, bandwidth by the improved Sheather-Jones rule for each class. The ends of the scale "
            "reflect, so that no score is smoothed beyond them; scores exactly on an end are left out of the density "
            f"and counted in the table. The area below each line is 1.{OWN if len(drawn) > 1 else ''}"
        ),
        panels=tuple(
            interclass.densities(name_of("score-density", schema, name), name, lines[name]) for name in drawn
        ),
        keys=figures.keys(key, [(n, source.label(schema, name)) for name, n in groups.items()]),
    )


def _table(source: Source, schema: str) -> Table:
    """One row for each class: bandwidth, shares on the ends, K^2 and p of scores and of people's means."""
    notes, records = Footnotes(), source.select(*METRICS, schema=schema)
    blocks = grouped_blocks(
        source, records, lambda record: record.estimate.group, lambda here: _row(source, here, notes)
    )
    columns = header(
        ["Class"], ["bandwidth", "scores on 0", "scores on 100", "K², scores", "p", "K², subjects", "p"]
    )
    caption = phrases.titled(
        f"Are scores normal? By {schema.replace('_', ' ')}.",
        "The omnibus test of skewness and kurtosis, of all scores and of one mean score of each subject. A small p: "
        "not normal, and no interval of this report assumes that they are. The p values are unadjusted: if all "
        "scores were normal, one in twenty would still be below 0.05.",
    )
    return build_table(name_of("normality", schema), caption, columns, blocks, notes, "dense")


def _row(source: Source, records: list[Record], notes: Footnotes) -> tuple[Text, ...]:
    here = {
        (record.estimate.metric, record.estimate.at.get("per") or record.estimate.at.get("end")): record
        for record in records
    }
    wanted = (
        ("density_bandwidth", None),
        ("scores_at_end", "low"),
        ("scores_at_end", "high"),
        ("normality_k2", "score"),
        ("normality_p", "score"),
        ("normality_k2", "subject"),
        ("normality_p", "subject"),
    )
    cells = [phrases.value(here.get(key), notes) for key in wanted]
    return ((phrases.group(source, records[0]),), *cells)
