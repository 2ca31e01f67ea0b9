"""Distributions side by side: violins, each as wide as it has scores there, and the marks of folds."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from frtaudit.report.figures import canvas
from frtaudit.report.figures.canvas import pen
from frtaudit.report.figures.curves import Dot, Series, name_rows
from frtaudit.report.figures.ticks import even, percent
from frtaudit.report.pieces import Panel

APART = 60  # marks nearer than this share of the axis stand beside each other
HALF = 0.42
FILL = 0.28


def violins(name: str, title: str, shapes: Sequence[Series], guides: Sequence[float]) -> Panel:
    """Densities (x: score, y: height) side by side, all scaled to one width, with dashed lines at ``guides``."""

    def draw(axes: Axes) -> None:
        for place, violin in enumerate(shapes):
            x, y = np.asarray(violin.curve.x), np.asarray(violin.curve.y)
            width = HALF * y / max(float(y.max()), 1e-300)
            style = pen(violin.index)
            axes.fill_betweenx(x, place - width, place + width, color=style.hue, alpha=FILL, linewidth=0)
            for side in (place - width, place + width):
                axes.plot(side, x, color=style.hue, linewidth=0.9)
        for guide in guides:
            axes.axhline(guide, color=canvas.SOFT, linewidth=0.7, linestyle=(0, (4, 2)))
        axes.set_xticks(range(len(shapes)), labels=[shape.name for shape in shapes])
        axes.tick_params(axis="x", length=0)
        axes.grid(visible=False, axis="x")
        axes.set(xlim=(-0.6, len(shapes) - 0.4), ylabel="score")

    parts = []
    for violin in shapes:
        least, most = violin.curve.x[0], violin.curve.x[-1]
        widest = violin.curve.x[int(np.argmax(violin.curve.y))]
        parts.append(f"{violin.name}: {least:.2f} to {most:.2f}, most near {widest:.2f}")
    return canvas.plot(name, f"{title}. {'; '.join(parts)}.", draw, heading=title)


def folds(
    name: str, points: Sequence[Dot], rows: Sequence[str], title: str = "Accuracy of the folds"
) -> Panel:
    """Accuracy of each fold, one row for each system."""

    def draw(axes: Axes) -> None:
        for dot, shift in zip(points, beside(points), strict=True):
            style = pen(dot.index)
            row = rows.index(dot.row) + shift
            axes.plot(dot.value, row, marker=style.marker, color=style.hue, alpha=0.75)
        name_rows(axes, rows)
        axes.set_xlabel("accuracy of a held-out fold")
        axes.xaxis.set_major_locator(even(5))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: percent(value)))

    height = min(0.75 + 0.26 * len(rows), 8.0)
    alt = f"{title}: accuracy of each held-out fold, by system."
    return canvas.plot(name, alt, draw, heading=title, height=height)


def beside(points: Sequence[Dot]) -> list[float]:
    """How far each mark moves up or down from its row, so that marks at one value do not hide each other.

    >>> two = [Dot(row="a", series="a", index=0, value=0.5)] * 2
    >>> beside(two)
    [-0.065, 0.065]
    """
    values = [dot.value for dot in points]
    width = (max(values) - min(values)) / APART or 1.0
    near = [(dot.row, round(dot.value / width)) for dot in points]
    met: dict[tuple[str, int], int] = {}
    shifts = []
    for place in near:
        shifts.append((met.get(place, 0) - (near.count(place) - 1) / 2) * min(0.13, 0.7 / near.count(place)))
        met[place] = met.get(place, 0) + 1
    return shifts
