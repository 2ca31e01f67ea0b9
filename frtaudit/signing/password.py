"""The password of a key: from a file, from the file that FRTAUDIT_PASSWORD_FILE names, or asked for."""

import getpass
import os
import sys
from codecs import BOM_UTF8
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from frtaudit.core.machine import signals
from frtaudit.core.machine.files import read_small
from frtaudit.errors import DataError

PASSWORD_FILE = "FRTAUDIT_PASSWORD_FILE"  # noqa: S105  the name of a variable that names a file
T = TypeVar("T")
ASKED = f"a password file, {PASSWORD_FILE}, or a prompt"


def password_for(file: str | Path | None, prompt: str) -> bytes | None:
    """The password of a key that is there: in ``file``, else in the variable's, else typed; None without any."""
    named = file or os.environ.get(PASSWORD_FILE)
    if named is not None:
        return _password_in(Path(named))
    with signals.at_once():
        return getpass.getpass(prompt).encode() if sys.stdin.isatty() else None


def new_password(file: str | None, prompt: bool) -> bytes | None:  # noqa: FBT001  argparse gives a flag
    """The password of a key to come: in ``file``, or typed twice; None for a key without one."""
    if file is not None:
        return _password_in(Path(file)).removeprefix(BOM_UTF8)
    if not prompt:
        return None
    with signals.at_once():
        first = getpass.getpass("Password: ")
        second = getpass.getpass("Again: ") if first else ""
    if not first or first != second:
        raise DataError("--prompt", "the passwords are empty or differ", "the same password twice")
    return first.encode()


def unlocked(unlock: Callable[[bytes | None], T], password: bytes | None) -> T:
    r"""What a password unlocks: as it is, else without the mark of UTF-8 that Windows writes before it.

    >>> unlocked(lambda password: int(password or b""), b"\xef\xbb\xbf12")
    12
    """
    try:
        return unlock(password)
    except ValueError:
        if password is None or not password.startswith(BOM_UTF8):
            raise
        return unlock(password.removeprefix(BOM_UTF8))


def _password_in(path: Path) -> bytes:
    password = bytes_of(path).rstrip(b"\r\n")
    if not password:
        raise DataError(str(path), "holds no password", "a password on one line")
    return password


def bytes_of(path: Path) -> bytes:
    """What a file of a key holds. Raises DataError."""
    try:
        return read_small(path, str(path))
    except OSError as error:
        raise DataError(str(path), f"cannot be read ({error.strerror})", "a key of frtaudit keygen") from None
