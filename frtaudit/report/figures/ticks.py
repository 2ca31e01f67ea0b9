"""Ticks of axes that show rates, their shares in percent, or indices: enough of them, and none on another."""

from collections.abc import Sequence
from functools import partial

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, Locator, LogLocator, MaxNLocator, NullLocator

from frtaudit.core.text import formatting

EPSILON = 1e-9
SHORT = 30  # times from end to end of an axis
MIN_TICKS = 3
EVEN = (1, 2, 4, 5, 10)  # steps between ticks, in their decade
TICKS, TICKS_BESIDE = 9, 5  # at most so many of one logarithmic axis; of one whose labels stand side by side


def log_rates(axes: Axes, *, x: bool = True, y: bool = True) -> None:
    """Ticks of logarithmic axes that show rates (:func:`log_locator`), all printed in one way."""
    for axis, wanted, ticks in ((axes.xaxis, x, TICKS_BESIDE), (axes.yaxis, y, TICKS)):
        if wanted:
            axis.set_major_locator(LogTicks(ticks))
            axis.set_minor_locator(NullLocator())
            axis.set_major_formatter(FuncFormatter(partial(_tick, axis)))


def even(intervals: int) -> MaxNLocator:
    """Ticks at even round steps, at most so many steps, with three ticks at least."""
    return MaxNLocator(intervals, steps=EVEN, min_n_ticks=MIN_TICKS)


class LogTicks(LogLocator):
    """Ticks of :func:`log_locator` for the limits that the axis has when it is drawn."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
        """Places of ticks between two limits."""
        low, high = sorted((vmin, vmax))
        return log_locator(low, high, self.most).tick_values(low, high)


def _tick(axis: Axis, value: float, _: int | None = None) -> str:
    """A tick of an axis on which rates are printed as its highest is."""
    return formatting.exact(float(f"{value:.3g}"), formatting.style_of(max(axis.get_view_interval())))


def log_locator(low: float, high: float, ticks: int = TICKS) -> Locator:
    """Where a logarithmic axis has ticks, three at least: at decades; with less than three of them, also between.

    That is at 3, on a short axis at 2 and 5; on one that has less than three of these, at even steps.
    """
    low = max(low, 1e-300)
    steps = ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0))
    for subs in steps[2:] if high / low < SHORT else steps:
        locator = LogLocator(subs=subs, numticks=ticks)
        at = locator.tick_values(low, high)
        if MIN_TICKS <= sum(low * (1 - EPSILON) <= tick <= high * (1 + EPSILON) for tick in at) <= ticks:
            return locator
    return even(MIN_TICKS + 1)


def percent(value: float, unit: str = " %") -> str:
    """A tick of an axis that shows shares, or without ``unit`` their differences in points.

    >>> percent(0.25), percent(-0.2, "")
    ('25 %', '−20')
    """
    return f"{100 * value:.6g}{unit}".replace("-", "−")


def index_ticks(axes: Axes, *, log: bool) -> None:
    """Ticks of an index, plain numbers, for the limits that the axis has when it is drawn."""
    axes.yaxis.set_major_locator(LogTicks(TICKS) if log else even(6))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.6g}"))
