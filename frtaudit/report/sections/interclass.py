"""Interclass bias: d_l2 of each class in both spaces, threshold curves over TAR and their differences."""

from dataclasses import dataclass

from frtaudit.core import Curve, Target
from frtaudit.report import figures, phrases
from frtaudit.report.figures import Series
from frtaudit.report.pieces import Block, Column, Figure, Footnotes, Piece, Table, Text, say
from frtaudit.report.sections.tables import by_provider, finished, interval_cells, methods_said, provider
from frtaudit.report.source import Record, Source
from frtaudit.report.words import called, words

METRIC = "d_l2"
MAX_SYSTEMS = 8
TARGETS = (Target.POPULATION, Target.COMPARISONS_IID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interclass:
    """The view: one table for each schema and space, one figure for each schema and system."""

    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]
    left_out: str


def build(source: Source) -> Interclass | None:
    """None when d_l2 was not asked for."""
    found = source.select(METRIC)
    if not found:
        return None
    spaces = dict.fromkeys((item.estimate.schema, item.at) for item in found)
    tables = [
        _table(
            source, schema or "", [item for item in found if (item.estimate.schema, item.at) == (schema, at)]
        )
        for schema, at in spaces
    ]
    drawn = [
        _figure(source, schema, name) for schema in source.schemas for name in source.providers[:MAX_SYSTEMS]
    ]
    cut = len(source.providers) - MAX_SYSTEMS
    return Interclass(
        tables=tuple(tables),
        figures=tuple(item for item in drawn if item is not None),
        left_out=f"Curves of {cut} more systems are in result.json." if cut > 0 else "",
    )


def _table(source: Source, schema: str, records: list[Record]) -> Table:
    notes = Footnotes()
    blocks = [
        Block(
            head=(provider(own[0]),),
            rows=tuple(
                (_group(source, item), phrases.value(item, notes), *interval_cells(item, notes, *TARGETS))
                for item in own
            ),
        )
        for _, own in by_provider(source, records)
    ]
    first = records[0]
    space = str(first.estimate.at.get("space", ""))
    columns = (
        Column(title="Class"),
        Column(title="d_l2", kind="num"),
        *(Column(title=f"for {called(words().target, item.value)}", kind="num") for item in TARGETS),
    )
    caption = say(
        Piece(text=f"d_l2 by {schema.replace('_', ' ')}: ", kind="b"),
        Piece(text=called(words().at_value, space), pointer=f"{first.pointer}/at/space", kind="b"),
        ". Distance of each class from the mean of the classes, and between classes; unit: ",
        Piece(text=first.estimate.unit, pointer=f"{first.pointer}/unit"),
        ".",
        methods_said(records, *TARGETS),
        _plain_caution(records),
    )
    kept = columns if any(item.bounds for item in records) else columns[:2]
    rows = [Block(head=b.head, rows=tuple(row[: len(kept)] for row in b.rows)) for b in blocks]
    return finished(f"d-l2-{schema}-{space}", caption, kept, rows, notes)


def _plain_caution(records: list[Record]) -> Text:
    iid = any(item.bound(Target.COMPARISONS_IID) for item in records)
    return say(" The interval for independent comparisons is the thesis's; it is no test.") if iid else ()


def _group(source: Source, record: Record) -> Text:
    label = "largest of the classes" if record.estimate.group == "max" else phrases.group(source, record).text
    return (Piece(text=label, pointer=f"{record.pointer}/group"),)


def _figure(source: Source, schema: str, system: str) -> Figure | None:
    panels = []
    names: dict[str, int] = {}
    for kind, title in (("tar", "Threshold by TAR"), ("tar_difference", "Class minus mean of the classes")):
        curves = [
            item
            for item in source.curves(kind, grouped=True)
            if item.schema == schema and item.provider == system
        ]
        series = [_series(source, schema, index, item) for index, item in enumerate(curves)]
        names |= {item.name: item.index for item in series}
        if series:
            name = f"{kind}-{schema}-{source.providers.index(system)}"
            panels.append(figures.tar(name, title, series, differences=kind == "tar_difference"))
    if not panels:
        return None
    place = f"tar-{schema}-{source.providers.index(system)}"
    return Figure(
        name=place,
        title=f"{system}: thresholds by {schema.replace('_', ' ')}",
        caption=say(
            "Were all classes alike, the lines on the left would be one and those on the right would lie on 0. A class "
            "above 0 on the right could be held to a higher threshold at the same TAR: its mated scores are higher."
        ),
        panels=tuple(panels),
        keys=figures.keys(place, [(index, name) for name, index in names.items()]),
    )


def _series(source: Source, schema: str, index: int, curve: Curve) -> Series:
    name = "mean of the classes" if curve.group == "all" else source.label(schema, curve.group)
    return Series(name=name, index=index, curve=curve)
