"""A plan: sections of rows, and the settings that it was made with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from frtaudit.core.canonical import Json, number_out
from frtaudit.core.text.columns import aligned
from frtaudit.errors import printable

Cell = str | int | float | None
NOTHING = "-"
STAND_IN = {"audit": "templates", "cohort": "synthetic"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a plan asks beside the spec; none of it is part of an audit.

    ``power``: probability with which the plan is to decide; ``ratio``: between the rates of two groups, to be found;
    ``difference``: between the FNMR of two systems on the same people, to be found with power 0.8 (None: 0.01);
    ``expected``, ``deff``: rate name (``fmr``, ``fnmr``, ``fta``, ``far``, ``frr``) to the true rate expected and to a
    design effect; ``limits``: further limits, rate name to limit; ``subjects``, ``samples``: a cohort by its size,
    which stands in for the spec's; ``transactions``: mated ones of each of its subjects; ``scores``: whether to score
    the providers as a pilot.
    """

    power: float = 0.8
    ratio: float = 2.0
    difference: float | None = None
    expected: Mapping[str, float] = field(default_factory=dict)
    deff: Mapping[str, float] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)
    subjects: int | None = None
    samples: float | None = None
    transactions: int = 1
    scores: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One question of a plan: a table and what to know about it. Every row has a cell for each column."""

    name: str
    title: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Json]:
        """The rows as mappings from column to value."""
        rows = [
            {
                name: number_out(cell) if isinstance(cell, float) else cell
                for name, cell in zip(self.columns, row, strict=True)
            }
            for row in self.rows
        ]
        return {"name": self.name, "title": self.title, "rows": rows, "notes": list(self.notes)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A plan: its sections, in the order of the page."""

    sections: tuple[Section, ...]
    alpha: float
    settings: Settings

    def to_json(self) -> dict[str, Json]:
        """What ``--json`` prints, canonically."""
        return {
            "alpha": self.alpha,
            "power": self.settings.power,
            "ratio": self.settings.ratio,
            "sections": [section.to_json() for section in self.sections],
        }

    def text(self) -> str:
        """The page: every section's title, aligned table and notes."""
        return "\n\n".join(page(section) for section in self.sections)


def page(section: Section) -> str:
    """A section as text; numbers stand right, words left; a column "a: b" has two lines of head; no rows, no head.

    >>> print(page(Section(name="n", title="Needs", columns=("group", "K"), rows=(("all", 12000), ("f", None)))))
    Needs
      group      K
      all    12000
      f          -
    """
    head = [printable(column).rpartition(": ")[::2] for column in section.columns]
    body = [tuple(shown(cell) for cell in row) for row in section.rows]
    above, below = tuple(upper for upper, _ in head), tuple(lower for _, lower in head)
    table = [*([above] if any(above) else []), below, *body] if body and head else []
    words = [c for c in range(len(head)) if any(isinstance(row[c], str) for row in section.rows)]
    return "\n".join(
        [
            printable(section.title),
            *(f"  {line}" for line in aligned(table, words)),
            *(f"  {printable(note)}" for note in section.notes),
        ]
    )


def shown(cell: Cell) -> str:
    """A cell as text: three digits of a number that is not whole.

    >>> shown(0.00123456), shown(1234567), shown(None), shown(1234.5)
    ('0.00123', '1234567', '-', '1234')
    """
    if cell is None:
        return NOTHING
    if isinstance(cell, float):
        return f"{cell:.0f}" if abs(cell) >= 1000 else f"{cell:.3g}"
    return printable(str(cell))


def with_stand_in(overrides: Sequence[str]) -> list[str]:
    """Overrides for a cohort given by its size: the spec's own is not asked for, and a spec need not be named.

    >>> with_stand_in(["schema=gender", "cohort.root=faces"])
    ['audit=templates', 'cohort=synthetic', 'schema=gender']
    """
    words = [word for word in overrides if word.partition("=")[0].partition(".")[0] != "cohort"]
    named = {word.partition("=")[0] for word in words}
    return [*(f"{key}={value}" for key, value in STAND_IN.items() if key not in named), *words]
