"""What a service saw in an image, as the store holds it; and the same face in what it sees when it looks again."""

import json
from dataclasses import replace

from frtaudit.collection.store import PLACES
from frtaudit.core.collecting import Box, CallError, Detection, Refusal, Seen

LEAST = 0.5  # intersection over union of a face with itself, seen again


def faces_in(detection: Detection) -> tuple[Seen, ...]:
    """The faces that can be told apart: all, for no image of a search holds 256."""
    return detection.faces[:PLACES]


def facts_in(detection: Detection) -> str:
    """Boxes and facts of the faces as canonical JSON, and whether a handle came with them; never the handle."""
    faces = [
        {
            "box": None if one.box is None else [one.box.x, one.box.y, one.box.width, one.box.height],
            "facts": dict(one.facts),
            "handle": one.handle is not None,
        }
        for one in faces_in(detection)
    ]
    return json.dumps(faces, sort_keys=True, separators=(",", ":"))


def faces_of(facts: str) -> tuple[tuple[Seen, ...], bool]:
    """The faces again, without handles, and whether there were any.

    >>> faces_of(facts_in(Detection(faces=(Seen(box=Box(x=1, y=2, width=3, height=4)),))))[0][0].box.width
    3
    """
    read = json.loads(facts) if facts else []
    seen = [
        Seen(
            box=None
            if one["box"] is None
            else Box(**dict(zip(("x", "y", "width", "height"), one["box"], strict=True))),
            facts=one["facts"],
        )
        for one in read
    ]
    return tuple(seen), any(one["handle"] for one in read)


def found_again(face: Seen, place: int, now: tuple[Seen, ...]) -> Seen:
    """The same face among those that are seen now: the one whose box overlaps most, with its handle.

    Without a box the one at the same place. Raises :class:`CallError` where there is none.
    """
    if face.box is None:
        found = now[place] if place < len(now) else None
    else:
        box = face.box
        among = [one for one in now if one.box is not None and overlap(box, one.box) >= LEAST]
        found = max(among, key=lambda one: overlap(box, one.box or box), default=None)
    if found is None:
        raise CallError(Refusal.FAILURE_TO_ACQUIRE, "face_not_seen_again")
    return replace(found, box=face.box)


def overlap(one: Box, other: Box) -> float:
    """Intersection over union.

    >>> overlap(Box(x=0, y=0, width=2, height=1), Box(x=1, y=0, width=2, height=1))
    0.3333333333333333
    """
    width = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
    height = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
    shared = max(width, 0.0) * max(height, 0.0)
    return shared / (one.width * one.height + other.width * other.height - shared)
