"""The result of an earlier audit, read for a report that says what changed since."""

import json
from pathlib import Path

from frtaudit.canonical import sha256
from frtaudit.core.previous import Previous
from frtaudit.core.result import SCHEMA_VERSION, AuditResult
from frtaudit.errors import DataError
from frtaudit.files import read_regular

PLACE = "report.previous"
WANTED = "the result.json of an earlier audit"


def read_previous(path: str | Path) -> Previous:
    """An earlier ``result.json``; one of another schema version is kept by its digest and compared with nothing.

    Raises :class:`DataError` where there is no such file, or it is no result.
    """
    file = Path(path)
    try:
        data = read_regular(file)
        value = json.loads(data)
    except OSError as error:
        raise DataError(PLACE, f"{file.name}: {error.strerror}", WANTED) from None
    except (ValueError, RecursionError) as error:
        raise DataError(PLACE, f"{file.name}: not readable as JSON ({error})", WANTED) from None
    version = value.get("schema_version") if isinstance(value, dict) else None
    if not isinstance(version, str):
        raise DataError(PLACE, f"{file.name}: names no schema version", WANTED)
    result = _result(value, file.name) if version == SCHEMA_VERSION else None
    return Previous(data=data, sha256=sha256(data), schema_version=version, result=result)


def _result(value: dict[str, object], name: str) -> AuditResult:
    try:
        return AuditResult.from_json(value)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise DataError(PLACE, f"{name}: no result ({type(error).__name__}: {error})", WANTED) from None
