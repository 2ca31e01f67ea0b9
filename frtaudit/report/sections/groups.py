"""Groups: rates of every class at one threshold for all, drawn and in tables, and the indices of their difference."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import compress

from frtaudit.core import UNKNOWN
from frtaudit.core.metrics import INDICES, value_alike
from frtaudit.core.text import formatting
from frtaudit.core.text.file_names import name_of
from frtaudit.report import phrases
from frtaudit.report.figures import curves as figures
from frtaudit.report.figures.curves import Dot
from frtaudit.report.pieces import (
    Block,
    Figure,
    Footnotes,
    Panel,
    Part,
    Table,
    Text,
    listed,
    plain_text,
    spans,
)
from frtaudit.report.section import section
from frtaudit.report.sections import differences, front, operating_points
from frtaudit.report.sections.rates import rate_cells
from frtaudit.report.sections.tables import (
    BOTH,
    RATE_COLUMNS,
    build_table,
    by_provider,
    header,
    interval_cells,
    methods_said,
    provider,
)
from frtaudit.report.source import AtKey, Record, Source, grouped
from frtaudit.report.words import display_name, words

MAX_POINTS = 6
MAX_ALIKE = 2  # notes that differ in their numbers alone
NO_ERROR = re.compile(
    r"no error: Wilson's upper bound is ([\d.]+ %) for independent comparisons, ([\d.]+ %) for ([\d,]+) (.+) alone"
)
OVERLAP = "Overlap does not show that groups are equal"
MAX_SYSTEMS_IN_FIGURE, FEW_SYSTEMS_IN_FIGURE = 5, 4  # of more than five, four at a time
PAIR = "|"


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """What is found under one schema; ``main``: its rates at the operating point of the first page."""

    name: str
    title: str
    figures: tuple[Figure, ...]
    main: tuple[Table, ...]
    tables: tuple[Table, ...]
    left_out: str


@section("groups", "Groups", after="rates")
def build(source: Source) -> tuple[Schema, ...] | None:
    """Schemas in the spec's order; None when no rate of a group was estimated."""
    built = (_schema(source, name) for name in source.schemas)
    return tuple(schema for schema in built if schema is not None) or None


def _schema(source: Source, name: str) -> Schema | None:
    records = [
        record
        for record in source.select("fmr", "fnmr", "fnmr_at_fmr", schema=name, primary=True)
        if PAIR not in record.estimate.group
    ]
    indices = source.select(*INDICES, schema=name, primary=True)
    if not records and not indices:
        return None
    target = operating_points.main_target(source)
    first = [at for at in _points(records) if dict(at) == {"fmr": target}]
    places = [at for at in _points(records) if at not in first]
    tables = [_table(source, name, point, records) for point in places[:MAX_POINTS]]
    tables += _fixed(source, name, [record for record in records if "threshold" in record.estimate.at])
    drawn = _figures(source, name)
    cut = len(places) - MAX_POINTS
    return Schema(
        name=name,
        title=name.replace("_", " "),
        figures=drawn,
        main=tuple(_table(source, name, point, records) for point in first),
        tables=(*tables, *_indices(name, indices)),
        left_out=f"{cut} more operating points are in result.json." if cut > 0 else "",
    )


def _points(records: list[Record]) -> list[AtKey]:
    """Operating points that are no fixed thresholds: FMR targets from large to small, then other rules for them."""
    keys = dict.fromkeys(record.at for record in records if "threshold" not in record.estimate.at)

    def rank(at: AtKey) -> tuple[int, float]:
        target = dict(at).get("fmr")
        return len(at), -float(target) if target is not None else 0.0

    return sorted(keys, key=rank)


COLUMNS = (*header(["Group"], ["Subjects"]), *RATE_COLUMNS)


def _table(source: Source, schema: str, point: AtKey, records: list[Record]) -> Table:
    here = [record for record in records if record.at == point]
    notes = Footnotes(merged=_merged(here))
    blocks = [
        Block(head=_head(source, of_system, point), rows=tuple(_rows(source, schema, of_system, notes)))
        for _, of_system in by_provider(source, here)
    ]
    at = phrases.at_words(here[0].estimate.at, here[0].pointer)
    title = spans(f"By {schema.replace('_', ' ')} at ", at)
    keys: list[str] = []
    for key, value in point:
        keys += [key, value if isinstance(value, str) else f"{value:g}"]
    return _laid_out(source, name_of("error-rates", schema, *keys), title, blocks, here, notes)


def _fixed(source: Source, schema: str, records: list[Record]) -> list[Table]:
    """Every fixed threshold of every system in one table."""
    notes = Footnotes(merged=_merged(records))
    blocks = []
    for _, system_records in by_provider(source, records):
        for here in grouped(system_records, lambda record: record.at).values():
            head = spans(provider(here[0]), "  ", phrases.at_words(here[0].estimate.at, here[0].pointer))
            blocks.append(Block(head=head, rows=tuple(_rows(source, schema, here, notes))))
    name = name_of("error-rates", schema, "fixed-thresholds")
    title = spans(f"By {schema.replace('_', ' ')} at fixed thresholds")
    return [_laid_out(source, name, title, blocks, records, notes)] if blocks else []


def _merged(records: list[Record]) -> dict[str, str]:
    """Notes on rates without an error to one for all, where more than two differ in their numbers alone."""
    alike: dict[str, dict[str, tuple[str, str, str]]] = {}
    for note in (bound.interval.note or "" for record in records for bound in record.bounds):
        if matched := NO_ERROR.fullmatch(note):
            alike.setdefault(matched[4], {})[note] = (matched[1], matched[2], matched[3])
    merged: dict[str, str] = {}
    for kind, notes in alike.items():
        if len(notes) > MAX_ALIKE:
            least, most, units = (_from_to(numbers) for numbers in zip(*notes.values(), strict=True))
            of = f"{least} for independent comparisons, {most} for {units} {kind} alone"
            merged |= dict.fromkeys(notes, f"no error: Wilson's upper bound is {of}")
    return merged


def _from_to(numbers: tuple[str, ...]) -> str:
    """``2.94 % to 3.56 %``: the smallest and the largest, or the one that all are."""
    ordered = sorted(numbers, key=lambda number: float(number.removesuffix(" %").replace(",", "")))
    return ordered[0] if ordered[0] == ordered[-1] else f"{ordered[0]} to {ordered[-1]}"


def _laid_out(
    source: Source, name: str, title: Text, blocks: list[Block], records: list[Record], notes: Footnotes
) -> Table:
    rows = [row for block in blocks for row in block.rows]
    is_filled = [
        any("".join(piece.text for piece in row[place]) not in ("", phrases.ABSENT) for row in rows)
        for place in range(len(COLUMNS))
    ]
    trimmed = [
        replace(block, rows=tuple(tuple(compress(row, is_filled)) for row in block.rows)) for block in blocks
    ]
    caption = spans(
        *phrases.styled(title, "b"),
        ". FMR of a group: both subjects within it. Rates: ",
        f"{display_name(words().weighting, source.weighting)}; counts are pooled.",
        " In brackets: subjects with two images or more." if source.with_two("", "all") else "",
        methods_said([record for record in records if record.estimate.group != UNKNOWN], *BOTH[:1]),
    )
    return build_table(name, caption, list(compress(COLUMNS, is_filled)), trimmed, notes, "dense")


def _head(source: Source, records: list[Record], point: AtKey) -> Text:
    parts: list[Part] = [provider(records[0])]
    limit = [
        record
        for record in source.select("threshold_at_fmr", primary=True)
        if record.at == point and record.estimate.provider == records[0].estimate.provider
    ]
    same_schema = [record for record in limit if record.estimate.schema in (None, records[0].estimate.schema)]
    if same_schema:
        parts += ["  threshold ", phrases.value(same_schema[-1])]
    return spans(*parts)


def _rows(source: Source, schema: str, records: list[Record], notes: Footnotes) -> Iterator[tuple[Text, ...]]:
    seen = grouped(records, lambda record: record.estimate.group)
    groups = [name for name in seen if name not in ("all", "max")]
    for group in ("all", *source.classes(schema, groups), "max"):
        if group in seen:
            rates = {"fmr" if record.estimate.metric == "fmr" else "fnmr": record for record in seen[group]}
            two = source.with_two(schema, group)
            of_two: list[Part] = [" (", two, ")"] if two else []
            yield (
                (phrases.group(source, seen[group][0]),),
                spans(source.people(schema, group), *of_two),
                *rate_cells(rates.get("fmr"), notes),
                *rate_cells(rates.get("fnmr"), notes),
            )


def _figures(source: Source, schema: str) -> tuple[Figure, ...]:
    """A figure for every four systems, all on one scale; none where no rate of a group was estimated."""
    target = operating_points.main_target(source)
    drawn: list[tuple[str, str, list[str], list[Dot]]] = []
    for metric, title in (("fmr", "FMR within the group"), ("fnmr_at_fmr", "FNMR")):
        here = operating_points.of_groups(source, metric, target, schema)
        dots, rows = front.group_dots(
            source, schema, [record for record in here if PAIR not in record.estimate.group]
        )
        if dots:
            drawn.append((metric, title, rows, dots))
    if not drawn or target is None:
        return ()
    shown = {dot.series for *_, dots in drawn for dot in dots}
    names = [(index, name) for index, name in enumerate(source.providers) if name in shown]
    tested = "; the test below compares them" if source.select("max_min", schema=schema) else ""
    unlabelled = any(record.estimate.group == UNKNOWN for record in source.select("fmr", schema=schema))
    unknown = " Subjects without a label are only in the table." if unlabelled else ""
    at, whom = formatting.exact(target), "intervals for the population"
    drawings: list[Figure] = []
    for which, chosen in front.in_parts(names, MAX_SYSTEMS_IN_FIGURE, FEW_SYSTEMS_IN_FIGURE):
        name = f"groups-{schema}-{which}".rstrip("-")
        marks = _marks(drawn, {name for _, name in chosen})
        shows = f"One threshold for all groups: overall FMR {at}. Dots: estimates; bars: {whom}.{marks}"
        again = bool(drawings) and not source.every_figure
        of = f", {plain_text(listed([name for _, name in chosen]))}" if which else ""
        drawings.append(
            Figure(
                name=name,
                title=f"Error rates by {schema.replace('_', ' ')} at FMR {at}{of}",
                caption=spans(
                    f"{phrases.AS_ABOVE}{marks}" if again else f"{shows}{unknown} {OVERLAP}{tested}."
                ),
                alone={_panel_name(schema, kind, which): spans(f"{shows} {OVERLAP}.") for kind, *_ in drawn},
                panels=tuple(_panels(schema, which, {name for _, name in chosen}, drawn)),
                keys=figures.keys(name, chosen),
            )
        )
    return tuple(drawings)


def _marks(drawn: list[tuple[str, str, list[str], list[Dot]]], chosen: set[str]) -> str:
    """What marks at the edges say, where some of these systems are drawn there."""
    here = [(dot, dots) for *_, dots in drawn for dot in dots if dot.series in chosen]
    zero = any(dot.value == 0 for dot, _ in here)
    beyond = any(figures.goes_on(dot, dots) for dot, dots in here)
    marks = ["a hollow mark at the left edge: a rate of 0"] * zero + [
        "an arrow: the bar goes on beyond the axis"
    ] * beyond
    return f" {'; '.join(marks).capitalize()}." if marks else ""


def _panels(
    schema: str, which: str, chosen: set[str], drawn: list[tuple[str, str, list[str], list[Dot]]]
) -> Iterator[Panel]:
    """FMR and FNMR of the chosen systems."""
    for metric, title, rows, dots in drawn:
        part = [dot for dot in dots if dot.series in chosen]
        if part:
            name = _panel_name(schema, metric, which)
            yield figures.dots(name, title, rows, part, phrases.metric(metric), every=dots)


def _panel_name(schema: str, metric: str, which: str) -> str:
    """The rate, the schema and ``which`` part of the systems, where a panel has some of them."""
    return name_of({"fnmr_at_fmr": "fnmr"}.get(metric, metric), schema, which)


def _indices(schema: str, records: list[Record]) -> list[Table]:
    if not records:
        return []
    notes = Footnotes()
    blocks = []
    ranked = sorted(records, key=_index_rank)
    for index_records in grouped(ranked, lambda record: (record.estimate.metric, record.at)).values():
        first = index_records[0]
        at = {key: value for key, value in first.estimate.at.items() if key != "rate"}
        fair = value_alike(first.estimate.metric)
        alike = "" if fair is None else f" ({fair:g})"
        head = spans(phrases.index_name(first), " at ", phrases.at_words(at, first.pointer), alike)
        named = [head, *[()] * (len(index_records) - 1)]
        rows = tuple(
            (
                name,
                (provider(record),),
                phrases.value(record, notes),
                differences.when_alike(record),
                differences.sentence(record, notes),
                *interval_cells(record, notes, *BOTH),
            )
            for name, record in zip(named, index_records, strict=True)
        )
        blocks.append(Block(rows=rows))
    texts, numbers = ["Index (its value under equality)", "System"], ["Value", "Expected under equality"]
    columns = (
        *header(texts, numbers, ["Is there a difference?"]),
        *header([], ["for the population", "for the same subjects, new images"]),
    )
    caption = phrases.titled(
        "How different are the groups?",
        "Each index summarises the spread of the groups' rates at one threshold, without unknown ones. The "
        "rates of equal groups differ by chance. “Expected under equality” is the median of the index under "
        "equality, then the value that it exceeds ",
        *_how_often(records),
        ". An unadjusted p holds for its line alone.",
        methods_said(records, *BOTH),
    )
    name = name_of("fairness-metrics", schema)
    return [build_table(name, caption, columns, blocks, notes, "dense grouped")]


def _how_often(records: list[Record]) -> list[Part]:
    """The share of cases in which equal groups are said to differ."""
    for record in records:
        if record.estimate.test is not None:
            share = formatting.exact(record.estimate.test.alpha)
            return ["in ", phrases.number(share, f"{record.pointer}/test/alpha"), " of all cases"]
    return ["seldom"]


def _index_rank(record: Record) -> tuple[float, str, int]:
    target = record.estimate.at.get("fmr", 1.0)
    return float(target), str(record.estimate.at.get("rate", "z")), INDICES.index(record.estimate.metric)
