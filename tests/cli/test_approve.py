"""Tests of frtaudit.cli.approve; what it does with a run is tested with frtaudit.signing.approve."""

from pathlib import Path

import pytest

from frtaudit.cli.approve import main


def test_a_key_that_is_not_there_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1, before the run is looked at."""
    assert main([str(tmp_path / "run"), "--key", str(tmp_path / "key")]) == 1
    assert f"frtaudit approve: key {tmp_path / 'key'}: does not exist; accepted:" in capsys.readouterr().err
