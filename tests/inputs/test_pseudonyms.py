from pathlib import Path

import pytest

from frtaudit.errors import DataError
from frtaudit.inputs.pseudonyms import key_bytes


def test_a_key_file_goes_before_the_digest(tmp_path: Path) -> None:
    """The file's bytes are the key; without a file the digest is."""
    (tmp_path / "key").write_bytes(b"\x01\x02")
    assert key_bytes(str(tmp_path / "key"), "ff") == b"\x01\x02"
    assert key_bytes(None, "ff") == b"\xff"


def test_a_key_file_must_hold_a_key(tmp_path: Path) -> None:
    """A missing or empty key file is refused: pseudonyms never fall back silently."""
    (tmp_path / "empty").touch()
    for name in ("empty", "missing"):
        with pytest.raises(DataError, match="the key file is missing or empty"):
            key_bytes(str(tmp_path / name), "ff")
