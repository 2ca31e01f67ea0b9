"""Faces found by dlib on this machine: its models' files, their digests, its detectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any  # dlib has no types

import numpy as np
from PIL import Image

from frtaudit.core.arrays import Floats, Pixels
from frtaudit.core.canonical import sha256_file
from frtaudit.core.collecting import Box, CallError, Refusal
from frtaudit.errors import ProviderError, SpecError

PACKAGE, MODELS = "dlib-bin", "face_recognition_models"
EXTRA = "pip install frtaudit[dlib]"
CNN_FILE = "mmod_human_face_detector.dat"
RECOGNITION_FILE = "dlib_face_recognition_resnet_model_v1.dat"
CHIP = 150  # pixels of a side of what the recognition network takes
_sha256 = cache(sha256_file)  # of a model file, read once


class Finder(StrEnum):
    """``hog``: histograms of oriented gradients, frontal faces; ``cnn``: a network, slower without a GPU."""

    HOG = "hog"
    CNN = "cnn"


class Landmarks(IntEnum):
    """How many points of a face are found before it is turned upright and cut."""

    FIVE = 5
    SIXTY_EIGHT = 68


def landmarks_file(landmarks: int) -> str:
    """The model that finds that many landmarks.

    >>> landmarks_file(Landmarks.FIVE)
    'shape_predictor_5_face_landmarks.dat'
    """
    return f"shape_predictor_{int(landmarks)}_face_landmarks.dat"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """How faces are found: what ``finder``, after ``upsample`` doublings of a picture of at most ``longest`` pixels.

    ``longest``: of the longer side, of the copy in which faces are sought; a larger picture is made smaller for it.
    """

    finder: Finder = Finder.HOG
    upsample: int = 1
    longest: int = 1600

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for numbers that no detector takes."""
        if not 0 <= self.upsample <= 3:
            raise SpecError("upsample", f"{self.upsample}", "0 to 3")
        if self.longest < 80:
            raise SpecError("longest", f"{self.longest}", "80 pixels or more: no smaller face is found")

    def recorded_settings(self) -> dict[str, str]:
        """The settings and the digest of the model file, as text."""
        recorded = {
            "detector": str(self.finder),
            "upsample": str(self.upsample),
            "longest": str(self.longest),
        }
        return recorded | (digests((CNN_FILE,)) if self.finder is Finder.CNN else {})


def installed() -> str:
    """Package and version of dlib. Raises :class:`ProviderError` without it."""
    try:
        return f"{PACKAGE} {version(PACKAGE)}"
    except PackageNotFoundError:
        raise ProviderError("service dlib", f"{PACKAGE} is not installed", EXTRA) from None


def model_file(name: str) -> Path:
    """Where a model of ``face_recognition_models`` lies; the package itself is not imported (it needs pkg_resources).

    Raises :class:`ProviderError` where it is not installed.
    """
    spec = find_spec(MODELS)
    if spec is None or not spec.submodule_search_locations:
        raise ProviderError("service dlib", f"{MODELS} is not installed", EXTRA)
    path = Path(next(iter(spec.submodule_search_locations))) / "models" / name
    if not path.is_file():
        raise ProviderError("service dlib", f"{MODELS} lacks {name}", f"{MODELS} 0.3")
    return path


def digests(names: Sequence[str]) -> dict[str, str]:
    """``sha256 of NAME`` to the digest of that model file."""
    return {f"sha256 of {name}": _sha256(model_file(name)) for name in names}


def library() -> Any:  # noqa: ANN401  a module without types
    """Dlib itself. Raises :class:`ProviderError` without it."""
    installed()
    return import_module("dlib")


@dataclass(frozen=True, slots=True)
class Face:
    """A face that was found: ``box`` in pixels of the picture, ``confidence`` as the detector says it."""

    box: Box
    confidence: float


class Detector:
    """An open detector; it keeps scratch memory, so that one thread may use it at a time."""

    def __init__(self, how: Finding) -> None:
        dlib = library()
        self._how = how
        if how.finder is Finder.CNN:
            self._find = dlib.cnn_face_detection_model_v1(str(model_file(CNN_FILE)))
        else:
            self._find = dlib.get_frontal_face_detector()

    def faces(self, image: Pixels) -> list[Face]:
        """Faces of an RGB picture, shape (H, W, 3), from left to right.

        Raises :class:`CallError` (failure to acquire, ``out_of_memory``).
        """
        small, shrunk = _shrunk(image, self._how.longest)
        try:
            if self._how.finder is Finder.CNN:
                seen = [(face.rect, face.confidence) for face in self._find(small, self._how.upsample)]
            else:
                rects, confidences, _ = self._find.run(small, self._how.upsample, 0.0)
                seen = list(zip(rects, confidences, strict=True))
            faces = [_face(rect, confidence, shrunk) for rect, confidence in seen]
        except (MemoryError, RuntimeError) as error:  # dlib says std::bad_alloc as either
            raise CallError(Refusal.FAILURE_TO_ACQUIRE, "out_of_memory") from error
        return sorted(faces, key=lambda face: (face.box.x, face.box.y, face.box.width))


def _shrunk(image: Pixels, longest: int) -> tuple[Pixels, float]:
    """The picture with a longer side of at most ``longest``, and by what its sides were multiplied."""
    height, width = image.shape[:2]
    if max(height, width) <= longest:
        return image, 1.0
    factor = longest / max(height, width)
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    small = Image.fromarray(image).resize(size, Image.Resampling.BOX)
    return np.asarray(small, dtype=np.uint8), factor


def _face(rect: Any, confidence: float, shrunk: float) -> Face:  # noqa: ANN401  a rectangle of dlib
    sides = (rect.left(), rect.top(), rect.width(), rect.height())
    x, y, width, height = (float(side) / shrunk for side in sides)
    return Face(Box(x=x, y=y, width=width, height=height), float(confidence))


class Describer:
    """Open models that find landmarks and make descriptors; one thread may use them at a time."""

    def __init__(self, landmarks: int) -> None:
        self._dlib = library()
        self._predictor = self._dlib.shape_predictor(str(model_file(landmarks_file(landmarks))))
        self._describe = self._dlib.face_recognition_model_v1(str(model_file(RECOGNITION_FILE)))

    def find_landmarks(self, image: Pixels, box: Box) -> Floats:
        """The landmarks of the face in a box, shape (5, 2) or (68, 2), in dlib's order. Raises as :meth:`chip` does."""
        return np.array([(part.x, part.y) for part in self._shape(image, box).parts()], dtype=np.float64)

    def chip(self, image: Pixels, box: Box) -> Pixels:
        """The face in a box, upright, (150, 150, 3).

        Raises :class:`CallError` (failure to acquire, ``no_descriptor``).
        """
        shape = self._shape(image, box)
        try:
            return np.asarray(self._dlib.get_face_chip(image, shape, CHIP, 0.25), dtype=np.uint8)
        except (MemoryError, RuntimeError) as error:
            raise CallError(Refusal.FAILURE_TO_ACQUIRE, "no_descriptor") from error

    def descriptor(self, chip: Pixels) -> Floats:
        """Of a chip, shape (128,). Raises as :meth:`chip` does."""
        try:
            descriptor = np.array(self._describe.compute_face_descriptor(np.ascontiguousarray(chip), 0))
        except (MemoryError, RuntimeError) as error:
            raise CallError(Refusal.FAILURE_TO_ACQUIRE, "no_descriptor") from error
        if not np.isfinite(descriptor).all() or not descriptor.any():
            raise CallError(Refusal.FAILURE_TO_ACQUIRE, "no_descriptor")
        return descriptor

    def _shape(self, image: Pixels, box: Box) -> Any:  # noqa: ANN401  dlib has no types
        left, top = round(box.x), round(box.y)
        rect = self._dlib.rectangle(left, top, left + round(box.width) - 1, top + round(box.height) - 1)
        try:
            return self._predictor(image, rect)
        except (MemoryError, RuntimeError) as error:
            raise CallError(Refusal.FAILURE_TO_ACQUIRE, "no_descriptor") from error
