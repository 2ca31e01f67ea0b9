"""Figures of labels that nobody gave: right faces of each query, one query's pairs, rates with and without doubt."""

from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """A rate as reported with its interval, ``thick``, and on true labels with its own, ``thin``: (low, high)."""

    row: str
    value: float
    thick: tuple[float | None, float | None] | None
    true: float
    thin: tuple[float | None, float | None] | None


def reaching(name: str, title: str, found: Sequence[Reach]) -> Panel:
    """One row for each service: thick what the labels say as they are, thin what is in doubt decided either way."""

    def draw(axes: Axes) -> None:
        for place, item in enumerate(found):
            for ends, shift, width in ((item.thick, -0.14, 3.4), (item.thin, 0.14, 1.1)):
                if ends is not None and ends[0] is not None and ends[1] is not None:
                    axes.plot([ends[0], ends[1]], [place + shift] * 2, color=canvas.INK, linewidth=width)
            axes.plot(
                [item.value],
                [place - 0.14],
                linestyle="none",
                marker="o",
                markersize=5.5,
                color=canvas.PAPER,
                markeredgecolor=canvas.INK,
            )
            axes.plot(
                [item.true], [place + 0.14], linestyle="none", marker="|", markersize=9, color=canvas.INK
            )
        axes.set_yticks(range(len(found)), labels=[item.row for item in found])
        axes.set(ylim=(len(found) - 0.5, -0.5), xlabel="FNMR")
        axes.set_xlim(left=0.0)
        axes.grid(visible=False, axis="y")
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_major_formatter(PercentFormatter(1.0))
        axes.set_title(title)

    said = "; ".join(
        f"{item.row} {item.value:.2%} reported, {item.true:.2%} on true labels" for item in found
    )
    alt = f"{title}, one row for each service: {said}."
    return Panel(svg=canvas.panel(name, alt, draw, height=min(0.9 + 0.38 * len(found), 6.0)), alt=alt)
