"""What finds faces in a picture: the protocol of open detectors, and what they share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from PIL import Image

from frtaudit.core.arrays import Floats, Ints, Pixels
from frtaudit.core.collecting import Box, CallError
from frtaudit.errors import ProviderError


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFace:
    """``box``: in pixels of the picture, None where only landmarks are known.

    ``landmarks``: shape (5, 2), float64, x, y of image-left eye, image-right eye, nose, image-left and image-right
    corner of the mouth, NaN for one that is not known; None where no landmark is.
    """

    box: Box | None = None
    landmarks: Floats | None = None
    confidence: float = 1.0

    @property
    def area(self) -> float:
        """Of the box; 0 without one."""
        return 0.0 if self.box is None else self.box.width * self.box.height


class FaceFinder(Protocol):
    """An open detector."""

    def faces(self, image: Pixels, given: FoundFace | None) -> Sequence[FoundFace]:
        """Faces of an RGB picture, (H, W, 3); ``given``: what a table says of this picture."""


def tried(finder: FaceFinder, where: str) -> None:
    """Raise :class:`ProviderError` where a detector cannot be used on a grey picture."""
    try:
        finder.faces(np.full((64, 64, 3), 127, dtype=np.uint8), None)
    except (CallError, ValueError, IndexError):
        problem = "outputs of another shape than its family's"
        raise ProviderError(where, problem, "a model of that family") from None


def lettered(image: Pixels, height: int, width: int, *, enlarge: bool) -> tuple[Pixels, float]:
    """The picture in the upper left corner of (height, width), black beside it; and what its sides were multiplied by.

    It keeps its proportions; it is made larger only if ``enlarge``.
    """
    factor = min(height / image.shape[0], width / image.shape[1])
    if factor > 1 and not enlarge:
        factor = 1.0
    size = (max(1, int(image.shape[1] * factor)), max(1, int(image.shape[0] * factor)))
    small = image if factor == 1.0 else Image.fromarray(image).resize(size, Image.Resampling.BILINEAR)
    canvas = np.zeros((height, width, 3), dtype=np.uint8)
    canvas[: size[1], : size[0]] = np.asarray(small)
    return canvas, factor


def rows_to_keep(boxes: Floats, scores: Floats, overlap: float) -> Ints:
    """Rows that stay after non-maximum suppression, by falling score; ``boxes``: (N, 4), left, top, right, bottom.

    >>> boxes = np.array([[0.0, 0, 10, 10], [1, 0, 11, 10], [30, 0, 40, 10]])
    >>> rows_to_keep(boxes, np.array([0.8, 0.9, 0.7]), 0.4).tolist()
    [1, 2]
    """
    order = np.argsort(-scores, kind="stable")
    area = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    stay: list[int] = []
    while order.size:
        first, order = int(order[0]), order[1:]
        stay.append(first)
        low = np.maximum(boxes[first, :2], boxes[order, :2])
        high = np.minimum(boxes[first, 2:], boxes[order, 2:])
        shared = np.prod(np.clip(high - low, 0, None), axis=1)
        order = order[shared <= overlap * (area[first] + area[order] - shared)]
    return np.array(stay, dtype=np.int64)


def faces_of(
    boxes: Floats, landmarks: Floats, scores: Floats, overlap: float, factor: float
) -> list[FoundFace]:
    """Faces from left to right; ``factor``: what the sides of the picture of ``boxes``, (N, 4), were multiplied by.

    What is no box is left out.
    """
    sides = boxes[:, 2:] - boxes[:, :2]
    sound = np.isfinite(boxes).all(axis=1) & np.isfinite(landmarks).all(axis=(1, 2)) & (sides > 0).all(axis=1)
    boxes, landmarks, scores = boxes[sound], landmarks[sound], scores[sound]
    stay = rows_to_keep(boxes, scores, overlap)
    faces = []
    for row in stay:
        left, top, right, bottom = (boxes[row] / factor).tolist()
        box = Box(x=left, y=top, width=right - left, height=bottom - top)
        face = FoundFace(box=box, landmarks=landmarks[row] / factor, confidence=float(scores[row]))
        faces.append(face)
    return sorted(faces, key=lambda face: (face.box.x, face.box.y) if face.box else (0.0, 0.0))
