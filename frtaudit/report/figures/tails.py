"""Stability of a tail model: its shape, and the FMR that it extrapolates to, over candidate thresholds."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from frtaudit.report.figures import canvas
from frtaudit.report.figures.canvas import pen
from frtaudit.report.figures.curves import Series
from frtaudit.report.figures.ticks import log_rates
from frtaudit.report.pieces import Panel

SMALLEST = 1e-3  # of the largest upper end: what a lower end of 0 is drawn at


def over_candidates(name: str, title: str, series: Sequence[Series], ylabel: str, *, rates: bool) -> Panel:
    """A value with its interval at each candidate threshold; rates logarithmic."""
    ends = [value for trace in series for value in trace.curve.high or ()]
    floor = max(ends) * SMALLEST if rates else -np.inf

    def draw(axes: Axes) -> None:
        for trace in series:
            curve, style = trace.curve, pen(trace.index)
            x, y = np.asarray(curve.x), np.maximum(curve.y, floor)
            low, high = (np.maximum(ends or curve.y, floor) for ends in (curve.low, curve.high))
            for place, bottom, top in zip(x, low, high, strict=True):
                axes.plot([place, place], [bottom, top], color=style.hue, linewidth=1.0, marker="_")
            axes.plot(x, y, color=style.hue, marker=style.marker)
        axes.set(xlabel="threshold that exceedances are counted from", ylabel=ylabel)
        if rates:
            axes.set_yscale("log")
            log_rates(axes, x=False)

    names = ", ".join(dict.fromkeys(trace.name for trace in series))
    alt = f"{title}: {ylabel} with intervals at each candidate threshold, for {names}."
    return canvas.plot(name, alt, draw, heading=title)
