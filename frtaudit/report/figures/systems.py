"""Figures of systems compared: differences with intervals, curves of two systems with bands, zones of a metric."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from frtaudit.core.text import formatting
from frtaudit.report.figures import canvas
from frtaudit.report.figures.canvas import pen
from frtaudit.report.figures.curves import BAND, Dot, Series, draw_marks, name_rows
from frtaudit.report.figures.ticks import index_ticks, log_rates
from frtaudit.report.pieces import Panel

NARROW = 0.06  # of the axis: less has no room for its letter beside the next
EDGE = 0.6  # points
PAIR = 54  # letters of a row that names two systems
TOP, STEP, ROWS = 0.96, 0.06, 3  # of the axis: where letters stand, those of narrow zones below one another


def gaps(
    name: str,
    title: str,
    pairs: Sequence[Dot],
    xlabel: str,
    *,
    alike: float,
    margin: float | None,
    points: bool,
) -> Panel:
    """One row for each pair; the line is where the two are alike, the shade what the spec says does not matter.

    ``points``: rates, whose differences are drawn in percentage points.
    """

    def draw(axes: Axes) -> None:
        if margin is not None:
            ends = (alike - margin, alike + margin) if alike == 0 else (1 / margin, margin)
            axes.axvspan(*ends, color=canvas.GRID, alpha=0.6, linewidth=0)
        axes.axvline(alike, color=canvas.SOFT, linewidth=0.9)
        for place, gap in enumerate(pairs):
            if gap.low is not None and gap.high is not None:
                axes.plot([gap.low, gap.high], [place, place], color=canvas.INK, linewidth=1.4)
            axes.plot([gap.value], [place], color=canvas.INK, marker="o", linestyle="none", markersize=4.5)
        name_rows(axes, [pair.row for pair in pairs], PAIR)
        axes.set_xlabel(xlabel)
        if points:
            axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _number(100 * value)))

    size, unit = (100, " points") if points else (1, "")
    text = "; ".join(f"{gap.row}: {_number(size * gap.value, 3)}{unit}" for gap in pairs)
    alt = f"{title}, one row for each pair: {text}."
    height = min(0.8 + 0.3 * len(pairs), 6.0)
    return canvas.plot(name, alt, draw, heading=title, height=height, width=1.6 * canvas.WIDTH)


def overlaid(
    name: str,
    title: str,
    series: Sequence[Series],
    ylabel: str,
    *,
    rates: bool,
    ratio: bool = False,
    zones: Sequence[tuple[float, float, str]] = (),
) -> Panel:
    """Curves over FMR with their bands, if they have any; ``zones``: from, to and the letter of each.

    The vertical axis is logarithmic where it shows ``rates`` or a ``ratio``.
    """
    known = [y for trace in series for y in trace.curve.y if math.isfinite(y) and y > 0]

    def draw(axes: Axes) -> None:
        for trace in series:
            _curve(axes, trace)
        axes.set(xscale="log", xlabel="FMR", ylabel=ylabel)
        if rates and known:
            axes.set(yscale="log", ylim=(min(known) / 2, min(1.0, max(known) * 2)))
        if ratio and known:
            axes.set_yscale("log")
            index_ticks(axes, log=True)
        for start, _, _ in zones[1:]:
            axes.axvline(start, color=canvas.SOFT, linewidth=0.8)
        _letter(axes, zones)
        log_rates(axes, y=rates)

    names = ", ".join(dict.fromkeys(trace.name for trace in series))
    style = formatting.style_of(*(high for _, high, _ in zones[-1:]))
    ends = [
        f"{letter} from {' to '.join(formatting.exact(float(f'{end:.2g}'), style) for end in (low, high))}"
        for low, high, letter in zones
    ]
    letters = f" Zones: {', '.join(ends)}." if zones else ""
    alt = f"{title}: {ylabel} over FMR of {names}.{letters}"
    return canvas.plot(name, alt, draw, heading=title, width=1.3 * canvas.WIDTH)


def _number(value: float, digits: int = 4) -> str:
    """A difference or a ratio, with the minus sign of the other axes."""
    return f"{value:.{digits}g}".replace("-", "−")


def _letter(axes: Axes, zones: Sequence[tuple[float, float, str]]) -> None:
    """The letter of each zone in the middle of what the axis shows of it; none where it shows nothing."""
    across = axes.get_xaxis_transform()
    texts = [axes.text(end, TOP, letter, transform=across, ha="center", va="top") for _, end, letter in zones]

    def place(shown: Axes) -> None:
        low, high = sorted(shown.get_xlim())
        narrow_before = -1
        for text, (start, end, _) in zip(texts, zones, strict=True):
            left, right = max(start, low), min(end, high)
            text.set_visible(left <= right)
            if left > right:
                continue
            narrow = math.log(right / left) < NARROW * math.log(high / low)
            narrow_before = narrow_before + 1 if narrow else -1
            row = max(narrow_before, 0) % ROWS  # else neighbours would lie on each other
            text.set_position((math.sqrt(left * right), TOP - row * STEP))

    place(axes)
    axes.callbacks.connect("xlim_changed", place)


def _curve(axes: Axes, series: Series) -> None:
    x, y = (np.asarray(part, dtype=np.float64) for part in (series.curve.x, series.curve.y))
    style = pen(series.index)
    y = np.where(np.isfinite(y) & (y > 0), y, np.nan)
    if series.curve.low is not None and series.curve.high is not None:
        low, high = (np.asarray(end, dtype=np.float64) for end in (series.curve.low, series.curve.high))
        fine = np.isfinite(low) & np.isfinite(high)
        floor = np.nanmin(y) / 2 if np.isfinite(y).any() else 1e-9
        ends = np.maximum(low[fine], floor), high[fine]
        axes.fill_between(x[fine], *ends, color=style.hue, alpha=BAND, linewidth=0)
        for end in ends:  # of two bands over each other the fills alone do not say whose bound is whose
            axes.plot(x[fine], end, color=style.hue, linestyle=canvas.DASHES[series.dash], linewidth=EDGE)
    axes.plot(x, y, color=style.hue, linestyle=canvas.DASHES[series.dash])
    draw_marks(axes, x, y, style, log=True)
