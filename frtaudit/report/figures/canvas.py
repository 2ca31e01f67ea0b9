"""Colours and panels of figures: one style for each system or class, readable in black and white."""

import io
import logging
import os
import threading
import warnings
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar  # Any: settings of Matplotlib, of many types, and context variables of any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from matplotlib.patheffects import Normal
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator, FuncFormatter
from matplotlib.transforms import blended_transform_factory

from frtaudit.core.arrays import Positions
from frtaudit.core.machine.resources import shipped
from frtaudit.errors import printable
from frtaudit.report.direction import as_shown, isolated
from frtaudit.report.figure_choice import WIDTHS
from frtaudit.report.figures.measures import as_svg
from frtaudit.report.figures.svg import clean, hundredths
from frtaudit.report.pieces import HUES, Panel

T = TypeVar("T", bound=Hashable)
V = TypeVar("V")

SCREEN_DOTS = 144  # per inch, in a notebook
WIDTH, HEIGHT = WIDTHS["column"], 2.7
INK, SOFT, GRID, PAPER = "#1f2328", "#5b6470", "#d9dde2", "#fefefe"
DASHES: tuple[str | tuple[float, tuple[float, ...]], ...] = (
    "solid",
    (0, (5, 1.6)),
    (0, (1.2, 1.2)),
    (0, (6, 1.5, 1.2, 1.5)),
)
NAME, EDGE = 16, 0.01  # letters of a row's name that leave room beside them; of the drawing's width
MARKERS = "osD^vPX*"
COLOURS = {INK: "ink", SOFT: "soft", GRID: "grid", PAPER: "paper"}
COLOURS |= {hue: f"c{n}" for n, hue in enumerate(HUES)}


class Drawing(Figure):
    """A figure that a notebook shows by itself, without pyplot."""

    def _repr_png_(self) -> bytes:
        return self.png()

    def png(self) -> bytes:
        """The figure as a screen shows it."""
        stream = io.BytesIO()
        with ink():
            self.savefig(stream, format="png", dpi=SCREEN_DOTS, facecolor="white")
        return stream.getvalue()


_DRAWN: ContextVar[bool] = ContextVar("drawn", default=True)
_KEPT: ContextVar["dict[str, tuple[str, Drawing]] | None"] = ContextVar("kept", default=None)
_LISTED: ContextVar["dict[str, tuple[str, str]] | None"] = ContextVar("listed", default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pen:
    """How one series is drawn: hue and marker differ together, so that series differ in grey print.

    Dashes are of splits alone, or of what a legend names by them.
    """

    hue: str
    marker: str


def pen(index: int) -> Pen:
    """The pen of the ``index``-th series."""
    return Pen(hue=HUES[index % len(HUES)], marker=MARKERS[(index + index // len(HUES)) % len(MARKERS)])


@cache
def _look() -> dict[Any, Any]:
    """Matplotlib's defaults with our style sheet on top; makes the shipped font known to matplotlib."""
    for path in sorted((shipped("templates") / "fonts").glob("Inter-*.otf")):
        fontManager.addfont(path)
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # the second font has no semibold
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rc_file(shipped("templates") / "figures.mplstyle", use_default_template=False)
        settings = {**mpl.rcParams}
        del settings["backend"]  # that is the caller's
        return settings


_INK = threading.RLock()  # what ink() sets is of the whole process


def _unlock() -> None:
    global _INK  # noqa: PLW0603  a thread of the parent holds it, which a child of a fork has not
    _INK = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlock)


@contextmanager
def ink() -> Iterator[None]:
    """The defaults of matplotlib with our style sheet on top, whatever this machine's settings are."""
    with _INK, mpl.rc_context(), warnings.catch_warnings():
        # a name in a script of no shipped font, and one it cannot lay out
        for message in (r"Glyph \d+ .* missing from font", "Matplotlib currently does not support"):
            warnings.filterwarnings("ignore", message)
        mpl.rcParams._update_raw(_look())  # noqa: SLF001  update() would check each of 300 values each time
        yield


@contextmanager
def outlined(drawing: Figure) -> Iterator[None]:
    """Draw every text as outlines in the block: a PDF has no font then, and none of Type 3, which journals refuse."""
    texts = drawing.findobj(Text)
    for text in texts:
        text.set_path_effects([Normal()])
    try:
        yield
    finally:
        for text in texts:
            text.set_path_effects([])


@contextmanager
def _set(variable: ContextVar[Any], value: V) -> Iterator[V]:
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)


def keeping() -> AbstractContextManager[dict[str, tuple[str, Drawing]]]:
    """Keep the drawings that are made in the block, unwritten: what stands for the SVG to the name and the drawing."""
    return _set(_KEPT, {})


def listing() -> AbstractContextManager[dict[str, tuple[str, str]]]:
    """Draw nothing in the block, but note of each drawing: what stands for the SVG to the name and the heading."""
    return _set(_LISTED, {})


def undrawn() -> AbstractContextManager[bool]:
    """Draw nothing in the block, for who reads a report's tables alone."""
    return _set(_DRAWN, False)  # noqa: FBT003  what is set


def gid(index: int, at: str = "", says: str = "") -> str:
    """What an artist's ``gid`` is, so that :func:`frtaudit.report.figures.svg.clean` marks it as part of a series.

    ``index``: of the series' pen; ``at``: JSON pointer to what is drawn; ``says``: the same in words.
    """
    return f"s{index}|{printable(at)}|{as_shown(says)}"


def plot(
    name: str,
    alt: str,
    draw: Callable[[Axes], None],
    *,
    heading: str = "",
    width: float = WIDTH,
    height: float = HEIGHT,
) -> Panel:
    """One drawing as inline SVG, sizes in inches; ``alt`` says what it shows, ``draw`` fills the axes.

    ``heading``: the text above the axes.
    """
    headings = _LISTED.get()
    if headings is not None:
        mark = f"<!-- {len(headings)} -->"
        headings[mark] = name, lettering(heading)
        return Panel(svg=mark, alt=alt)
    if not _DRAWN.get():
        return Panel(svg="", alt=alt)
    with ink():
        drawing = Drawing(figsize=(width, height), layout="constrained")
        axes = drawing.add_subplot()
        draw(axes)
        if heading:
            axes.set_title(heading)
        named = isinstance(axes.yaxis.get_major_locator(), FixedLocator)
        if named and max((len(row.get_text()) for row in axes.get_yticklabels()), default=0) > NAME:
            # Long names of rows: the axis' name ends at its right, the heading begins above the names.
            axes.xaxis.label.set(x=1.0, horizontalalignment="right")
            edge = blended_transform_factory(drawing.transFigure, axes.transAxes)
            axes.set_title(axes.get_title("left"), x=EDGE)
            axes._left_title.set_transform(edge + axes.titleOffsetTrans)  # type: ignore[attr-defined]  # noqa: SLF001  no public name
        _letter(axes)
        return Panel(svg=svg_of(drawing, name, alt), alt=alt)


def swatch(index: int, name: str, label: str) -> str:
    """The legend's sample of a pen."""
    return sample(name, f"line and marker of {label}", stroke, pen(index))


def stroke(axes: Axes, style: Pen) -> None:
    """A line and a marker over the unit square."""
    axes.plot([0.02, 0.98], [0.5, 0.5], color=style.hue)
    axes.plot([0.5], [0.5], color=style.hue, linestyle="none", marker=style.marker, markersize=4)


def sample(name: str, title: str, draw: Callable[[Axes, T], None], of: T) -> str:
    """A legend's drawing: ``draw`` fills the unit square with a sample ``of`` something, once for each."""
    if not _DRAWN.get() or _LISTED.get() is not None:
        return ""
    if _KEPT.get() is not None:
        with ink():
            return svg_of(_square(draw, of), name, title)
    return clean(_small(draw, of), name, title, COLOURS)


@cache
def _small(draw: Callable[[Axes, T], None], of: T) -> str:
    """A legend's drawing as matplotlib writes it."""
    with ink():
        return as_svg(_square(draw, of))


def _square(draw: Callable[[Axes, T], None], of: T) -> Drawing:
    drawing = Drawing(figsize=(0.34, 0.12))
    axes = drawing.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set(xlim=(0, 1), ylim=(0, 1))
    draw(axes, of)
    return drawing


def lettering(text: str) -> str:
    """A text as it is drawn: marks that nobody sees are written out, as :func:`frtaudit.errors.printable` does.

    Control characters make an SVG file unreadable, and marks of no width stop the writer of PDF files. Names from right
    to left are ordered as in the text (:func:`frtaudit.report.direction.isolated`).
    """
    return "\n".join(isolated(printable(line)) for line in text.split("\n"))


def _letter(axes: Axes) -> None:
    """Every text of the axes as :func:`lettering` has it: titles, names of axes and ticks."""
    for artist in (*axes.get_children(), axes.xaxis.label, axes.yaxis.label):
        if isinstance(artist, Text):
            artist.set_text(lettering(artist.get_text()))
    now = copy_context()  # a formatter is called whenever its figure is drawn
    for axis in (axes.xaxis, axes.yaxis):
        formatter = axis.get_major_formatter()
        if isinstance(formatter, FuncFormatter):
            axis.set_major_formatter(
                FuncFormatter(lambda value, at, original=formatter: now.run(lettering, original(value, at)))
            )


def svg_of(drawing: Drawing, name: str, title: str) -> str:
    """The drawing as SVG; where drawings are kept, what stands for it."""
    drawings = _KEPT.get()
    if drawings is not None:
        mark = f"<!-- {len(drawings)} -->"
        drawings[mark] = name, drawing
        return mark
    markup, axes = as_svg(drawing), drawing.axes[0]
    labels = f"{axes.get_xlabel()}|{axes.get_ylabel()}".replace("\n", " ") if axes.axison else ""
    return clean(markup, name, title, COLOURS, _frame(drawing), labels)


def _frame(drawing: Drawing) -> str:
    """Where the axes lie on the drawing and what they span: left, right, top, bottom; low, high, kind of x and of y."""
    axes = drawing.axes[0]
    if not axes.axison:
        return ""
    height = drawing.get_figheight() * 72
    box = axes.get_window_extent().transformed(drawing.dpi_scale_trans.inverted())
    sides = (box.x0 * 72, box.x1 * 72, height - box.y1 * 72, height - box.y0 * 72)
    spans = (*axes.get_xlim(), *axes.get_ylim())
    places = (*(hundredths(side) for side in sides), *(f"{end:.6g}" for end in spans))
    return " ".join([*places, axes.get_xscale(), axes.get_yscale()])


def visible(x: Sequence[float], *ys: Sequence[float] | None, bins: int = 260, log: bool = False) -> Positions:
    """Indices of the points that can be seen: in each of ``bins`` columns the first, last, lowest and highest.

    ``x`` (n,): ascending or not; ``ys``: curves over it, whose extremes are kept; ``log``: columns in log x.
    """
    place = np.asarray(x, dtype=np.float64)
    if place.size <= 2 * bins:
        return np.arange(place.size)
    if log:
        place = np.log10(np.maximum(place, np.min(place[place > 0], initial=1.0)))
    column = np.floor((place - place.min()) / max(float(np.ptp(place)), 1e-300) * bins).astype(np.int64)
    indices: set[int] = {0, place.size - 1}
    starts = np.flatnonzero(np.diff(column, prepend=column[0] - 1))
    curves = [np.asarray(curve, dtype=np.float64) for curve in ys if curve is not None]
    for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), place.size], strict=True):
        indices |= {start, stop - 1}
        for curve in curves:
            part = curve[start:stop]
            indices |= {start + int(np.argmin(part)), start + int(np.argmax(part))}
    return np.array(sorted(indices), dtype=np.intp)
