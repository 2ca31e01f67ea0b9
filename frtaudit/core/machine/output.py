"""The folder that a command writes into: every file of it is made here, and none outside it or through a link."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from frtaudit.errors import DataError

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_DRAFT = ".{}.draft"


@dataclass(frozen=True, slots=True)
class OutputFolder:
    """Writes below ``root``, which exists; names are relative, with ``/`` between folders, which are made."""

    root: Path

    def path(self, name: str) -> Path:
        """Where the file ``name`` goes, its folders made.

        Raises :class:`DataError` for a name that leads out, and where a link or something else stands in the way.

        >>> OutputFolder(Path()).path("../result.json")
        Traceback (most recent call last):
        frtaudit.errors.DataError: output: the name '../result.json' leads out of the folder; accepted: a plain name
        """
        parts = _parts(name)
        folder = self.root
        for part in parts[:-1]:
            folder = folder / part
            _make_folder(folder, name)
        path = folder / parts[-1]
        if _mode(path) and not stat.S_ISREG(_mode(path)):
            raise DataError("output", f"{name!r} is a link, or no file", "a folder without it")
        return path

    def write(self, name: str, data: bytes) -> Path:
        """A new file. Raises :class:`DataError` as :meth:`path` does, and where the file stands there already."""
        with self.create(name) as stream:
            stream.write(data)
        return self.root / name

    def create(self, name: str) -> BinaryIO:
        """A new file, open for writing. Raises as :meth:`write` does."""
        return _new(self.path(name), name)

    def replace(self, name: str, data: bytes) -> Path:
        """The whole file or the one that was there, on disk when this returns. Raises as :meth:`path` does."""
        with self.drafted(name) as draft:
            draft.write_bytes(data)
        return self.root / name

    @contextmanager
    def drafted(self, name: str) -> Iterator[Path]:
        """An empty file to write to, which at the end replaces the file ``name``. Raises as :meth:`path` does."""
        path = self.path(name)
        draft = path.with_name(_DRAFT.format(path.name))
        try:
            draft.unlink(missing_ok=True)
            _new(draft, name).close()
            yield draft
            with draft.open("rb") as stream:
                os.fsync(stream.fileno())
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)


def _parts(name: str) -> tuple[str, ...]:
    """The parts of a plain relative name."""
    parts = tuple(name.split("/"))
    if any(part in ("", ".", "..") for part in parts) or "\\" in name or "\0" in name:
        raise DataError("output", f"the name {name!r} leads out of the folder", "a plain name")
    return PurePosixPath(name).parts


def _make_folder(folder: Path, name: str) -> None:
    folder.mkdir(exist_ok=True)
    if not stat.S_ISDIR(_mode(folder)):
        raise DataError("output", f"a folder of {name!r} is a link", "a folder without it")


def _mode(path: Path) -> int:
    """What stands there, a link as itself; 0 for nothing."""
    try:
        return path.lstat().st_mode
    except FileNotFoundError:
        return 0


def _new(path: Path, name: str) -> BinaryIO:
    try:
        return os.fdopen(os.open(path, _NEW, 0o666), "wb")
    except FileExistsError:
        raise DataError("output", f"{name!r} stands there already", "a folder without it") from None
