"""The folder that a command writes into: every file of it is made here, and none outside it or through a link."""

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from frtaudit.core.machine.faults import FULL
from frtaudit.errors import DataError

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_DRAFT = ".{}.draft"
_OPEN: dict[Path, int] = {}  # folders that are kept open, by their path


@dataclass(frozen=True, slots=True)
class OutputFolder:
    """Writes below ``root``, which exists; names are relative, with ``/`` between folders, which are made.

    Each step down is taken from the folder above it, kept open, so that a folder that somebody replaces by a link
    meanwhile leads nowhere.
    """

    root: Path

    def path(self, name: str) -> Path:
        """Where the file ``name`` goes, its folders made; for what opens it by itself.

        Raises :class:`DataError` for a name that leads out, and where a link or something else stands in the way.

        >>> OutputFolder(Path()).path("../result.json")
        Traceback (most recent call last):
        frtaudit.errors.DataError: output: the name '../result.json' leads out of the folder; accepted: a plain name
        """
        with self._above(name) as (folder, last):
            _check_file(last, folder, name)
        return self.root / name

    def check(self, names: Iterable[str]) -> None:
        """Raise as :meth:`path` does where one of these files could not be written, before anything is done for it."""
        for name in names:
            self.path(name)

    def write(self, name: str, data: bytes) -> Path:
        """A new file, or none where it cannot be written whole.

        Raises :class:`DataError` as :meth:`path` does, and where the file already exists.
        """
        with self.create(name) as stream:
            stream.write(data)
        return self.root / name

    @contextmanager
    def create(self, name: str) -> Iterator[BinaryIO]:
        """A new file to write to, or none where it cannot be written whole. Raises as :meth:`write` does."""
        with self._above(name) as (folder, last):
            _check_file(last, folder, name)
            stream = _new(last, folder, name)
            try:
                with _named(name), stream:
                    yield stream
            except BaseException:
                _remove(last, folder)
                raise

    def replace(self, name: str, data: bytes) -> Path:
        """The whole file or the one that was there, on disk when this returns. Raises as :meth:`path` does."""
        with self.drafted(name) as draft:
            draft.write(data)
        return self.root / name

    @contextmanager
    def drafted(self, name: str) -> Iterator[BinaryIO]:
        """An empty file to write to, which at the end replaces the file ``name``. Raises as :meth:`path` does."""
        with self._above(name) as (folder, last):
            _check_file(last, folder, name)
            draft = _DRAFT.format(last)
            _remove(draft, folder)
            try:
                with _named(name), _new(draft, folder, name) as stream:
                    yield stream
                    stream.flush()
                    os.fsync(stream.fileno())
                os.replace(draft, last, src_dir_fd=folder, dst_dir_fd=folder)
            finally:
                _remove(draft, folder)

    @contextmanager
    def kept_open(self, name: str) -> Iterator[int]:
        """The folder ``name``, made, and open to the end of the block.

        Meanwhile what an :class:`OutputFolder` writes below its path goes into it, whatever stands there by then.
        """
        with self._above(f"{name}/any") as (folder, _), keeping_open(self.root / name, folder):
            yield folder

    @contextmanager
    def _above(self, name: str) -> Iterator[tuple[int, str]]:
        """The folder of a file, made and open, and the file's name in it."""
        *above, last = parts = name.split("/")
        if any(part in ("", ".", "..") for part in parts) or "\\" in name or "\0" in name:
            raise DataError("output", f"the name {name!r} leads out of the folder", "a plain name")
        opened = os.dup(_OPEN[self.root]) if self.root in _OPEN else os.open(self.root, _FOLDER)
        try:
            for part in above:
                inner = _folder(part, opened, name)
                os.close(opened)
                opened = inner
            yield opened, last
        finally:
            os.close(opened)


@contextmanager
def keeping_open(path: Path, opened: int) -> Iterator[None]:
    """What an :class:`OutputFolder` of ``path`` writes in the block goes into the folder that is ``opened``."""
    _OPEN[path] = opened
    try:
        yield
    finally:
        del _OPEN[path]


def _folder(part: str, above: int, name: str) -> int:
    """A folder, made where it is not there, open."""
    with suppress(FileExistsError):
        os.mkdir(part, dir_fd=above)
    try:
        return os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=above)
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENOTDIR):
            raise
        raise DataError(
            "output", f"a folder of {name!r} is a link, or no folder", "a folder without it"
        ) from None


def _check_file(last: str, folder: int, name: str) -> None:
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(os.lstat(last, dir_fd=folder).st_mode):
            raise DataError("output", f"{name!r} is a link, or no file", "a folder without it")


def _new(last: str, folder: int, name: str) -> BinaryIO:
    try:
        return os.fdopen(os.open(last, _NEW, 0o666, dir_fd=folder), "wb")
    except FileExistsError:
        raise DataError("output", f"{name!r} already exists", "a folder without it") from None


@contextmanager
def _named(name: str) -> Iterator[None]:
    """An error of a full disk or of a limit while a file is written gets its name: the system gives none."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            error.filename = name
        raise


def _remove(name: str, folder: int) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)
