"""Arguments of public functions: one of another kind, and what the file system says of a path, are one line each."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from frtaudit.core.machine.faults import as_line
from frtaudit.errors import DataError, FrtauditError, SpecError

T = TypeVar("T")


def path_of(argument: str, given: object) -> Path:
    """The path that an argument gives. Raises :class:`DataError` for what is none.

    >>> path_of("folder", "reports").name
    'reports'
    >>> path_of("folder", "")
    Traceback (most recent call last):
    frtaudit.errors.DataError: folder: found ''; accepted: a path, as text or Path
    """
    text = os.fspath(given) if isinstance(given, str | os.PathLike) else None
    if not isinstance(text, str) or not text or "\0" in text:
        raise DataError(argument, f"found {given!r}", "a path, as text or Path")
    return Path(text)


def listed(argument: str, given: Iterable[T]) -> Sequence[T]:
    """The values of a list. Raises :class:`SpecError` for one text, whose letters would be taken one by one.

    >>> listed("overrides", "seed=1")
    Traceback (most recent call last):
    frtaudit.errors.SpecError: overrides: the text 'seed=1'; accepted: a list: ['seed=1']
    """
    if isinstance(given, str | Path):
        raise SpecError(argument, f"the text {str(given)!r}", f"a list: [{str(given)!r}]")
    if not isinstance(given, Iterable):
        raise SpecError(argument, f"found {given!r}", "a list")
    return [str(value) if type(value) is not str and isinstance(value, str) else value for value in given]  # type: ignore[misc]  # a text of NumPy


def text_of(argument: str, given: object) -> str:
    """The text that an argument gives. Raises :class:`SpecError` for anything else."""
    if not isinstance(given, str):
        raise SpecError(argument, f"found {given!r}", "text")
    return given


@contextmanager
def at_path(place: Path, key: str = "", argument: str = "") -> Iterator[None]:
    """Within it an error of the file system is one line that names the path, and one of ``key`` names ``argument``."""
    try:
        yield
    except FrtauditError as error:
        if not key or error.where != key:
            raise
        raise type(error)(argument, error.found, error.accepted) from None
    except OSError as error:
        raise as_line(error, str(place)) from error
