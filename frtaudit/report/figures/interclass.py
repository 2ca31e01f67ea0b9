"""The figures of interclass bias: people left, boxes, densities, releases; each returns inline SVG with alt text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from frtaudit.core.canonical import Json
from frtaudit.report.figures import canvas
from frtaudit.report.figures.canvas import pen
from frtaudit.report.figures.curves import Dot, Series, draw_marks, draw_rows, rows_height
from frtaudit.report.figures.ticks import percent
from frtaudit.report.pieces import Panel

SEEN = 1e-3  # of a density's highest value: less is not seen
BESIDE = 48  # letters that stand beside each other below boxes
MANY = 100  # samples of one subject: with more the axis is logarithmic, as few have so many
BAND, EDGE = 0.3, 0.4  # opacity of a band; points of its edges
LOW = 1.8  # inches: two figures of two rows of such panels, or one of four rows, fill a page


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line over numbers, with the pen that stands for it and perhaps a band."""

    name: str
    index: int
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] | None = None
    high: tuple[float, ...] | None = None


def sanitized_sizes(spec: Mapping[str, Json]) -> tuple[int | None, int | None]:
    """People of a class and samples of a person that the steps of a spec ask for; None where they do not.

    >>> sanitized_sizes({"sanitize": [{"step": "min_samples", "number": None}, {"step": "min_subjects", "number": 20}]})
    (20, 4)
    """
    defaults = {"min_subjects": 30, "min_samples": 4, "fixed_samples": 4}
    sizes: dict[str, int] = {}
    steps = spec.get("sanitize")
    for step in steps if isinstance(steps, (list, tuple)) else ():
        if isinstance(step, Mapping) and step.get("step") in defaults:
            name, number = str(step["step"]), step.get("number")
            sizes[name] = int(number) if isinstance(number, int) else defaults[name]
    return sizes.get("min_subjects"), sizes.get("min_samples", sizes.get("fixed_samples"))


def left(name: str, lines: Sequence[Line], *, samples: int | None, people: int | None) -> Panel:
    """People left against required samples, the former logarithmic; the latter too where one has very many."""
    most = max(max(curve.x) for curve in lines)

    def draw(axes: Axes) -> None:
        for curve in lines:
            known = [place for place, value in enumerate(curve.y) if value > 0]
            x, y = np.array(curve.x)[known], np.array(curve.y)[known]
            style = pen(curve.index)
            axes.plot(x, y, color=style.hue)
            draw_marks(axes, x, y, style, log=most > MANY)
        for value, line in ((samples, axes.axvline), (people, axes.axhline)):
            if value is not None:
                line(value, color=canvas.SOFT, linewidth=0.9, linestyle=(0, (3, 2)))
        axes.set(yscale="log", xlabel="samples required of each subject", ylabel="subjects left")
        axes.set_ylim(0.8, None)
        axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
        if most > MANY:
            axes.set_xscale("log")
        for axis in (axes.xaxis, axes.yaxis):
            if axis.get_scale() == "log":
                axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=12))
                axis.set_minor_locator(NullLocator())
                axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))

    ends = "; ".join(f"{line.name} from {line.y[0]:g} to {line.y[-1]:g}" for line in lines[:8])
    alt = f"Subjects left against required samples: {ends}."
    return canvas.plot(name, alt, draw, width=1.5 * canvas.WIDTH, height=1.3 * LOW)


def distances(
    name: str, title: str, rows: Sequence[str], dots: Sequence[Dot], unit: str, every: Sequence[Dot]
) -> Panel:
    """Distances with intervals, one row a class, systems side by side; ``every``: what the axis has room for."""
    right = 1.04 * max(max(dot.value, dot.high or 0.0) for dot in every)

    def draw(axes: Axes) -> None:
        draw_rows(axes, rows, dots, 0.0)
        axes.set(xlabel=f"d_l2 ({unit})", xlim=(0.0, right))

    alt = f"{title}: {'; '.join(dot.says for dot in dots)}."
    return canvas.plot(name, alt, draw, heading=title, height=rows_height(rows, dots))


THRESHOLD = "threshold (0–100)"
TAR = "TAR (share of mated comparisons that match)"
AXES: Mapping[str, tuple[str, str]] = {
    "threshold_at_tar": (TAR, THRESHOLD),
    "tar_at_threshold": (THRESHOLD, TAR.partition(" (")[0]),
    "threshold_excess": (TAR, "difference (points)"),
    "tar_excess": (THRESHOLD, "TAR difference (points)"),
}


def tar_panel(name: str, title: str, kind: str, series: Sequence[Series]) -> Panel:
    """Curves of one kind with their bands; differences stand around a line at 0."""
    xlabel, ylabel = AXES[kind]
    differences = kind.endswith("excess")

    def draw(axes: Axes) -> None:
        if differences:
            axes.axhline(0, color=canvas.SOFT, linewidth=0.8)
        for trace in series:
            style, curve = pen(trace.index), trace.curve
            x, y = (np.asarray(part, dtype=np.float64) for part in (curve.x, curve.y))
            if curve.low is not None and curve.high is not None:
                axes.fill_between(
                    x, curve.low, curve.high, facecolor=(style.hue, BAND), edgecolor=style.hue, linewidth=EDGE
                )
            axes.plot(x, y, color=style.hue)
            draw_marks(axes, x, y, style, log=False)
        axes.set(xlabel=xlabel, ylabel=ylabel)
        ticks = "" if differences else " %"
        for axis, label, unit in ((axes.xaxis, xlabel, " %"), (axes.yaxis, ylabel, ticks)):
            if label.startswith("TAR"):
                axis.set_major_formatter(FuncFormatter(lambda value, _, unit=unit: percent(value, unit)))

    names = tuple(dict.fromkeys(trace.name for trace in series))
    alt = f"{title}, for {', '.join(names)}."
    return replace(canvas.plot(name, alt, draw, heading=title, height=LOW), names=names)


def histology(name: str, title: str, releases: Sequence[str], lines: Sequence[Line]) -> Panel:
    """d_l2 with its interval at each release, one line for each schema; ``x`` of a line: positions in ``releases``."""

    def draw(axes: Axes) -> None:
        for place, line in enumerate(lines):
            style = pen(line.index)
            x = np.array(line.x) + (place - (len(lines) - 1) / 2) * 0.12
            axes.plot(x, np.array(line.y), color=style.hue, marker=style.marker)
            if line.low is not None and line.high is not None:
                for at, low, high in zip(x, line.low, line.high, strict=True):
                    axes.plot([at, at], [low, high], color=style.hue, linewidth=1.1, marker="_", markersize=5)
        axes.set_xticks(range(len(releases)), labels=[text.replace(" ", "\n", 1) for text in releases])
        axes.set(ylabel="largest d_l2 (points, 0–100)", xlim=(-0.5, len(releases) - 0.5), ylim=(0, None))
        axes.grid(visible=False, axis="x")

    ends = "; ".join(f"{line.name} from {line.y[0]:.3g} to {line.y[-1]:.3g}" for line in lines)
    return canvas.plot(name, f"{title}, by release: {ends}.", draw, heading=title)


def densities(name: str, title: str, lines: Sequence[Line]) -> Panel:
    """Densities of the classes' mated scores on 0..100."""

    def draw(axes: Axes) -> None:
        for line in lines:
            x, y = np.array(line.x), np.array(line.y)
            style = pen(line.index)
            axes.plot(x, y, color=style.hue)
            seen = y > 0.02 * float(y.max())
            draw_marks(axes, x[seen], y[seen], style, log=False)
        ends = [
            value
            for curve in lines
            for value, y in zip(curve.x, curve.y, strict=True)
            if y > SEEN * max(curve.y)
        ]
        axes.set(xlabel="mated score (0–100)", ylabel="density per point", ylim=(0, None))
        axes.set_xlim(max(min(ends) - 2, 0), min(max(ends) + 2, 100))

    tops = "; ".join(f"{line.name} highest at {line.x[int(np.argmax(line.y))]:.3g}" for line in lines)
    return canvas.plot(name, f"{title}: {tops}.", draw, heading=title, height=LOW)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxStats:
    """A box of a box plot: adjacent value, quartiles, adjacent value, and outliers."""

    name: str
    index: int
    numbers: tuple[float, ...]
    outliers: tuple[float, ...] = ()


def boxes(name: str, title: str, ylabel: str, box_stats: Sequence[BoxStats]) -> Panel:
    """Boxes side by side: median, quartiles, adjacent values, outliers as dots (thesis, Figure 114)."""

    def draw(axes: Axes) -> None:
        for place, box in enumerate(box_stats):
            low, first, median, third, high = box.numbers
            hue = pen(box.index).hue
            axes.plot([place, place], [low, high], color=hue, linewidth=1.0, zorder=1)
            sides, paper = [place - 0.3, place + 0.3], canvas.PAPER
            axes.fill_between(sides, first, third, color=paper, edgecolor=hue, linewidth=1.1, zorder=2)
            axes.plot(sides, [median, median], color=hue, linewidth=2.0, zorder=3)
            dots = [place] * len(box.outliers)
            axes.plot(dots, box.outliers, color=hue, linestyle="none", marker="o", markersize=2, alpha=0.5)
        axes.set_xticks(range(len(box_stats)), labels=[stats.name for stats in box_stats])
        letters = len(box_stats) * max(len(stats.name) for stats in box_stats)
        axes.tick_params(axis="x", labelrotation=30 if letters > BESIDE else 0)
        axes.set(ylabel=ylabel, xlim=(-0.6, len(box_stats) - 0.4))
        axes.grid(visible=False, axis="x")

    medians = "; ".join(f"{box.name}: {box.numbers[2]:.3g}" for box in box_stats)
    return canvas.plot(name, f"{title}, medians: {medians}.", draw, heading=title)
