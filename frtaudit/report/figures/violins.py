"""Violins: distributions side by side, each as wide as it has scores there."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from frtaudit.core import Curve
from frtaudit.report.figures import canvas
from frtaudit.report.figures.canvas import pen
from frtaudit.report.pieces import Panel

HALF = 0.42
FILL = 0.28


@dataclass(frozen=True, slots=True, kw_only=True)
class Violin:
    """A density (x: score, y: height) with the name under it and its pen."""

    name: str
    index: int
    curve: Curve


def violins(name: str, title: str, shapes: Sequence[Violin], guides: Sequence[float], ylabel: str) -> Panel:
    """Violins side by side, all scaled to one width, with dashed lines at ``guides``."""

    def draw(axes: Axes) -> None:
        for place, violin in enumerate(shapes):
            _violin(axes, place, violin)
        for guide in guides:
            axes.axhline(guide, color=canvas.SOFT, linewidth=0.7, linestyle=(0, (4, 2)))
        axes.set_xticks(range(len(shapes)), labels=[shape.name for shape in shapes])
        axes.tick_params(axis="x", length=0)
        axes.grid(visible=False, axis="x")
        axes.set(xlim=(-0.6, len(shapes) - 0.4), ylabel=ylabel)

    return Panel(svg=canvas.panel(name, _read(title, shapes), draw, heading=title), alt=_read(title, shapes))


def _violin(axes: Axes, place: int, violin: Violin) -> None:
    x, y = np.asarray(violin.curve.x), np.asarray(violin.curve.y)
    width = HALF * y / max(float(y.max()), 1e-300)
    style = pen(violin.index)
    axes.fill_betweenx(x, place - width, place + width, color=style.hue, alpha=FILL, linewidth=0)
    for side in (place - width, place + width):
        axes.plot(side, x, color=style.hue, linewidth=0.9)


def _read(title: str, shapes: Sequence[Violin]) -> str:
    """What the violins show, in words: where each is widest, and its extremes."""
    parts = []
    for violin in shapes:
        widest = violin.curve.x[int(np.argmax(violin.curve.y))]
        parts.append(
            f"{violin.name}: {violin.curve.x[0]:.2f} to {violin.curve.x[-1]:.2f}, most near {widest:.2f}"
        )
    return f"{title}. {'; '.join(parts)}."
