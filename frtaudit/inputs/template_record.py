"""``templates/NAME.json``: what ``frtaudit embed`` wrote of templates that it made; read for the report."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any  # Any: JSON as it was read

from frtaudit.core.canonical import Json, read_json
from frtaudit.core.machine.files import read_regular
from frtaudit.errors import DataError, excerpt

FORMAT = "frtaudit-templates/1"
_BY = "as frtaudit embed wrote it, or no such file"


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateRecord:
    """``facts``: model, settings, counts and checks, for the result; ``notes``: what looked wrong."""

    facts: Mapping[str, Json]
    notes: tuple[str, ...]


def read_record(path: Path, name: str, templates: str) -> TemplateRecord | None:
    """The record of templates whose file has the sha256 ``templates``; None where there is none.

    Raises :class:`DataError` for a file that is no record, or one of other templates.
    """
    if not os.path.lexists(path):
        return None
    try:
        read: Any = read_json(read_regular(path, name))
        if read["format"] != FORMAT:
            raise DataError(name, f"the format {excerpt(str(read['format']))}", FORMAT)
        if read["templates"] != templates:
            raise DataError(name, "is the record of templates other than those in its .npz file", _BY)
        return TemplateRecord(
            facts=_facts(read),
            notes=tuple(str(note) for note in read["notes" if "notes" in read else "said"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(name, "not readable as a record of templates", _BY) from error


def _facts(read: Mapping[str, Any]) -> dict[str, Json]:
    """Texts, counts and numbers, whatever stands in the file."""
    return {
        "settings": {str(key): str(value) for key, value in sorted(read["settings"].items())},
        "source": str(read["source"]),
        "licence": str(read["licence"]),
        "images": {key: int(read["images"][key]) for key in ("listed", "embedded", "several_faces")},
        "failures": {str(key): int(value) for key, value in sorted(read["failures"].items())},
        "checks": {
            str(key): value
            for key, value in sorted(read["checks"].items())
            if isinstance(value, (bool, int, float))
        },
    }
