"""A service on this machine during calls: faces are found, each is a vector, and two vectors have a score."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from frtaudit.collection.clients.pictures import pixels
from frtaudit.collection.clients.protocol import Gate
from frtaudit.core.arrays import Floats, Pixels
from frtaudit.core.collecting import (
    Answer,
    Box,
    CallError,
    Crop,
    DetectedFace,
    Detection,
    Facts,
    Picture,
    Refusal,
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSession(Generic[T]):
    """``read``: a picture as the models take it; ``find``: boxes and facts of its faces, from left to right.

    ``vector``: of the face in a box; ``score``: of two vectors, with facts. ``version``: of each answer.
    """

    gate: Gate
    version: str
    read: Callable[[Picture], T]
    find: Callable[[T], Sequence[tuple[Box, Facts]]]
    vector: Callable[[T, Box], Floats]
    score: Callable[[Floats, Floats], tuple[float, Facts]]

    def detect(self, picture: Picture) -> Detection:
        """Every face, its vector as its handle; none is an answer too."""
        self.gate.attempt("detect")
        image = self.read(picture)
        faces = (
            DetectedFace(box=box, handle=self.vector(image, box), facts=facts)
            for box, facts in self.find(image)
        )
        return Detection(faces=tuple(faces), version=self.version)

    def compare(self, probe: Crop, reference: Crop) -> Answer:
        """The score; of a picture that was not looked at yet, the largest face's."""
        self.gate.attempt("compare")
        score, facts = self.score(self._of(probe), self._of(reference))
        return Answer(score=score, version=self.version, facts=facts)

    def close(self) -> None:
        """Nothing is held open."""

    def _of(self, crop: Crop) -> Floats:
        if crop.face is not None and isinstance(crop.face.handle, np.ndarray):
            return crop.face.handle
        image = self.read(crop.picture)
        box = crop.face.box if crop.face is not None else None
        return self.vector(image, box or self._largest(image))

    def _largest(self, image: T) -> Box:
        boxes = [box for box, _ in self.find(image)]
        if not boxes:
            raise CallError(Refusal.FAILURE_TO_ACQUIRE, "no_face")
        return max(boxes, key=lambda box: box.width * box.height)


def array_of(picture: Picture) -> Pixels:
    """Its pixels, shape (H, W, 3), uint8."""
    return np.array(pixels(picture), dtype=np.uint8)
