"""Canonical JSON and SHA-256: the only hashing in the project.

Keys are sorted, separators are tight, text is UTF-8, floats are the shortest decimal that reads back
to the same double. Infinities and undefined values are the strings ``"inf"``, ``"-inf"``, ``"nan"``.
"""

import hashlib
import hmac
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from frtaudit.core.machine.files import Links, open_regular

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"

_CHUNK = 1 << 20


def plain(value: Json) -> Json:
    """Return ``value`` with non-finite floats as strings, tuples as lists and -0.0 as 0.0.

    >>> plain({"a": (float("inf"), -0.0)})
    {'a': ['inf', 0.0]}
    """
    if value is None or isinstance(value, (str, int)):  # most of what there is
        return value
    if isinstance(value, float):
        return number_out(value)
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    return [plain(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def mapping(value: object) -> Mapping[str, Json]:
    """A value of plain JSON if it is a mapping, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def entries(value: object) -> list[Json]:
    """The entries of a value of plain JSON if it is a list, else none."""
    return list(value) if isinstance(value, (list, tuple)) else []


def escape(name: str) -> str:
    """A key as a step of a JSON pointer (RFC 6901).

    >>> escape("a/b~")
    'a~1b~0'
    """
    return name.replace("~", "~0").replace("/", "~1")


def number_out(value: float) -> float | str:
    """A double as JSON holds it here: itself, or ``"inf"``, ``"-inf"``, ``"nan"``."""
    if math.isfinite(value):
        return float(value) + 0.0
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def number_in(value: float | str) -> float:
    """The double that :func:`number_out` wrote.

    >>> number_in("-inf")
    -inf
    """
    return float(value)


def dumps(value: Json) -> str:
    """Canonical JSON text, without a trailing newline.

    >>> dumps({"b": 1, "a": [0.1, float("nan")]})
    '{"a":[0.1,"nan"],"b":1}'
    """
    return json.dumps(
        plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def to_bytes(value: Json) -> bytes:
    """Canonical JSON as UTF-8 bytes with one trailing newline: what is written to disk and hashed."""
    return (dumps(value) + "\n").encode()


def read_json(data: bytes) -> Any:  # noqa: ANN401  as json.loads: the caller checks what it is
    """What JSON from outside holds. Raises :class:`ValueError` for what :func:`to_bytes` could not write again.

    That is no JSON, brackets beyond reason, and half of a surrogate pair.

    >>> read_json(b'{"a": 1}')
    {'a': 1}
    """
    try:
        value = json.loads(data)
        if b"\\ud" in data.lower():
            to_bytes(value)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return value


def sha256(data: bytes) -> str:
    """Lower-case hexadecimal SHA-256 of ``data``."""
    return hashlib.sha256(data).hexdigest()


def sha256_file(path: Path) -> str:
    """Lower-case hexadecimal SHA-256 of a file, read in blocks of 1 MiB."""
    digest = hashlib.sha256()
    with open_regular(path, links=Links.FOLLOW) as stream:
        while block := stream.read(_CHUNK):
            digest.update(block)
    return digest.hexdigest()


def digest(value: Json) -> str:
    """SHA-256 of the canonical JSON of ``value``."""
    return sha256(to_bytes(value))


def pseudonym(key: bytes, name: str) -> str:
    """HMAC-SHA256(key, name) in hexadecimal: how tables name samples and subjects.

    >>> pseudonym(b"k", "a")[:8]
    '78da9151'
    """
    return hmac.digest(key, name.encode(), "sha256").hex()


def seed_of(seed: int, *names: str) -> int:
    """A 64-bit seed keyed by a name, so that adding an analysis moves no other number.

    >>> seed_of(1, "bootstrap") != seed_of(1, "folds")
    True
    """
    return int(digest({"seed": seed, "names": list(names)})[:16], 16)
