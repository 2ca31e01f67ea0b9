"""dlib on this machine: faces by HOG or a network, 5 or 68 landmarks, a 128-number descriptor; nothing leaves it."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from frtaudit.collection.clients import dlib_faces
from frtaudit.collection.clients.local import LocalSession, array_of
from frtaudit.collection.clients.protocol import Gate, Limits
from frtaudit.core.arrays import Floats, Pixels
from frtaudit.core.collecting import Box, Facts
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

    def open(self, gate: Gate) -> LocalSession[Pixels]:
        """Load the models; they keep scratch memory, so that a lock lets one thread in at a time.

        Raises :class:`ProviderError` without the extra.
        """
        version, lock = dlib_faces.installed(), threading.Lock()
        detector, describer = dlib_faces.Detector(self._finding()), dlib_faces.Describer(self.landmarks)

        def find(image: Pixels) -> list[tuple[Box, Facts]]:
            with lock:
                return [(face.box, {"confidence": face.confidence}) for face in detector.faces(image)]

        def vector(image: Pixels, box: Box) -> Floats:
            with lock:
                return describer.descriptor(describer.chip(image, box))

        return LocalSession(gate=gate, version=version, read=array_of, find=find, vector=vector, score=_score)

    def _finding(self) -> dlib_faces.Finding:
        return dlib_faces.Finding(finder=self.detector, upsample=self.upsample, longest=self.longest)


def _score(descriptor: Floats, other: Floats) -> tuple[float, Facts]:
    """1 - distance of two descriptors."""
    distance = float(np.linalg.norm(descriptor - other))
    return max(1.0 - distance, 1.0 - FARTHEST), {"distance": distance}
