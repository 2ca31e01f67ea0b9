"""Any ONNX model of face embeddings on this machine: its file's digest is recorded; nothing leaves it."""

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from PIL import Image

from frtaudit.collection.clients import face_network, model_input
from frtaudit.collection.clients.dlib_faces import Detector, Finding, largest
from frtaudit.collection.clients.pictures import pixels
from frtaudit.collection.clients.protocol import Gate, Limits
from frtaudit.core.arrays import Floats, Pixels, Singles
from frtaudit.core.canonical import sha256
from frtaudit.core.collecting import Answer, Box, Crop, DetectedFace, Detection, Picture
from frtaudit.core.registry import register
from frtaudit.core.spec_values import PATH
from frtaudit.errors import SpecError

WHERE = "service onnx"


class FoundBy(StrEnum):
    """Who finds the faces: nobody, a picture being a face; or dlib (extra ``dlib``)."""

    NONE = "none"
    DLIB = "dlib"


@register("service", "onnx")
@dataclass(frozen=True, slots=True, kw_only=True)
class Onnx:
    """``model``: the file, in one piece; ``size``: height and width of its input, ``layout``, ``colours``.

    A pixel v becomes (v - ``mean``) / ``deviation``, by colour in the model's order. ``output``: its name, needed where
    there are several. ``execution``: who computes. ``detector``: ``none`` where a picture is a face, or ``dlib``; a
    box is widened by ``margin`` of its own size on each side, black where there is no picture, and scaled to ``size``.
    ``longest``: as service dlib has it. The score is the cosine of two embeddings.
    """

    model: str = field(metadata=PATH)
    size: tuple[int, int] = (112, 112)
    layout: model_input.Layout = model_input.Layout.NCHW
    colours: model_input.Colours = model_input.Colours.RGB
    mean: tuple[float, float, float] = (127.5, 127.5, 127.5)
    deviation: tuple[float, float, float] = (127.5, 127.5, 127.5)
    output: str | None = None
    execution: str = model_input.CPU
    detector: FoundBy = FoundBy.NONE
    margin: float = 0.0
    longest: int = 1600
    limits: Limits = field(default_factory=lambda: Limits(concurrency=2))

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for a size, a deviation or a margin that no picture takes."""
        if not 0 <= self.margin <= 5:
            raise SpecError(".margin", f"{self.margin:g}", "0 to 5")
        model_input.input_of(self)
        self._finding()

    def check_files(self) -> None:
        """Raise :class:`ProviderError` for a model that is not there, before anything is collected."""
        if not os.path.lexists(self.model):
            face_network.read_model(self.model, WHERE)

    detects = True  # faces are found, and embedded, by a call of its own
    score_range = (-1.0, 1.0)  # of a cosine

    def recorded_settings(self) -> Mapping[str, str]:
        """Package, digest of the model, settings. Raises :class:`ProviderError` without the extra or the file."""
        finding = self._finding()
        return {
            "package": face_network.installed(WHERE),
            "sha256 of model": sha256(face_network.read_model(self.model, WHERE)),
            "size": " x ".join(map(str, self.size)),
            "layout": str(self.layout),
            "colours": str(self.colours),
            "mean": " ".join(map(repr, self.mean)),
            "deviation": " ".join(map(repr, self.deviation)),
            "output": self.output or "",
            "execution": self.execution,
            "margin": repr(self.margin),
            "score": "cosine",
            "found by": str(self.detector),
            **({} if finding is None else finding.recorded_settings()),
        }

    def open(self, gate: Gate) -> "_Open":
        """Load the model and try it on a grey picture.

        Raises :class:`ProviderError`: no such file, no ONNX, an input of another shape, an output that is no embedding.
        """
        taken = model_input.input_of(self)
        network = face_network.FaceNetwork(self.model, taken, self.output, self.execution, WHERE)
        return _Open(self, network, self._finding(), gate)

    def _finding(self) -> Finding | None:
        return Finding(longest=self.longest) if self.detector is FoundBy.DLIB else None

    def taken(self, image: Pixels, box: Box | None) -> Singles:
        """The model's input for a face, shape (1, 3, height, width) or (1, height, width, 3)."""
        height, width = self.size
        cut = Image.fromarray(image)
        if box is not None:
            x, y = self.margin * box.width, self.margin * box.height
            sides = (box.x - x, box.y - y, box.x + box.width + x, box.y + box.height + y)
            cut = cut.crop(tuple(round(side) for side in sides))  # type: ignore[arg-type]  # four of them
        face = np.asarray(cut.resize((width, height), Image.Resampling.BILINEAR))
        return model_input.input_of(self).of(face)


class _Open:
    """The model, open for several threads; the detector lets one in at a time."""

    def __init__(
        self, how: Onnx, network: face_network.FaceNetwork, finding: Finding | None, gate: Gate
    ) -> None:
        self._how, self._network, self._gate = how, network, gate
        self._detector = None if finding is None else Detector(finding)
        self._lock = threading.Lock()
        self._version = face_network.installed(WHERE)

    def detect(self, picture: Picture) -> Detection:
        """Every face from left to right, its embedding as its handle; without a detector the whole picture."""
        self._gate.attempt("detect")
        image = _array(picture)
        seen = [
            DetectedFace(box=box, handle=self._embedding(image, box), facts=facts)
            for box, facts in self._boxes(image)
        ]
        return Detection(faces=tuple(seen), version=self._version)

    def _boxes(self, image: Pixels) -> list[tuple[Box, dict[str, float | str]]]:
        if self._detector is None:
            return [(_whole(image), {})]
        with self._lock:
            return [(face.box, {"confidence": face.confidence}) for face in self._detector.faces(image)]

    def compare(self, probe: Crop, reference: Crop) -> Answer:
        """The cosine; of a picture that was not looked at yet, the largest face's."""
        self._gate.attempt("compare")
        cosine = float(self._of(probe) @ self._of(reference))
        return Answer(score=min(1.0, max(-1.0, cosine)), version=self._version)

    def close(self) -> None:
        """Nothing is held open."""

    def _of(self, crop: Crop) -> Floats:
        """The embedding of a crop: of the face that was seen, or of the largest."""
        if crop.face is not None and isinstance(crop.face.handle, np.ndarray):
            return crop.face.handle
        image = _array(crop.picture)
        box = crop.face.box if crop.face is not None else None
        if box is None and self._detector is not None:
            with self._lock:
                box = largest(self._detector.faces(image)).box
        return self._embedding(image, box or _whole(image))

    def _embedding(self, image: Pixels, box: Box) -> Floats:
        """Of unit length, shape (D,)."""
        embedding = self._network.embedding(self._how.taken(image, box))
        return np.asarray(embedding / np.linalg.norm(embedding))


def _array(picture: Picture) -> Pixels:
    return np.array(pixels(picture), dtype=np.uint8)


def _whole(image: Pixels) -> Box:
    return Box(x=0, y=0, width=image.shape[1], height=image.shape[0])
