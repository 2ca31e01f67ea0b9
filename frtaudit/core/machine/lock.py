"""A lock that is a file: it goes with the process, and its file may be removed by whoever holds it."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path


def lock(path: Path, *, wait: bool) -> int:
    """An open file that is locked, its folder made; closing it frees the lock.

    ``wait``: until it is free; else raises :class:`BlockingIOError` where another process holds it.
    """
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # who held it removed the folder just now
            opened = _opened(path)
            try:
                fcntl.flock(opened, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
                if os.path.samestat(os.fstat(opened), path.stat()):
                    return opened
            except FileNotFoundError:
                pass
            except BaseException:
                os.close(opened)
                raise
            os.close(opened)


def _opened(path: Path) -> int:
    """The lock's file, made where it is not there; neither it nor its folder is a link."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.open(path.name, flags, 0o666, dir_fd=folder)
    finally:
        os.close(folder)
