"""The modes that scores are normalised by: a table, and a histogram of each service with the fitted mixture."""

from collections.abc import Iterator

from frtaudit.core.text.file_names import name_of
from frtaudit.report import phrases
from frtaudit.report.figures import labels as label_figures
from frtaudit.report.figures import scales
from frtaudit.report.figures.curves import Series
from frtaudit.report.pieces import Block, Figure, Footnotes, Panel, Table, spans
from frtaudit.report.sections.label_query_drawings import keys_of, label_curves
from frtaudit.report.sections.tables import build_table, header, whole_cell
from frtaudit.report.source import Source

NAME, CURVES = "labels-modes", "labels_modes"
PARTS = ("non_mated", "mated")
NAMES = {"mated": "mated component", "non_mated": "non-mated component", "scores": "all scores"}
COLUMNS = (("label_mode", "mode"), ("label_mode_width", "sd"), ("label_mode_share", "share"))


def table(source: Source) -> Table | None:
    """A row for each service: modes, standard deviations, shares, and the gain in likelihood of two components."""
    by = {
        (record.estimate.provider, record.estimate.metric, str(record.estimate.at.get("part", ""))): record
        for metric in (*(metric for metric, _ in COLUMNS), "label_mode_gain", "label_mode_starts")
        for record in source.select(metric)
    }
    if not by:
        return None
    notes = Footnotes()
    cells = [(metric, part) for part in PARTS for metric, _ in COLUMNS]
    rows = tuple(
        (
            (phrases.bold(name),),
            *(phrases.value(by.get((name, metric, part)), notes) for metric, part in cells),
            phrases.value(by.get((name, "label_mode_gain", "")), notes),
            whole_cell(by.get((name, "label_mode_starts", ""))),
        )
        for name in source.providers
    )
    columns = header(
        ["Service"],
        [*(f"{part.replace('_', '-')} {title}" for part in PARTS for _, title in COLUMNS), "gain", "starts"],
    )
    caption = phrases.titled(
        "Modes of the scores.",
        "Maximum-likelihood mixture of two normal distributions, fitted to scores within queries and as many between "
        "queries. Gain: log-likelihood per score above that of one normal distribution.",
    )
    return build_table("label-modes", caption, columns, [Block(rows=rows)], notes)


def figures(source: Source) -> Iterator[Figure]:
    """A panel for each service: its scores, and both components of the mixture over them."""
    panels = scales.alike(lambda: _panels(source), "y")  # scores of services have different scales
    if panels:
        yield Figure(
            name=NAME,
            title="Modes of the scores",
            caption=spans(
                "Area: scores within queries and as many between queries. Lines: the components of the fitted mixture; "
                "their means are the modes by which scores are normalised. No lines: given modes, or no two modes."
            ),
            panels=panels,
            keys=keys_of(NAME, list(NAMES.values())),
        )


def _panels(source: Source) -> Iterator[Panel]:
    order = list(NAMES)
    for service in source.providers:
        series = {
            str(curve.rate): Series(
                name=NAMES[str(curve.rate)], index=order.index(str(curve.rate)), curve=curve
            )
            for curve in label_curves(source, CURVES)
            if curve.provider == service
        }
        if series:
            lines = [series[part] for part in PARTS if part in series]
            yield label_figures.score_histograms(
                name_of(NAME, service), service, [series["scores"]], outline=lines, share="share of scores"
            )
