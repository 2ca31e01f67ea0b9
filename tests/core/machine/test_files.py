"""Files from outside: links, FIFOs, sockets and devices are refused without being opened."""

import os
import socket
from pathlib import Path

import pytest

from frtaudit.core.machine.files import (
    SMALL,
    Links,
    check_regular,
    irregular,
    open_regular,
    read_regular,
    read_small,
)
from frtaudit.errors import DataError


def test_a_regular_file_is_read(tmp_path: Path) -> None:
    """The bytes of a regular file come back, also through a link where links are followed."""
    (tmp_path / "a").write_bytes(b"data")
    (tmp_path / "b").symlink_to("a")
    assert read_regular(tmp_path / "a") == read_regular(tmp_path / "b", links=Links.FOLLOW) == b"data"
    assert irregular(tmp_path / "a") is None


def test_folders_above_the_file_may_be_links(tmp_path: Path) -> None:
    """Where a data folder stands behind a link, its files are read: only the last part counts."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a").write_bytes(b"data")
    (tmp_path / "link").symlink_to("real")
    assert read_regular(tmp_path / "link" / "a") == b"data"


def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    """A link, a folder, a FIFO nobody writes to, a socket and a device: one line each, and nothing waits."""
    (tmp_path / "target").write_bytes(b"secret")
    (tmp_path / "link").symlink_to("target")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(tmp_path / "socket"))
    expected = {
        "link": "is a symbolic link", "dangling": "is a symbolic link", "folder": "is a folder",
        "pipe": "is a FIFO", "socket": "is a socket", "/dev/zero": "is a device",
    }  # fmt: skip
    for name, said in expected.items():
        with pytest.raises(DataError, match=said) as caught:
            open_regular(tmp_path / name, "input")
        assert str(caught.value).startswith("input: ")
        with pytest.raises(DataError, match=said):
            check_regular(tmp_path / name)


def test_a_fifo_put_in_place_after_the_look_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The open file is looked at again: a FIFO that came meanwhile neither blocks nor is read."""
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr("frtaudit.core.machine.files.irregular", lambda *_: None)
    with pytest.raises(DataError, match="not a regular file"):
        open_regular(tmp_path / "pipe")


def test_what_is_missing_is_the_callers_to_say(tmp_path: Path) -> None:
    """A missing file raises FileNotFoundError, which callers turn into their own sentence."""
    check_regular(tmp_path / "missing")
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "missing")


def test_a_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 could stand in no result and no report."""
    with pytest.raises(DataError, match=r"^a file: is called .*dcff.*; accepted: a name in UTF-8$"):
        check_regular(tmp_path / "vendor\udcff.csv")
    check_regular(tmp_path / "folder\udcff" / "vendor.csv")  # where a folder lies is no name of a file


def test_a_small_file_may_be_a_pipe_and_has_an_end(tmp_path: Path) -> None:
    """A file of the limit's length and a pipe are read whole; one byte more is refused, as is what never ends."""
    file = tmp_path / "key"
    file.write_bytes(bytes(SMALL))
    assert len(read_small(file, "--key")) == SMALL
    reading, writing = os.pipe()
    os.write(writing, b"secret")
    os.close(writing)
    assert read_small(Path(f"/dev/fd/{reading}"), "--key") == b"secret"
    os.close(reading)
    file.write_bytes(bytes(SMALL + 1))
    for path in (file, Path("/dev/zero")):
        with pytest.raises(
            DataError, match=f"^--key: holds more than {SMALL} bytes; accepted: a small file$"
        ):
            read_small(path, "--key")
