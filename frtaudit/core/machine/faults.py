"""Faults of the machine, each as its own line: disk full, memory gone, a limit reached, a damaged store."""

import _thread
import errno
import importlib
import os
import resource
import sqlite3
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from frtaudit.errors import DataError, FrtauditError

PATIENCE = 1.0  # seconds for a thread that was started to say so
UNEXPECTED = "unexpected"  # where: nobody foresaw it
ELSEWHERE = "free space there, or a folder on another disk"
LESS = "more memory, fewer threads, or a smaller tail_budget"

MIN_SPACE, SPACE_OF_A_CORE = (
    650_000_000,
    50_000_000,
)  # OpenBLAS asks for its buffer of 32 MiB for ever: a run holds 680 MB when it first does
# Number of an OSError to what is said of it, and what helps.
SYSTEM: Mapping[int, tuple[str, str]] = {
    errno.ENOSPC: ("no space is left on the disk", ELSEWHERE),
    errno.EDQUOT: ("the disk quota is used up", ELSEWHERE),
    errno.EFBIG: ("the file-size limit is reached", "a higher limit: ulimit -f unlimited"),
    errno.EMFILE: ("too many open files", "a higher limit: ulimit -n 1024"),
    errno.ENFILE: ("too many open files on this machine", "fewer programs at once"),
    errno.EIO: ("the disk reports an error", "another disk"),
    errno.EROFS: ("the disk is read-only", "a folder on another disk"),
    errno.EACCES: ("permission is denied", "a writable folder, a readable file"),
    errno.EPERM: ("it is not permitted", "a writable folder, a readable file"),
    errno.ENOENT: ("it is missing", "a file that stays while the command runs"),
    errno.EEXIST: ("a file stands where a folder is needed", "a writable folder"),
    errno.ENOTDIR: ("a file stands where a folder is needed", "a writable folder"),
    errno.EISDIR: ("a folder stands where a file is needed", "a file"),
    errno.ENOTEMPTY: ("a folder of this name already exists and holds files", "another folder"),
    errno.ELOOP: ("it is a symbolic link", "a file or a folder itself"),
    errno.ENAMETOOLONG: ("the name is too long", "a shorter name"),
    errno.EADDRINUSE: ("the address is in use", "another port"),
}
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})  # met by who writes, not by who reads
# What says nothing of the files that were read: another try may go well.
PASSING = FULL | {errno.EMFILE, errno.ENFILE, errno.EIO}
# SQLite's primary code to the number that the system has for the same.
STORE = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_IOERR: errno.EIO,
    sqlite3.SQLITE_READONLY: errno.EROFS,
    sqlite3.SQLITE_CANTOPEN: errno.EACCES,
}
STORE_SPACE = 65_536  # bytes that SQLite needs to open a store: 32 KiB of shared memory and a few pages
WRITING = (sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE)
DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
# How libraries say that they got no memory, by errors of other kinds.
NO_MEMORY = (
    "cannot allocate memory",
    "can't start new thread",
    "failed to map segment",
    "unable to allocate",
    "out of memory",
    "could not allocate",
    "failed to allocate",
    "without exception set",  # of extensions that forget to say so
    "without setting an exception",
)


def as_line(error: BaseException, where: str = "", folder: Path | None = None) -> FrtauditError:
    """The error itself if it is one of ours, else one line: of the machine's fault, or of what nobody foresaw.

    ``where``: names the place where the error does not; ``folder``: of the store that an error of SQLite is about.

    >>> print(as_line(MemoryError()))
    memory: no more is available; accepted: more memory, fewer threads, or a smaller tail_budget
    >>> print(as_line(OSError(28, "No space left on device", "/a/run/report.pdf")))
    report.pdf: no space is left on the disk; accepted: free space there, or a folder on another disk
    """
    if isinstance(error, FrtauditError):
        return error
    if lacks_memory(error):
        return DataError("memory", "no more is available", LESS)
    if isinstance(error, sqlite3.Error):
        return _of_store(error, where, folder)
    if isinstance(error, OSError) and error.errno is not None and error.errno in SYSTEM:
        return _of_system(error, where)
    if isinstance(error, RecursionError):
        return DataError("input", "nested too deeply", "fewer levels")
    text = f"{type(error).__name__}: {error}"
    return FrtauditError(UNEXPECTED, text, "--debug shows where; please report it")


def lacks_memory(error: BaseException | None) -> bool:
    """Whether an error, or what it came from, says that memory is gone.

    >>> lacks_memory(RuntimeError("can't start new thread")), lacks_memory(KeyError("memory"))
    (True, False)
    """
    while error is not None:
        if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
            return True
        foreign = isinstance(error, (RuntimeError, ImportError, OSError, SystemError))
        if foreign and any(words in str(error).lower() for words in NO_MEMORY):
            return True
        error = error.__cause__ or error.__context__
    return False


def of_machine(error: BaseException) -> bool:
    """Whether an error says that the machine lacks something, not that what was read is wrong.

    >>> of_machine(OSError(24, "Too many open files")), of_machine(OSError("a broken picture"))
    (True, False)
    """
    return lacks_memory(error) or (isinstance(error, OSError) and error.errno in PASSING)


@contextmanager
def told_once() -> Iterator[None]:
    """Print nothing where an extension lacks memory and cannot raise that: what it returns fails, and is told."""
    before = sys.unraisablehook

    def hook(met: "sys.UnraisableHookArgs") -> None:
        if not (issubclass(met.exc_type, MemoryError) or lacks_memory(met.exc_value)):
            before(met)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


def check_address_space() -> None:
    """Raise :class:`DataError` where ``ulimit -v`` is so low that libraries hang or abort instead of saying so.

    SciPy brings an OpenBLAS of its own, which is loaded in the middle of a run: under a limit it is loaded here, where
    there is room for its buffer.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit in (resource.RLIM_INFINITY, -1):
        return
    least = MIN_SPACE + SPACE_OF_A_CORE * (os.cpu_count() or 1)
    if limit < least:
        text = f"the address space is limited to {limit // 10**6} MB"
        raise DataError("memory", text, f"{least // 10**6} MB or more: ulimit -v {-(-least // 1024)}")
    importlib.import_module("scipy.linalg.blas")


def check_threads() -> None:
    """Raise :class:`RuntimeError` where no thread can be started (``ulimit -u``): OpenBLAS then sends SIGINT.

    ``Thread.start`` would wait for ever for a thread that gets no memory before it says that it runs.
    """
    is_alive = threading.Lock()
    is_alive.acquire()
    _thread.start_new_thread(is_alive.release, ())
    is_alive.acquire(timeout=PATIENCE)


def _of_system(error: OSError, where: str) -> FrtauditError:
    """Of a file, or of the folder in which this process works: that may be gone, and then no file is named."""
    if isinstance(error, FileNotFoundError) and not error.filename:
        try:
            os.getcwd()  # noqa: PTH109  Path.cwd() is the same
        except OSError:
            return DataError("working folder", "it was removed", "a folder that stays while the command runs")
    closed = "" if where else _closed(error)
    if closed:
        return DataError(closed, "permission is denied", "a folder that this user may open")
    return DataError(where or _place(error), *SYSTEM[error.errno or 0])


def _closed(error: OSError) -> str:
    """The name of the folder of a file, where this user may not open that folder; else empty. Hidden ones are ours."""
    name = error.filename2 or error.filename
    if error.errno != errno.EACCES or not isinstance(name, str):
        return ""
    seen = (above for above in Path(name).parents if not above.name.startswith("."))
    folder = next((above for above in seen if os.access(above, os.F_OK)), None)
    return folder.name if folder is not None and not os.access(folder, os.X_OK) else ""


def _of_store(error: sqlite3.Error, where: str, folder: Path | None) -> FrtauditError:
    """Of a collection's store; ``sqlite_errorcode`` holds the primary code in its low byte.

    SQLite calls the end of ``ulimit -f`` an error of the disk: where there is a limit, what it cannot write is that;
    so it calls a full disk, where its shared memory finds no space.
    """
    extended = getattr(error, "sqlite_errorcode", 0)
    code = extended & 0xFF
    if extended in WRITING and resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY:
        return DataError(where or "store.sqlite", *SYSTEM[errno.EFBIG])
    if code == sqlite3.SQLITE_IOERR and folder is not None and _is_full(folder):
        code = sqlite3.SQLITE_FULL
    if code in STORE:
        return DataError(where or "store.sqlite", *SYSTEM[STORE[code]])
    if code in DAMAGED:
        text = f"store.sqlite is damaged ({error})"
        return DataError(where or "into", text, "a copy of it put back, or another folder")
    return DataError(
        where or "store.sqlite", f"cannot be used ({error})", "one command at a time in that folder"
    )


def _is_full(folder: Path) -> bool:
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize < STORE_SPACE


def _place(error: OSError) -> str:
    """The name of the file that it is about, if it says so, without its folders: they may name people."""
    name = error.filename2 or error.filename
    if isinstance(name, str) and Path(name).name:
        return Path(name).name
    return "output" if error.errno in FULL else "files"
