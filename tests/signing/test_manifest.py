"""Tests of frtaudit.signing.manifest."""

import errno
import hashlib
import os
from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.signing import manifest
from frtaudit.signing.manifest import (
    Digest,
    approvals,
    covered,
    digest_bytes,
    digest_file,
    digest_folder,
    empty_folders,
    entries,
    extends,
    is_inside,
    left_out,
    next_approval,
    problem,
)


@given(st.binary(max_size=200))
def test_digest_of_bytes_is_sha256_and_length(data: bytes) -> None:
    """The digest is hashlib's, with the length."""
    assert digest_bytes(data) == Digest(sha256=hashlib.sha256(data).hexdigest(), length=len(data))


def test_covered_leaves_out_statement_hidden_and_log(tmp_path: Path) -> None:
    """Every file counts but the statement itself, hidden ones and the log, in sorted order."""
    (tmp_path / ".hydra").mkdir()
    (tmp_path / "tables").mkdir()
    for name in ("b", "a", "tables/t.parquet", "statement.dsse.json", ".hydra/config.yaml", "run.log"):
        (tmp_path / name).write_bytes(name.encode())
    assert covered(tmp_path) == ("a", "b", "tables/t.parquet")
    assert digest_folder(tmp_path)["tables/t.parquet"] == digest_bytes(b"tables/t.parquet")


def test_problem_names_each_way_to_differ(tmp_path: Path) -> None:
    """A file as recorded has no problem; a missing, longer or changed one has its own."""
    file = tmp_path / "f"
    file.write_bytes(b"abc")
    recorded = digest_file(file)
    assert problem(tmp_path, "f", recorded) is None
    file.write_bytes(b"abd")
    assert "sha256" in str(problem(tmp_path, "f", recorded))
    file.write_bytes(b"abcd")
    assert "4 bytes long" in str(problem(tmp_path, "f", recorded))
    file.unlink()
    assert "missing" in str(problem(tmp_path, "f", recorded))
    assert "missing" in str(problem(tmp_path, "f" * 5000, recorded))


def test_line_ends_of_windows_are_named(tmp_path: Path) -> None:
    """Text with CRLF for LF is not the signed file, and the reason says why; a changed number has another reason."""
    file = tmp_path / "f.csv"
    file.write_bytes(b"a,b\n1,2\n")
    recorded = digest_file(file)
    file.write_bytes(b"a,b\r\n1,2\r\n")
    assert "line ends of Windows" in str(problem(tmp_path, "f.csv", recorded))
    file.write_bytes(b"a,b\r\n1,3\r\n")
    assert "10 bytes long" in str(problem(tmp_path, "f.csv", recorded))


@pytest.mark.parametrize("name", ["n" * 5000, "f/g", "d" * 200 + "/f"])
def test_a_name_that_no_file_can_have_is_missing(tmp_path: Path, name: str) -> None:
    """A stranger's statement may list anything: it is no fault of the machine."""
    (tmp_path / "f").write_bytes(b"")
    assert "missing" in str(problem(tmp_path, name, digest_bytes(b"")))


def test_a_file_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It cannot be as recorded, as far as anybody here can tell; other faults of the machine are not about the run."""
    (tmp_path / "f").write_bytes(b"abc")
    for number, words in (
        (errno.EACCES, "cannot be read by this user (Permission denied)"),
        (errno.EIO, None),
    ):

        def refuse(_path: Path, number: int = number) -> Digest:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(manifest, "digest_file", refuse)
        with nullcontext() if words else pytest.raises(OSError, match="Input/output"):
            assert problem(tmp_path, "f", digest_bytes(b"abd")) == words


@pytest.mark.parametrize(
    "name", ["../f", "/etc/passwd", "a/../../f", "", "..\\f", "./f", "a//f", "f/", "f\0"]
)
def test_names_that_lead_outside_are_refused(tmp_path: Path, name: str) -> None:
    """A statement cannot make the check read a file outside the run folder."""
    assert not is_inside(name)
    assert "outside" in str(problem(tmp_path, name, digest_bytes(b"")))


def test_extends_means_same_start_and_more(tmp_path: Path) -> None:
    """Only a strictly longer file with the recorded beginning extends the recorded one."""
    file = tmp_path / "f"
    for data, extended in ((b"abc", False), (b"abcd", True), (b"abdd", False), (b"ab", False)):
        file.write_bytes(data)
        assert extends(file, digest_bytes(b"abc")) is extended
    assert not extends(tmp_path / "absent", digest_bytes(b"abc"))


def test_a_pdf_may_gain_64_mib(tmp_path: Path) -> None:
    """A file that is longer by 67,108,864 bytes extends the recorded one, by one byte more it does not."""
    file = tmp_path / "f"
    for more, extended in ((67_108_864, True), (67_108_865, False)):
        file.write_bytes(b"abc")
        os.truncate(file, 3 + more)
        assert extends(file, digest_bytes(b"abc")) is extended


def test_line_ends_are_looked_at_up_to_100_mb(tmp_path: Path) -> None:
    """In a text of 100,000,000 bytes, and in none that is longer."""
    file, recorded = tmp_path / "f", digest_bytes(b"a\n")
    file.write_bytes(b"a\r\n")
    assert manifest._has_other_line_ends(file, 100_000_000, recorded)
    assert not manifest._has_other_line_ends(file, 100_000_001, recorded)
    assert manifest._has_other_line_ends(file, 3, recorded)
    assert not manifest._has_other_line_ends(file, 2, recorded)


def test_what_no_statement_covers_is_named(tmp_path: Path) -> None:
    """Hidden files and logs, but no link, no statement and no approval; folders in which nothing stands."""
    for name in (".hidden", "run.log", "a", "statement.dsse.json", "approval.1.dsse.json"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / ".link").symlink_to("a")
    for name in ("full", "full/empty", "other"):
        (tmp_path / name).mkdir()
    assert left_out(tmp_path) == (".hidden", "run.log")
    assert empty_folders(tmp_path) == ("full/empty", "other")
    assert entries(tmp_path)[".link"] == "is a symbolic link"
    assert "full" not in entries(tmp_path)
    assert empty_folders(tmp_path / "other") == ()


def test_approvals_are_counted_on(tmp_path: Path) -> None:
    """In order of their numbers, not of their names; a link and a number of five digits are none."""
    assert (approvals(tmp_path), next_approval(tmp_path)) == ((), "approval.1.dsse.json")
    for number in (2, 10, 9, 12345):
        (tmp_path / f"approval.{number}.dsse.json").write_bytes(b"")
    (tmp_path / "approval.11.dsse.json").symlink_to("approval.2.dsse.json")
    assert approvals(tmp_path) == tuple(f"approval.{number}.dsse.json" for number in (2, 9, 10))
    assert next_approval(tmp_path) == "approval.11.dsse.json"


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    """A folder in the place of a file, a link, and a file behind a link; one in a folder is opened."""
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "f").write_bytes(b"abc")
    (tmp_path / "l").symlink_to("d")
    recorded = digest_bytes(b"abc")
    assert problem(tmp_path, "d/f", recorded) is None
    assert problem(tmp_path, "d", recorded) == "is a folder: not opened"
    for name in ("l", "l/f"):
        assert problem(tmp_path, name, recorded) == "is a symbolic link: not opened"
