"""What is collected: images, the faces that a service saw in them, what it answered, and why a call gave nothing."""

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from numbers import Real

from frtaudit.core.freeze import require

Facts = Mapping[str, float | str]
SAME_FACE = 0.5  # intersection over union from which two boxes of one service are of the same face


class Refusal(StrEnum):
    """Why a call gave no answer.

    Attributes
    ----------
    FAILURE_TO_ACQUIRE
        The service could not use an image. This is a result.
    POLICY
        The service does not answer such a call. This is a result too.
    TRANSPORT
        The answer is not known; the call may be made again.
    """

    FAILURE_TO_ACQUIRE = "failure_to_acquire"
    POLICY = "policy"
    TRANSPORT = "transport"


class CallError(Exception):
    """A call that gave no answer.

    Neither argument may hold text that a service sent: no credential and no image reaches a file by them.

    Parameters
    ----------
    refusal : Refusal
        Why there is no answer.
    code : str
        Short, in snake_case: ``no_face``, ``throttled``.
    wait : float, optional
        Seconds that the service asked for (Retry-After); None where it did not.

    Examples
    --------
    >>> print(CallError(Refusal.FAILURE_TO_ACQUIRE, "no_face"))
    failure_to_acquire: no_face
    """

    def __init__(self, refusal: Refusal, code: str, wait: float | None = None) -> None:
        super().__init__(f"{refusal}: {code}")
        self.refusal, self.code, self.wait = refusal, code, wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A checked image in memory.

    Parameters
    ----------
    data : bytes
        The file as it was read.
    width, height : int
        Pixels.
    media : str
        ``image/jpeg`` or ``image/png``.
    digest : str, optional
        SHA-256 of ``data``; computed where it is not given.

    Raises
    ------
    ValueError
        A side has no pixels.

    Examples
    --------
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
    """Where a face is in its picture.

    Parameters
    ----------
    x, y : float
        Upper left corner, in pixels from the upper left corner of the picture.
    width, height : float
        Pixels, above 0.

    Raises
    ------
    ValueError
        The box has no area, or a side that is not finite.

    Examples
    --------
    >>> Box(x=10, y=20, width=64, height=64).width
    64
    """

    x: float
    y: float
    width: float
    height: float

    def __post_init__(self) -> None:
        require(all(map(math.isfinite, (self.x, self.y, self.width, self.height))), "a finite box")
        require(self.width > 0 and self.height > 0, "a box with an area")

    def overlap(self, other: "Box") -> float:
        """Intersection over union of two boxes.

        Parameters
        ----------
        other : Box
            A box in the same picture.

        Returns
        -------
        float
            From 0 (apart) to 1 (the same box).

        Examples
        --------
        >>> Box(x=0, y=0, width=2, height=1).overlap(Box(x=1, y=0, width=2, height=1))
        0.3333333333333333
        """
        width = min(self.x + self.width, other.x + other.width) - max(self.x, other.x)
        height = min(self.y + self.height, other.y + other.height) - max(self.y, other.y)
        shared = max(0.0, width) * max(0.0, height)
        return shared / (self.width * self.height + other.width * other.height - shared)


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectedFace:
    """A face that a service detected.

    Parameters
    ----------
    box : Box or None
        Where it is; None where the service does not say.
    handle : object, optional
        What the service calls it by, such as a token or a template. It stays in memory.
    expires : float, optional
        When the handle ends (seconds of ``time.monotonic``); None for never.
    facts : mapping of str to float or str, optional
        Quality and the like.

    Examples
    --------
    >>> DetectedFace(box=Box(x=0, y=0, width=8, height=8), facts={"quality": 0.9}).facts["quality"]
    0.9
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
    """The faces that a service detected in one picture.

    Parameters
    ----------
    faces : tuple of DetectedFace
        From left to right.
    version : str, optional
        Version of the model as the answer names it; empty where it does not.
    request : str, optional
        The service's id of the call.

    Examples
    --------
    >>> Detection(faces=(), version="1.0").faces
    ()
    """

    faces: tuple[DetectedFace, ...]
    version: str = ""
    request: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crop:
    """A face to compare.

    Parameters
    ----------
    picture : Picture
        The whole picture; a service that takes bytes cuts the box out itself.
    face : DetectedFace, optional
        The face as this service detected it; None for a service that detects by comparing.

    Examples
    --------
    >>> Crop(picture=Picture(data=b"x", width=1, height=1, media="image/png")).face is None
    True
    """

    picture: Picture
    face: DetectedFace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A comparison score and what came with it.

    Parameters
    ----------
    score : float
        Higher is more alike.
    version : str, optional
        Version of the model as the answer names it; empty where it does not.
    request : str, optional
        The service's id of the call.
    facts : mapping of str to float or str, optional
        Thresholds and the like.

    Raises
    ------
    ValueError
        The score is not finite, or no number (a text, ``True``).

    Examples
    --------
    >>> Answer(score=0.83, version="1.0").score
    0.83
    """

    score: float
    version: str = ""
    request: str = ""
    facts: Facts = field(default_factory=dict)

    def __post_init__(self) -> None:
        score: object = self.score  # of parsed JSON
        number = isinstance(score, Real) and not isinstance(score, bool)
        require(number and math.isfinite(self.score), "a finite score")
        object.__setattr__(self, "score", float(self.score))
