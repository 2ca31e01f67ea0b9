"""Releases of a vendor: the grid of the largest d_l2, its curve over dated releases, what each one changed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from frtaudit.core import Target
from frtaudit.core.canonical import mapping
from frtaudit.core.text import formatting
from frtaudit.core.text.file_names import name_of
from frtaudit.report import phrases
from frtaudit.report.figures import curves as figures
from frtaudit.report.figures import interclass, scales
from frtaudit.report.figures.interclass import Line
from frtaudit.report.pieces import Block, Figure, Footnotes, Panel, Part, Table, Text, TextSpan, listed, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections import differences
from frtaudit.report.sections.tables import build_table, header, methods_said, provider
from frtaudit.report.source import Record, Source
from frtaudit.report.words import display_name, words

CHANGE = "d_l2_change"
SPACE = {"space": "quantile"}
LARGEST = "The largest d_l2 over the classes (points on 0 to 100) with its interval"
CHANGES = "The table of changes in the annex tests each step. "
NO_TEST = "Overlap of intervals is not a test: both releases were evaluated on the same subjects."
WHOM = {
    Target.COMPARISONS_IID: "for comparisons treated as independent (Peña-Alcántara 2022)",
    Target.POPULATION: "for the population",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Member:
    """A system as the spec places it."""

    name: str
    detection: str
    recognition: str
    released: str | None


@section("releases", "Releases", after="interclass")
def build(source: Source) -> View | None:
    """None where the spec names no family of releases."""
    families = _families(source)
    largest = [
        record
        for record in source.select("d_l2")
        if record.estimate.group == "max" and dict(record.estimate.at) == SPACE
    ]
    tables: list[Table] = []
    drawn: list[Figure] = []
    shown = 0
    for place, (family, members) in enumerate(families.items()):
        here = [
            record for record in largest if record.estimate.provider in {member.name for member in members}
        ]
        pens = {name: place for place, name in enumerate(source.schemas)}
        schemas = [name for name in pens if any(record.estimate.schema == name for record in here)]
        tables += [_grid(family, members, name, here) for name in schemas]
        shown = shown or len(tables)
        changed = _changes(source, family, members)
        tables += [] if changed is None else [changed]
        figure = _history(family, place, members, {name: pens[name] for name in schemas}, here)
        drawn += [] if figure is None else [figure]
    return View(tables=tuple(tables), figures=tuple(drawn), shown=(1, shown)) if tables or drawn else None


def answers(source: Source) -> Iterator[Text]:
    """For the first page: what each release changed, by family and schema."""
    for family, members in _families(source).items():
        names = {member.name for member in members}
        for schema in source.schemas:
            steps = [
                _step(record)
                for record in source.select(CHANGE, schema=schema)
                if record.estimate.provider in names
                and record.estimate.test
                and record.estimate.test.p is not None
            ]
            if steps:
                by = schema.replace("_", " ")
                yield spans(f"Releases of {_called(family)}, largest d_l2 by {by}: ", listed(steps), ".")


def _step(record: Record) -> Text:
    """``changed by −0.34 from OLD to NEW (p 0.0150)``, or that no change was established."""
    estimate = record.estimate
    differs = estimate.test is not None and estimate.test.differs
    change: list[Part] = ["changed by ", phrases.value(record)] if differs else ["change not established"]
    old = phrases.bold(str(estimate.at["from"]), f"{record.pointer}/at/from")
    return spans(*change, " from ", old, " to ", provider(record), differences.p_values(record))


def _families(source: Source) -> dict[str, list[_Member]]:
    return {
        family: [
            _Member(
                name=name,
                detection=str(mapping(facts).get("detection") or ""),
                recognition=str(mapping(facts).get("recognition") or ""),
                released=None if mapping(facts).get("released") is None else str(mapping(facts)["released"]),
            )
            for name, facts in mapping(members).items()
        ]
        for family, members in mapping(source.analysis("releases").get("families")).items()
    }


def _called(family: str) -> str:
    return family.replace("_", " ")


def _grid(family: str, members: Sequence[_Member], schema: str, largest: Sequence[Record]) -> Table:
    """Recognition down, detection across; in each cell the largest d_l2 and the thesis's upper bound of it."""
    here = {record.estimate.provider: record for record in largest if record.estimate.schema == schema}
    across = list(dict.fromkeys(sorted(member.detection for member in members)))
    rows = []
    for down in dict.fromkeys(sorted(member.recognition for member in members)):
        by_detection = {member.detection: member for member in members if member.recognition == down}
        cells = [_cell(by_detection.get(name), here) for name in across]
        rows.append(((TextSpan(text=down or "–"),), *cells))
    columns = header(["Recognition"], (name or "–" for name in across))
    caption = phrases.titled(
        f"{_called(family)}: the largest d_l2 by {schema.replace('_', ' ')}.",
        "Rows: recognition; columns: detection; points on 0 to 100. Below each value its interval for ",
        display_name(words().target, Target.POPULATION.value),
        ", then (“published”) the upper bound as in Peña-Alcántara (2022). In bold: dated releases.",
    )
    name = name_of("d_l2-by-component", family, schema)
    return build_table(name, caption, columns, [Block(rows=tuple(rows))], Footnotes(), "dense")


def _cell(member: _Member | None, here: Mapping[str, Record]) -> Text:
    record = None if member is None else here.get(member.name)
    if member is None or record is None:
        return phrases.DASH
    value = phrases.value(record)
    if member.released is not None:
        value = tuple(phrases.bold(p.text, p.pointer) for p in value)
    parts: list[Part] = [value]
    bound = record.bound(Target.POPULATION)
    if bound is not None and bound.interval.low is not None:
        parts += [phrases.BREAK, phrases.bounds(bound, record.estimate)]
    iid = record.bound(Target.COMPARISONS_IID)
    if iid is not None and iid.interval.high is not None:
        high = phrases.number(formatting.plain(iid.interval.high), f"{iid.pointer}/high")
        parts += [phrases.BREAK, "published ", high]
    return spans(*parts)


def _changes(source: Source, family: str, members: Sequence[_Member]) -> Table | None:
    """One row for each step from a release to the next and each schema, with the test in words."""
    records = [
        record
        for record in source.select(CHANGE)
        if record.estimate.provider in {member.name for member in members}
    ]
    if not records:
        return None
    notes = Footnotes()
    rows = tuple(_change(record, notes) for record in records)
    columns = header(["From – to", "By"], ["change", "for the population"], ["Up or down?"])
    caption = phrases.titled(
        f"{_called(family)}: the change with each release.",
        "New largest d_l2 minus old, with the same resampled subjects in both; above 0, bias increased.",
        methods_said(records, Target.POPULATION),
    )
    return build_table(name_of("d_l2-changes", family), caption, columns, [Block(rows=rows)], notes)


def _change(record: Record, notes: Footnotes) -> tuple[Text, ...]:
    estimate = record.estimate
    old = TextSpan(text=str(estimate.at["from"]), pointer=f"{record.pointer}/at/from")
    return (
        spans(old, " – ", provider(record)),
        (TextSpan(text=(estimate.schema or "").replace("_", " "), pointer=f"{record.pointer}/schema"),),
        phrases.value(record, notes),
        phrases.bounds(record.bound(Target.POPULATION), estimate, notes),
        _direction(record, notes),
    )


def _direction(record: Record, notes: Footnotes) -> Text:
    """Bias went up, went down, or neither was shown and what would have been."""
    test, value = record.estimate.test, record.estimate.value
    sentence = differences.sentence(record, notes)
    if test is None or test.p is None or value is None:
        return sentence
    moved = f"Bias {'increased' if value > 0 else 'decreased'}"
    words_of = {
        differences.ESTABLISHED: moved,
        differences.SIGNIFICANT: f"{moved}, {differences.SIGNIFICANT.lower()}",
        differences.UNESTABLISHED: "Change not established",
        differences.NOT_ESTABLISHED: "Change not established after adjustment",
        differences.NOT_OF_THE_POPULATION: "Change not established for the population",
    }
    return tuple(replace(piece, text=words_of.get(piece.text, piece.text)) for piece in sentence)


def _history(
    family: str, place: int, members: Sequence[_Member], schemas: Mapping[str, int], largest: Sequence[Record]
) -> Figure | None:
    """The largest d_l2 of each dated release with its interval, one line for each schema (thesis, Figures 112, 113)."""
    dated = sorted(
        (member for member in members if member.released is not None),
        key=lambda member: member.released or "",
    )
    key = f"by-release-{place}"
    panels = scales.alike(lambda: _by_release(family, dated, schemas, largest))
    if not panels:
        return None
    names = {member.name for member in dated}
    levels = {
        target: bound.interval.level
        for record in largest
        for target in WHOM
        if record.estimate.provider in names and (bound := record.bound(target)) is not None
    }
    whoms = {of: f"{whom}, level {100 * levels[of]:.6g} %" for of, whom in WHOM.items() if of in levels}
    shown = [*whoms.values()]
    sides = shown[0] if len(shown) == 1 else f"left {shown[0]}; right {shown[1]}"
    return Figure(
        name=key,
        title=f"{_called(family)}: interclass bias by release",
        of=_called(family),
        alone={
            _panel_name(family, target): spans(f"{LARGEST}, {whom}, releases by date. {NO_TEST}")
            for target, whom in whoms.items()
        },
        caption=spans(f"{LARGEST}, {sides}; releases by date. {CHANGES}{NO_TEST}"),
        panels=panels,
        keys=figures.keys(key, [(pen, name.replace("_", " ")) for name, pen in schemas.items()]),
    )


def _panel_name(family: str, target: Target) -> str:
    return name_of(f"d-l2-by-release-{target.value.replace('_', '-')}", family)


def _by_release(
    family: str, dated: Sequence[_Member], schemas: Mapping[str, int], largest: Sequence[Record]
) -> Iterator[Panel]:
    """A panel for each interval that the releases have."""
    names = [member.name for member in dated]
    for target, whom in WHOM.items():
        lines = list(_lines(names, schemas, largest, target))
        if lines:
            ticks = [f"{member.released} {member.name}" for member in dated]
            title = whom.partition(" (")[0].capitalize()
            yield interclass.histology(_panel_name(family, target), title, ticks, lines)


def _lines(
    names: Sequence[str], schemas: Mapping[str, int], largest: Sequence[Record], target: Target
) -> Iterator[Line]:
    """Values and bounds of each schema over the releases that have them."""
    for schema, index in schemas.items():
        points = [
            (float(place), record.estimate.value, bound.interval.low, bound.interval.high)
            for place, name in enumerate(names)
            for record in largest
            if (record.estimate.provider, record.estimate.schema) == (name, schema)
            and (bound := record.bound(target)) is not None
        ]
        known = [point for point in points if None not in point]
        if known:
            x, y, low, high = zip(*known, strict=True)
            yield Line(name=schema.replace("_", " "), index=index, x=x, y=y, low=low, high=high)
