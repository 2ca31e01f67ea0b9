"""Any ONNX model of face embeddings on this machine: its file's digest is recorded; nothing leaves it."""

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from PIL import Image

from frtaudit.collection.clients import face_network, model_input
from frtaudit.collection.clients.dlib_faces import Detector, Finding
from frtaudit.collection.clients.local import LocalSession, array_of
from frtaudit.collection.clients.protocol import Gate, Limits
from frtaudit.core.arrays import Floats, Pixels, Singles
from frtaudit.core.canonical import sha256
from frtaudit.core.collecting import Box, Facts
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

    def open(self, gate: Gate) -> LocalSession[Pixels]:
        """Load the model and try it on a grey picture; the detector lets one thread in at a time.

        Raises :class:`ProviderError`: no such file, no ONNX, an input of another shape, an output that is no embedding.
        """
        taken = model_input.input_of(self)
        network = face_network.FaceNetwork(self.model, taken, self.output, self.execution, WHERE)
        version, lock, finding = face_network.installed(WHERE), threading.Lock(), self._finding()
        detector = None if finding is None else Detector(finding)

        def find(image: Pixels) -> list[tuple[Box, Facts]]:
            if detector is None:
                return [(Box(x=0, y=0, width=image.shape[1], height=image.shape[0]), {})]
            with lock:
                return [(face.box, {"confidence": face.confidence}) for face in detector.faces(image)]

        def vector(image: Pixels, box: Box) -> Floats:
            embedding = network.embedding(self.taken(image, box))
            return np.asarray(embedding / np.linalg.norm(embedding))

        return LocalSession(
            gate=gate, version=version, read=array_of, find=find, vector=vector, score=_cosine
        )

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


def _cosine(embedding: Floats, other: Floats) -> tuple[float, Facts]:
    return min(1.0, max(-1.0, float(embedding @ other))), {}
