"""Which figures of a report are wanted for a paper, how wide and in which formats; nothing here draws."""

from dataclasses import dataclass

FORMATS = ("svg", "pdf", "png")
NONE_CHOSEN = "no figure of this result shows what was chosen"
ACCEPTED = "a run's folder, its result.json, or nominal_levels.json of the study of coverage"
WIDTHS = {"column": 3.35, "page": 7.0}  # inches

Limits = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What is drawn, and how.

    ``names`` of figures, ``systems``, ``schemas``, ``classes``, ``metrics``: only these, empty for all; ``width``:
    inches; ``x``, ``y``: limits of the axes, None for the report's; ``shared``: axes of one quantity have the same
    limits.
    """

    names: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    schemas: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    width: float = WIDTHS["column"]
    x: Limits | None = None
    y: Limits | None = None
    shared: bool = False


EVERY_FIGURE = Choice()
