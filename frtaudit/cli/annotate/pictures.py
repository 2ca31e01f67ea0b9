"""Pictures of faces, read from where they are: only those that the list names, and only what is a picture."""

from dataclasses import dataclass
from pathlib import Path

MAX_BYTES = 20_000_000  # bytes of one picture
_HEAD = 12
_KINDS = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG\r\n\x1a\n": "image/png"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """The bytes of a file and what they are: jpeg, png or webp."""

    kind: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Pictures:
    """``names``: of each face a path below ``root`` or an absolute one, empty where there is none."""

    root: Path
    names: tuple[str, ...]

    def read(self, face: int) -> Picture | None:
        """The picture of a face; None where there is no such face or file, where it is too large, or no picture."""
        if not 0 <= face < len(self.names) or not self.names[face]:
            return None
        try:
            path = self.root / self.names[face]
            if not path.is_file():
                return None
            with path.open("rb") as stream:
                head = stream.read(_HEAD)
                kind = kind_of(head)
                data = head + stream.read(MAX_BYTES) if kind else b""
        except (OSError, ValueError):  # not readable; a name that no file can have
            return None
        return Picture(kind=kind, data=data) if kind and len(data) <= MAX_BYTES else None


def kind_of(head: bytes) -> str | None:
    r"""What the first twelve bytes of a file say that it is; None for all but jpeg, png and webp.

    >>> kind_of(b"\xff\xd8\xff\xe0"), kind_of(b"<svg")
    ('image/jpeg', None)
    """
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _KINDS.items() if head.startswith(start)), None)
