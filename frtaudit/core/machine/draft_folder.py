"""A folder for files to come, locked by who fills it: what a killed process left, the next removes."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path


@contextmanager
def draft_folder(above: Path, prefix: str) -> Iterator[tuple[Path, int, int]]:
    """A new folder below ``above``, for its owner alone: its path, the open folder, and ``above``, open.

    At the end of the block it is gone, and so are ``above`` and the folders above it as far as they were made here and
    are empty. ``prefix``: of its name, and of those of earlier ones. Raises :class:`OSError` where it cannot be made.
    """
    missing = [path for path in (above, *above.parents) if not path.exists()]
    with ExitStack() as undo:
        undo.callback(_remove_empty, missing)
        above.mkdir(parents=True, exist_ok=True)
        home = os.open(above, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        undo.callback(os.close, home)
        for left in above.iterdir():  # drafts of killed processes: no process has locked them
            if left.name.startswith(prefix):
                with suppress(OSError):
                    left_descriptor = _locked(left)
                    shutil.rmtree(left, ignore_errors=True)
                    os.close(left_descriptor)
        descriptor = None
        while descriptor is None:
            draft = Path(tempfile.mkdtemp(prefix=prefix, dir=above))
            undo.callback(shutil.rmtree, draft.name, ignore_errors=True, dir_fd=home)
            descriptor = _locked_in_time(draft)
        undo.callback(os.close, descriptor)
        yield draft, descriptor, home


def _locked_in_time(folder: Path) -> int | None:
    """A new folder, open and locked; None where a process that begins took it for one that was left behind."""
    with suppress(FileNotFoundError, BlockingIOError):
        descriptor = _locked(folder)
        if folder.exists():
            return descriptor
        os.close(descriptor)
    return None


def _remove_empty(folders: Iterable[Path]) -> None:
    """Remove these folders, each inside the next, up to the first that holds something or is not there."""
    with suppress(OSError):
        for folder in folders:
            folder.rmdir()


def _locked(folder: Path) -> int:
    """A folder, open and locked until it is closed. Raises :class:`OSError` for a link, and for one that is locked."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(opened)
        raise
    return opened
