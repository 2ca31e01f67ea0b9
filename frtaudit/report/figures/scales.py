"""Axes of several drawings that show one quantity: the same limits, so that what is drawn can be compared."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator

from frtaudit.report.figures import canvas
from frtaudit.report.figures.ticks import MIN_TICKS, log_locator
from frtaudit.report.pieces import Panel


def alike(make: Callable[[], Iterable[Panel]], axes: str = "xy") -> tuple[Panel, ...]:
    """The panels that ``make`` draws, with the same limits on ``axes`` of one quantity.

    A panel that sets something on the edge of its axes draws it inside wider ones: it needs limits of its own.
    """
    with canvas.keeping() as registry:
        panels = tuple(make())
    share([drawing for _, drawing in registry.values()], axes)
    with canvas.ink():
        return tuple(
            replace(panel, svg=canvas.svg_of(registry[panel.svg][1], registry[panel.svg][0], panel.alt))
            if panel.svg in registry
            else panel
            for panel in panels
        )


def alike_groups(makes: Sequence[Callable[[], Iterable[Panel]]]) -> list[tuple[Panel, ...]]:
    """The panels of each of several figures, drawn as :func:`alike` draws those of one."""
    sizes = []

    def every() -> Iterable[Panel]:
        for make in makes:
            panels = tuple(make())
            sizes.append(len(panels))
            yield from panels

    drawn = iter(alike(every))
    return [tuple(islice(drawn, size)) for size in sizes]


def share(drawings: Sequence[Figure], axes: str) -> None:
    """Set the limits of each of ``axes`` (letters) to what holds every drawing of its quantity."""
    for name in axes:
        every = with_quantity(drawings, name)
        spans = [(quantity(drawn, name), sorted(getattr(drawn, f"get_{name}lim")())) for drawn in every]
        for drawn, (shown, span) in zip(every, spans, strict=True):
            same = [other for of, other in spans if of == shown]
            whole = (min(low for low, _ in same), max(high for _, high in same))
            if tuple(span) != whole:
                set_span(drawn, name, whole)


def with_quantity(drawings: Sequence[Figure], name: str) -> list[Axes]:
    """Axes of the drawings whose ``name`` axis shows a quantity.

    One that has a row for each system, class or the like shows none: limits would drop rows.
    """
    every = [
        (axes, getattr(axes, f"{name}axis"))
        for axes in (drawing.axes[0] for drawing in drawings)
        if axes.axison
    ]
    return [
        axes
        for axes, axis in every
        if axis.get_label_text() or not isinstance(axis.get_major_locator(), FixedLocator)
    ]


def quantity(axes: Axes, name: str) -> tuple[str, str]:
    """What an axis shows, and its scale."""
    return getattr(axes, f"get_{name}label")(), getattr(axes, f"get_{name}scale")()


def set_span(axes: Axes, name: str, limits: tuple[float, float]) -> None:
    """Set the limits of one axis, from the lower to the higher; its direction stays; a log axis has three ticks."""
    axis = getattr(axes, f"{name}axis")
    backwards = axis.get_inverted()
    getattr(axes, f"set_{name}lim")(limits)
    axis.set_inverted(backwards)
    low, high = limits
    if axis.get_scale() == "log":
        ticks = sum(low <= tick <= high for tick in axis.get_majorticklocs())
        if ticks < MIN_TICKS:
            axis.set_major_locator(log_locator(low, high))
