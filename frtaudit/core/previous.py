"""An earlier audit as far as this version can read it: what a report compares with."""

import json
from dataclasses import dataclass

from frtaudit.core.canonical import sha256
from frtaudit.core.result import SCHEMA_VERSION, AuditResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Previous:
    """The file's bytes, their digest, the schema version it names, and the result (None: of another version)."""

    data: bytes
    sha256: str
    schema_version: str
    result: AuditResult | None

    @classmethod
    def read(cls, data: bytes) -> "Previous":
        """An earlier ``result.json``. Raises ValueError where it is no JSON or names no schema version.

        What a broken result of this version leads to is raised as it is.
        """
        value = json.loads(data)
        version = value.get("schema_version") if isinstance(value, dict) else None
        if not isinstance(version, str):
            raise ValueError("names no schema version")  # noqa: TRY004  the file's content, not an argument's type
        result = AuditResult.from_json(value) if version == SCHEMA_VERSION else None
        return cls(data=data, sha256=sha256(data), schema_version=version, result=result)
