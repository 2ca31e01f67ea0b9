"""Tests of frtaudit.cli.seal; what it signs is tested with frtaudit.signing.seal."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from local_tsa import running

from frtaudit.cli import main as command
from frtaudit.config import composition
from frtaudit.errors import DataError
from frtaudit.signing import timestamp


def test_a_key_that_is_not_there_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 1, before the cohort is read; with --debug a traceback."""
    words = ["seal", "audit=demo", "--out", str(tmp_path / "seal.json"), "--key", str(tmp_path / "key")]
    monkeypatch.setattr(command, "_sealed", lambda *_: pytest.fail("nothing is read"))
    assert command.main(words) == 1
    assert capsys.readouterr().err.startswith(f"frtaudit: key {tmp_path / 'key'}: does not exist; accepted:")
    monkeypatch.setenv("FRTAUDIT_DEBUG", "")
    with pytest.raises(DataError, match="does not exist"):
        command.main(["--debug", *words])


def test_a_spec_is_composed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is sealed is made of the spec that was checked."""
    trees: list[object] = []
    compose = composition._plain_tree
    monkeypatch.setattr(composition, "_plain_tree", lambda *of: trees.append(of) or compose(*of))
    monkeypatch.setenv("FRTAUDIT_CONFIG_HOME", str(tmp_path / "config"))
    out = tmp_path / "seal.json"
    assert command.main(["seal", "audit=demo", "cohort.subjects=24", "--out", str(out)]) == 0
    assert len(trees) == 1


def test_a_time_that_does_not_hold_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The seal is opened before it is written: a repeat is not in the way of itself."""
    monkeypatch.setenv("FRTAUDIT_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(command, "_sealed", lambda *_: {"spec": {}})
    out = tmp_path / "seal.json"
    with running() as clock:
        words = ["seal", "audit=demo", "--out", str(out), "--tsa", clock.url]
        original, stamp = timestamp.stamp, lambda _, url: original(b"other", url)
        monkeypatch.setattr(timestamp, "stamp", stamp)
        assert command.main(words) == 2
        assert "its timestamp is for other content" in capsys.readouterr().err
        assert not out.exists()
        monkeypatch.setattr(timestamp, "stamp", original)
        clock.when = datetime(2026, 3, 4, tzinfo=UTC)
        assert command.main(words) == 0
    warning = "frtaudit seal: warning: the time-stamp: 'Test time' says 2026-03-04 00:00 UTC, this machine's"
    assert capsys.readouterr().err.startswith(warning)
