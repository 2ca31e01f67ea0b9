"""Tests of frtaudit.cli.approve; what it does with a run is tested with frtaudit.signing.approve."""

from pathlib import Path

import pytest

from frtaudit.cli.main import main
from frtaudit.errors import DataError


def test_a_key_that_is_not_there_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 1, before the run is looked at; with --debug a traceback."""
    words = ["approve", str(tmp_path / "run"), "--key", str(tmp_path / "key")]
    assert main(words) == 1
    assert capsys.readouterr().err.startswith(f"frtaudit: key {tmp_path / 'key'}: does not exist; accepted:")
    monkeypatch.setenv("FRTAUDIT_DEBUG", "")
    with pytest.raises(DataError, match="does not exist"):
        main(["--debug", *words])
