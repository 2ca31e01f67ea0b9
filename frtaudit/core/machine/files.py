"""Files from outside: opened only where they are regular files, so that nothing blocks and nothing leads elsewhere."""

import os
import stat
from enum import Enum
from pathlib import Path
from typing import BinaryIO

from frtaudit.errors import DataError

REGULAR = "a regular file"
SMALL = 4_000_000  # bytes of a key, a password, or the certificates of a machine
_KINDS = (
    (stat.S_ISLNK, "is a symbolic link"),
    (stat.S_ISDIR, "is a folder"),
    (stat.S_ISFIFO, "is a FIFO"),
    (stat.S_ISSOCK, "is a socket"),
    (stat.S_ISCHR, "is a device"),
    (stat.S_ISBLK, "is a device"),
)


class Links(Enum):
    """What happens to a path whose last part is a symbolic link."""

    REFUSE = "refuse"
    FOLLOW = "follow"


def irregular(path: Path, links: Links = Links.REFUSE) -> str | None:
    """What ``path`` is in words, where it is there and no regular file; None for a regular file and for nothing.

    Only the entry is looked at; nothing is opened. Folders above the last part may be links.

    >>> irregular(Path("/dev/null")), irregular(Path("/dev/null/missing"))
    ('is a device', None)
    """
    try:
        mode = (path.lstat() if links is Links.REFUSE else path.stat()).st_mode
    except (OSError, ValueError):
        return None
    if stat.S_ISREG(mode):
        return None
    return next((text for is_kind, text in _KINDS if is_kind(mode)), "is not a regular file")


def check_regular(path: Path, name: str = "", links: Links = Links.REFUSE) -> None:
    """Raise :class:`DataError` where ``path`` is there and no regular file; ``name`` is what the error calls it.

    >>> check_regular(Path("/dev/null"), "scores.csv")
    Traceback (most recent call last):
    frtaudit.errors.DataError: scores.csv: is a device; accepted: a regular file
    """
    try:
        path.name.encode()
    except UnicodeEncodeError:
        odd = "has a name that is not UTF-8" if name else f"is called {path.name!r}"
        raise DataError(name or "a file", odd, "a name in UTF-8") from None
    if "\0" in str(path):
        raise DataError(name or "a file", "has a name with a zero byte", "a name that a file can have")
    problem = irregular(path, links)
    if problem is not None:
        accepted = f"{REGULAR}; copy the file that the link names" if "link" in problem else REGULAR
        raise DataError(name or path.name, problem, accepted)


def check_below(root: Path, name: str, place: str, of: str) -> None:
    """Raise :class:`DataError` unless ``name`` is a regular file below ``root``; ``of`` is what errors call the folder.

    >>> check_below(Path("/dev"), "../etc/passwd", "faces.csv line 2", "its folder")
    Traceback (most recent call last):
    frtaudit.errors.DataError: faces.csv line 2: the file lies outside its folder; accepted: a path below it
    """
    check_regular(root / name, place)
    path = (root / name).resolve()
    if not path.is_relative_to(root.resolve()):
        raise DataError(place, f"the file lies outside {of}", "a path below it")
    if not path.is_file():
        slashes = ", with / in place of \\" if "\\" in name else ""
        raise DataError(place, f"no such file below {of}", f"a path below it{slashes}")


def open_regular(path: Path, name: str = "", links: Links = Links.REFUSE) -> BinaryIO:
    """Open a regular file for reading; never waits for a pipe, never opens a device.

    Raises :class:`DataError` for what is there and no regular file, :class:`OSError` for what cannot be opened.
    """
    check_regular(path, name, links)
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags | (os.O_NOFOLLOW if links is Links.REFUSE else 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):  # replaced between the look and the opening
        os.close(descriptor)
        raise DataError(name or path.name, "is not a regular file", REGULAR)
    return os.fdopen(descriptor, "rb")


def read_regular(path: Path, name: str = "", links: Links = Links.REFUSE) -> bytes:
    """The bytes of a regular file; raises as :func:`open_regular` does."""
    with open_regular(path, name, links) as stream:
        return stream.read()


def read_small(path: Path, name: str) -> bytes:
    """The bytes of a small file, or of a pipe (``<(pass show key)``); a device that never ends is not read for ever.

    Raises :class:`DataError` for more than ``SMALL`` bytes, :class:`OSError` for what cannot be opened.

    >>> read_small(Path("/dev/zero"), "--password-file")
    Traceback (most recent call last):
    frtaudit.errors.DataError: --password-file: holds more than 4000000 bytes; accepted: a small file
    """
    with path.open("rb") as stream:
        data = stream.read(SMALL + 1)
    if len(data) > SMALL:
        raise DataError(name, f"holds more than {SMALL} bytes", "a small file")
    return data
