"""Pictures of faces, read from where they are: only those that the list names, and only what is a picture."""

import hashlib
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from frtaudit.collection.chosen import query_name
from frtaudit.collection.clients.protocol import Source, SourceImage
from frtaudit.core.collecting import CallError
from frtaudit.errors import SpecError

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """Pictures of a collection that kept none, read again from its source: those whose digest the face's id holds.

    ``names``: of each face the query and the begin of its image's digest, as a collection names it; empty where it is
    none of a collection.
    """

    source: Source
    names: tuple[str, ...]
    _images: dict[str, list[SourceImage]] = field(repr=False, default_factory=lambda: defaultdict(list))
    _read: dict[str, Picture] = field(repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for a source whose search is paid: it would be paid again."""
        if any(self.source.paid.values()):
            text = "a source that is paid for each search"
            raise SpecError("--fetch", text, "a collection with keep_images=true")
        for image in self.source.finds():
            self._images[query_name(image.query)].append(image)

    def read(self, face: int) -> Picture | None:
        """The picture of a face, read once; None where the source has it no more, or another one."""
        if not 0 <= face < len(self.names) or not self.names[face]:
            return None
        waiting = self._images[self.names[face].partition("-")[0]]
        while self.names[face] not in self._read and waiting:
            image = waiting.pop(0)
            try:
                data = self.source.read(image).data
            except CallError:
                continue
            kind = kind_of(data[:_HEAD])
            digest = hashlib.sha256(data).hexdigest()
            if kind:
                self._read[f"{query_name(image.query)}-{digest[:16]}"] = Picture(kind=kind, data=data)
        return self._read.get(self.names[face])


def kind_of(head: bytes) -> str | None:
    r"""What the first twelve bytes of a file say that it is; None for all but jpeg, png and webp.

    >>> kind_of(b"\xff\xd8\xff\xe0"), kind_of(b"<svg")
    ('image/jpeg', None)
    """
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _KINDS.items() if head.startswith(start)), None)
