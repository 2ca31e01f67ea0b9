"""Figures of labels that nobody gave: right faces of each query, and what a service said of one query's pairs."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import PercentFormatter

from frtaudit.report import canvas
from frtaudit.report.canvas import pen
from frtaudit.report.figures import Series
from frtaudit.report.pieces import Panel


def scattered(name: str, title: str, series: Sequence[Series]) -> Panel:
    """One dot for each query: how many of its faces show its person, and what share (Figure S.6)."""

    def draw(axes: Axes) -> None:
        for item in series:
            style = pen(item.index)
            axes.plot(
                item.curve.x,
                item.curve.y,
                linestyle="none",
                marker=style.marker,
                color=style.hue,
                markersize=3.2,
                alpha=0.7,
            )
        axes.set(
            xlabel="faces of the query's person", ylabel="share of the query's faces", ylim=(-0.03, 1.03)
        )
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        axes.set_title(title)

    said = "; ".join(f"{item.name}: {len(item.curve.x)} queries" for item in series)
    alt = f"{title}. {said}."
    return Panel(svg=canvas.panel(name, alt, draw), alt=alt)


def matrix(name: str, title: str, item: Series) -> Panel:
    """Confidences of all pairs of one query's faces, by falling z, and z itself below them (Figures 3 and S.5)."""
    rows = np.array(item.curve.replicates, dtype=np.float64)
    shades = LinearSegmentedColormap.from_list("confidence", [canvas.PAPER, canvas.HUES[0]])

    def draw(axes: Axes) -> None:
        axes.pcolormesh(rows, cmap=shades, vmin=0.0, vmax=1.0, edgecolors="none", rasterized=False)
        axes.plot(
            np.arange(len(rows)) + 0.5,
            len(rows) * (1.05 + 0.3 * np.array(item.curve.y).clip(0, 1.2)),
            color=canvas.INK,
        )
        axes.set(xlabel="face, by falling z", ylabel="face", ylim=(0, len(rows) * 1.45), xlim=(0, len(rows)))
        axes.grid(visible=False)
        axes.set_title(title)

    alt = f"{title}: confidences of {len(rows)} faces with each other, dark where high; above them z of each face."
    return Panel(svg=canvas.panel(name, alt, draw), alt=alt)
