"""Tests of frtaudit.signing.coverage. Whole folders: test_attacks."""

import os
from pathlib import Path

import pytest

from frtaudit.errors import VerificationError
from frtaudit.signing import coverage
from frtaudit.signing.coverage import not_covered, not_regular, outer_statement_of, read_bounded


def test_what_is_no_regular_file_is_named(tmp_path: Path) -> None:
    """Each link, FIFO and device has its line, in folders too; files have none."""
    (tmp_path / "in").mkdir()
    (tmp_path / "file").write_bytes(b"x")
    os.mkfifo(tmp_path / "in/fifo")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "null").symlink_to("/dev/null")
    found = {check.subject: check.message for check in not_regular(tmp_path)}
    assert set(found) == {"in/fifo", "link", "null"}
    assert found["in/fifo"] == "is a FIFO: not opened"


def test_hidden_files_and_logs_are_named(tmp_path: Path) -> None:
    """What a statement never lists."""
    (tmp_path / ".hydra").mkdir()
    for name in (".hydra/a", "run.log", "file", "statement.dsse.json", "approval.1.dsse.json"):
        (tmp_path / name).write_bytes(b"")
    assert {check.subject for check in not_covered(tmp_path)} == {".hydra/a", "run.log"}


def test_a_file_is_read_within_bounds(tmp_path: Path) -> None:
    """A regular file of the right size is read; a large one and a link are refused, a missing one is missing."""
    (tmp_path / "file").write_bytes(b"abc")
    (tmp_path / "link").symlink_to("file")
    assert read_bounded(tmp_path / "file", 3) == b"abc"
    with pytest.raises(VerificationError, match="3 bytes long: not read"):
        read_bounded(tmp_path / "file", 2)
    with pytest.raises(VerificationError, match="symbolic link: not opened"):
        read_bounded(tmp_path / "link", 10)
    with pytest.raises(FileNotFoundError):
        read_bounded(tmp_path / "absent", 1)


def test_what_is_read_has_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """64 MiB of a statement, and 1 GiB of a PDF: no more is read of what nothing vouches for."""
    asked: list[int] = []
    monkeypatch.setattr(coverage, "read_bounded", lambda _, most: asked.append(most) or b"")
    with pytest.raises(VerificationError, match="is not a statement"):
        outer_statement_of(tmp_path)
    assert (asked, coverage.LARGEST_PDF) == ([64 * 2**20], 2**30)
