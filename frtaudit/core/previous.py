"""An earlier audit as far as this version can read it: what a report compares with."""

from dataclasses import dataclass

from frtaudit.core.result import AuditResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Previous:
    """The file's bytes, their digest, the schema version it names, and the result (None: of another version)."""

    data: bytes
    sha256: str
    schema_version: str
    result: AuditResult | None
