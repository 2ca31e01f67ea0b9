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
    covered,
    digest_bytes,
    digest_file,
    digest_folder,
    extends,
    is_inside,
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
    for number, words in ((errno.EACCES, "cannot be read (Permission denied)"), (errno.EIO, None)):

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
