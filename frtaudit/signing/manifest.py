"""Files and their digests: what a statement covers, and whether a folder still holds it."""

import errno
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from frtaudit.core.canonical import sha256, sha256_file
from frtaudit.core.machine.files import irregular
from frtaudit.core.machine.run_files import STATEMENT

APPROVAL = "approval.{}.dsse.json"
APPROVALS = re.compile(r"approval\.([1-9]\d{0,3})\.dsse\.json")
LOG_SUFFIX = ".log"
MAX_ADDED = 1 << 26
MAX_TEXT = 100_000_000  # bytes of a file whose line ends are looked at
LINE_ENDS = "line ends of Windows, and with those of Unix is the signed file: copy it as binary (git: -text)"
UNREAD = "cannot be read by this user"  # of what may be as it was signed, for all that is known
ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """A file's identity: lower-case hexadecimal SHA-256 and length in bytes."""

    sha256: str
    length: int


def digest_bytes(data: bytes) -> Digest:
    """Digest of bytes in memory.

    >>> digest_bytes(b"abc").length
    3
    """
    return Digest(sha256=sha256(data), length=len(data))


def digest_file(path: Path) -> Digest:
    """Digest of a file, read in blocks."""
    return Digest(sha256=sha256_file(path), length=path.stat().st_size)


def entries(folder: Path) -> Mapping[str, str | None]:
    """Everything in a folder and below, by name with ``/`` between folders: None for a regular file, else what it is.

    Links are neither followed nor opened; folders themselves are left out.
    """
    kinds: dict[str, str | None] = {}
    waiting = [folder]
    while waiting:
        place = waiting.pop()
        try:
            paths = list(place.iterdir())
        except OSError:
            kinds[place.relative_to(folder).as_posix()] = UNREAD
            continue
        for path in paths:
            kind = irregular(path)
            if kind == "is a folder":
                waiting.append(path)
            else:
                kinds[path.relative_to(folder).as_posix()] = kind
    return dict(sorted(kinds.items()))


def empty_folders(folder: Path) -> tuple[str, ...]:
    """Names of the folders below, in which nothing stands."""
    empty = (Path(place) for place, folders, files in os.walk(folder) if not folders and not files)
    return tuple(sorted(place.relative_to(folder).as_posix() for place in empty if place != folder))


def covered(folder: Path) -> tuple[str, ...]:
    """Names of the files that an outer statement covers, sorted, with ``/`` between folders.

    All files but the statement itself, approvals of it, what lies under a hidden name (``.hydra``), and ``*.log``:
    Hydra may still write to its log after the signature.
    """
    return tuple(name for name, kind in entries(folder).items() if kind is None and _is_final(name))


def left_out(folder: Path) -> tuple[str, ...]:
    """Names of the regular files that no statement ever covers, so that ``verify`` can name them."""
    beside = (name for name, kind in entries(folder).items() if kind is None and not _is_final(name))
    return tuple(name for name in beside if name != STATEMENT and not APPROVALS.fullmatch(name))


def approvals(folder: Path) -> tuple[str, ...]:
    """Names of the approvals in a run folder, in the order in which they were given."""
    matches = {path.name: APPROVALS.fullmatch(path.name) for path in folder.iterdir() if not irregular(path)}
    numbered = sorted((int(match[1]), name) for name, match in matches.items() if match)
    return tuple(name for _, name in numbered)


def next_approval(folder: Path) -> str:
    """The name of the approval to come."""
    given = approvals(folder)
    last = APPROVALS.fullmatch(given[-1]) if given else None
    return APPROVAL.format(int(last[1]) + 1 if last else 1)


def digest_folder(folder: Path) -> Mapping[str, Digest]:
    """Digests of all covered files of a run folder, by name."""
    return {name: digest_file(folder / name) for name in covered(folder)}


def problem(folder: Path, name: str, recorded: Digest) -> str | None:
    """Why the file is not the recorded one, in words; None if it is."""
    if not is_inside(name):
        return "names a place outside the run folder"
    path = folder / name
    kind = _irregular_part(folder, name)
    if kind is not None:
        return f"{kind}: not opened"
    try:
        length = path.lstat().st_size  # another length needs no reading
        if _has_other_line_ends(path, length, recorded):
            return f"has {LINE_ENDS}"
        digest = digest_file(path) if length == recorded.length else Digest(sha256="", length=length)
    except PermissionError as error:
        return f"{UNREAD} ({error.strerror})"
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno not in ABSENT:
            raise
        return "is listed in the statement, but missing"
    return _difference(digest, recorded)


def _has_other_line_ends(path: Path, length: int, recorded: Digest) -> bool:
    """Whether the file is the recorded one with CRLF for LF, as git and transfers of text make it on Windows."""
    if not recorded.length < length <= MAX_TEXT:
        return False
    return sha256(path.read_bytes().replace(b"\r\n", b"\n")) == recorded.sha256


def extends(path: Path, recorded: Digest) -> bool:
    """Whether the file is the recorded one with more bytes after it, as many as signatures may take."""
    if irregular(path) or not path.is_file():
        return False
    if not recorded.length < path.stat().st_size <= recorded.length + MAX_ADDED:
        return False
    with path.open("rb") as stream:
        return sha256(stream.read(recorded.length)) == recorded.sha256


def is_inside(name: str) -> bool:
    """Whether ``name`` is a plain relative name that cannot lead out of its folder, in the only way to write it.

    >>> is_inside("tables/scores.parquet"), is_inside("../result.json"), is_inside("./result.json")
    (True, False, False)
    """
    parts = name.split("/")
    return not {"", ".", ".."} & {*parts} and "\\" not in name and "\0" not in name


def _irregular_part(folder: Path, name: str) -> str | None:
    """What stands in the way of a name, where a part of it is a link, or its last part is not a regular file."""
    path = folder
    for part in PurePosixPath(name).parts:
        path /= part
        kind = irregular(path)
        if kind not in (None, "is a folder") or (kind and path == folder / name):
            return kind
    return None


def _is_final(name: str) -> bool:
    hidden = any(part.startswith(".") for part in PurePosixPath(name).parts)
    about = name == STATEMENT or APPROVALS.fullmatch(name) is not None
    return not hidden and not about and not name.endswith(LOG_SUFFIX)


def _difference(digest: Digest, recorded: Digest) -> str | None:
    if digest.length != recorded.length:
        return f"is {digest.length} bytes long, the statement records {recorded.length}"
    if digest.sha256 != recorded.sha256:
        return f"has sha256 {digest.sha256[:16]}..., the statement records {recorded.sha256[:16]}..."
    return None
