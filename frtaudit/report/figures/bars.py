"""Stacked bars of shares: what each row is made of."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from frtaudit.report.figures import canvas
from frtaudit.report.figures.canvas import pen
from frtaudit.report.figures.curves import name_rows
from frtaudit.report.pieces import Key, Panel

HATCHES = ("", "////", "....", "xxxx", "----", "\\\\\\\\", "oo", "++")
LIGHT = 0.55


def bars(
    name: str, title: str, rows: Sequence[tuple[str, Sequence[float]]], labels: Sequence[str]
) -> tuple[Panel, tuple[Key, ...]]:
    """Bars from the left, one hue and hatch for each of ``labels``, readable in black and white; and the legend.

    ``rows``: the name of each and its shares, which sum to at most one.
    """

    def draw(axes: Axes) -> None:
        for place, (_, shares) in enumerate(rows):
            left = 0.0
            for number, share in enumerate(shares):
                _piece(axes, left, share, place, number)
                left += share
        axes.set_xlim(0, 1)
        name_rows(axes, [row for row, _ in rows])
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.0f} %"))

    parts = []
    for row, shares in rows:
        of_labels = (f"{label}: {100 * share:.0f} %" for label, share in zip(labels, shares, strict=True))
        parts.append(f"{row}: {', '.join(of_labels)}")
    alt = f"{title}. {'; '.join(parts)}."
    panel = canvas.plot(name, alt, draw, heading=title, height=min(0.75 + 0.3 * len(rows), 8.0))
    keys = []
    for n, label in enumerate(labels):
        svg = canvas.sample(f"{name}-k{n}", f"colour and hatch of {label}", _sampled, n)
        keys.append(Key(svg=svg, name=label))
    return panel, tuple(keys)


def _piece(axes: Axes, left: float, share: float, place: float, number: int, height: float = 0.66) -> None:
    style = pen(number)
    hatch = HATCHES[number % len(HATCHES)]
    axes.barh(place, share, left=left, height=height, color=style.hue, alpha=LIGHT, linewidth=0)
    axes.barh(
        place, share, left=left, height=height, fill=False, edgecolor=style.hue, hatch=hatch, linewidth=0.6
    )


def _sampled(axes: Axes, number: int) -> None:
    _piece(axes, 0.02, 0.96, 0.5, number, height=0.9)
