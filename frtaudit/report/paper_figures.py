"""The report's figures for a paper: each panel as a figure of matplotlib, with its legend and its caption."""

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

from matplotlib.legend_handler import HandlerTuple
from matplotlib.text import Text

from frtaudit.core import AuditResult, Curve, Estimate
from frtaudit.core.canonical import Json, mapping
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.machine.progress import quiet
from frtaudit.core.metrics import EVERY_SYSTEM
from frtaudit.core.plain.structure import closest
from frtaudit.core.text import formatting
from frtaudit.core.text.file_names import file_name
from frtaudit.errors import SpecError, legible
from frtaudit.report.direction import FIRST_STRONG_ISOLATE, POP_ISOLATE, names_in, use_names
from frtaudit.report.figure_choice import EVERY_FIGURE, NONE_CHOSEN, Choice
from frtaudit.report.figures import canvas, scales
from frtaudit.report.figures.canvas import Drawing
from frtaudit.report.pieces import Figure, pieces_of, plain_text, spans
from frtaudit.report.section import Build, sections
from frtaudit.report.sections.operating_points import main_target
from frtaudit.report.source import Source

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

__all__ = ["Drawing", "PaperFigure", "paper_figures", "write_figures"]

DOTS = 300  # per inch of a PNG
PER_ROW = 3  # names in a row of a legend, in a column's width
MAX_NAMES = 14  # of figures in a line of an error
SHORTEST = 12  # letters in a line of a broken name
MARGIN = 0.55  # inches of a drawing that a title and an axis' name leave free


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperFigure:
    """One panel of the report: ``title``, ``caption`` and ``shows`` in words; ``drawing`` has the legend."""

    name: str
    title: str
    caption: str
    shows: str
    drawing: Drawing


_EVERY_SECTION: tuple[Build, ...] = tuple(entry.build for entry in sections())


def paper_figures(
    result: AuditResult, choice: Choice = EVERY_FIGURE, builds: Sequence[Build] = _EVERY_SECTION
) -> dict[str, PaperFigure]:
    """Every panel that the report of a result draws, or those chosen, by name, in the order of the report.

    ``builds``: what makes the sections, or figures, that are drawn.
    Raises :class:`SpecError` for a figure, system, schema, class or metric that there is not.
    """
    source = _source(result, choice)
    left_out = set(source.named) - set(choice.systems) if choice.systems else set()
    with use_names(names_in(result, source.settings)):
        figures = drawings(lambda: _figures(source, builds), choice, left_out)
    subjects, samples = result.cohort.get("subjects"), result.cohort.get("samples")
    size = ""
    if isinstance(subjects, int) and isinstance(samples, int):
        size = f" Cohort: {formatting.count(subjects)} subjects, {formatting.count(samples)} samples."
    return {name: replace(figure, caption=figure.caption + size) for name, figure in figures.items()}


def titles(result: AuditResult, choice: Choice = EVERY_FIGURE) -> dict[str, str]:
    """The titles of what :func:`paper_figures` draws, by name; nothing is drawn. Raises as it does."""
    source = _source(result, choice)
    with use_names(names_in(result, source.settings)):
        return titles_of(lambda: _figures(source, _EVERY_SECTION), choice)


def titles_of(make: Callable[[], Sequence[Figure]], choice: Choice = EVERY_FIGURE) -> dict[str, str]:
    """The titles of what :func:`drawings` makes of the same, by name; nothing is drawn."""
    with canvas.listing() as headings:
        drawn = make()
        by_name = {
            headings[panel.svg][0]: _title(report_figure.title, headings[panel.svg][1])
            for report_figure in drawn
            for panel in report_figure.panels
        }
    return {name: by_name[name] for name in _wanted(by_name, choice)}


def _source(result: AuditResult, choice: Choice) -> Source:
    """What is drawn of a result, with the names and the operating point of the whole."""
    whole = Source(result)
    # Classes may be named as the result has them, or as the report prints them.
    every: tuple[Estimate | Curve, ...] = (*whole.result.estimates, *whole.result.curves)
    labels = {
        (entry.group, _spaced(whole.label(entry.schema, entry.group))) for entry in every if entry.schema
    }
    keys = {key: [key] for key, _ in labels}
    printed = {
        name: sorted(key for key, label in labels if label == _spaced(name)) for name in choice.classes
    }
    classes = tuple(key for name in choice.classes for key in keys.get(name) or printed[name] or [name])
    choice = replace(choice, classes=classes)
    return Source(
        _chosen(result, choice), named=whole.providers, target=main_target(whole), every_figure=True
    )


def _figures(source: Source, builds: Sequence[Build]) -> list[Figure]:
    return [figure for build in quiet(builds, "sections") for figure in pieces_of(build(source), Figure)]


def drawings(
    make: Callable[[], Sequence[Figure]], choice: Choice = EVERY_FIGURE, left_out: Collection[str] = ()
) -> dict[str, PaperFigure]:
    """Every panel of the figures that ``make`` draws, or those chosen, by name; ``left_out``: of their legends."""
    with canvas.keeping() as registry:
        drawn = make()
    places = {
        registry[panel.svg][0]: (report_figure, number)
        for report_figure in drawn
        for number, panel in enumerate(report_figure.panels)
    }
    figures: dict[str, PaperFigure] = {}
    for name in _wanted(places, choice):
        report_figure, number = places[name]
        panels = [registry[panel.svg][1] for panel in report_figure.panels]
        axes = panels[number].axes[0]
        figures[name] = PaperFigure(
            name=name,
            title=_title(report_figure.title, axes.get_title("left") or axes.get_title()),
            caption=_caption(report_figure, name, _place(number, panels)),
            shows=report_figure.panels[number].alt,
            drawing=panels[number],
        )
    with canvas.ink():
        _limit([paper_figure.drawing for paper_figure in figures.values()], choice)
        for name, figure in figures.items():
            report_figure, number = places[name]
            _name_system(figure.drawing.axes[0], report_figure.of)
            shown = report_figure.panels[number].names
            keys = [key for key in report_figure.keys if key.name not in left_out]
            keys = [key for key in keys if shown is None or key.name in shown]
            samples = [registry[key.svg][1].axes[0] for key in keys]
            handles = [(*axes.collections, *axes.patches, *axes.lines) for axes in samples]
            _finish(figure.drawing, [key.name for key in keys], handles, choice.width)
    return figures


def _wanted(known: Collection[str], choice: Choice) -> Collection[str]:
    """Names of the figures that were chosen, of those that there are."""
    many = f"one of {len(known)} names, which --list prints" if len(known) > MAX_NAMES else ""
    accepted = many or ", ".join(known) or f"none: {NONE_CHOSEN}"
    for name in choice.names:
        if name not in known:
            raise SpecError("figure", f"found {name!r}{closest(name, known)}", accepted)
    return choice.names or known


def write_figures(figures: Iterable[PaperFigure], formats: Sequence[str], folder: Path) -> None:
    """Write each figure as ``NAME.FORMAT``, and its title, caption and content in words as ``NAME.txt``."""
    out = OutputFolder(folder)
    for figure in figures:
        name = file_name(figure.name)
        for kind in quiet(formats, "formats"):
            lettering = canvas.outlined(figure.drawing) if kind == "pdf" else nullcontext()
            with canvas.ink(), lettering, out.create(f"{name}.{kind}") as to:
                figure.drawing.savefig(to, format=kind, dpi=DOTS, facecolor="white", metadata=_UNDATED[kind])
        words = map(legible, (figure.title, figure.caption, figure.shows))
        out.write(f"{name}.txt", ("\n\n".join(words) + "\n").encode())


_UNDATED: Mapping[str, dict[str, None]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}


def _chosen(result: AuditResult, choice: Choice) -> AuditResult:
    """The result with estimates and curves of the chosen systems, schemas, classes and metrics alone."""
    every: tuple[Estimate | Curve, ...] = (*result.estimates, *result.curves)
    flags = {"provider": "--systems", "schema": "--schemas", "group": "--classes", "metric": "--metrics"}
    choices = (choice.systems, choice.schemas, choice.classes, choice.metrics)
    for asked, (field, flag) in zip(choices, flags.items(), strict=True):
        known = {getattr(entry, field) for entry in every} - {None, EVERY_SYSTEM, "all", "max"}
        known = {name for name in known if "|" not in name}
        for name in asked:
            if name not in known:
                raise SpecError(flag, f"the result has no {name!r}", ", ".join(sorted(known)))

    def wanted(entry: Estimate | Curve) -> bool:
        return (
            (not choice.systems or entry.provider in (*choice.systems, EVERY_SYSTEM))
            and (not choice.schemas or entry.schema in (None, *choice.schemas))
            and (not choice.classes or entry.schema is None or entry.group in choice.classes)
            and (not choice.metrics or entry.metric in choice.metrics)
        )

    if not any(choices):
        return result
    return replace(
        result,
        cohort=_cohort(result.cohort, choice),
        estimates=tuple(estimate for estimate in result.estimates if wanted(estimate)),
        curves=tuple(curve for curve in result.curves if wanted(curve)),
        findings=(),
    )


def _cohort(cohort: Mapping[str, Json], choice: Choice) -> Mapping[str, Json]:
    """The cohort with the subjects that required samples would leave by the schemas alone; they are of no metric."""
    sanitized = mapping(cohort.get("sanitized"))
    rows = sanitized.get("required")
    if not (choice.schemas or choice.metrics) or not isinstance(rows, (list, tuple)):
        return cohort
    required = [] if choice.metrics else [row for row in rows if mapping(row).get("schema") in choice.schemas]
    return {**cohort, "sanitized": {**sanitized, "required": required}}


def _spaced(label: str) -> str:
    """A label with single spaces, as a page shows it."""
    return " ".join(label.split())


def _name_system(axes: "Axes", system: str) -> None:
    """Begin the heading with the system that the drawing is of, which a drawing by itself has to say."""
    heading, name = axes.get_title("left"), canvas.lettering(system)
    if system and name not in heading:
        axes.set_title(f"{name}: {heading}")


def _title(title: str, heading: str) -> str:
    """A figure's title and its panel's, which names the system where it is of one; the figure's where it says both."""
    shown = heading.replace(FIRST_STRONG_ISOLATE, "").replace(POP_ISOLATE, "")
    repeated = re.search(rf"(?<!\w){re.escape(shown)}(?!\w)", title, re.IGNORECASE)
    return title if repeated or not shown else f"{title}: {shown}"


_POINTS = re.compile(r"\b(left(?! out| edge)|right|top|bottom|row|panel)\b", re.IGNORECASE)


def _caption(figure: Figure, name: str, place: str) -> str:
    """What a panel shows by itself: its own caption, else the figure's with the gaps.

    Where the figure's caption points at panels, it says which one this is.
    """
    caption = figure.alone.get(name)
    where = spans(place if _POINTS.search(plain_text(figure.caption)) else "")
    parts = [caption] if caption else [figure.caption, where, *figure.gaps]
    return " ".join(text for part in parts if (text := plain_text(part).strip()))


def _place(number: int, panels: Sequence[Drawing]) -> str:
    """Which of a caption's panels one is: the report has them in rows of two where each is a column wide."""
    if len(panels) == 1:
        return ""
    if any(drawing.get_figwidth() > canvas.WIDTH for drawing in panels):
        return f" This is panel {number + 1} of {len(panels)}."
    row = f", row {number // 2 + 1}" if len(panels) > 2 else ""
    return f" This is the panel on the {('left', 'right')[number % 2]}{row}."


def _limit(drawings: Sequence[Drawing], choice: Choice) -> None:
    """Set the limits of the axes: those that were chosen, or, where axes are shared, what holds every panel's."""
    for name, limits in (("x", choice.x), ("y", choice.y)):
        if limits is None and choice.shared:
            scales.share(drawings, name)
        for axes in scales.with_quantity(drawings, name) if limits else ():
            label, scale = scales.quantity(axes, name)
            if limits and limits[0] <= 0 and scale == "log":
                place = f"{limits[0]:g} on the logarithmic axis {label!r}"
                raise SpecError(f"--{name}lim", place, "limits above 0")
            if limits:
                scales.set_span(axes, name, limits)


def _finish(
    drawing: Drawing, names: Sequence[str], handles: "Sequence[tuple[Artist, ...]]", width: float
) -> None:
    """Scale a drawing to its width and put the legend below it; the drawing grows by the legend's height.

    Curves are as high as those that a page of the report has most room for.
    """
    wider = min(max(width / drawing.get_figwidth(), 1.0), 1.5)
    curves = all(scales.with_quantity([drawing], name) for name in "xy")
    height = max(drawing.get_figheight(), canvas.HEIGHT if curves else 0.0)
    drawing.set_size_inches(width, height * wider)
    _break_words(drawing)
    if names:
        legend = _legend(drawing, names, handles, max(1, round(PER_ROW * width / canvas.WIDTH)))
        height = legend.get_window_extent().height / drawing.dpi
        drawing.set_figheight(drawing.get_figheight() + height)


def _legend(
    drawing: Drawing, names: Sequence[str], handles: "Sequence[tuple[Artist, ...]]", columns: int
) -> "Legend":
    """The legend in at most so many columns as are not wider than the drawing; in one, long names are broken."""
    letters = max(map(len, names))
    while True:
        legend = drawing.legend(
            handles=list(handles),
            labels=[canvas.lettering("\n".join(wrap(name, letters) or [name])) for name in names],
            loc="outside lower center",
            ncols=_filled(len(names), columns),
            frameon=False,
            handlelength=3.2,  # a dash is seen beside its marker
            handler_map={tuple: HandlerTuple(ndivide=1, pad=0)},
        )
        share = drawing.bbox.width / legend.get_window_extent().width
        if share >= 1 or (columns == 1 and letters <= SHORTEST):
            return legend
        legend.remove()
        if columns > 1:
            columns -= 1
        else:
            letters = max(SHORTEST, min(letters - 1, int(letters * share)))


def _filled(names: int, columns: int) -> int:
    """As many columns as fill the rows that so many names need."""
    return math.ceil(names / math.ceil(names / columns))


def _break_words(drawing: Drawing) -> None:
    """Write the title and an axis' name in two lines where they are longer than the drawing has room for."""
    axes = drawing.axes[0]
    wide, high = (side - MARGIN * drawing.dpi for side in (drawing.bbox.width, drawing.bbox.height))
    named = [artist for artist in axes.get_children() if isinstance(artist, Text)]
    for text in (axes.xaxis.label, *(text for text in named if text.get_text() == axes.get_title("left"))):
        _halve(text, text.get_window_extent().width / wide)
    _halve(axes.yaxis.label, axes.yaxis.label.get_window_extent().height / high)


def _halve(text: Text, share: float) -> None:
    """Break a text that takes more than its room: after a colon where the rest has room, or nearest to its middle.

    ``share``: its length, of the room.
    """
    words = text.get_text()
    spaces = [place for place, letter in enumerate(words) if letter == " "]
    if not spaces or share <= 1:
        return
    after = [place for place in spaces if words[place - 1] == ":"]
    fitting = [place for place in after if max(place, len(words) - place) * share <= len(words)]
    middle = min(fitting or spaces, key=lambda place: abs(place - len(words) / 2))
    text.set_text(f"{words[:middle]}\n{words[middle + 1 :]}")
