"""Where a file that a spec names lies: one rule for every path.

A relative path is taken from the working folder, or from ``cohort.root``. Where both hold such a file the path says too
little and is refused. The folder of a spec's own file plays no part.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from frtaudit.core.machine.files import check_regular
from frtaudit.core.machine.run_files import RESULT
from frtaudit.core.plain.structure import closest
from frtaudit.errors import DataError, SpecError, column_names

MAX_NAMED = 8  # entries of a folder in an error
COLLECTION, STORE = "collection.json", "store.sqlite"  # of frtaudit collect
COLLECTION_FORMAT = "frtaudit-collection/1"
TEMPLATES = "an .npz file with embedding and image_id"
SEARCH = "a folder with faces.csv and score lists"


def place_of(where: str, name: str, root: Path) -> Path | None:
    """The file of a path: as it stands from the working folder, or below ``root``; None where there is none.

    Raises :class:`DataError` that names ``where`` when there are two.

    >>> place_of("protocol.file", "nowhere.csv", Path()) is None
    True
    """
    here, below = Path(name), root / name
    existing = [path for path in (below, here) if os.path.lexists(path)]
    if len(existing) == 2 and here.resolve() != below.resolve():
        found_twice = f"{name!r} is both in the working folder and below {str(root)!r}"
        raise DataError(where, found_twice, f"{str(here.absolute())!r} or {str(below.absolute())!r}")
    return existing[0] if existing else None


def need_file(where: str, name: str, root: Path) -> Path:
    """The regular file of a path. Raises :class:`DataError` that names ``where``, and what is there instead."""
    path = place_of(where, name, root)
    if path is None:
        problem = f"no file {name!r} in the working folder or below {str(root)!r}"
        raise DataError(where, problem, f"a file that is there{entries(root, name)}")
    check_regular(path, path.name)
    return path


def need_run(folder: Path) -> None:
    """Raise :class:`DataError` for a folder without a result."""
    if not (folder / RESULT).is_file():
        raise DataError(folder.name or str(folder), f"no {RESULT}", "the folder of a finished run")


def need_search(where: str, root: str) -> Path:
    """The folder of faces found by query. Raises :class:`DataError` that names ``where``."""
    folder = Path(root)
    if not folder.is_dir():
        raise DataError(where, f"no folder {root!r}", SEARCH)
    return folder


def need_templates(path: Path) -> None:
    """Raise what reads templates says of a file that is not there, or no regular one."""
    check_regular(path, path.name)
    if not path.is_file():
        raise DataError(path.name, "not a readable .npz file", TEMPLATES)


def not_offered(name: str, systems: Sequence[str]) -> SpecError:
    """Of a provider that is none of a cohort's systems."""
    accepted = ", ".join(systems) or "a mapping with name and type"
    return SpecError("providers", f"the cohort offers no {name!r}", accepted)


def need_scores(path: Path, name: str) -> None:
    """Raise :class:`DataError` for what is no file of scores: not there, a folder, no regular file, or empty."""
    if path.is_dir() and not path.is_symlink():
        raise DataError(name, "is a folder", "a file of scores")
    check_regular(path, name)
    if not path.is_file():
        raise DataError(name, f"no file {str(path)!r}", "a file of scores")
    if not path.stat().st_size:
        raise DataError(name, "the file is empty", "one comparison per line")


def paths_below(root: Path, files: Sequence[str], apart: Sequence[str]) -> list[Path]:
    """The files of scores: ``root`` itself, those of ``files`` in it, or all in it but hidden ones and ``apart``."""
    if not root.exists():
        check_regular(root, "cohort.root")  # a link that leads nowhere
        raise DataError(
            "cohort.root", f"no file or folder {str(root)!r}", "a file of scores, or a folder of them"
        )
    if not root.is_dir():
        return [root]
    there = [path for path in visible(root) if not path.is_dir() and path.name not in apart]
    paths = [root / name for name in files] or there
    if not paths:
        raise DataError("cohort.root", "the folder holds no file of scores", "a file for each system")
    stems = [path.stem for path in paths]
    for name in stems:
        if stems.count(name) > 1:
            raise DataError("cohort.root", f"two files are called {name}", "a name for each system")
    return paths


def visible(folder: Path) -> list[Path]:
    """What a folder holds, by name, but hidden files (``._a.csv`` of macOS) and those of an open spreadsheet."""
    return sorted(path for path in folder.iterdir() if not path.name.startswith((".", "~$")))


def entries(root: Path, name: str) -> str:
    """What a folder holds, as the end of an error; the name nearest to the one that was asked for comes first."""
    try:
        names = [entry.name for entry in visible(root)]
    except OSError:
        return ""
    if not names:
        return "; the folder is empty"
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return f"{closest(name, names)}: {column_names(names[:MAX_NAMED])}{more}"
