"""What answers of a person change: FNMR over FMR by the share of faces annotated (Knott et al., Figure S.15)."""

from collections.abc import Iterator

from frtaudit.core.text.file_names import name_of
from frtaudit.core.text.kinds import place
from frtaudit.report import phrases
from frtaudit.report.figures import curves as figures
from frtaudit.report.figures import scales, systems
from frtaudit.report.figures.curves import Series
from frtaudit.report.pieces import Block, Figure, Footnotes, Table, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections.tables import build_table, by_provider, header, provider
from frtaudit.report.source import Source

METRIC, KIND = "fnmr_by_annotation", "annotation"


@section("annotation", "Effect of annotation", after="orders", annex=True)
def build(source: Source) -> View | None:
    """None where nothing was annotated by shares."""
    records = source.select(METRIC)
    if not records:
        return None
    targets = dict.fromkeys(float(record.estimate.at["fmr"]) for record in records)
    tables = tuple(_table(source, target) for target in targets)
    return View(main=tables, figures=tuple(_figure(source)))


def _table(source: Source, target: float) -> Table:
    at_target = [record for record in source.select(METRIC) if record.estimate.at["fmr"] == target]
    shares = list(dict.fromkeys(float(record.estimate.at["annotated"]) for record in at_target))
    notes = Footnotes()
    rows = []
    for _, records in by_provider(source, at_target):
        here = {float(record.estimate.at["annotated"]): record for record in records}
        rows.append(((provider(records[0]),), *(phrases.value(here.get(share), notes) for share in shares)))
    columns = header(["System"], (f"{100 * share:g} % annotated" for share in shares))
    caption = phrases.titled(
        f"FNMR at FMR {place('fmr', target)} by the share of faces annotated.",
        "At 0 % all labels are estimated; at 100 % all are annotated. Faces without an estimated label are "
        "annotated first, then those with the most ambiguous labels. No intervals are given: the columns share "
        "comparisons and show the effect of labels on the rate, not its uncertainty.",
    )
    name = f"annotation-{target:g}".replace(".", "-")
    return build_table(name, caption, columns, [Block(rows=tuple(rows))], notes, "dense")


def _figure(source: Source) -> Iterator[Figure]:
    curves = [
        curve for curve in source.result.curves if curve.analysis == KIND and any(y > 0 for y in curve.y)
    ]
    if not curves:
        return
    labels = list(dict.fromkeys(curve.group for curve in curves))
    names = list(dict.fromkeys(curve.provider for curve in curves))
    series = {
        name: [
            Series(name=f"{curve.group} annotated", index=labels.index(curve.group), curve=curve)
            for curve in curves
            if curve.provider == name
        ]
        for name in names
    }
    yield Figure(
        name="annotation",
        title="Error rates by the share of faces annotated",
        caption=spans(
            "One panel for each system. Where a curve coincides with that of 100 %, further annotation changed "
            "nothing; the difference between 0 % and 100 % is the effect of estimated labels on these rates."
        ),
        panels=scales.alike(
            lambda: (
                systems.overlaid(name_of("annotation", name), name, series[name], "FNMR", rates=True)
                for name in names
            )
        ),
        keys=figures.keys(
            "annotation", [(number, f"{label} annotated") for number, label in enumerate(labels)]
        ),
    )
