"""From a picture and a face in it to a template: the face is cropped by a preset, and a model computes the template."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Protocol

import numpy as np
from PIL import Image

from frtaudit.collection.clients.dlib_faces import (
    RECOGNITION_FILE,
    Describer,
    Landmarks,
    digests,
    landmarks_file,
)
from frtaudit.collection.clients.dlib_faces import installed as dlib_installed
from frtaudit.collection.clients.face_finding import FoundFace
from frtaudit.collection.clients.face_network import FaceNetwork
from frtaudit.collection.clients.face_network import installed as onnxruntime_installed
from frtaudit.collection.embed.align import similarity, warped
from frtaudit.collection.embed.preset import Cut, EngineKind, Preset
from frtaudit.collection.embed.spec import EmbedSpec, Several
from frtaudit.core.arrays import Floats, Pixels
from frtaudit.core.collecting import Box, CallError, Refusal

WHERE = "model"


class Engine(Protocol):
    """An open model."""

    @property
    def dimension(self) -> int:
        """Numbers of a template."""

    def recorded_settings(self) -> Mapping[str, str]:
        """Package and digests of the model's files, as text."""

    def chip(self, image: Pixels, face: FoundFace) -> Pixels:
        """The face as the model takes it, RGB. Raises :class:`CallError` (failure to acquire)."""

    def outputs(self, chips: Sequence[Pixels]) -> Floats:
        """What the model makes of each, shape (chips, dimension); NaN where it makes nothing."""


class OnnxEngine:
    """An ONNX model and its preset. Raises :class:`~frtaudit.errors.ProviderError` for what is no such model."""

    def __init__(self, preset: Preset, model: str, output: str | None, execution: str) -> None:
        self._preset, self._input, self._template = preset, preset.model_input, preset.template
        self._network = FaceNetwork(model, self._input, output, execution, WHERE)
        self.dimension = self._network.dimension

    def recorded_settings(self) -> Mapping[str, str]:
        """The runtime, and the digest of the file that was loaded."""
        return {"computed by": onnxruntime_installed(WHERE), "sha256 of the model": self._network.sha256}

    def chip(self, image: Pixels, face: FoundFace) -> Pixels:
        """By its landmarks onto the template, or its box scaled; a picture without either is the face itself."""
        if face.box is None and face.landmarks is None:
            if image.shape[:2] != self._preset.size:
                raise CallError(Refusal.FAILURE_TO_ACQUIRE, "not_of_input_size")
            return image
        if self._preset.cut is Cut.BOX:
            return boxed(image, face.box, self._preset.margin, self._preset.size)
        if face.landmarks is None:
            raise CallError(Refusal.FAILURE_TO_ACQUIRE, "no_landmarks")
        matrix = similarity(face.landmarks, self._template)
        if not np.isfinite(matrix).all() or not 1e-3 < np.hypot(*matrix[:, 0]) < 1e3:
            raise CallError(Refusal.FAILURE_TO_ACQUIRE, "bad_landmarks")
        return warped(image, matrix, self._preset.size)

    def outputs(self, chips: Sequence[Pixels]) -> Floats:
        """The network's, of one face at a time; the pixels of all are scaled first."""
        return self._network.outputs([self._input.of(chip) for chip in chips])


class DlibEngine:
    """The network that dlib's Python package ships; landmarks are found in a face's box by its five-point model."""

    dimension = 128

    def __init__(self) -> None:
        self._describer = Describer(Landmarks.FIVE)

    def recorded_settings(self) -> Mapping[str, str]:
        """The package, and digests of its models."""
        files = digests((landmarks_file(Landmarks.FIVE), RECOGNITION_FILE))
        return {"computed by": dlib_installed(), "jitters": "0", **files}

    def chip(self, image: Pixels, face: FoundFace) -> Pixels:
        """As dlib cuts it."""
        if face.box is None:
            raise CallError(Refusal.FAILURE_TO_ACQUIRE, "no_box")
        return self._describer.chip(np.ascontiguousarray(image), face.box)

    def outputs(self, chips: Sequence[Pixels]) -> Floats:
        """The descriptors."""
        descriptors = np.full((len(chips), self.dimension), np.nan)
        for row, chip in zip(descriptors, chips, strict=True):
            with suppress(CallError):
                row[:] = self._describer.descriptor(chip)
        return descriptors


def engine_of(spec: EmbedSpec) -> Engine:
    """The model of a spec, open."""
    if spec.preset.engine is EngineKind.DLIB or spec.model is None:
        return DlibEngine()
    return OnnxEngine(spec.preset, spec.model, spec.output, spec.execution)


def boxed(image: Pixels, box: Box | None, margin: float, size: tuple[int, int]) -> Pixels:
    """What a box and ``margin`` of its size on each side hold of the picture, scaled to ``size`` (height, width).

    As facenet-pytorch's ``extract_face`` cuts: edges are cut off to whole pixels and stay inside the picture.
    Raises :class:`CallError` (failure to acquire, ``bad_box``) for a box beside the picture.

    >>> boxed(np.full((4, 4, 3), 7, dtype=np.uint8), Box(x=1, y=1, width=9, height=2), 0.0, (2, 2)).tolist()[0]
    [[7, 7, 7], [7, 7, 7]]
    """
    if box is None:
        raise CallError(Refusal.FAILURE_TO_ACQUIRE, "no_box")
    height, width = image.shape[:2]
    x, y = margin * box.width, margin * box.height
    left, top = int(max(box.x - x, 0)), int(max(box.y - y, 0))
    right, bottom = int(min(box.x + box.width + x, width)), int(min(box.y + box.height + y, height))
    if right <= left or bottom <= top:
        raise CallError(Refusal.FAILURE_TO_ACQUIRE, "bad_box")
    cut = Image.fromarray(image[top:bottom, left:right])
    return np.asarray(cut.resize((size[1], size[0]), Image.Resampling.BILINEAR), dtype=np.uint8)


def chosen(faces: Sequence[FoundFace], several: Several) -> FoundFace:
    """The face that is taken: the largest, by the area of its box.

    Raises :class:`CallError` (failure to acquire): ``no_face``; ``several_faces`` where that is asked for.
    """
    if not faces:
        raise CallError(Refusal.FAILURE_TO_ACQUIRE, "no_face")
    if len(faces) > 1 and several is Several.FAIL:
        raise CallError(Refusal.FAILURE_TO_ACQUIRE, "several_faces")
    return max(faces, key=lambda face: face.area)
