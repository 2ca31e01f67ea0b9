"""Drawings of one query: the matrix of its scores and the eigenvector that labels its faces."""

from collections.abc import Iterator

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.ticker import FuncFormatter, MaxNLocator

from frtaudit.core.arrays import Floats
from frtaudit.report.figures import canvas
from frtaudit.report.figures.canvas import pen
from frtaudit.report.figures.curves import Series
from frtaudit.report.pieces import HUES, Panel

LOW = 1.55  # inches, of panels that stand in threes
SHADES = LinearSegmentedColormap.from_list("confidence", [canvas.PAPER, HUES[0]])
STEPS = 16  # shades of confidences
LABEL_NAMES = {1.0: "of the query's person", 0.0: "not", -1.0: "left out"}


def matrix(name: str, title: str, series: Series) -> Panel:
    """Confidences of all pairs of one query's faces, by falling z (Figures 3 and S.5, left)."""
    rows = np.array(series.curve.replicates, dtype=np.float64)

    def draw(axes: Axes) -> None:
        for level, cells in _shaded(rows):
            axes.add_patch(PathPatch(cells, facecolor=SHADES(level), edgecolor="none"))
        axes.set(xlabel="face, by falling z", ylabel="face", ylim=(len(rows), 0), xlim=(0, len(rows)))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(MaxNLocator(5, integer=True))
        axes.grid(visible=False)

    alt = f"{title}: confidences of {len(rows)} faces with each other, dark where high."
    return canvas.plot(name, alt, draw, heading=title, height=LOW + 0.75)


def _shaded(rows: Floats) -> Iterator[tuple[float, Path]]:
    """Each shade but that of the paper, and its cells: one path a shade, one rectangle a run of equal cells."""
    shades = np.nan_to_num(np.round(rows * STEPS)).astype(np.int64)
    size = shades.shape[1]
    for shade in np.unique(shades[shades > 0]).tolist():
        edge = np.diff((shades == shade).astype(np.int64), axis=1, prepend=0, append=0)
        (place, left), (_, right) = np.nonzero(edge[:, :size] == 1), np.nonzero(edge == -1)
        corners = [(left, place), (right, place), (right, place + 1), (left, place + 1), (left, place)]
        vertices = np.array(corners, dtype=np.float64).transpose(2, 0, 1).reshape(-1, 2)
        codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY] * left.size
        yield shade / STEPS, Path(vertices, codes)


def eigenvectors(name: str, title: str, z: Series, series: Series) -> Panel:
    """z, the eigenvectors of what counts as an identity, and the decision of each face (Figures 3 and S.5, right)."""
    columns = np.array(series.curve.replicates, dtype=np.float64)
    label, place = np.array(series.curve.y), np.arange(len(series.curve.y)) + 0.5
    counts = {word: int((label == value).sum()) for value, word in LABEL_NAMES.items()}
    decided = ", ".join(f"{count} {word}" for word, count in counts.items() if count)

    def draw(axes: Axes) -> None:
        axes.axhline(0, color=canvas.SOFT, linewidth=0.8)
        axes.plot(place, z.curve.y, color=canvas.INK, linewidth=1.4)
        for number, column in enumerate(columns):
            axes.plot(place, column, color=pen(number).hue, linewidth=1.1)
        for value, marker in ((1.0, "o"), (0.0, "x"), (-1.0, "|")):
            here = label == value
            axes.plot(
                place[here],
                np.full(here.sum(), 1.32),
                linestyle="none",
                marker=marker,
                markersize=3,
                color=canvas.INK,
            )
        axes.set(
            xlabel="face, by falling z",
            ylabel="z, eigenvectors",
            xlim=(0, label.size),
            ylim=(min(-0.15, 1.1 * float(columns.min())), 1.45),
        )
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes.yaxis.set_major_formatter(
            FuncFormatter(lambda value, _: f"{value:g}" if abs(value) <= 1 else "")
        )

    alt = f"{title}: z falls from {max(z.curve.y):.2f} to {min(z.curve.y):.2f}; {len(columns)} eigenvectors; {decided}."
    return canvas.plot(name, alt, draw, heading=title, height=LOW + 0.75)
