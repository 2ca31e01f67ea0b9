"""The ``.bin`` files of insightface read from their opcodes alone: nothing is unpickled, no name is looked up."""

import mmap
import pickletools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast  # Any: a stack of several kinds of value

import numpy as np

from frtaudit.core.arrays import Flags
from frtaudit.core.machine.files import open_regular
from frtaudit.errors import DataError

BYTES = {"SHORT_BINSTRING": 2, "BINSTRING": 5, "SHORT_BINBYTES": 2, "BINBYTES": 5, "BINBYTES8": 9}
TEXTS = {"SHORT_BINUNICODE": 2, "BINUNICODE": 5, "BINUNICODE8": 9}
VALUES = ("NEWTRUE", "NEWFALSE", "BININT", "BININT1", "BININT2")
NOTHING = ("PROTO", "FRAME")
PUTS, GETS = ("BINPUT", "LONG_BINPUT", "PUT"), ("BINGET", "LONG_BINGET", "GET")
TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
CODEC, LATIN = "_codecs encode", "latin1"  # how protocol 2 of Python 3 writes bytes
KINDS = ((b"\xff\xd8\xff", ".jpg"), (b"\x89PNG", ".png"), (b"BM", ".bmp"), (b"RIFF", ".webp"))
PLAIN = "_plain.bin"  # what the name of a converted file ends with
CONVERT = (
    "import pickle; bins, same = pickle.load(open({name!r}, 'rb'), encoding='bytes')",
    "bins = [b if isinstance(b, bytes) else b.tobytes() for b in bins]",
    "pickle.dump((bins, [bool(s) for s in same]), open({plain!r}, 'wb'), protocol=4)",
)
_MARK: Any = object()
_CODEC: Any = object()


@dataclass(frozen=True, slots=True)
class Stored:
    """The place of an image: ``size`` bytes from ``start``; ``latin``: written as text, a character for each byte."""

    start: int
    size: int
    latin: bool = False


@dataclass(frozen=True, slots=True)
class _Text:
    """A text of the file: its place, and the text itself if it is short."""

    start: int
    size: int
    short: str


@dataclass(slots=True)
class _Machine:
    """What the opcodes of the closed list do: a stack of values, and a memo of them."""

    name: str
    stack: list[Any] = field(default_factory=list)
    memo: dict[int, Any] = field(default_factory=dict)

    def step(self, opcode: str, value: Any, at: int, end: int) -> None:  # noqa: ANN401  as genops gives it
        """One opcode; :class:`DataError` names one that is not on the list, with its offset."""
        if opcode in BYTES:
            start = at + BYTES[opcode]
            self.stack.append(Stored(start, end - start))
        elif opcode in VALUES:
            self.stack.append(value if opcode.startswith("BIN") else opcode == "NEWTRUE")
        elif opcode in TEXTS:
            start = at + TEXTS[opcode]
            self.stack.append(_Text(start, end - start, value[:8]))
        elif opcode in PUTS or opcode == "MEMOIZE":
            self.memo[len(self.memo) if opcode == "MEMOIZE" else int(value)] = self.stack[-1]
        elif opcode in GETS:
            self.stack.append(self.memo[int(value)])
        elif opcode not in NOTHING:
            self._build(opcode, value, at)

    def _build(self, opcode: str, value: Any, at: int) -> None:  # noqa: ANN401  as genops gives it
        stack = self.stack
        if opcode == "MARK":
            stack.append(_MARK)
        elif opcode == "EMPTY_LIST":
            stack.append([])
        elif opcode == "APPEND":
            last = stack.pop()
            cast("list[Any]", stack[-1]).append(last)
        elif opcode == "APPENDS":
            values = self._to_mark()
            cast("list[Any]", stack[-1]).extend(values)
        elif opcode in TUPLES:
            count = TUPLES[opcode]
            stack[-count:] = [tuple(stack[-count:])]
        elif opcode == "TUPLE":
            stack.append(tuple(self._to_mark()))
        elif opcode == "GLOBAL" and value == CODEC:
            stack.append(_CODEC)
        elif opcode == "REDUCE" and self._is_latin():
            text = stack.pop()[0]
            stack[-1] = Stored(text.start, text.size, latin=True)
        else:
            self._refuse(opcode, value, at)

    def _is_latin(self) -> bool:
        if len(self.stack) < 2 or self.stack[-2] is not _CODEC:
            return False
        words = self.stack[-1]
        return (
            isinstance(words, tuple)
            and len(words) == 2
            and all(isinstance(word, _Text) for word in words)
            and words[1].short == LATIN
        )

    def _to_mark(self) -> list[Any]:
        place = len(self.stack) - 1
        while self.stack[place] is not _MARK:
            place -= 1
            if place < 0:
                raise IndexError
        values = self.stack[place + 1 :]
        del self.stack[place:]
        return values

    def _refuse(self, opcode: str, value: Any, at: int) -> None:  # noqa: ANN401  as genops gives it
        plain = self.name.removesuffix(".bin") + PLAIN
        python = "; ".join(CONVERT).format(name=self.name, plain=plain)
        text = f" {value!r}" if isinstance(value, str) and len(value) < 60 else ""
        problem = f"the pickle has opcode {opcode}{text}, which a list of images does not need"
        accepted = f"encoded images and labels; if you trust the file: {python}"
        raise DataError(f"{self.name} offset {at}", problem, accepted)


def is_image_pickle(path: Path) -> bool:
    """Whether a file begins as a pickle of a list of byte strings does; only its first opcodes are looked at."""
    try:
        with open_regular(path) as stream:
            head = stream.read(64)
    except OSError:
        return False
    return (
        len(head) > 4
        and head[0] == 0x80
        and head[1] in range(2, 6)
        and (b"]" in head[:16] or b"(" in head[:4])
    )


def read_pickled_images(path: Path, name: str) -> tuple[list[Stored], Flags]:
    """The places of 2P images and the P labels of a ``.bin`` file; the images are not read.

    Raises :class:`DataError` for an opcode that is not on the closed list, and for anything but images and labels.
    """
    try:
        with (
            open_regular(path, name) as stream,
            mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ):
            value = _value(data, name)
    except (ValueError, IndexError, KeyError, AttributeError, TypeError, OSError, OverflowError):
        raise DataError(
            name, "a damaged pickle, or not a list of images", "insightface's pair of images and labels"
        ) from None
    return _checked(value, name)


def _value(data: mmap.mmap, name: str) -> Any:  # noqa: ANN401  checked by the caller
    """The value on the stack at the end."""
    machine = _Machine(name)
    before: tuple[str, Any, int] | None = None
    for opcode, value, at in pickletools.genops(cast("Any", data)):
        if before is not None:
            machine.step(*before, int(at or 0))
        before = (opcode.name, value, int(at or 0))
    if len(machine.stack) != 1:
        raise ValueError(name)
    return machine.stack[0]


def _checked(value: Any, name: str) -> tuple[list[Stored], Flags]:  # noqa: ANN401  what the file holds
    images, labels = value
    if not (
        isinstance(images, list) and isinstance(labels, list) and images and len(images) == 2 * len(labels)
    ):
        raise DataError(name, f"{len(images)} images and {len(labels)} labels", "two images for each label")
    if not all(isinstance(image, Stored) and image.size for image in images):
        raise DataError(name, "a value that is not an encoded image", "JPEG or PNG bytes")
    if not all(isinstance(label, int) and label in (0, 1) for label in labels):
        raise DataError(name, "a label that is neither true nor false", "a truth value for each pair")
    return images, np.array(labels, dtype=np.bool_)


def stored_images(path: Path, name: str, places: list[Stored]) -> Iterator[bytes]:
    """The bytes of each image."""
    with open_regular(path, name) as stream:
        for place in places:
            stream.seek(place.start)
            data = stream.read(place.size)
            yield _latin(data, f"{name} offset {place.start}") if place.latin else data


def _latin(data: bytes, where: str) -> bytes:
    try:
        return data.decode("utf-8").encode("latin-1")
    except UnicodeError:
        raise DataError(where, "a text that represents no bytes", "encoded images") from None


def ending_of(data: bytes, name: str) -> str:
    """The ending of an image file by its first bytes. Raises :class:`DataError` for what is not an image."""
    suffix = next((ending for magic, ending in KINDS if data.startswith(magic)), None)
    if suffix is None:
        raise DataError(name, "an entry is not a JPEG, PNG, BMP or WebP image", "encoded images")
    return suffix
