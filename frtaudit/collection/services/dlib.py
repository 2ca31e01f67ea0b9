"""dlib on this machine: faces by HOG or a network, 5 or 68 landmarks, a 128-number descriptor; nothing leaves it."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from frtaudit.collection.clients import dlib_faces
from frtaudit.collection.clients.pictures import pixels
from frtaudit.collection.clients.protocol import Gate, Limits
from frtaudit.core.arrays import Floats, Pixels
from frtaudit.core.collecting import Answer, Box, Crop, DetectedFace, Detection, Picture
from frtaudit.core.registry import register

FARTHEST = 2.0  # distances above it, which no pair of faces comes near, count as it


@register("service", "dlib")
@dataclass(frozen=True, slots=True, kw_only=True)
class Dlib:
    """``detector``, ``upsample``, ``longest``: how faces are found; ``landmarks``: 5 or 68.

    The score of two faces is 1 - d, where d is the Euclidean distance of their descriptors (no jitter), at least -1: a
    distance of 0.6, which dlib's author recommends, is a score of 0.4. Of a picture of several faces, each is told.
    """

    detector: dlib_faces.Finder = dlib_faces.Finder.HOG
    upsample: int = 1
    longest: int = 1600
    landmarks: dlib_faces.Landmarks = dlib_faces.Landmarks.FIVE
    limits: Limits = field(default_factory=lambda: Limits(concurrency=1))

    def __post_init__(self) -> None:
        """Raise :class:`~frtaudit.errors.SpecError` for numbers that no detector takes."""
        self._finding()

    detects = True  # faces are found, and described, by a call of its own

    @property
    def score_range(self) -> tuple[float, float]:
        """From a distance of 2 and more to one of 0."""
        return 1.0 - FARTHEST, 1.0

    def recorded_settings(self) -> Mapping[str, str]:
        """Package, settings, digests of the model files. Raises :class:`ProviderError` without the extra."""
        return {
            "package": dlib_faces.installed(),
            "landmarks": str(int(self.landmarks)),
            "jitters": "0",
            "score": f"max(1 - distance, {1.0 - FARTHEST:g})",
            **self._finding().recorded_settings(),
            **dlib_faces.digests((dlib_faces.landmarks_file(self.landmarks), dlib_faces.RECOGNITION_FILE)),
        }

    def open(self, gate: Gate) -> "_Open":
        """Load the models. Raises :class:`ProviderError` without the extra."""
        return _Open(self._finding(), self.landmarks, gate)

    def _finding(self) -> dlib_faces.Finding:
        return dlib_faces.Finding(finder=self.detector, upsample=self.upsample, longest=self.longest)


class _Open:
    """Open models; they keep scratch memory, so that a lock lets one thread in at a time."""

    def __init__(self, finding: dlib_faces.Finding, landmarks: dlib_faces.Landmarks, gate: Gate) -> None:
        self._gate, self._version = gate, dlib_faces.installed()
        self._detector, self._describer = dlib_faces.Detector(finding), dlib_faces.Describer(landmarks)
        self._lock = threading.Lock()

    def detect(self, picture: Picture) -> Detection:
        """Every face from left to right, its descriptor as its handle; none is an answer too."""
        self._gate.attempt("detect")
        image = _array(picture)
        with self._lock:
            seen = tuple(
                DetectedFace(
                    box=face.box,
                    handle=self._template(image, face.box),
                    facts={"confidence": face.confidence},
                )
                for face in self._detector.faces(image)
            )
        return Detection(faces=seen, version=self._version)

    def compare(self, probe: Crop, reference: Crop) -> Answer:
        """1 - distance of the descriptors; of a picture that was not looked at yet, the largest face's."""
        self._gate.attempt("compare")
        distance = float(np.linalg.norm(self._of(probe) - self._of(reference)))
        score = max(1.0 - distance, 1.0 - FARTHEST)
        return Answer(score=score, version=self._version, facts={"distance": distance})

    def close(self) -> None:
        """Nothing is held open."""

    def _of(self, crop: Crop) -> Floats:
        """The descriptor of a crop: of the face that was seen, or of the largest."""
        if crop.face is not None and isinstance(crop.face.handle, np.ndarray):
            return crop.face.handle
        image = _array(crop.picture)
        with self._lock:
            box = crop.face.box if crop.face is not None else None
            return self._template(image, box or dlib_faces.largest(self._detector.faces(image)).box)

    def _template(self, image: Pixels, box: Box) -> Floats:
        """The descriptor of the face in a box, shape (128,)."""
        return self._describer.descriptor(self._describer.chip(image, box))


def _array(picture: Picture) -> Pixels:
    return np.array(pixels(picture), dtype=np.uint8)
