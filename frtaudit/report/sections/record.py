"""The record: what was run on what with what, down to digests, versions and the whole spec."""

import json
from dataclasses import dataclass

from frtaudit.canonical import Json
from frtaudit.report.pieces import Block, Column, Footnotes, Piece, Table, Text, say
from frtaudit.report.sections.tables import finished
from frtaudit.report.source import Source, escape, mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordView:
    """The view: digests, versions and the spec as text."""

    result: str
    schema_version: str
    tables: tuple[Table, ...]
    spec: str


def build(source: Source) -> RecordView:
    """Stands in every report."""
    result = source.result
    return RecordView(
        result=result.sha256,
        schema_version=result.schema_version,
        tables=(_digests(source), _versions(source)),
        spec=json.dumps(result.spec, indent=1, sort_keys=True, ensure_ascii=False),
    )


def _digests(source: Source) -> Table:
    rows: list[tuple[Text, ...]] = [
        (say(title), _digest(source.result.digests.get(key), f"/digests/{key}"))
        for key, title in (("spec", "spec and inputs (the audit's identity)"), ("cohort", "cohort"))
    ]
    rows += [
        ((Piece(text=name, kind="code"),), _digest(found, f"/digests/inputs/{escape(name)}"))
        for name, found in sorted(mapping(source.result.digests.get("inputs")).items())
    ]
    columns = (Column(title="Of"), Column(title="SHA-256", kind="wide"))
    caption = say(Piece(text="Digests. ", kind="b"), "They change when a single byte changes.")
    return finished("digests", caption, columns, [Block(rows=tuple(rows))], Footnotes())


def _digest(found: Json, pointer: str) -> Text:
    return (Piece(text=str(found or "none"), pointer=pointer, kind="code"),)


def _versions(source: Source) -> Table:
    rows = tuple(
        (say(name), (Piece(text=found, pointer=f"/versions/{escape(name)}"),))
        for name, found in sorted(source.result.versions.items())
    )
    columns = (Column(title="Package"), Column(title="Version"))
    caption = say(Piece(text="Software that made the numbers.", kind="b"))
    return finished("versions", caption, columns, [Block(rows=rows)], Footnotes())
