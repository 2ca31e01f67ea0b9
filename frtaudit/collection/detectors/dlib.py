"""Faces and landmarks by dlib as its Python package ships it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from frtaudit.collection.clients import dlib_faces
from frtaudit.collection.clients.face_finding import FoundFace
from frtaudit.collection.embed.face_detector import Gives
from frtaudit.core.arrays import Floats, Pixels
from frtaudit.core.registry import register

# Landmarks in dlib's order whose mean is each of the five: of 68 (eyes 6 points each), of 5 (corners of the eyes).
_PARTS: Mapping[int, tuple[tuple[int, ...], ...]] = {
    68: ((36, 37, 38, 39, 40, 41), (42, 43, 44, 45, 46, 47), (30,), (48,), (54,)),
    5: ((2, 3), (0, 1), (), (), ()),
}


@register("detector", "dlib")
@dataclass(frozen=True, slots=True, kw_only=True)
class Dlib:
    """5 ``landmarks`` align a face by the eyes alone; 68 by all points, with a model that is not for commercial use.

    ``finder``: hog or cnn; ``upsample``: doublings of the picture before; ``longest``: of its longer side, in pixels.
    """

    finder: dlib_faces.Finder = dlib_faces.Finder.HOG
    upsample: int = 1
    longest: int = 1600
    landmarks: dlib_faces.Landmarks = dlib_faces.Landmarks.FIVE

    gives = frozenset({Gives.BOX, Gives.LANDMARKS})

    def __post_init__(self) -> None:
        """Raise :class:`~frtaudit.errors.SpecError` for numbers that no detector takes."""
        self._finding()

    def recorded_settings(self) -> Mapping[str, str]:
        """Package, settings, digests of the model files. Raises :class:`ProviderError` without the extra."""
        return {
            "faces": f"found by {dlib_faces.installed()}",
            **self._finding().recorded_settings(),
            "landmarks": str(int(self.landmarks)),
            **dlib_faces.digests((dlib_faces.landmarks_file(self.landmarks),)),
        }

    def open(self) -> "DlibFinder":
        """Load the models. Raises :class:`ProviderError` without the extra."""
        return DlibFinder(self._finding(), self.landmarks)

    def _finding(self) -> dlib_faces.Finding:
        return dlib_faces.Finding(finder=self.finder, upsample=self.upsample, longest=self.longest)


class DlibFinder:
    """Open models."""

    def __init__(self, finding: dlib_faces.Finding, landmarks: int) -> None:
        self._detector, self._describer = dlib_faces.Detector(finding), dlib_faces.Describer(landmarks)
        self._parts = _PARTS[landmarks]

    def faces(self, image: Pixels, given: FoundFace | None) -> Sequence[FoundFace]:  # noqa: ARG002  detectors share a signature
        """From left to right."""
        return [
            FoundFace(
                box=face.box,
                landmarks=five_of(self._describer.find_landmarks(image, face.box), self._parts),
                confidence=face.confidence,
            )
            for face in self._detector.faces(image)
        ]


def five_of(points: Floats, parts: tuple[tuple[int, ...], ...]) -> Floats:
    """The five points, each the mean of its ``parts``, NaN where it has none: (5, 2)."""
    return np.array([points[list(rows)].mean(axis=0) if rows else (np.nan, np.nan) for rows in parts])
