"""What is collected: images, the faces that a service saw in them, what it answered, and why a call gave nothing."""

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from frtaudit.core.freeze import require

Facts = Mapping[str, float | str]
SAME_FACE = 0.5  # intersection over union from which two boxes of one service are of the same face


class Refusal(StrEnum):
    """Why a call gave no answer.

    ``failure_to_acquire``: the service could not use an image, which is a result; ``policy``: it will not answer such a
    call, which is a result too; ``transport``: the answer is unknown, and the call may be made again.
    """

    FAILURE_TO_ACQUIRE = "failure_to_acquire"
    POLICY = "policy"
    TRANSPORT = "transport"


class CallError(Exception):
    """A call that gave no answer: ``refusal``, and a short ``code`` in snake_case, ``no_face`` or ``throttled``.

    Neither holds a word that a service sent, so that no credential and no image reaches a file by them.
    ``wait``: seconds that the service asked for (Retry-After), None where it did not.
    """

    def __init__(self, refusal: Refusal, code: str, wait: float | None = None) -> None:
        super().__init__(f"{refusal}: {code}")
        self.refusal, self.code, self.wait = refusal, code, wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """An image in memory, checked: ``data`` as it was read, ``digest`` its sha256, ``width``, ``height`` in pixels.

    ``media``: ``image/jpeg`` or ``image/png``.

    >>> Picture(data=b"x", width=1, height=1, media="image/png").digest[:8]
    '2d711642'
    """

    data: bytes = field(repr=False)
    width: int
    height: int
    media: str
    digest: str = ""

    def __post_init__(self) -> None:
        require(self.width > 0 and self.height > 0, "a size in pixels")
        if not self.digest:
            object.__setattr__(self, "digest", hashlib.sha256(self.data).hexdigest())


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """Where a face is, in pixels from the upper left corner of its picture."""

    x: float
    y: float
    width: float
    height: float

    def __post_init__(self) -> None:
        require(self.width > 0 and self.height > 0, "a box with an area")

    def overlap(self, other: "Box") -> float:
        """Intersection over union.

        >>> Box(x=0, y=0, width=2, height=1).overlap(Box(x=1, y=0, width=2, height=1))
        0.3333333333333333
        """
        width = min(self.x + self.width, other.x + other.width) - max(self.x, other.x)
        height = min(self.y + self.height, other.y + other.height) - max(self.y, other.y)
        shared = max(0.0, width) * max(0.0, height)
        return shared / (self.width * self.height + other.width * other.height - shared)


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectedFace:
    """A face that a service saw.

    ``box``: None where it does not say; ``handle``: what the service calls it by, a token or a template: in memory
    only; ``expires``: when the handle ends (time.monotonic), None for never; ``facts``: quality and the like.
    """

    box: Box | None
    handle: object = field(default=None, repr=False)
    expires: float | None = None
    facts: Facts = field(default_factory=dict)


def left_to_right(faces: Iterable[DetectedFace]) -> tuple[DetectedFace, ...]:
    """Faces as a picture shows them.

    >>> faces = [DetectedFace(box=Box(x=x, y=0, width=1, height=1), handle=x) for x in (5, 2)]
    >>> [face.handle for face in left_to_right(faces)]
    [2, 5]
    """
    return tuple(sorted(faces, key=lambda face: face.box.x if face.box else 0.0))


def same_face(box: Box, faces: Sequence[DetectedFace]) -> DetectedFace:
    """The face whose box overlaps most with ``box``, by ``SAME_FACE`` at least.

    Raises :class:`CallError` ``face_lost`` where there is none.

    >>> near = DetectedFace(box=Box(x=1, y=0, width=4, height=4), handle="a")
    >>> same_face(Box(x=0, y=0, width=4, height=4), [near]).handle
    'a'
    """
    near = [(box.overlap(face.box), place) for place, face in enumerate(faces) if face.box is not None]
    best, place = max(near, default=(0.0, 0))
    if best < SAME_FACE:
        raise CallError(Refusal.FAILURE_TO_ACQUIRE, "face_lost")
    return faces[place]


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """What a service saw in one picture: ``version`` as it says itself, empty where it does not."""

    faces: tuple[DetectedFace, ...]
    version: str = ""
    request: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crop:
    """A face to compare: the picture, and what the service itself saw in it (None: it detects by comparing).

    ``picture``: the whole of it; a service that takes bytes cuts its own box out.
    """

    picture: Picture
    face: DetectedFace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A comparison score and what came with it.

    ``version``: of the model, as the answer says, empty where it does not; ``request``: the service's id of the call;
    ``facts``: thresholds and the like.
    """

    score: float
    version: str = ""
    request: str = ""
    facts: Facts = field(default_factory=dict)

    def __post_init__(self) -> None:
        require(math.isfinite(self.score), "a finite score")
