"""Interclass bias: d_l2 of each class in both spaces, threshold curves over TAR and their differences."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from frtaudit.core import Target
from frtaudit.core.text.file_names import name_of
from frtaudit.report import phrases
from frtaudit.report.figures import curves as figures
from frtaudit.report.figures import interclass as drawings
from frtaudit.report.figures import scales
from frtaudit.report.figures.curves import Series
from frtaudit.report.pieces import (
    Block,
    Figure,
    Footnotes,
    Panel,
    Part,
    Table,
    Text,
    TextSpan,
    listed,
    plain_text,
    spans,
)
from frtaudit.report.section import section
from frtaudit.report.sections import differences, front, interclass_published
from frtaudit.report.sections.tables import (
    build_table,
    by_provider,
    header,
    interval_cells,
    methods_said,
    provider,
)
from frtaudit.report.source import Record, Source, grouped
from frtaudit.report.words import display_name, words

METRIC = "d_l2"
TABLE_AS_ABOVE = "Explanation as for the table above."
TESTS = (
    " Beside each system: the test of equal classes, which decides even if an interval begins at 0. FNMR, at one "
    "threshold, may still differ."
)
PAIR, LARGEST = "|", "max"
LARGEST_SAID, EITHER = "largest of the classes", "either class"
FEW_SYSTEMS = 3
MAX_ROWS, PER_PANEL = 20, 4  # rows of a table of classes beyond which they are drawn; systems of a panel
DIGITS = 9  # two classes are as far from their mean but for the rounding of sums
JUDGED = (
    "unadjusted p of this test alone; a requirement tests this distance against its limit and has its own p"
)
HIGHER = "has higher mated scores: the same TAR is reached at a higher threshold."
CURVES = {"tar": "Threshold by TAR", "tar_difference": "Class minus mean of the classes"}
TARGETS = (Target.POPULATION, Target.COMPARISONS_IID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interclass:
    """The view: tables of each schema and space, figures of each schema and system, tables as published.

    ``drawn``: classes of the schemas that have many; ``main``: classes of each schema, of those the largest, without
    pairs; ``shown``: how many figures stand beside it; ``elsewhere``: where
    the others are.
    """

    drawn: tuple[Figure, ...]
    main: tuple[Table, ...]
    tables: tuple[Table, ...]
    published: tuple[Table, ...]
    figures: tuple[Figure, ...]
    shown: int
    elsewhere: tuple[Text, ...]


@section("interclass", "Interclass bias", after="tar_curves")
def build(source: Source) -> Interclass | None:
    """None when d_l2 was not asked for."""
    distances = source.select(METRIC)
    if not distances:
        return None
    by_schema = grouped(distances, lambda record: record.estimate.schema)
    schemas = [name for name in source.schemas if name in by_schema]
    tables = [
        _table(source, name, records, number)
        for name in schemas
        for number, records in enumerate(_together(by_schema[name]))
    ]
    banded = source.curves("threshold_at_tar", grouped=True)  # the section on curves draws them, with bands
    systems = () if banded else source.providers
    places = [(schema, name) for schema in source.schemas for name in systems]
    panels = scales.alike_groups([partial(_panels, source, *place) for place in places])
    drawn = {place: _figure(source, *place, pair) for place, pair in zip(places, panels, strict=True) if pair}
    if not source.every_figure:  # one after the other on a page: how they are read is said once
        drawn |= {place: replace(drawn[place], caption=spans(phrases.AS_ABOVE)) for place in [*drawn][1:]}
    few = 2 if len(source.providers) <= FEW_SYSTEMS else 1
    shown = len(places) if len(places) <= FEW_SYSTEMS else few
    classes = {name: _classes(by_schema[name]) for name in schemas}
    large = [name for name in schemas if len(classes[name]) > MAX_ROWS]
    main = []
    for name in schemas:
        shown_classes = classes[name]
        if name in large:
            shown_classes = [record for record in shown_classes if record.estimate.group == LARGEST]
        main.append(_table(source, name, shown_classes, 0, "-of-classes"))
    for number, table in enumerate(main[1:], 1):
        if plain_text(table.caption[1:]) == plain_text(main[0].caption[1:]):  # the same but for the schema
            caption = spans(table.caption[0], TABLE_AS_ABOVE)
            main[number] = replace(table, caption=caption, alone=table.caption)
    return Interclass(
        drawn=tuple(figure for name in large for figure in _distances(source, name, classes[name])),
        main=tuple(main),
        tables=tuple(tables),
        published=interclass_published.tables(source, schemas),
        figures=tuple(drawn.values()),
        shown=shown,
        elsewhere=_elsewhere([*drawn][shown:], len(schemas)),
    )


def _elsewhere(places: list[tuple[str, str]], schemas: int) -> tuple[Text, ...]:
    """Of which systems, by schema where there are several, the annex has the figures."""
    systems: dict[str, list[Part]] = {}
    for schema, name in places:
        systems.setdefault(schema, []).append(phrases.bold(name))
    parts = [
        spans("" if schemas == 1 else f"by {schema.replace('_', ' ')} ", "of ", listed(names))
        for schema, names in systems.items()
    ]
    return (spans("The annex has the figures ", listed(parts), "."),) if parts else ()


def _classes(records: list[Record]) -> list[Record]:
    """Distances of the classes and their largest in the first space that has intervals, else the first: no pairs.

    Two classes are equally far from their mean: then the largest stands for both.
    """
    single = [record for record in records if PAIR not in record.estimate.group]
    spaces = [_space(record) for record in single if record.bounds] or [_space(record) for record in single]
    here = [record for record in single if _space(record) == spaces[0]]
    largest = [record for record in here if record.estimate.group == LARGEST]
    printed_values = {(record.estimate.provider, *_printed(record)) for record in here}
    return largest if largest and len(printed_values) == len(largest) else here


def _distances(source: Source, schema: str, records: list[Record]) -> Iterator[Figure]:
    """The distance of each class with its interval for the population, all systems on one scale."""
    single = [record for record in records if record.estimate.group != LARGEST]
    dots, rows = front.group_dots(source, schema, single)
    shown = {dot.series for dot in dots}
    names = [(index, name) for index, name in enumerate(source.providers) if name in shown]
    unit = single[0].estimate.unit
    by = schema.replace("_", " ")
    bounds = [bound for record in single if (bound := record.bound(Target.POPULATION)) is not None]
    bars = f" Bars: {phrases.level(bounds[0]).text} intervals for the population." if bounds else ""
    dots_said = f"Dots: d_l2, the distance of the class from the mean of the classes.{bars} "
    decided = f"Whether the classes differ is decided by the test of each system, in the table by {by}."
    panels, alone = [], {}
    for which, chosen in front.in_parts(names, PER_PANEL, PER_PANEL):
        some = tuple(name for _, name in chosen)
        name = name_of("d-l2-of-classes", schema, which)
        title = f"d_l2 by {by}{f', {front.first_to_last(some)}' if which else ''}"
        drawn = [dot for dot in dots if dot.series in some]
        panel = drawings.distances(name, title, rows, drawn, unit, dots)
        panels.append(replace(panel, names=some))
        alone[name] = spans(*(front.named(some) if which else ()), f"{dots_said}{decided}")
    if panels:
        yield Figure(
            name=f"distances-{schema}",
            title=f"Distance of each class by {by}",
            alone=alone,
            caption=spans(f"{dots_said}One scale for all systems. {decided}"),
            panels=tuple(panels),
            keys=figures.keys(f"distances-{schema}", names),
        )


def _printed(record: Record) -> tuple[object, ...]:
    """The value and the ends of the intervals of a row, to as many digits as rounding leaves alike."""
    bounds = (record.bound(target) for target in TARGETS)
    ends = [end for bound in bounds if bound is not None for end in (bound.interval.low, bound.interval.high)]
    return tuple(None if end is None else f"{end:.{DIGITS}g}" for end in (record.estimate.value, *ends))


def _together(records: list[Record]) -> list[list[Record]]:
    """Records by table: all spaces side by side where one alone has intervals, else each by itself."""
    by_space = grouped(records, _space)
    bounded = sum(any(record.bounds for record in here) for here in by_space.values())
    return [records] if bounded <= 1 else list(by_space.values())


def _table(source: Source, schema: str, records: list[Record], number: int, part: str = "") -> Table:
    """One row for each class and pair; spaces side by side, intervals beside the one that has them."""
    notes = Footnotes()
    spaces = list(dict.fromkeys(_space(record) for record in records))
    bounded = [
        space for space in spaces if any(record.bounds for record in records if _space(record) == space)
    ]
    targets = [target for target in TARGETS if any(record.bound(target) for record in records)]
    blocks = []
    for _, system_records in by_provider(source, records):
        groups = dict.fromkeys(record.estimate.group for record in system_records)
        rows = tuple(_row(source, system_records, group, spaces, bounded, targets, notes) for group in groups)
        head = spans(provider(system_records[0]), *_alike(system_records, notes))
        blocks.append(Block(head=head, rows=rows))
    between = ", and between classes" if any(PAIR in record.estimate.group for record in records) else ""
    published = any(record.bound(Target.COMPARISONS_IID) for record in records)
    caption = phrases.titled(
        f"d_l2 by {schema.replace('_', ' ')}.",
        f"Distance of each class from the mean of the classes{between}; ",
        *_units(records),
        f". TAR: {words().abbreviations['TAR']}.",
        methods_said(records, *TARGETS),
        " The last interval is as published in Peña-Alcántara (2022); it is not a test." if published else "",
        TESTS if any(record.estimate.test for record in records) else "",
    )
    name = name_of(f"d_l2{part}", schema, str(number + 1) if number else "")
    intervals = [f"for {display_name(words().target, target.value)}" for target in targets]
    titles: list[str] = []
    for space in spaces:
        titles += [f"d_l2, {display_name(words().at_value, space)}", *(intervals if space in bounded else [])]
    return build_table(name, caption, header(["Class"], titles), blocks, notes, "dense")


def _units(records: list[Record]) -> list[TextSpan | str]:
    """The unit, or the unit of each space where they differ."""
    units = grouped(records, lambda record: record.estimate.unit)
    parts: list[TextSpan | str] = ["unit: "]
    for number, (unit, (first, *_)) in enumerate(units.items()):
        space = "" if len(units) == 1 else f"{display_name(words().at_value, _space(first))}: "
        parts += [f"{'; ' if number else ''}{space}", TextSpan(text=unit, pointer=f"{first.pointer}/unit")]
    return parts


def _space(record: Record) -> str:
    """The code of the space, and of another overall curve than the plain mean."""
    at = record.estimate.at
    return f"{at.get('space', '')}{'_shares' if 'overall' in at else ''}"


def _row(
    source: Source,
    records: list[Record],
    group: str,
    spaces: list[str],
    bounded: list[str],
    targets: list[Target],
    notes: Footnotes,
) -> tuple[Text, ...]:
    """A row: the class, its distances and intervals; of the largest distance which class has it, or that both do."""
    here = {_space(candidate): candidate for candidate in records if candidate.estimate.group == group}
    first = next(iter(here.values()))
    cells: list[Text] = [(phrases.group(source, first),)]
    if group == LARGEST:
        which = farthest(source, first)
        text = EITHER if len(_of_classes(source, first)) == 2 else "largest" if which else LARGEST_SAID
        cells = [spans(TextSpan(text=text, pointer=f"{first.pointer}/group"), *which)]
    for space in spaces:
        record = here.get(space)
        cells.append(phrases.value(record, notes))
        if space in bounded:
            intervals = interval_cells(record, notes, *targets)
            mark = () if record is None else interclass_published.narrower(record, notes)
            marked = any(piece.kind == "mark" for piece in intervals[0])
            comma = [TextSpan(text=",", kind="mark")] if marked else []
            cells += [spans(*intervals[0], *comma, mark), *intervals[1:]] if mark else intervals
    return tuple(cells)


def _alike(records: list[Record], notes: Footnotes) -> list[Part]:
    """The test of equality of the classes of a system, never the intervals; a raw p is marked."""
    parts: list[Part] = []
    for record in records:
        test = record.estimate.test
        if test is None:
            continue
        parts += [" ", *differences.sentence(record, notes)]
        if test.p is not None and test.family is None:  # a requirement judges the same distance
            parts += notes.mark(JUDGED, f"{record.pointer}/test/p")
    return parts


def _panels(source: Source, schema: str, system: str) -> Iterator[Panel]:
    for kind, title in CURVES.items():
        series = _drawn(source, kind, schema, system)
        if series:
            name = _panel_name(kind, schema, system)
            panel = figures.tar(name, title, series, differences=kind == "tar_difference")
            yield replace(panel, names=tuple(trace.name for trace in series))


def _panel_name(kind: str, schema: str, system: str) -> str:
    kinds = {"tar": "threshold-at-tar", "tar_difference": "threshold-at-tar-difference"}
    return name_of(kinds[kind], schema, system)


def _drawn(source: Source, kind: str, schema: str, system: str) -> list[Series]:
    curves = [
        curve
        for curve in source.curves(kind, grouped=True)
        if curve.schema == schema and curve.provider == system
    ]
    pens = source.pens(schema, (curve.group for curve in curves))
    names = {group: source.label(schema, group) for group in pens} | {"all": "mean of the classes"}
    return [Series(name=names[curve.group], index=pens[curve.group], curve=curve) for curve in curves]


def _figure(source: Source, schema: str, system: str, panels: tuple[Panel, ...]) -> Figure:
    names = {trace.name: trace.index for kind in CURVES for trace in _drawn(source, kind, schema, system)}
    place = f"tar-{schema}-{source.providers.index(system)}"
    alike = "Without bands. Under equality of the classes, the lines"
    return Figure(
        name=place,
        title=f"{system}: thresholds by {schema.replace('_', ' ')}",
        of=system,
        alone={
            _panel_name("tar", schema, system): spans(f"{alike} coincide; a class above the others {HIGHER}"),
            _panel_name("tar_difference", schema, system): spans(
                f"{alike} are at 0; a class above 0 {HIGHER}"
            ),
        },
        caption=spans(
            "Under equality of the classes, the lines on the left coincide and those on the right are at 0. A class "
            f"above 0 on the right {HIGHER}"
        ),
        panels=panels,
        keys=figures.keys(place, [(index, name) for name, index in names.items()]),
    )


def farthest(source: Source, record: Record) -> list[Part]:
    """`` (Tone VI)``: the class whose d_l2 is the largest, of a record of that; empty where it is not one alone."""
    if record.estimate.metric != METRIC or record.estimate.group != LARGEST:
        return []
    classes = _of_classes(source, record)
    same = [candidate for candidate in classes if candidate.estimate.value == record.estimate.value]
    return [" (", phrases.group(source, same[0]), ")"] if len(same) == 1 and len(classes) > 2 else []


def _of_classes(source: Source, record: Record) -> list[Record]:
    """The distances of the single classes, of the system, schema and space of a record."""
    return [
        candidate
        for candidate in source.select(METRIC, schema=record.estimate.schema)
        if (candidate.estimate.provider, candidate.at) == (record.estimate.provider, record.at)
        and candidate.estimate.group != LARGEST
        and PAIR not in candidate.estimate.group
    ]
