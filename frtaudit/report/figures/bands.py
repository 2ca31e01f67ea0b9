"""Figures of curves over FMR: bootstrap replicates, bands of several methods, indices of fairness, uncertainty."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.axes import Axes

from frtaudit.core import Curve
from frtaudit.core.curves import step_envelope
from frtaudit.report.figures import canvas
from frtaudit.report.figures.canvas import INK, MARKERS, Pen, pen
from frtaudit.report.figures.curves import Series, draw_marks
from frtaudit.report.figures.ticks import EPSILON, index_ticks, log_rates
from frtaudit.report.pieces import Key, Panel

FILL, FAINT = 0.22, 0.3
HEIGHT = 2.05  # inches: four panels and two more share a page
HAIR, EDGE = 0.45, 0.95
DOTTED = (0, (1.0, 1.5))
DASHED = (0, (4.0, 1.8))
MIDDLE = Pen(hue=INK, marker=MARKERS[1])  # of the V-statistic


@dataclass(frozen=True, slots=True, kw_only=True)
class BandStyle:
    """How a band or a bundle is drawn: in the hue of its system, filled or not, with edges or hairs.

    ``dash``: of the edges, one for each method.
    """

    label: str
    hue: str
    dash: "str | tuple[float, tuple[float, ...]]" = "solid"
    fill: bool = False
    hair: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Banded:
    """A curve of the result and how its band is drawn."""

    style: BandStyle
    curve: Curve


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """The vertical axis: its label, the value under equality (a line), logarithmic or not, a rate or an index."""

    label: str
    alike: float | None = None
    log: bool = True
    rate: bool = True


RATE = Scale(label="FNMR")
RELATIVE = Scale(label="FNMR / empirical FNMR", alike=1.0, log=False, rate=False)
MAX_RELATIVE = 2.0


def line_key(figure: str, style: Pen, label: str) -> Key:
    """The legend entry of a line."""
    name = f"{figure}-l" + _letters(label)
    return Key(svg=canvas.sample(name, f"line and marker of {label}", canvas.stroke, style), name=label)


def band_key(figure: str, style: BandStyle) -> Key:
    """The legend entry of a band or a bundle."""
    name = f"{figure}-b" + _letters(style.label)
    return Key(svg=canvas.sample(name, f"band of {style.label}", _sampled, style), name=style.label)


def _letters(label: str) -> str:
    return "".join(letter for letter in label.lower() if letter.isalnum())


def bundle(
    name: str, title: str, roc: Curve, vstat: Curve, hairs: BandStyle, scale: Scale = RATE, index: int = 0
) -> Panel:
    """Replicate curves as hairs, the V-statistic in their middle, the empirical curve above both.

    ``index``: of the system's pen.
    """
    drawn = np.asarray(vstat.replicates, dtype=np.float64).reshape(-1, len(vstat.x))
    known = np.isfinite(np.asarray(roc.y)) & np.isfinite(drawn).all(axis=0)
    above = np.count_nonzero(known & (np.asarray(roc.y) > drawn.max(axis=0, initial=0.0)))
    alt = (
        f"{title}: {len(vstat.replicates)} bootstrap curves lie around the V-statistic; the empirical curve lies above "
        f"the highest of them at {above} of {np.count_nonzero(known)} targets."
    )
    floor, top = (0.0, MAX_RELATIVE) if scale is RELATIVE else _limits(roc, [], scale)

    def draw(axes: Axes) -> None:
        if scale.alike is not None:
            axes.axhline(scale.alike, color=canvas.SOFT, linewidth=0.8)
        x = np.concatenate([[*vstat.x, np.nan]] * len(vstat.replicates)) if vstat.replicates else np.zeros(0)
        y = np.array([value for drawn in vstat.replicates for value in (*drawn, np.nan)], dtype=np.float64)
        axes.plot(x, np.maximum(y, floor), color=hairs.hue, linewidth=HAIR, alpha=FAINT)
        _line(axes, vstat, MIDDLE, floor)
        _line(axes, roc, pen(index), floor)
        _scaled(axes, scale, roc.x, floor, top)

    return canvas.plot(name, alt, draw, heading=title, height=HEIGHT)


def relative(curve: Curve, base: Curve) -> Curve:
    """A curve with its bounds and replicates, divided by ``base`` at each target; where that is 0 nothing is drawn."""
    by = dict(zip(base.x, base.y, strict=True))
    share = [by.get(x, 0.0) or math.nan for x in curve.x]

    def divided(values: Sequence[float]) -> tuple[float, ...]:
        return tuple(value / part for value, part in zip(values, share, strict=True))

    return replace(
        curve,
        y=divided(curve.y),
        low=None if curve.low is None else divided(curve.low),
        high=None if curve.high is None else divided(curve.high),
        replicates=tuple(divided(drawn) for drawn in curve.replicates),
    )


def compared(
    name: str,
    title: str,
    curve: Curve,
    bands: Sequence[Banded],
    scale: Scale,
    alt: str,
    index: int = 0,
    truth: Curve | None = None,
) -> Panel:
    """One curve with the bands of several methods over it; infinite and undefined points leave gaps.

    ``index``: of the system's pen; ``truth``: the true curve, where it is known.
    """
    floor, top = _limits(curve, bands, scale)

    def draw(axes: Axes) -> None:
        if scale.alike is not None:
            axes.axhline(scale.alike, color=canvas.SOFT, linewidth=0.8)
        for band in sorted(bands, key=lambda banded: not banded.style.fill):
            _band(axes, band, floor, top)
        _line(axes, curve, pen(index), floor)
        if truth is not None:
            axes.plot(truth.x, np.maximum(truth.y, floor), color=canvas.INK, linestyle=DASHED)
        _scaled(axes, scale, curve.x, floor, top)

    return canvas.plot(name, alt, draw, heading=title, height=HEIGHT)


def uncertainties(name: str, title: str, series: Sequence[Series]) -> Panel:
    """Normalized uncertainty of several metrics over FMR, both axes logarithmic."""
    known = [value for metric in series for value in metric.curve.y if math.isfinite(value) and value > 0]
    floor, top = min(known, default=0.01) * 0.8, max(known, default=1.0) * 1.25
    lowest = _least(series)
    alt = f"{title}, for {', '.join(metric.name for metric in series)}" + (
        f"; {lowest[0]} is lowest at {lowest[1]} of {lowest[2]} targets." if lowest else "."
    )

    def draw(axes: Axes) -> None:
        for metric in series:
            _line(axes, metric.curve, pen(metric.index), 0.0)
        scale = Scale(label="normalized uncertainty", rate=False)
        _scaled(axes, scale, [at for entry in series for at in entry.curve.x], floor, top)

    return canvas.plot(name, alt, draw, heading=title, height=HEIGHT)


def outside(curve: Curve, band: Curve) -> tuple[int, int]:
    """At how many targets with bounds the band leaves the curve itself out, and how many there are."""
    low, high = (np.asarray(end or (), dtype=np.float64) for end in (band.low, band.high))
    y = np.asarray(curve.y, dtype=np.float64)
    known = np.isfinite(low) & ~np.isnan(high) & np.isfinite(y)
    return int(np.count_nonzero(known & ((y < low) | (y > high)))), int(np.count_nonzero(known))


def _least(series: Sequence[Series]) -> tuple[str, int, int] | None:
    """The index with the lowest uncertainty at most targets (002's comparison), among metrics of one panel."""
    shared = [metric for metric in series if len(metric.curve.y) == len(series[0].curve.y)]
    table = np.array([metric.curve.y for metric in shared], dtype=np.float64)
    if not table.size:
        return None
    whole = np.isfinite(table).all(axis=0)
    if not whole.any():
        return None
    wins = np.bincount(table[:, whole].argmin(axis=0), minlength=len(shared))
    return shared[int(wins.argmax())].name, int(wins.max()), int(whole.sum())


def _sampled(axes: Axes, style: BandStyle) -> None:
    if style.hair:
        for height in (0.15, 0.4, 0.6, 0.85):
            axes.plot([0.02, 0.98], [height, height], color=style.hue, linewidth=HAIR, alpha=0.8)
        return
    if style.fill:
        axes.fill_between([0.02, 0.98], 0.08, 0.92, color=style.hue, alpha=FILL, linewidth=0)
    for height in (0.08, 0.92):
        axes.plot([0.02, 0.98], [height, height], color=style.hue, linestyle=style.dash, linewidth=EDGE)


def _line(axes: Axes, curve: Curve, style: Pen, floor: float) -> None:
    """A curve with a few markers; points that are not finite are gaps."""
    x, y = np.asarray(curve.x, dtype=np.float64), np.asarray(curve.y, dtype=np.float64)
    known = np.isfinite(y)
    if not known.any():
        return
    y = np.where(known, np.maximum(y, floor), np.nan)
    axes.plot(x, y, color=style.hue)
    draw_marks(axes, x[known], y[known], style, log=True)


def _band(axes: Axes, banded: Banded, floor: float, top: float) -> None:
    """Fill and edges of a band; a simultaneous one in steps between its points; bounds beyond the axis on its edge."""
    curve, style = banded.curve, banded.style
    low_ends, high_ends = curve.low or (), curve.high or ()
    x, low, high = (np.asarray(part, dtype=np.float64) for part in (curve.x, low_ends, high_ends))
    if curve.simultaneous:
        x, low, high = step_envelope(curve.x, low_ends, high_ends)
    if not np.isfinite(low).any():
        return
    low, high = (np.where(np.isnan(end), np.nan, np.clip(end, floor, top)) for end in (low, high))
    if style.fill:
        axes.fill_between(x, low, high, color=style.hue, alpha=FILL, linewidth=0)
    for end in (low, high):
        axes.plot(x, end, color=style.hue, linestyle=style.dash, linewidth=EDGE)


def _limits(curve: Curve, bands: Sequence[Banded], scale: Scale) -> tuple[float, float]:
    """The vertical axis: all finite values and bounds, rates from a decade up to at most 1."""
    ends = [end for band in bands for end in (band.curve.low, band.curve.high) if end is not None]
    known = [value for y in (curve.y, *ends) for value in y if math.isfinite(value)]
    if scale.rate:
        smallest = min((value for value in curve.y if math.isfinite(value) and value > 0), default=1e-3)
        floor = float(10.0 ** math.floor(math.log10(smallest) + EPSILON))  # the decade below it
        return floor, min(1.0, max(1.4 * max(known, default=1.0), 10 * floor))  # without an error a decade
    if scale is RELATIVE:
        return 0.0, min(MAX_RELATIVE, max([1.1, *known]) * 1.05)
    alike = scale.alike or 0.0
    low, high = min([alike, *known]), max([alike, *known])
    if scale.log:
        return max(low, 0.6 * alike) / 1.06, high * 1.15
    return low - 0.04 * (high - low), high + 0.06 * max(high - low, 1e-6)


def _scaled(axes: Axes, scale: Scale, xs: Sequence[float], floor: float, top: float | None) -> None:
    label = scale.label.replace(", ", ",\n")  # longer than the axis in one line
    axes.set(xscale="log", xlabel="FMR", ylabel=label, xlim=(min(xs) / 1.15, max(xs) * 1.15))
    axes.set(yscale="log" if scale.log else "linear", ylim=(floor, top))
    log_rates(axes, y=scale.rate)
    if not scale.rate:
        index_ticks(axes, log=scale.log)
