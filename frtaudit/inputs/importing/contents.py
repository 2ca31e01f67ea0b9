"""The files of an input folder: listed once, links not followed, sizes bounded."""

import os
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from frtaudit.core.machine import signals
from frtaudit.core.machine.files import check_regular, open_regular
from frtaudit.errors import DataError
from frtaudit.inputs.table_texts import declares_separator, separator_in, unpacked
from frtaudit.inputs.tables import SUFFIXES

IMAGES = (".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff", ".ppm", ".pgm")
TEXTS = (".txt", ".csv", ".log", ".list", ".lst", ".tsv")
ARCHIVES = (".zip", ".tar", ".tgz", ".tar.gz", ".7z", ".rar")
FILES = 8_000_000  # below a folder
DEPTH = 12  # nested folders
SNIFFED = 400  # text files looked into, those nearest to the root
HEAD = 1 << 16  # bytes of a beginning
TEXT_BYTES = 4 << 30  # of a text file that is read whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """The contents of ``root``: ``files`` maps names with ``/`` to bytes; symbolic links are not followed.

    A single file is a folder that holds nothing else.
    """

    root: Path
    files: Mapping[str, int]
    _heads: dict[str, list[str]] = field(default_factory=dict, repr=False)

    def path(self, name: str) -> Path:
        """The path of a file of the folder."""
        return self.root / name

    def ending(self, *suffixes: str) -> list[str]:
        """Files by the end of their name, those nearest to the root first, then by name."""
        names = [name for name in self.files if name.lower().endswith(suffixes)]
        return sorted(names, key=lambda name: (name.count("/"), name))

    def texts(self, *suffixes: str) -> list[str]:
        """Text files to look into."""
        return self.ending(*(suffixes or TEXTS))[:SNIFFED]

    def head(self, name: str) -> list[str]:
        """The first whole lines of a file; none where it is not text."""
        if name not in self._heads:
            self._heads[name] = _first_lines(self.path(name))
        return self._heads[name]

    def table(self, *columns: str) -> str | None:
        """The first CSV file whose header, in lower case, has all ``columns``."""
        tables = (
            name
            for name in self.texts(*SUFFIXES)
            if (head := self.head(name)) and columns_at(head[0].split(separator_in(head[0])), *columns)
        )
        return next(tables, None)

    def lines(self, name: str) -> list[str]:
        """All lines of a text file. Raises :class:`DataError` for what is no UTF-8 text, or is too long."""
        signals.check()
        if self.files.get(name, 0) > TEXT_BYTES:
            raise DataError(name, f"{self.files[name]} bytes", f"at most {TEXT_BYTES} of a text file")
        try:
            with open_regular(self.path(name), name) as stream:
                text = stream.read(TEXT_BYTES).decode("utf-8-sig")
        except (UnicodeDecodeError, OSError):
            raise DataError(name, "not a readable text file", "UTF-8 text") from None
        if "\0" in text:
            raise DataError(name, "not a readable text file: it holds a zero byte", "UTF-8 text")
        return text.splitlines()

    def images(self) -> list[str]:
        """Files with the ending of an image."""
        return [name for name in self.files if name.lower().endswith(IMAGES)]

    def by_stem(self) -> dict[str, str]:
        """Image files by their name without folder and ending: of several, the first by name."""
        return {PurePosixPath(name).stem: name for name in sorted(self.images(), reverse=True)}


def contents_of(root: Path, apart: Path | None = None) -> Contents:
    """List a folder without the contents of ``apart``, or one file. Raises :class:`DataError` where there is none."""
    try:
        if root.is_dir():
            files: dict[str, int] = {}
            _list(root, "", 0, files)
            below = _below(root, apart)
            files = {name: size for name, size in files.items() if not (below and name.startswith(below))}
            return Contents(root=root, files=dict(sorted(files.items())))
        check_regular(root)
        if root.is_file():
            return Contents(root=root.parent, files={root.name: root.stat().st_size})
    except (OSError, ValueError) as error:
        raise DataError(str(root), f"cannot be read ({error})", "a readable folder or file") from None
    raise DataError(str(root), "no such folder or file", "the folder of a test set, or one file of it")


def _below(root: Path, apart: Path | None) -> str:
    """The beginning of names below ``apart``, if it is in ``root``."""
    if apart is None:
        return ""
    above, below = root.resolve(), apart.resolve()
    inside = below != above and below.is_relative_to(above)
    return f"{below.relative_to(above).as_posix()}/" if inside else ""


def _list(folder: Path, above: str, depth: int, files: dict[str, int]) -> None:
    """``files`` gains what a folder holds, but links, hidden names and what is no regular file."""
    if depth > DEPTH:
        raise DataError(above, f"more than {DEPTH} nested folders", "the folder of one test set")
    with os.scandir(folder) as entries:
        for entry in entries:
            signals.check()
            name = f"{above}{entry.name}"
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                _list(Path(entry.path), f"{name}/", depth + 1, files)
            elif entry.is_file(follow_symlinks=False):
                if len(files) >= FILES:
                    raise DataError("the folder", f"more than {FILES} files", "the folder of one test set")
                try:
                    name.encode()
                except UnicodeEncodeError:
                    raise DataError("a file", f"is called {name!r}", "a name in UTF-8") from None
                files[name] = entry.stat(follow_symlinks=False).st_size


def _first_lines(path: Path) -> list[str]:
    try:
        with open_regular(path) as stream:
            data = unpacked(path, stream).read(HEAD + 1)
    except (OSError, EOFError, zlib.error):
        return []
    whole = data if len(data) <= HEAD else data[: data.rfind(b"\n", 0, HEAD) + 1]
    try:
        text = whole.decode("utf-8-sig")
    except UnicodeDecodeError:
        return []
    lines = text.splitlines()
    return [] if "\0" in text else lines[1:] if lines and declares_separator(lines[0]) else lines


def stem(name: str) -> str:
    """A file's name without folder and ending.

    >>> stem("a/b.c/m.0x_0002.jpg")
    'm.0x_0002'
    """
    return PurePosixPath(name).stem


def rows_of(wanted: Sequence[str], known: Sequence[str]) -> list[int]:
    """The place in ``known`` of each of ``wanted``, -1 for none.

    By the name as it stands; else without the ending; else without folder and ending. A name that could mean two, or
    that stands for two, is none: images are called 0001.jpg in the folder of every person.

    >>> rows_of(["alice/1", "bob/1", "2"], ["bob/1.jpg", "alice/1.jpg", "c/2.png"])
    [1, 0, 2]
    >>> rows_of(["carol/1", "1"], ["alice/1.jpg", "bob/1.jpg"])
    [-1, -1]
    """
    whole = {name: row for row, name in enumerate(known)}
    bare, last = _single(known, _bare), _single(known, stem)

    def row_of(name: str) -> int:
        ways = ((whole, name), (bare, name), (whole, _bare(name)), (bare, _bare(name)), (last, stem(name)))
        return next((row for index, key in ways if (row := index.get(key, -1)) >= 0), -1)

    rows = {name: row_of(name) for name in wanted}
    meant = Counter(rows.values())
    return [rows[name] if name in whole or meant[rows[name]] == 1 else -1 for name in wanted]


def _single(names: Sequence[str], key: Callable[[str], str]) -> dict[str, int]:
    """What one name alone has as its key, and the place of that name."""
    times = Counter(key(name) for name in names)
    return {short: row for row, name in enumerate(names) if times[short := key(name)] == 1}


def _bare(name: str) -> str:
    """A path without its ending."""
    path = PurePosixPath(name)
    return str(path.parent / path.stem)


def columns_at(texts: Sequence[str], *names: str) -> bool:
    """Whether a header, its fields stripped and in lower case, holds all ``names``."""
    return set(names) <= {text.strip().strip('"').lower() for text in texts}
