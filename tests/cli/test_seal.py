"""Tests of frtaudit.cli.seal; what it signs is tested with frtaudit.signing.seal."""

from pathlib import Path

import pytest

from frtaudit.cli.seal import main
from frtaudit.config import composition


def test_a_key_that_is_not_there_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1, before the cohort is read."""
    words = ["audit=demo", "--out", str(tmp_path / "seal.json"), "--key", str(tmp_path / "key")]
    assert main(words, lambda *_: pytest.fail("nothing is read")) == 1
    assert f"frtaudit seal: key {tmp_path / 'key'}: does not exist; accepted:" in capsys.readouterr().err


def test_a_spec_is_composed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is sealed is made of the spec that was checked."""
    from frtaudit.cli.main import main as command

    trees: list[object] = []
    compose = composition._plain_tree
    monkeypatch.setattr(composition, "_plain_tree", lambda *of: trees.append(of) or compose(*of))
    monkeypatch.setenv("FRTAUDIT_CONFIG_HOME", str(tmp_path / "config"))
    out = tmp_path / "seal.json"
    assert command(["seal", "audit=demo", "cohort.subjects=24", "--out", str(out)]) == 0
    assert len(trees) == 1
