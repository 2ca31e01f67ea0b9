"""The files of a run before they are its: written in a folder of their own, moved into place together.

One process at a time: it holds a lock that goes with it, whatever ends it. What a killed one left, the next removes.
"""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from frtaudit.core.machine import signals
from frtaudit.core.machine.faults import as_line
from frtaudit.core.machine.lock import lock
from frtaudit.core.machine.output import OutputFolder
from frtaudit.errors import DataError, SpecError
from frtaudit.report.files import DRAFT
from frtaudit.signing.manifest import entries
from frtaudit.signing.run_folder import in_the_way

LOCK, FILES, MOVING = "lock", "files", "moving.json"
WHERE, ALONE = "hydra.run.dir", "a folder that no other program writes into"


@contextmanager
def draft(folder: Path, last: str) -> Iterator[Path]:
    """A folder for files to come; at the end of the block they move into ``folder``, the one named ``last`` last.

    All of them, or none: where the block or the move ends early, ``folder`` is as it was. Raises :class:`DataError` for
    a folder that another process writes into; :class:`SpecError` where ``last`` is there.
    """
    place = folder / DRAFT
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        spare = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)  # for the removal: no more files may be left
        lock = _lock(place)
    except OSError as error:
        raise as_line(error, WHERE) from None
    try:
        signals.check()
        _refuse_used(folder, last)
        _put_back(place, folder)
        (place / MOVING).unlink(missing_ok=True)
        shutil.rmtree(place / FILES, ignore_errors=True)
        refuse_invalid(folder)
        home = OutputFolder(folder)
        with home.kept_open(f"{DRAFT}/{FILES}") as files:
            yield place / FILES
            signals.check()
            _refuse_replaced(place, files)
            _move(home, files, last)
    except BaseException:
        _put_back(place, folder)
        raise
    finally:
        os.close(spare)
        _remove(place)
        with suppress(OSError):  # what was made for it goes, where nothing came
            for path in missing:
                path.rmdir()
        os.close(lock)


def _remove(place: Path) -> None:
    """The draft's folder; what is empty, and the lock, also where no memory is left to list it."""
    if place.is_symlink():  # replaced meanwhile
        return
    shutil.rmtree(place, ignore_errors=True)
    # One open file at a time, where no more may be open.
    for folder, _, files in os.walk(place, topdown=False):
        for name in files:
            with suppress(OSError):
                Path(folder, name).unlink()
        with suppress(OSError):
            Path(folder).rmdir()
    with suppress(OSError):
        (place / FILES).rmdir()
    with suppress(OSError):
        (place / LOCK).unlink()
        place.rmdir()


def _lock(place: Path) -> int:
    """An open file that is locked. Raises :class:`DataError` where another process holds it, or a link stands there."""
    if place.is_symlink():
        raise DataError(WHERE, f"{DRAFT} is a symbolic link", "a folder without it")
    try:
        return lock(place / LOCK, wait=False)
    except BlockingIOError:
        text = f"another run writes into {place.parent.name}"
        raise DataError(WHERE, text, "wait for it, or another folder") from None


def _refuse_used(folder: Path, last: str) -> None:
    if (folder / last).exists():
        raise SpecError(WHERE, f"{folder.name} already contains a {last}", f"a folder without a {last}")


def refuse_invalid(folder: Path) -> None:
    """A run that ``frtaudit verify`` would find invalid for what stood in its folder before is not begun."""
    problem = in_the_way(folder, DRAFT)
    if problem is not None:
        raise DataError(WHERE, problem, "a new folder, or one without it")


def _refuse_replaced(place: Path, files: int) -> None:
    """What was read at the draft's path while it was written is not what was written."""
    same = os.path.samestat(os.fstat(files), (place / FILES).lstat())
    if not same or any(entries(place / FILES).values()):
        raise DataError(WHERE, f"{DRAFT} was replaced during the run", ALONE)


def _move(home: OutputFolder, files: int, last: str) -> None:
    """What the open folder holds into place, after a note of it: a killed move is undone by the next run.

    Nothing is overwritten: what somebody put there since the run began ends the move.
    """
    names = sorted(os.listdir(files), key=lambda name: (name == last, name))
    note = home.write(f"{DRAFT}/{MOVING}", json.dumps(names).encode())
    for name in names:
        if os.path.lexists(home.root / name):
            raise DataError(WHERE, f"{name} appeared in the folder during the run", ALONE)
        os.rename(name, home.root / name, src_dir_fd=files)
    note.unlink()


def _put_back(place: Path, folder: Path) -> None:
    """Remove what a move that did not end put into ``folder``."""
    try:
        names = json.loads((place / MOVING).read_bytes())
    except (OSError, ValueError):
        return
    for name in names if isinstance(names, list) else ():
        # Of something in a folder, not of the folder itself or of the one above it.
        is_plain = isinstance(name, str) and name not in ("", "..") and Path(name).name == name
        if is_plain and not os.path.lexists(place / FILES / name):
            moved = folder / name
            if moved.is_dir() and not moved.is_symlink():
                shutil.rmtree(moved, ignore_errors=True)
            else:
                moved.unlink(missing_ok=True)
