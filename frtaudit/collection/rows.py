"""What the store holds rows of: calls by their keys, results, images, handles."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from frtaudit.core.collecting import Refusal

PLACES = 256  # maximum number of faces of one image
DETECT, COMPARE = "detect", "compare"
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
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
    return json.dumps(dict(facts), sort_keys=True, separators=(",", ":")) if facts else ""
