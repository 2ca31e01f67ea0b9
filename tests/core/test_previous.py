"""An earlier audit is a value like any other."""

import pytest

from frtaudit.core.previous import Previous


def test_an_earlier_audit_is_frozen() -> None:
    """What a report compares with cannot be changed after it was read."""
    found = Previous(data=b"{}", sha256="0" * 64, schema_version="0.1", result=None)
    with pytest.raises(AttributeError):
        found.sha256 = "1" * 64  # type: ignore[misc]  # that is what is refused
