"""What the store holds rows of: calls by their keys, results, images, handles."""

import json
import re
from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

from frtaudit.core.collecting import Refusal

PLACES = 256  # maximum number of faces of one image
DETECT, COMPARE = "detect", "compare"
_PLAIN = re.compile(r"[A-Za-z0-9.,_:-]{0,100}")
_VERSION = re.compile(r"[A-Za-z0-9.,_:/+() -]{0,100}")
FINDING = -1  # the turn of comparisons that find faces, where a service has no other way


class State(IntEnum):
    """Of a call."""

    INTENT = 0
    ANSWERED = 1
    REFUSED = 2  # a result
    TRANSPORT = 3  # none; it is made again in the next run


class Key(NamedTuple):
    """A call: ``second`` is 0 where ``first`` is a crop of the image that faces are looked for in.

    ``turn``: 0 for a score of the collection, above for canaries, below for one that finds faces; of a detection, how
    many there were before.
    """

    service: int
    turn: int
    first: int
    second: int

    @property
    def kind(self) -> str:
        """``detect`` or ``compare``."""
        return COMPARE if self.second else DETECT


class Result(NamedTuple):
    """What a call came to; ``facts``: canonical JSON; ``attempts``: that passed the gate."""

    key: Key
    state: State
    attempts: int = 0
    score: float | None = None
    refusal: Refusal | None = None
    code: str = ""
    version: str = ""
    request: str = ""
    facts: str = ""


class ImageRow(NamedTuple):
    """An image as it was read: its digest, or why there is none."""

    image: int
    query: int
    columns: str
    digest: str
    refusal: str
    code: str


class HandleRow(NamedTuple):
    """What a service calls the faces of an image by since the detection of a ``turn``, until ``ends``.

    ``ends``: seconds since 1970, None for never; ``handles``: JSON.
    """

    service: int
    image: int
    turn: int
    ends: float | None
    handles: str


def facts_of(facts: Mapping[str, object]) -> str:
    """Facts as canonical JSON, empty for none."""
    plain = plain_facts(facts)
    return json.dumps(plain, sort_keys=True, separators=(",", ":")) if plain else ""


def plain_facts(facts: Mapping[str, object]) -> dict[str, object]:
    """Facts without free text, which could hold whatever was sent to the service.

    >>> plain_facts({"quality": "high", "size": 3.5, "said": "unknown key abc"})
    {'quality': 'high', 'size': 3.5}
    """
    return {
        name: value
        for name, value in facts.items()
        if _PLAIN.fullmatch(name) and (not isinstance(value, str) or _PLAIN.fullmatch(value))
    }


def plain_id(text: str) -> str:
    """A request's id: at most 100 letters, digits and ``.,_:-``; nothing of any other text.

    >>> plain_id("1469761507,07174361-027c"), plain_id("unknown key abc")
    ('1469761507,07174361-027c', '')
    """
    return text if _PLAIN.fullmatch(text) else ""


def plain_version(text: str) -> str:
    """A version, likewise; it may hold blanks and ``/+()``."""
    return text if _VERSION.fullmatch(text) else ""
