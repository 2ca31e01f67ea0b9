"""Tests of frtaudit.pipeline.last_audit."""

from pathlib import Path

import pytest
from small_run import make_result

from frtaudit.errors import DataError
from frtaudit.pipeline.last_audit import last_audit


def test_a_run_takes_the_last_audit_that_verify_accepts(tmp_path: Path) -> None:
    """A result as it was written, or none; one that was changed by hand would make the run beside it invalid."""
    path, data = tmp_path / "result.json", make_result(0.3).to_bytes()
    assert last_audit(None) is None
    path.write_bytes(data)
    found = last_audit(str(path))
    assert found is not None
    assert found.data == data
    for other in (data.replace(b'"limit":1.0', b'"limit":0.9'), data + b" "):
        path.write_bytes(other)
        with pytest.raises(DataError, match=r"^report\.previous: result\.json: "):
            last_audit(str(path))
