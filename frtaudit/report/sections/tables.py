"""Rows that several sections print: an estimate with each of its intervals, and what is cut from long tables."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from frtaudit.core import Target
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Column, Footnotes, Table, Text, TextSpan, capped, listed, spans
from frtaudit.report.source import Bounds, Record, Source, grouped

MAX_ROWS = 200
FEW_ROWS = 12  # of a table that is not broken over two pages


def header(texts: Iterable[str], numbers: Iterable[str] = (), wide: Iterable[str] = ()) -> tuple[Column, ...]:
    """Columns of text, then of numbers, then wide ones of sentences, by their titles.

    >>> [column.kind for column in header(["System"], ["FMR", "FNMR"])]
    ['text', 'num', 'num']
    """
    return (
        *(Column(title=title) for title in texts),
        *(Column(title=title, kind="num") for title in numbers),
        *(Column(title=title, kind="wide") for title in wide),
    )


RATE_COLUMNS = header([], ["FMR", "false matches", "interval", "FNMR", "false non-matches", "interval"])

INTERVAL_COLUMNS = header(
    ["Interval holds for", "Method"], ["Level", "Low to high", "MC error", "Effective n, resamples"]
)
BOTH = (Target.POPULATION, Target.FIXED_IDENTITIES)


def build_table(
    name: str,
    caption: Text,
    columns: Sequence[Column],
    blocks: Sequence[Block],
    notes: Footnotes,
    kind: str = "",
) -> Table:
    """A table of at most 200 rows that says what was cut; one of few rows is kept on one page."""
    shown, cut = capped(blocks, MAX_ROWS)
    short = "short" if sum(len(block.rows) for block in shown) <= FEW_ROWS else ""
    rows = "row is" if cut == 1 else "rows are"
    return Table(
        name=name,
        caption=caption,
        columns=tuple(columns),
        blocks=shown,
        notes=notes.all(),
        left_out=f"{cut} more {rows} in result.json." if cut else "",
        kind=f"{kind} {short}".strip(),
    )


def not_drawn(systems: Sequence[str], what: str = "the curves") -> tuple[Text, ...]:
    """What a reader is told of the systems whose figures a page has no room for."""
    if not systems:
        return ()
    names = listed([phrases.bold(name) for name in systems])
    command = phrases.code("frtaudit figures")
    return (spans(f"Not drawn here: {what} of ", names, "; ", command, " writes them."),)


def interval_rows(
    record: Record, notes: Footnotes, *, places: int | None = None
) -> tuple[tuple[Text, ...], ...]:
    """One row for each interval: for whom, method, level, bounds (``places`` of a percent, where given), its size."""
    return tuple(
        (
            (phrases.target(bounds),),
            (phrases.method(bounds),),
            (phrases.level(bounds),),
            phrases.bounds(bounds, record.estimate, notes, places=places),
            phrases.monte_carlo_error(bounds, record.estimate),
            phrases.sample_sizes(bounds),
        )
        for bounds in ordered(record.bounds)
    )


def ordered(bounds: Iterable[Bounds]) -> list[Bounds]:
    """Intervals for the population first, then for the same subjects, then the baseline; else as in the result."""
    places = list(Target)
    return sorted(bounds, key=lambda bound: places.index(bound.interval.target))


def provider(record: Record) -> TextSpan:
    """The system's name."""
    return phrases.bold(record.estimate.provider, f"{record.pointer}/provider")


def counted(record: Record | None, notes: Footnotes) -> Text:
    """A cell with the value, and below it the counts that it has."""
    if record is None or record.estimate.numerator is None:
        return phrases.value(record, notes)
    return spans(phrases.value(record, notes), phrases.BREAK, phrases.styled(phrases.counts(record), "soft"))


def whole_cell(record: Record | None, field: str = "value") -> Text:
    """A cell with a count that a record has; a dash without one."""
    count = None if record is None else getattr(record.estimate, field)
    if record is None or count is None:
        return phrases.DASH
    return (phrases.whole(count, f"{record.pointer}/{field}"),)


def interval_cells(
    record: Record | None, notes: Footnotes, *targets: Target, places: int | None = None
) -> tuple[Text, ...]:
    """A cell for each target: the interval that is printed first for it; ``places`` of a percent, where given."""
    if record is None:
        return tuple(phrases.DASH for _ in targets)
    return tuple(
        phrases.bounds(record.bound(target), record.estimate, notes, places=places) for target in targets
    )


def methods_said(records: Iterable[Record], *targets: Target) -> Text:
    """Which method and level stand behind a column, named once in the caption."""
    seen: dict[tuple[str, str], Bounds] = {}
    for record in records:
        for target in targets:
            bound = record.bound(target)
            if bound is not None and bound.interval.low is not None:
                seen.setdefault((bound.interval.target.value, bound.interval.method.value), bound)
    parts: list[TextSpan] = []
    for bound in seen.values():
        parts += spans(
            "; " if parts else " Intervals: ",
            "for ",
            phrases.target(bound),
            ", ",
            phrases.method(bound),
            ", ",
            phrases.level(bound),
        )
    return spans(parts, ".") if parts else ()


def by_provider(source: Source, records: Iterable[Record]) -> list[tuple[str, list[Record]]]:
    """Records of each system, systems in the result's order."""
    by = grouped(records, lambda record: record.estimate.provider)
    return [(name, by[name]) for name in source.providers if name in by]


def system_blocks(
    source: Source, records: Iterable[Record], row: Callable[[Record], tuple[Text, ...]]
) -> list[Block]:
    """A block for each system, a row for each of its records."""
    return blocks_of_systems(source, records, lambda every: map(row, every))


def blocks_of_systems(
    source: Source, records: Iterable[Record], rows: Callable[[list[Record]], Iterable[tuple[Text, ...]]]
) -> list[Block]:
    """A block for each system: the rows of its records."""
    return [
        Block(head=(provider(every[0]),), rows=tuple(rows(every)))
        for _, every in by_provider(source, records)
    ]


def grouped_blocks(
    source: Source,
    records: Iterable[Record],
    key: Callable[[Record], object],
    row: Callable[[list[Record]], tuple[Text, ...]],
) -> list[Block]:
    """A block for each system, a row for each group of its records that have one ``key``."""
    return blocks_of_systems(source, records, lambda every: map(row, grouped(every, key).values()))


def headed(rows: Mapping[str, Iterable[tuple[Text, ...]]]) -> list[Block]:
    """A block of rows below each heading."""
    return [Block(head=(phrases.bold(head),), rows=tuple(below)) for head, below in rows.items()]
