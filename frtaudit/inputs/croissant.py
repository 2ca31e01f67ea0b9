"""A test set's description as Croissant JSON-LD, read for what it says of name, licence and creator."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from frtaudit.core.machine.files import read_regular
from frtaudit.core.provenance import Origin
from frtaudit.core.spec import AuditSpec
from frtaudit.errors import DataError

ACCEPTED = "Croissant JSON-LD: an sc:Dataset with a name"
LARGEST = 10_000_000  # bytes
LONGEST = 200  # characters of a value that is taken over


def with_test_data(spec: AuditSpec) -> AuditSpec:
    """The spec with its test data as ``provenance.croissant`` describes them; what the spec declares itself stands.

    Raises :class:`DataError` for a file that is no Croissant description.
    """
    path = spec.provenance.croissant
    if path is None:
        return spec
    origin = read_origin(Path(path))
    given = spec.provenance.test_data
    if given is not None:
        fields = ("version", "licence", "creator", "source")
        origin = replace(given, **{name: getattr(given, name) or getattr(origin, name) for name in fields})
    return replace(spec, provenance=replace(spec.provenance, test_data=origin, croissant=None))


def read_origin(path: Path) -> Origin:
    """Name, version, licence, creator and address of the data set that a file describes."""
    data = read_regular(path, path.name) if path.exists() else b""
    try:
        document = json.loads(data) if 0 < len(data) <= LARGEST else None
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, Mapping) or _text(document.get("name")) is None:
        raise DataError(f"provenance.croissant: {path.name}", "no data set with a name", ACCEPTED)
    return Origin(
        name=_text(document.get("name")) or "",
        version=_text(document.get("version")),
        licence=_text(document.get("license")),
        creator=_text(document.get("creator")),
        source=_text(document.get("url")),
    )


def _text(value: object) -> str | None:
    """A value of schema.org as one line: text, the name or address of a thing, or several of these."""
    if isinstance(value, Mapping):
        value = value.get("name") or value.get("url") or value.get("@id") or value.get("@value")
    if isinstance(value, list):
        value = ", ".join(text for entry in value[:LONGEST] if (text := _text(entry)) is not None)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return None
    line = " ".join(value.split())[:LONGEST]
    return line if line.isprintable() and line else None
