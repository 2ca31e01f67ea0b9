"""What a service saw in an image, as the store holds it; and the same face in what it sees when it looks again."""

import json
import math
from dataclasses import replace

from frtaudit.collection.rows import PLACES, plain_facts
from frtaudit.core.collecting import Box, CallError, DetectedFace, Detection, Refusal, same_face

OUTSIDE = Box(x=-2, y=-2, width=1, height=1)  # for a box that is not finite, which earlier stores may hold


def faces_in(detection: Detection) -> tuple[DetectedFace, ...]:
    """The faces that can be distinguished: all, for no image of a search holds 256."""
    return detection.faces[:PLACES]


def facts_in(detection: Detection) -> str:
    """Boxes and facts of the faces as canonical JSON, and whether a handle came with them; never the handle."""
    faces = [
        {
            "box": None if face.box is None else [face.box.x, face.box.y, face.box.width, face.box.height],
            "facts": plain_facts(face.facts),
            "handle": face.handle is not None,
        }
        for face in faces_in(detection)
    ]
    return json.dumps(faces, sort_keys=True, separators=(",", ":"))


def faces_of(facts: str) -> tuple[tuple[DetectedFace, ...], bool]:
    """The faces again, without handles, and whether there were any.

    >>> faces_of(facts_in(Detection(faces=(DetectedFace(box=Box(x=1, y=2, width=3, height=4)),))))[0][0].box.width
    3
    """
    read = json.loads(facts) if facts else []
    seen = [
        DetectedFace(box=None if face["box"] is None else _box(*face["box"]), facts=face["facts"])
        for face in read
    ]
    return tuple(seen), any(face["handle"] for face in read)


def _box(x: float, y: float, width: float, height: float) -> Box:
    finite = all(map(math.isfinite, (x, y, width, height)))
    return Box(x=x, y=y, width=width, height=height) if finite else OUTSIDE


def handles_in(detection: Detection) -> str:
    """What the service calls the faces by, as JSON; empty where that is not text: a template stays in memory.

    >>> handles_in(Detection(faces=(DetectedFace(box=None, handle="token"),))), handles_in(Detection(faces=()))
    ('["token"]', '')
    """
    handles = [face.handle for face in faces_in(detection)]
    return json.dumps(handles) if handles and all(isinstance(handle, str) for handle in handles) else ""


def with_handles(facts: str, handles: str, expires: float | None) -> Detection:
    """What was seen, with the handles that :func:`handles_in` gave; ``expires``: on the clock of time.monotonic."""
    faces, _ = faces_of(facts)
    named = zip(faces, json.loads(handles), strict=True)
    return Detection(faces=tuple(replace(face, handle=handle, expires=expires) for face, handle in named))


def same_face_now(face: DetectedFace, place: int, now: tuple[DetectedFace, ...]) -> DetectedFace:
    """The same face among those that are seen now: the one whose box overlaps most, with its handle.

    Without a box the one at the same place. Raises :class:`CallError` where there is none.
    """
    if face.box is not None:
        return replace(same_face(face.box, now), box=face.box)
    if place >= len(now):
        raise CallError(Refusal.FAILURE_TO_ACQUIRE, "face_lost")
    return replace(now[place], box=None)
