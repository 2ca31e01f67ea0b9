"""The record: what was run on what with what, down to digests, versions and the whole spec."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from frtaudit.core.canonical import Json, escape, mapping
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Footnotes, Table, Text, TextSpan, listed, spans
from frtaudit.report.section import section
from frtaudit.report.sections import licences
from frtaudit.report.sections.tables import build_table, header
from frtaudit.report.source import Source

LINE = 110


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordView:
    """The view: digests, versions and the spec as text."""

    result: str
    schema_version: str
    tables: tuple[Table, ...]
    versions: Text
    spec: str


@section("record", "Record", after="checklists", annex=True)
def build(source: Source) -> RecordView:
    """Stands in every report."""
    result = source.result
    rows: list[tuple[Text, ...]] = [
        (spans(title), _digest(source.result.digests.get(key), f"/digests/{key}"))
        for key, title in (("spec", "spec and inputs (the audit's identity)"), ("cohort", "cohort"))
    ]
    rows += [
        ((phrases.code(name),), _digest(digest, f"/digests/inputs/{escape(name)}"))
        for name, digest in sorted(mapping(source.result.digests.get("inputs")).items())
    ]
    columns = header(["Of"], wide=["SHA-256"])
    caption = phrases.titled("Digests.", "A change of a single byte changes them.")
    digests = build_table("digests", caption, columns, [Block(rows=tuple(rows))], Footnotes())
    return RecordView(
        result=source.sha256,
        schema_version=result.schema_version,
        tables=(*licences.table(source), digests, *_made(source)),
        versions=listed(
            [
                spans(f"{name} ", TextSpan(text=version, pointer=f"/versions/{escape(name)}", kind="n"))
                for name, version in sorted(source.result.versions.items())
            ]
        ),
        spec=laid_out(result.spec),
    )


def _digest(digest: Json, pointer: str) -> Text:
    return (phrases.code(str(digest or "none"), pointer),)


def _made(source: Source) -> Iterator[Table]:
    """Model and settings of templates that ``frtaudit embed`` made; none where it made none."""
    blocks = [
        Block(
            head=spans(phrases.bold(name)),
            rows=tuple(_settings(mapping(facts), f"/cohort/templates/{escape(name)}")),
        )
        for name, facts in sorted(mapping(source.result.cohort.get("templates")).items())
    ]
    if blocks:
        caption = phrases.titled("Templates.", "What frtaudit embed made them with.")
        yield build_table("templates", caption, header(["Setting"], wide=["Value"]), blocks, Footnotes())


def _settings(facts: Mapping[str, Json], at: str) -> Iterator[tuple[Text, ...]]:
    for key in ("licence", "source"):
        if facts.get(key):
            yield spans(f"{key} of the preset"), (TextSpan(text=str(facts[key]), pointer=f"{at}/{key}"),)
    for name, value in sorted(mapping(facts.get("settings")).items()):
        kind = "code" if name.startswith("sha256") else ""
        yield spans(name), (TextSpan(text=str(value), pointer=f"{at}/settings/{escape(name)}", kind=kind),)
    for part in ("images", "failures", "checks"):
        for name, value in sorted(mapping(facts.get(part)).items()):
            label = f"{part}: {name.replace('_', ' ')}"
            yield spans(label), (TextSpan(text=str(value), pointer=f"{at}/{part}/{escape(name)}"),)


def laid_out(value: Json, indent: int = 0) -> str:
    """JSON with sorted keys in which what fits on a line stands on one.

    >>> print(laid_out({"b": [1, 2], "a": {"c": None}}))
    {"a": {"c": null}, "b": [1, 2]}
    """
    line = json.dumps(value, sort_keys=True, ensure_ascii=False)
    if len(line) + indent <= LINE or not value or not isinstance(value, (Mapping, list, tuple)):
        return line
    pad = " " * (indent + 1)
    if isinstance(value, Mapping):
        items = [f"{json.dumps(key)}: {laid_out(value[key], indent + 1)}" for key in sorted(value)]
        return "{\n" + ",\n".join(pad + entry for entry in items) + "\n" + " " * indent + "}"
    return (
        "[\n" + ",\n".join(pad + laid_out(entry, indent + 1) for entry in value) + "\n" + " " * indent + "]"
    )
