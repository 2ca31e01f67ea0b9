"""Whether panels of one figure that show one quantity have one scale."""

from collections.abc import Callable, Collection

from frtaudit.report.figures import canvas
from frtaudit.report.pieces import Figure, pieces_of


def unequal(make: Callable[[], object], free: Collection[str] = ()) -> set[tuple[str, str]]:
    """Figures of a view, and the quantities that their panels show between different limits.

    ``free``: quantities that may differ, such as scores of several systems.
    """
    with canvas.keeping() as registry:
        figures = list(pieces_of(make(), Figure))
    limits: dict[tuple[str, str], set[tuple[float, float]]] = {}
    for figure in figures:
        for axes in (registry[panel.svg][1].axes[0] for panel in figure.panels):
            for letter, label, ends in (
                ("x", axes.get_xlabel(), axes.get_xlim()),
                ("y", axes.get_ylabel(), axes.get_ylim()),
            ):
                if label and label not in free:
                    limits.setdefault((figure.name, f"{letter}: {label}"), set()).add(ends)
    return {place for place, spans in limits.items() if len(spans) > 1}
