"""Faces and landmarks by a YuNet model file (OpenCV's model zoo, MIT), run by onnxruntime."""

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

WHERE = "detector yunet"
STRIDES = (8, 16, 32)
OUTPUTS = tuple(f"{kind}_{stride}" for kind in ("cls", "obj", "bbox", "kps") for stride in STRIDES)


@register("detector", "yunet")
@dataclass(frozen=True, slots=True, kw_only=True)
class YuNet:
    """``model``: a file such as face_detection_yunet_2023mar.onnx. Pictures go in as BGR, 0 to 255.

    A face has a ``score`` of that at least; of two that overlap by more than ``overlap`` (intersection over union) the
    better stays. ``longest``: larger pictures are made smaller; a model of a fixed size takes them in its own.
    """

    model: str = field(metadata=PATH)
    score: float = 0.9
    overlap: float = 0.3
    longest: int = 640

    gives = frozenset({Gives.BOX, Gives.LANDMARKS})

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for numbers that no detector takes."""
        if not 0 < self.score < 1 or not 0 < self.overlap < 1:
            raise SpecError(".", f"score {self.score:g}, overlap {self.overlap:g}", "numbers between 0 and 1")
        if not 32 <= self.longest <= 4096:
            raise SpecError(".longest", f"{self.longest}", "32 to 4096 pixels")

    def recorded_settings(self) -> Mapping[str, str]:
        """Settings and the digest of the file. Raises :class:`ProviderError` without it."""
        network = DetectorNetwork(self.model, WHERE)
        return {
            "faces": "found by YuNet",
            "sha256 of the detector": network.sha256,
            "score": repr(self.score),
            "overlap": repr(self.overlap),
            "longest": str(max(network.size) if network.size else self.longest),
        }

    def open(self) -> "YuNetFinder":
        """Load the model. Raises :class:`ProviderError` for what is no YuNet."""
        return YuNetFinder(self)


class YuNetFinder:
    """An open model."""

    def __init__(self, settings: YuNet) -> None:
        self._settings = settings
        self._network = DetectorNetwork(settings.model, WHERE)
        if missing := [name for name in OUTPUTS if name not in self._network.outputs]:
            raise ProviderError(WHERE, f"the model has no output {missing[0]!r}", ", ".join(OUTPUTS))
        tried(self, WHERE)

    def faces(self, image: Pixels, given: FoundFace | None) -> Sequence[FoundFace]:  # noqa: ARG002  detectors share a signature
        """From left to right."""
        height, width = self._network.size or padded(image, self._settings.longest)
        canvas, factor = lettered(image, height, width, enlarge=False)
        values = np.ascontiguousarray(canvas[..., ::-1].transpose(2, 0, 1)[None], dtype=np.float32)
        outputs = self._network.run(values, OUTPUTS)
        candidates = decoded(dict(zip(OUTPUTS, outputs, strict=True)), (height, width), self._settings.score)
        return faces_of(*candidates, self._settings.overlap, factor)


def padded(image: Pixels, longest: int) -> tuple[int, int]:
    """Height and width of the network's input: of the picture, at most ``longest``, up to a multiple of 32."""
    factor = min(1.0, longest / max(image.shape[:2]))
    height, width = (-(-max(1, int(side * factor)) // 32) * 32 for side in image.shape[:2])
    return height, width


def decoded(
    outputs: Mapping[str, Floats], size: tuple[int, int], score: float
) -> tuple[Floats, Floats, Floats]:
    """Boxes (N, 4) as left, top, right, bottom, landmarks (N, 5, 2), scores (N,), as OpenCV's FaceDetectorYN does."""
    boxes, landmarks, scores = [], [], []
    for stride in STRIDES:
        rows, columns = size[0] // stride, size[1] // stride
        cls, obj, bbox, kps = (
            np.asarray(outputs[f"{kind}_{stride}"], dtype=np.float64).reshape(rows * columns, -1)
            for kind in ("cls", "obj", "bbox", "kps")
        )
        confidence = np.sqrt(np.clip(cls[:, 0], 0, 1) * np.clip(obj[:, 0], 0, 1))
        (chosen,) = np.nonzero(confidence >= score)
        cell = np.stack([chosen % columns, chosen // columns], axis=1).astype(np.float64)
        centre = (cell + bbox[chosen, :2]) * stride
        with np.errstate(over="ignore"):
            half = np.exp(bbox[chosen, 2:4]) * stride / 2
        boxes.append(np.concatenate([centre - half, centre + half], axis=1))
        landmarks.append((kps[chosen].reshape(-1, 5, 2) + cell[:, None]) * stride)
        scores.append(confidence[chosen])
    return np.concatenate(boxes), np.concatenate(landmarks), np.concatenate(scores)
