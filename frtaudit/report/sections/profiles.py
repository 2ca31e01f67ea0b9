"""Requirements that somebody else wrote: what the source asks, what these data show, what they cannot, what would."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from frtaudit.core.canonical import Json, entries, mapping
from frtaudit.core.profile import Confidence
from frtaudit.core.text import formatting
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Footnotes, Part, Table, Text, TextSpan, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections.tables import build_table, header
from frtaudit.report.sections.verdicts import (
    FindingRow,
    all_finding_rows,
    declared,
    printed_bound,
    requirement_rows,
)
from frtaudit.report.source import Source, rows_of

NO_RULE = (
    "The source sets no statistical rule. “As measured” reads the estimate alone; “as demonstrated” is the verdict on "
    "its bound, at this audit's level."
)
FIELDS = (
    ("source", "Document"),
    ("version", "Version"),
    ("date", "Date"),
    ("section", "Section"),
    ("address", "Address"),
    ("checked", "Read on"),
    ("rule", "Statistical rule"),
    ("sizes", "Minimum sizes"),
    ("status", "Remarks"),
)
LIMITS = "No finding here is a certification: these data are compared with limits of the document."


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One profile: its title, where it was read, its tables, and what to know of its rule."""

    name: str
    title: str
    mark: str
    read: Text
    tables: tuple[Table, ...]
    notes: str


@section("profiles", "Profiles", after="changes")
def build(source: Source) -> tuple[Profile, ...] | None:
    """A part for each profile; None where the spec names no profile."""
    profiles = mapping(source.result.spec.get("profiles"))
    if not profiles:
        return None
    rows = all_finding_rows(source)
    return tuple(_part(source, name, mapping(profiles[name]), rows) for name in sorted(profiles))


def named(source: Source) -> Text:
    """The documents on the first page, with their versions; those that were not read themselves are marked."""
    parts: list[Part] = []
    for name, data in sorted(mapping(source.result.spec.get("profiles")).items()):
        profile, at = mapping(data), f"/spec/profiles/{name}"
        version = TextSpan(text=str(profile["version"]), pointer=f"{at}/version")
        parts += ["; ", TextSpan(text=str(profile["source"]), pointer=f"{at}/source")]
        parts += [", " if profile["version"] else "", version]
        note = mark(str(profile["confidence"]))
        parts += [" (", phrases.bold(note, f"{at}/confidence"), ")"] if note else []
    return spans(*parts[1:], ".") if parts else ()


def _part(
    source: Source, name: str, profile: Mapping[str, Json], finding_rows: Sequence[FindingRow]
) -> Profile:
    profile_rows = [
        row
        for row in finding_rows
        if declared(source, source.result.findings[row.index]).get("profile") == name
    ]
    at = f"/spec/profiles/{name}"
    facts = rows_of(profile.get("facts"))
    asked = mapping(source.result.spec.get("analyses"))
    open_ = [
        (index, fact)
        for index, fact in enumerate(facts)
        if fact.get("cannot") and fact.get("unless") not in asked
    ]
    tables = [_shows(source, name, profile_rows)] if profile_rows else []
    if open_:  # what no audit of these data shows, and what would
        caption = spans(phrases.bold("What these data cannot show. "))
        columns = {"asks": "Rule", "cannot": "Why these data do not show it", "would": "What would show it"}
        tables.append(_table(name, "cannot", caption, columns, open_))
    return Profile(
        name=name,
        title=str(profile["title"] or profile["source"]),
        mark=mark(str(profile["confidence"])),
        read=_read(profile, at),
        tables=tuple(tables),
        notes=f"{NO_RULE} {LIMITS}" if profile.get("rule") is None else LIMITS,
    )


def mark(confidence: str) -> str:
    """What is printed wherever a profile decides: nothing where its document was read.

    >>> mark("secondary_source"), mark("document")
    ('secondary source', '')
    """
    return "" if confidence == Confidence.DOCUMENT.value else confidence.replace("_", " ")


@section("profile_facts", "What profiles require", after="requirements", annex=True)
def facts_of(source: Source) -> View | None:
    """The view of the annex; None where no profile says what its source asks."""
    profiles = mapping(source.result.spec.get("profiles"))
    tables = []
    for name in sorted(profiles):
        facts = rows_of(mapping(profiles[name]).get("facts"))
        read_in = [{**fact, "confidence": str(fact["confidence"]).replace("_", " ")} for fact in facts]
        if facts:
            means = "Where each was read: in the document, in a secondary source, or by arithmetic."
            caption = spans(phrases.bold(f"What {name} requires. "), means)
            columns = {"asks": "Rule", "confidence": "Read in"}
            tables.append(_table(name, "asks", caption, columns, enumerate(read_in)))
    return View(tables=tuple(tables)) if tables else None


def _read(profile: Mapping[str, Json], at: str) -> Text:
    """Where its limits were read, in a line."""
    read = [
        (title, TextSpan(text=str(profile[key]), pointer=f"{at}/{key}"))
        for key, title in FIELDS
        if profile.get(key)
    ]
    read.append(("Rates of", TextSpan(text=str(profile["counts"]), pointer=f"{at}/counts")))
    groups = ", ".join(str(group) for group in entries(profile.get("groups")))
    named_groups = [("Groups named", TextSpan(text=groups))] if groups else []
    unruled = [("Statistical rule", TextSpan(text="none stated"))] if profile.get("rule") is None else []
    parts: list[Part] = []
    for title, text in (*read, *named_groups, *unruled):
        parts += ["; " if parts else "", phrases.bold(f"{title}: "), text]
    return spans(*parts, ".")


def _shows(source: Source, name: str, finding_rows: Sequence[FindingRow]) -> Table:
    """Its findings: as measured, where the source sets no rule, and as demonstrated."""
    measured = any(source.result.findings[row.index].measured is not None for row in finding_rows)
    blocks = [
        Block(
            head=spans(rows[0].requirement, ": ", rows[0].condition),
            rows=tuple(_finding(source, row, measured=measured) for row in rows),
        )
        for rows in requirement_rows(sorted(finding_rows, key=lambda row: row.index))
    ]
    columns = header(["Of", *(["As measured"] if measured else []), "As demonstrated"])
    caption = spans(phrases.bold("What these data show."))
    return build_table(f"profile-{name}-shows", caption, columns, blocks, Footnotes())


def _finding(source: Source, row: FindingRow, *, measured: bool) -> tuple[Text, ...]:
    finding, at = source.result.findings[row.index], f"/findings/{row.index}"
    estimated: list[Part] = ["—"]
    if finding.measured is not None and row.record is not None:
        word = "meets the limit" if finding.measured else "does not meet the limit"
        value = row.value or phrases.value(row.record, limit=finding.limit)
        estimated = [*value, ": ", TextSpan(text=word, pointer=f"{at}/measured")]
    advisory: list[Part] = [" (advisory)"] if finding.advisory else []
    other: list[Part] = []
    if finding.other_bound is not None and row.record is not None:
        level, sides = finding.bound_level, declared(source, finding).get("sided")
        reading = "one-sided" if sides == "two_sided" else "two-sided"
        shown = printed_bound(row.record, finding, finding.other_bound)
        of = "" if level is None else formatting.exact(round(level, 4))
        other = [f"; {reading} {of}: ", TextSpan(text=shown, pointer=f"{at}/other_bound", kind="n")]
    parts: list[Part] = [row.verdict, *advisory, "; " if row.bound else "", *row.bound, *other]
    if not row.bound:
        parts += [": ", row.sentence]
    return (row.who, *([spans(*estimated)] if measured else []), spans(*parts))


def _table(
    name: str,
    kind: str,
    caption: Text,
    columns: Mapping[str, str],
    facts: Iterable[tuple[int, Mapping[str, Json]]],
) -> Table:
    """A row for each fact of a profile, by its place; ``columns``: its keys, and what they are called."""
    rows = tuple(
        tuple(
            (TextSpan(text=str(fact[key]), pointer=f"/spec/profiles/{name}/facts/{index}/{key}"),)
            for key in columns
        )
        for index, fact in facts
    )
    titles = header(columns.values())
    return build_table(f"profile-{name}-{kind}", caption, titles, [Block(rows=rows)], Footnotes())
