"""The figures: each function draws one panel from curves or dots and returns inline SVG with its alt text."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from unicodedata import east_asian_width

import numpy as np
from matplotlib.axes import Axes
from matplotlib.markers import CARETLEFT, CARETRIGHT
from matplotlib.ticker import FuncFormatter

from frtaudit.core import Curve
from frtaudit.core.arrays import Floats, Positions
from frtaudit.core.text import formatting
from frtaudit.report.figures import canvas
from frtaudit.report.figures.canvas import Pen, pen
from frtaudit.report.figures.ticks import EPSILON, even, log_rates, percent
from frtaudit.report.pieces import Key, Panel

BAND = 0.15
DECADES_SHOWN = 6
LEFT_EDGE = 0.6
BEYOND = 10  # times the highest rate: what an axis has room for
HOLLOW = 6.5  # points of a mark whose inside is seen
ENDED = 60  # dots of a panel whose bars get end marks; with more they would only blacken it
SEEN_FMR = 0.1
FINE = (1, 1.5, *range(2, 11))  # of a decade: where a linear axis of small rates may end
MARKS = 5  # of a line
ROOM = 26  # letters of the name of a row
LOW = 2.2  # inches: three panels below the curves with bands share their page
MEDIUM = 2.35  # two of them and the accuracy of the folds share a page


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A curve with the name and the pen that stand for it; ``at``: its place in the result, for who hovers on it.

    ``dash``: an index of :data:`canvas.DASHES`, for the splits of a figure.
    """

    name: str
    index: int
    curve: Curve
    at: str = ""
    dash: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """One estimate of a dot plot: its value, its bounds if it has any, the pen that stands for its series.

    ``at``: its place in the result; ``says``: the estimate in words, for who hovers on it.
    """

    row: str
    series: str
    index: int
    value: float
    low: float | None = None
    high: float | None = None
    at: str = ""
    says: str = ""


def keys(figure: str, names: Sequence[tuple[int, str]]) -> tuple[Key, ...]:
    """The legend shared by a figure's panels: pen index and name."""
    return tuple(
        Key(svg=canvas.swatch(index, f"{figure}-k{index}", name), name=name, index=index)
        for index, name in names
    )


def det(
    name: str,
    series: Sequence[Series],
    title: str = "False non-matches against false matches",
    height: float = canvas.HEIGHT,
    every: Sequence[Series] = (),
    floor: float | None = None,
) -> Panel:
    """False non-matches against false matches, both axes logarithmic; ``every``: what the axes have room for.

    ``floor``: the FNMR at the lower edge, where curves then end, as at the left one; by default the decade below the
    smallest where FMR is low.
    """
    every = every or series
    x, y = _floor(every, "x"), floor or _floor(every, "y", up_to=SEEN_FMR)
    right, top = _ceiling(every, "x"), _ceiling(every, "y", x)
    x, y = min(x, right / 10), min(y, top / 10)  # a system without errors has an axis too
    shown = series if floor is None else [_until(_until(trace, y), x, "x") for trace in series]

    def draw(axes: Axes) -> None:
        for trace in shown:
            _line(axes, trace, x_floor=x, y_floor=y, log=True)
        axes.set(xscale="log", yscale="log", xlabel="FMR", ylabel="FNMR", xlim=(x, right), ylim=(y, top))
        log_rates(axes)

    alt = f"DET curves of {_names(series)}; lower left is better."
    return canvas.plot(name, alt, draw, heading=title, height=height)


def roc(
    name: str,
    series: Sequence[Series],
    title: str = "True matches against false matches",
    every: Sequence[Series] = (),
) -> Panel:
    """True matches (1 - FNMR) against false matches, the latter logarithmic; ``every``: as of :func:`det`."""
    edge, right = _floor(every or series, "x"), _ceiling(every or series, "x")
    edge = min(edge, right / 10)
    lowest = 1.0 - _ceiling(every or series, "y", edge, FINE)

    def draw(axes: Axes) -> None:
        for trace in series:
            _line(axes, trace, x_floor=edge, log=True, turned=True)
        axes.set(xscale="log", xlabel="FMR", ylabel="1 − FNMR")
        axes.set(xlim=(edge, right), ylim=(lowest, 1.0))
        log_rates(axes, y=False)
        axes.yaxis.set_major_locator(even(8))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: percent(value)))

    return canvas.plot(name, f"ROC curves of {_names(series)}; upper left is better.", draw, heading=title)


def over_threshold(name: str, title: str, series: Sequence[Series], ylabel: str) -> Panel:
    """A rate over the threshold, the rate logarithmic; a curve ends where it reaches the lower edge."""
    edge = lower_edge(series)

    def draw(axes: Axes) -> None:
        for trace in series:
            _line(axes, _until(trace, edge), y_floor=edge)
        axes.set(yscale="log", ylabel=ylabel, ylim=(edge, 1.2))
        axes.set_xlabel("threshold (a match is a score above it)")
        log_rates(axes, x=False)

    alt = f"{ylabel} over the threshold, for {_names(series)}."
    return canvas.plot(name, alt, draw, heading=title, height=LOW)


def lower_edge(series: Sequence[Series]) -> float:
    """The rate at the lower edge of rates over the threshold."""
    return _floor(series, "y")


def _until(series: Series, edge: float, axis: str = "y") -> Series:
    """The curve, without a band, until it falls below the lower edge of an axis: 0 is not drawn."""
    curve = series.curve
    above = np.pad(np.asarray(getattr(curve, axis)) >= edge * (1 - EPSILON), 1)
    at = np.flatnonzero(above[:-2] | above[1:-1] | above[2:])  # with the first one below
    x, y = (tuple(np.asarray(values)[at].tolist()) for values in (curve.x, curve.y))
    return replace(series, curve=replace(curve, x=x, y=y, low=None, high=None, replicates=()))


def tar(name: str, title: str, series: Sequence[Series], *, differences: bool) -> Panel:
    """Threshold as a function of TAR, or its difference from the mean of the classes; scores on 0..100."""
    ylabel = "difference of the threshold (points)" if differences else "threshold (scores on 0–100)"

    def draw(axes: Axes) -> None:
        if differences:
            axes.axhline(0, color=canvas.SOFT, linewidth=0.8)
        for trace in series:
            _line(axes, trace)
        axes.set(xlabel="TAR (share of mated comparisons that match)", ylabel=ylabel)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: percent(value)))

    return canvas.plot(name, f"{title}, for {_names(series)}.", draw, heading=title, height=MEDIUM)


def dots(
    name: str,
    title: str,
    rows: Sequence[str],
    points: Sequence[Dot],
    xlabel: str,
    limits: Mapping[str, float] | None = None,
    every: Sequence[Dot] = (),
) -> Panel:
    """Dots with intervals, one row for each group, systems side by side within it; logarithmic.

    ``limits``: by row, drawn as a vertical line across it; ``every``: what the axis has room for.
    """
    marks = {row: limit for row, limit in (limits or {}).items() if row in rows and limit > 0}
    edge = min([left_edge(every or points), *(limit * LEFT_EDGE for limit in marks.values())])
    right = max([right_edge(every or points), *(min(limit * 1.3, 1.0) for limit in marks.values())])

    def draw(axes: Axes) -> None:
        draw_rows(axes, rows, points, edge, right)
        for row, limit in marks.items():
            place = rows.index(row)
            axes.plot([limit, limit], [place - 0.47, place + 0.47], color=canvas.INK, linewidth=1.5)
        axes.set(xscale="log", xlabel=xlabel, xlim=(edge, right))
        log_rates(axes, y=False)

    worst = max(points, key=lambda dot: dot.value)
    alt = f"{title}: the largest is {formatting.rate(worst.value)}, {worst.row}, {worst.series}."
    return canvas.plot(name, alt, draw, heading=title, height=rows_height(rows, points))


def draw_rows(
    axes: Axes, rows: Sequence[str], points: Sequence[Dot], edge: float, right: float = math.inf
) -> None:
    """Dots with their bars (:func:`draw_dot`) in the rows that they name, systems side by side within each."""
    pens = sorted({dot.index for dot in points})
    ends = "|" if len(points) <= ENDED else ""
    for dot in points:
        shift = (pens.index(dot.index) - (len(pens) - 1) / 2) * 0.74 / len(pens)
        draw_dot(axes, dot, rows.index(dot.row) + shift, (edge, right), ends)
    for between in range(1, len(rows)):
        axes.axhline(between - 0.5, color=canvas.GRID, linewidth=0.5)
    name_rows(axes, rows)


def name_rows(axes: Axes, rows: Sequence[str], room: int = ROOM) -> None:
    """Rows from the top, each with its name cut to ``room`` letters; without ticks and lines of a grid."""
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), labels=shortened_apart(rows, room))
    axes.tick_params(axis="y", length=0, pad=6.5)  # room for half a hollow diamond
    axes.grid(visible=False, axis="y")


def rows_height(rows: Sequence[str], points: Sequence[Dot]) -> float:
    """The height in inches of a panel of :func:`draw_rows`."""
    return min(0.75 + len(rows) * max(0.26, 0.11 * len({dot.index for dot in points})), 8.0)


def _line(
    axes: Axes,
    series: Series,
    *,
    x_floor: float = -math.inf,
    y_floor: float = -math.inf,
    log: bool = False,
    turned: bool = False,
) -> None:
    """A curve with its band; values below a floor lie on it, so that a zero rate is seen at the edge."""
    curve = series.curve
    keep = canvas.visible(curve.x, curve.y, curve.low, curve.high, log=log)
    x = np.maximum(_at(curve.x, keep), x_floor)
    y = np.maximum(_turn(_at(curve.y, keep), turned), y_floor)
    style, gid = pen(series.index), canvas.gid(series.index, series.at)
    if curve.low is not None and curve.high is not None:
        low, high = (np.maximum(_turn(_at(end, keep), turned), y_floor) for end in (curve.low, curve.high))
        axes.fill_between(x, low, high, color=style.hue, alpha=BAND, linewidth=0, gid=gid)
    axes.plot(x, y, color=style.hue, gid=gid)
    draw_marks(axes, x, y, style, log=log, gid=gid)


def _at(values: Sequence[float], keep: Positions) -> Floats:
    return np.asarray(values, dtype=np.float64)[keep]


def _turn(values: Floats, turned: bool) -> Floats:  # noqa: FBT001  a private switch between y and 1 - y
    return 1 - values if turned else values


def marked(x: Floats, *, log: bool) -> Positions:
    """Where a few markers tell one line from another without colour."""
    if not x.size:
        return np.arange(0)
    place = np.log10(np.maximum(x, EPSILON)) if log else x
    goals = np.linspace(place.min(), place.max(), MARKS + 2)[1:-1]
    return np.unique([int(np.argmin(np.abs(place - goal))) for goal in goals])


def draw_marks(axes: Axes, x: Floats, y: Floats, style: Pen, *, log: bool, gid: str | None = None) -> None:
    """A few markers on a line of points."""
    at = marked(x, log=log)
    axes.plot(x[at], y[at], color=style.hue, linestyle="none", marker=style.marker, gid=gid)


def draw_dot(axes: Axes, dot: Dot, row: float, edges: tuple[float, float], ends: str = "|") -> None:
    """A dot with its bar, which ends at the ``edges`` of the axis; hollow where the value is 0."""
    edge, right = edges
    style = pen(dot.index)
    gid = canvas.gid(dot.index, dot.at, dot.says)
    if dot.low is not None and dot.high is not None:
        span = max(dot.low, edge), min(max(dot.high, edge), right)
        signs = CARETLEFT if 0 < dot.low < edge else ends, CARETRIGHT if dot.high > right else ends
        axes.plot(span, [row, row], color=style.hue, linewidth=1.1, solid_capstyle="butt", gid=gid)
        for end, sign in zip(span, signs, strict=True):
            axes.plot(end, row, color=style.hue, marker=sign or "None", markersize=4, gid=gid)
    seen = dot.value > 0
    axes.plot(
        max(dot.value, edge),
        row,
        marker=style.marker,
        markersize=4.4 if seen else HOLLOW,
        markeredgewidth=1.0 if seen else 0.8,
        color=style.hue,
        markerfacecolor=style.hue if seen else canvas.PAPER,
        gid=gid,
        clip_on=seen,
    )


def left_edge(points: Sequence[Dot]) -> float:
    """Where an axis of :func:`dots` starts; a bar with a lower bound below it goes on."""
    numbers_seen = [v for dot in points for v in (dot.value, dot.low, dot.high) if v is not None and v > 0]
    smallest = min(numbers_seen, default=1e-3)
    values = [dot.value for dot in points if dot.value > 0]
    return max(smallest, min(values, default=smallest) / 100) * LEFT_EDGE


def right_edge(points: Sequence[Dot]) -> float:
    """Where an axis of :func:`dots` ends; a bar with an upper bound of ten times the highest rate goes on."""
    largest = max((dot.value for dot in points), default=1.0)
    bound = max((max(dot.value, dot.high or 0.0) for dot in points), default=1.0)
    return min(1.0, (min(bound, BEYOND * largest) if largest > 0 else bound) * 1.6)


def goes_on(dot: Dot, every: Sequence[Dot]) -> bool:
    """Whether a dot's bar goes on beyond an axis that has room for ``every`` dot, and so ends in an arrow."""
    return 0 < (dot.low or 0) < left_edge(every) or (dot.high or 0) > right_edge(every)


def _floor(series: Sequence[Series], axis: str, up_to: float = 1.0) -> float:
    """The decade below the smallest positive value (where x is at most ``up_to``), at most six below one."""
    values = [
        value
        for trace in series
        for x, value in zip(trace.curve.x, getattr(trace.curve, axis), strict=True)
        if value > 0 and x <= up_to
    ]
    smallest = min(values, default=1e-3)
    return 10.0 ** max(math.floor(math.log10(smallest) + EPSILON), -DECADES_SHOWN)


def _ceiling(
    series: Sequence[Series], axis: str, start: float = 0.0, steps: Sequence[float] = (1, 2, 5, 10)
) -> float:
    """The next of ``steps`` in its decade above the largest value where x is at least ``start``; at most one."""
    values = [
        value
        for trace in series
        for drawn in (getattr(trace.curve, axis), (axis == "y" and trace.curve.high) or ())
        for x, value in zip(trace.curve.x, drawn, strict=False)
        if value > 0 and x >= start * (1 - EPSILON)
    ]
    largest = max(values, default=1.0)
    decade = 10.0 ** math.floor(math.log10(largest) + EPSILON)
    above = (step * decade for step in steps if step * decade >= largest * (1 - EPSILON))
    return float(min(1.0, next(above)))


def shortened(label: str, room: int = ROOM) -> str:
    """A name cut in its middle to so many letters: long names often differ at their ends. A wide letter counts twice.

    >>> shortened("face_engine_2025_release_1", 16)
    'face_eng…lease_1'
    """
    room = room * len(label) // max(sum(1 + (east_asian_width(letter) in "WF") for letter in label), 1)
    return label if len(label) <= room else label[: room // 2] + "…" + label[room // 2 + 1 - room :]


def shortened_apart(labels: Sequence[str], room: int = ROOM) -> list[str]:
    """Names cut so that different ones stay different, where they differ in few letters: else by what they share.

    >>> shortened_apart(["people at the gate of hall 1 of the port", "people at the gate of hall 2 of the port"], 16)
    ['…1 of the port', '…2 of the port']
    """
    short = {label: shortened(label, room) for label in labels}
    for cut in {cut for cut in short.values() if list(short.values()).count(cut) > 1}:
        alike = [label for label in short if short[label] == cut]
        letters = enumerate(zip(*alike, strict=False))
        start = next((place for place, at in letters if len(set(at)) > 1), min(map(len, alike)))
        short |= {label: f"…{shortened(label[start:], room - 1)}" for label in alike}
    return [short[label] for label in labels]


def _names(series: Sequence[Series]) -> str:
    names = list(dict.fromkeys(trace.name for trace in series))
    return ", ".join(names) if len(names) <= 8 else f"{len(names)} series"
