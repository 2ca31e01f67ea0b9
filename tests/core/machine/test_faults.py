"""Tests of frtaudit.core.machine.faults, and of what commands say of faults of the machine."""

import errno
import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from frtaudit.cli import main
from frtaudit.core.machine import faults, signals
from frtaudit.core.machine.faults import SYSTEM, as_line
from frtaudit.errors import DataError, SpecError

COMMAND = [sys.executable, "-m", "frtaudit"]
LISTED = [*COMMAND, "list", "requirement"]


@pytest.mark.parametrize("number", SYSTEM)
def test_errors_of_the_system_are_told_by_name(number: int) -> None:
    """Each its own sentence, exit 1, the file by its name only."""
    line = as_line(OSError(number, os.strerror(number), "/x/somebody/run/report.pdf"))
    assert str(line).startswith("report.pdf: ")
    assert "unexpected" not in str(line)
    assert "somebody" not in str(line)
    assert "; accepted: " in str(line)
    assert line.exit_code == 1


def test_a_folder_that_may_not_be_opened_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the file that was looked for in it, nor a hidden folder of ours; in an open folder it is the file."""
    denied = [
        PermissionError(errno.EACCES, "", f"runs/x/{name}") for name in ("sweep.json", ".sweep/plan.json")
    ]
    monkeypatch.setattr(os, "access", lambda path, asked: asked == os.F_OK or str(path) != "runs/x")
    for error in denied:
        assert str(as_line(error)) == "x: permission is denied; accepted: a folder that this user may open"
    below = {"runs/x", "runs/x/y"}  # what stands in a closed folder is not seen
    monkeypatch.setattr(
        os, "access", lambda path, asked: str(path) not in (below if asked == os.X_OK else {"runs/x/y"})
    )
    inside = PermissionError(errno.EACCES, "", "runs/x/y/sweep.json")
    assert str(as_line(inside)).startswith("x: permission is denied; accepted: a folder")
    assert str(as_line(denied[0], "hydra.run.dir")).startswith("hydra.run.dir: permission is denied; ")
    monkeypatch.setattr(os, "access", lambda *_: True)
    assert str(as_line(denied[0])).startswith("sweep.json: permission is denied; accepted: a writable folder")


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
        RuntimeError("can't start new thread"),
        ImportError("libfoo.so: failed to map segment from shared object"),
        SystemError("error return without exception set"),
    ],
)
def test_memory_that_is_gone_is_told_as_such(error: Exception) -> None:
    """Whatever a library calls it, also as the cause of another error."""
    wrapped = ValueError("no page")
    wrapped.__cause__ = error
    for one in (error, wrapped):
        assert str(as_line(one)).startswith("memory: no more is available; accepted: ")


def test_what_cannot_be_raised_is_printed_only_where_memory_is_not_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of an error in a destructor Python prints a traceback; without memory the command ends in its one line alone."""
    met: list[type[BaseException]] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda error: met.append(error.exc_type))

    class Closed:
        def __init__(self, error: BaseException) -> None:
            self.error = error

        def __del__(self) -> None:
            raise self.error

    with faults.told_once():
        Closed(MemoryError())
        Closed(RuntimeError("can't start new thread"))
        Closed(KeyError("memory"))
    assert met == [KeyError]
    Closed(MemoryError())
    assert met == [KeyError, MemoryError]


def test_other_errors_stay_what_they_are() -> None:
    """Our own are told as they are; what nobody foresaw says so."""
    own = SpecError("a", "b")
    assert as_line(own) is own
    assert str(as_line(KeyError("out of memory"))).startswith("unexpected: KeyError")
    assert "too deeply" in str(as_line(RecursionError()))


def test_errors_of_the_store_are_told_by_name(tmp_path: Path) -> None:
    """A damaged store, a full disk, a store that may not be written."""
    path = tmp_path / "s"
    path.write_bytes(b"nothing of the kind" * 100)
    with closing(sqlite3.connect(path)) as db, pytest.raises(sqlite3.Error) as caught:
        db.execute("SELECT * FROM calls")
    assert str(as_line(caught.value)).startswith("into: store.sqlite is damaged (")
    with closing(sqlite3.connect(tmp_path / "t")) as db:
        for statement in ("PRAGMA page_size=512", "PRAGMA max_page_count=3", "CREATE TABLE a (b)"):
            db.execute(statement)
        with pytest.raises(sqlite3.Error) as caught:
            db.execute("INSERT INTO a VALUES (zeroblob(10000))")
    assert str(as_line(caught.value, "into")).startswith("into: no space is left on the disk; accepted: ")
    reading = closing(sqlite3.connect(f"file:{tmp_path / 't'}?mode=ro", uri=True))
    with reading as db, pytest.raises(sqlite3.Error) as caught:
        db.execute("CREATE TABLE c (d)")
    assert str(as_line(caught.value)).startswith("store.sqlite: the disk is read-only; accepted: ")


@pytest.mark.parametrize(
    ("free", "problem"), [(0, "no space is left on the disk"), (1000, "the disk reports an error")]
)
def test_an_error_of_sqlite_on_a_full_disk_is_one_of_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, problem: str
) -> None:
    """Opened on a full disk, a store finds no space for its shared memory, which SQLite calls an error of the disk."""
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_bavail=free, f_frsize=4096))
    assert str(as_line(error, "into", tmp_path)).startswith(f"into: {problem}; accepted: ")


def test_too_small_an_address_space_is_refused_before_libraries_hang(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The line says how much there must be, as ulimit takes it."""
    monkeypatch.setattr(resource, "getrlimit", lambda _: (300_000_000, -1))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    with pytest.raises(DataError) as caught:
        faults.check_address_space()
    assert str(caught.value) == (
        "memory: the address space is limited to 300 MB; accepted: 750 MB or more: ulimit -v 732422"
    )
    monkeypatch.setattr(resource, "getrlimit", lambda _: (732_422 * 1024, -1))
    faults.check_address_space()


def test_a_limited_address_space_ends_a_command_in_one_line() -> None:
    """Ulimit -v 200000, where OpenBLAS would try for ever: exit 1."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (200_000 * 1024,) * 2)

    done = subprocess.run(LISTED, preexec_fn=limited, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert done.stderr.startswith("frtaudit: memory: the address space is limited to 204 MB; accepted: ")
    assert len(done.stderr.splitlines()) == 1


def test_under_a_limit_of_address_space_openblas_is_loaded_while_there_is_room() -> None:
    """SciPy's own asks for its buffer for ever where it is loaded later: a comparison then never ended."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (2**31,) * 2)

    told = "import sys; from frtaudit.core.machine import faults; faults.check_address_space(); "
    asked = [sys.executable, "-c", told + "sys.exit('scipy.linalg.blas' not in sys.modules)"]
    assert subprocess.run(asked, preexec_fn=limited, check=False, timeout=60).returncode == 0
    assert subprocess.run(asked, check=False, timeout=60).returncode == 1


def test_a_closed_standard_output_is_no_fault() -> None:
    """`frtaudit list requirement >&- 2>&-`: done, and no file of a run takes the numbers of the streams."""
    done = subprocess.run(["bash", "-c", f"{' '.join(LISTED)} >&- 2>&-"], check=False, timeout=60)
    assert done.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_under_standard_output_is_one_line() -> None:
    """Exit 1, not Python's 120."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(LISTED, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert done.stderr == (
        "frtaudit: output: no space is left on the disk; accepted: free space there, or a folder on another disk\n"
    )


def test_a_working_folder_that_was_removed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path of the folder in which the command works cannot be found: no file is missing."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(FileNotFoundError) as error:
        Path("x").absolute()
    assert str(as_line(error.value)).startswith("working folder: it was removed; accepted: ")
    monkeypatch.chdir(tmp_path)
    assert str(as_line(error.value)).startswith("files: it is missing")


def test_a_thread_that_never_says_that_it_runs_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that gets no memory before: `Thread.start` would wait for ever."""
    monkeypatch.setattr("_thread.start_new_thread", lambda *_: 0)
    monkeypatch.setattr(faults, "PATIENCE", 0.01)
    faults.check_threads()


@pytest.mark.parametrize("number", [0, signal.SIGINT, signal.SIGTERM])
def test_threads_that_cannot_be_had_are_told_as_such(
    number: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`ulimit -u`: before a command begins, and where OpenBLAS sends the process SIGINT for it; SIGTERM is a signal."""

    def none_left(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    def sent(_: Sequence[str]) -> int:
        monkeypatch.setattr("_thread.start_new_thread", none_left)
        raise signals.Stopped(number)

    monkeypatch.setitem(main.COMMANDS, "list", sent)
    if not number:
        monkeypatch.setattr("_thread.start_new_thread", none_left)
    code = main.main(["list"])
    said = capsys.readouterr().err
    if number == signal.SIGTERM:
        assert (code, said) == (143, "frtaudit: stopped\n")
    else:
        assert code == 1
        assert re.fullmatch("frtaudit: memory: no more is available; accepted: .*\n", said)
