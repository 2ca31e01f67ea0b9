"""Legends of figures in which colour says one thing and shape or dashes another."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from frtaudit.report.figures import canvas
from frtaudit.report.figures.canvas import pen
from frtaudit.report.pieces import Key


def colours(name: str, names: Sequence[tuple[int, str]]) -> tuple[Key, ...]:
    """What colours mean: a bar of each series' hue, by pen index and name; ``name``: of the figure."""
    return tuple(
        Key(svg=canvas.sample(f"{name}-c{n}", f"colour of {label}", _filled, n), name=label, index=n)
        for n, label in names
    )


def shapes(name: str, names: Sequence[str]) -> tuple[Key, ...]:
    """What shapes mean: a marker of each, in the text colour; ``name``: of the figure."""
    return tuple(
        Key(svg=canvas.sample(f"{name}-m{n}", f"shape of {label}", _marked, n), name=label)
        for n, label in enumerate(names)
    )


def marks(name: str, names: Sequence[tuple[int, str]]) -> tuple[Key, ...]:
    """What colours and markers mean together, whatever the dashes: pen index and name; ``name``: of the figure."""
    return tuple(
        Key(
            svg=canvas.sample(f"{name}-s{n}", f"colour and marker of {label}", _penned, n),
            name=label,
            index=n,
        )
        for n, label in names
    )


def dashes(name: str, names: Sequence[str], first: int = 0) -> tuple[Key, ...]:
    """What dashes mean: a line of each, in the text colour; ``name``: of the figure; ``first``: dashes begin with."""
    return tuple(
        Key(svg=canvas.sample(f"{name}-d{n}", f"dashes of {label}", _dashed, n), name=label)
        for n, label in enumerate(names, first)
    )


def letters(name: str, meanings: Mapping[str, str]) -> tuple[Key, ...]:
    """What letters on a drawing mean: each before its meaning, without a sample; ``name``: of the figure."""
    return tuple(
        Key(
            svg=canvas.sample(f"{name}-{letter}", f"letter of {label}", _blank, letter),
            name=f"{letter}: {label}",
        )
        for letter, label in meanings.items()
    )


def _filled(axes: Axes, index: int) -> None:
    axes.fill_between([0.0, 1.0], 0.1, 0.9, color=pen(index).hue, linewidth=0)


def _marked(axes: Axes, index: int) -> None:
    marker = canvas.MARKERS[index % len(canvas.MARKERS)]
    axes.plot([0.5], [0.5], color=canvas.INK, linestyle="none", marker=marker, markersize=5)


def _penned(axes: Axes, index: int) -> None:
    style = pen(index)
    axes.plot([0.5], [0.5], color=style.hue, linestyle="none", marker=style.marker, markersize=5)


def _blank(axes: Axes, _: str) -> None:
    axes.plot([0.5], [0.5], linestyle="none", marker="")


def _dashed(axes: Axes, index: int) -> None:
    axes.plot([0.02, 0.98], [0.5, 0.5], color=canvas.INK, linestyle=canvas.DASHES[index])
