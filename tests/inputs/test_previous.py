"""The last audit's result is read, or refused in one line."""

import json
from pathlib import Path

import pytest
from report_fixture import result

from frtaudit.core.canonical import sha256
from frtaudit.errors import DataError
from frtaudit.inputs.previous import read_previous


def test_a_result_comes_back_whole(tmp_path: Path) -> None:
    """Bytes, digest and result are those of the file."""
    path = tmp_path / "result.json"
    path.write_bytes(result().to_bytes())
    found = read_previous(path)
    assert found.result == result()
    assert (found.data, found.sha256) == (path.read_bytes(), sha256(path.read_bytes()))


def test_another_schema_version_is_kept_and_not_read(tmp_path: Path) -> None:
    """A result of another version is named, and none of its numbers is."""
    path = tmp_path / "result.json"
    path.write_text(json.dumps({"schema_version": "0.1", "anything": 1}))
    found = read_previous(path)
    assert (found.schema_version, found.result) == ("0.1", None)


@pytest.mark.parametrize(
    "text", ["{", "[]", "{}", '{"schema_version": "1.0"}', '{"schema_version": 1}'], ids=range(5)
)
def test_what_is_no_result_is_refused(text: str, tmp_path: Path) -> None:
    """Anything else is one line that names the setting."""
    path = tmp_path / "result.json"
    path.write_text(text)
    with pytest.raises(DataError, match=r"^report\.previous: .*result\.json of an earlier audit"):
        read_previous(path)
    with pytest.raises(DataError, match=r"report\.previous: absent\.json"):
        read_previous(tmp_path / "absent.json")
