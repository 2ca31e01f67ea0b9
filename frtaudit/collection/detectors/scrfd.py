"""Faces and landmarks by an SCRFD model file (det_10g and others of insightface), run by onnxruntime."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from frtaudit.collection.clients.face_finding import FoundFace, faces_of, lettered, tried
from frtaudit.collection.clients.face_network import DetectorNetwork
from frtaudit.collection.embed.face_detector import Gives
from frtaudit.core.arrays import Floats, Pixels
from frtaudit.core.registry import register
from frtaudit.core.spec_values import PATH
from frtaudit.errors import ProviderError, SpecError

WHERE = "detector scrfd"
STRIDES, ANCHORS = (8, 16, 32), 2
MEAN, DEVIATION = 127.5, 128.0


@register("detector", "scrfd")
@dataclass(frozen=True, slots=True, kw_only=True)
class Scrfd:
    """``model``: a file with landmarks, such as det_10g.onnx; its weights are for non-commercial research only.

    Pictures are scaled to a square of ``side`` (RGB, (v - 127.5) / 128). A face has a ``score`` of that at least; of
    two that overlap by more than ``overlap`` (intersection over union) the higher score stays.
    """

    model: str = field(metadata=PATH)
    score: float = 0.5
    overlap: float = 0.4
    side: int = 640

    gives = frozenset({Gives.BOX, Gives.LANDMARKS})

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for numbers that no detector takes."""
        if not 0 < self.score < 1 or not 0 < self.overlap < 1:
            raise SpecError(".", f"score {self.score:g}, overlap {self.overlap:g}", "numbers between 0 and 1")
        if not 64 <= self.side <= 4096 or self.side % 32:
            raise SpecError(".side", f"{self.side}", "a multiple of 32, 64 to 4096 pixels")

    def recorded_settings(self) -> Mapping[str, str]:
        """Settings and the digest of the file. Raises :class:`ProviderError` without it."""
        network = DetectorNetwork(self.model, WHERE)
        return {
            "faces": "found by SCRFD",
            "sha256 of the detector": network.sha256,
            "score": repr(self.score),
            "overlap": repr(self.overlap),
            "side": " x ".join(map(str, network.size or (self.side, self.side))),
        }

    def open(self) -> "ScrfdFinder":
        """Load the model. Raises :class:`ProviderError` for what is no SCRFD with landmarks."""
        return ScrfdFinder(self)


class ScrfdFinder:
    """An open model."""

    def __init__(self, settings: Scrfd) -> None:
        self._settings = settings
        self._network = DetectorNetwork(settings.model, WHERE)
        if len(self._network.outputs) != 3 * len(STRIDES):
            text = f"the model has {len(self._network.outputs)} outputs"
            raise ProviderError(WHERE, text, "an SCRFD with landmarks: 9 outputs, scores, boxes, landmarks")
        tried(self, WHERE)

    def faces(self, image: Pixels, given: FoundFace | None) -> Sequence[FoundFace]:  # noqa: ARG002  detectors share a signature
        """From left to right."""
        side = self._settings.side
        height, width = self._network.size or (side, side)
        canvas, factor = lettered(image, height, width, enlarge=True)
        values = (canvas.astype(np.float32) - np.float32(MEAN)) / np.float32(DEVIATION)
        fed = np.ascontiguousarray(values.transpose(2, 0, 1)[None])
        outputs = self._network.run(fed, self._network.outputs)
        candidates = decoded(outputs, (height, width), self._settings.score)
        return faces_of(*candidates, self._settings.overlap, factor)


def decoded(outputs: Sequence[Floats], size: tuple[int, int], score: float) -> tuple[Floats, Floats, Floats]:
    """Boxes (N, 4) as left, top, right, bottom, landmarks (N, 5, 2), scores (N,), as insightface's SCRFD has them.

    ``outputs``: scores, then distances of boxes, then of landmarks, of each stride; two anchors a cell.
    """
    boxes, landmarks, scores = [], [], []
    for place, stride in enumerate(STRIDES):
        rows, columns = size[0] // stride, size[1] // stride
        confidence, box, landmark = (
            np.asarray(output, dtype=np.float64).reshape(rows * columns * ANCHORS, -1)
            for output in outputs[place :: len(STRIDES)]
        )
        (chosen,) = np.nonzero(confidence[:, 0] >= score)
        cell = chosen // ANCHORS
        centre = np.stack([cell % columns, cell // columns], axis=1).astype(np.float64) * stride
        away = box[chosen] * stride
        boxes.append(np.concatenate([centre - away[:, :2], centre + away[:, 2:]], axis=1))
        landmarks.append(centre[:, None] + landmark[chosen].reshape(-1, 5, 2) * stride)
        scores.append(confidence[chosen, 0])
    return np.concatenate(boxes), np.concatenate(landmarks), np.concatenate(scores)
