"""Files and their digests: what a statement covers, and whether a folder still holds it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from frtaudit.canonical import sha256, sha256_file

STATEMENT = "statement.dsse.json"
APPROVAL = "approval.{}.dsse.json"
APPROVALS = re.compile(r"approval\.([1-9]\d{0,3})\.dsse\.json")
LOG_SUFFIX = ".log"


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


def covered(folder: Path) -> tuple[str, ...]:
    """Names of the files that an outer statement covers, sorted, with ``/`` between folders.

    All files but the statement itself, approvals of it, what lies under a hidden name (``.hydra``), and ``*.log``:
    Hydra may still write to its log after the signature.
    """
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return tuple(sorted(name for name in names if _is_final(name)))


def approvals(folder: Path) -> tuple[str, ...]:
    """Names of the approvals in a run folder, in the order in which they were given."""
    found = {path.name: APPROVALS.fullmatch(path.name) for path in folder.iterdir()}
    numbered = sorted((int(match[1]), name) for name, match in found.items() if match)
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
    if not path.is_file():
        return "is listed in the statement, but missing"
    return _difference(digest_file(path), recorded)


def extends(path: Path, recorded: Digest) -> bool:
    """Whether the file is the recorded one with more bytes after it."""
    if not path.is_file() or path.stat().st_size <= recorded.length:
        return False
    with path.open("rb") as stream:
        return sha256(stream.read(recorded.length)) == recorded.sha256


def is_inside(name: str) -> bool:
    """Whether ``name`` is a plain relative name that cannot lead out of its folder.

    >>> is_inside("tables/scores.parquet"), is_inside("../result.json")
    (True, False)
    """
    path = PurePosixPath(name)
    return bool(name) and not path.is_absolute() and ".." not in path.parts and "\\" not in name


def _is_final(name: str) -> bool:
    hidden = any(part.startswith(".") for part in PurePosixPath(name).parts)
    about = name == STATEMENT or APPROVALS.fullmatch(name) is not None
    return not hidden and not about and not name.endswith(LOG_SUFFIX)


def _difference(found: Digest, recorded: Digest) -> str | None:
    if found.length != recorded.length:
        return f"is {found.length} bytes long, the statement records {recorded.length}"
    if found.sha256 != recorded.sha256:
        return f"has sha256 {found.sha256[:16]}..., the statement records {recorded.sha256[:16]}..."
    return None
