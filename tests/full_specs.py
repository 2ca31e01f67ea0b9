"""A spec with all its fields, those of one machine too."""

from frtaudit.core.canonical import Json
from frtaudit.core.identity import _spec_plain
from frtaudit.core.spec import AuditSpec


def to_full(spec: AuditSpec) -> dict[str, Json]:
    """The whole spec as plain data; ``from_plain(to_full(spec)) == spec``."""
    return _spec_plain(spec, lambda _: True)
