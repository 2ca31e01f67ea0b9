"""Standard output and error, whatever became of them: closed before the start, read no further, on a full disk."""

import os
import sys
from contextlib import suppress
from io import TextIOWrapper


def open_streams() -> None:
    """Give the streams that were closed before the start a place, lest a file of a run takes their numbers.

    What standard output cannot encode (``PYTHONIOENCODING=ascii``) is escaped.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def write_line(line: str) -> None:
    """One line on standard error, if anybody reads it."""
    with suppress(OSError):
        sys.stderr.write(f"frtaudit: {line}\n")
        sys.stderr.flush()


def forget_unwritten() -> None:
    """What cannot be written to standard output is dropped: Python would try once more at its end, and fail."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
