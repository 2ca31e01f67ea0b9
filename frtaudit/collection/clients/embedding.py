"""What an image looks like as a vector, so that copies of one picture are found: a thumbnail, or a declared network."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol  # Any: values of onnxruntime, which has no types

import numpy as np

from frtaudit.collection.clients.face_network import read_model, session_of
from frtaudit.collection.clients.model_input import CPU
from frtaudit.core.arrays import Singles
from frtaudit.core.canonical import sha256
from frtaudit.core.collecting import Picture
from frtaudit.errors import ProviderError

WHERE = "duplicates.model"
SIDE = 32
SHORT, INPUT = 256, 224  # of ImageNet networks: the shorter side, the square that is cut out of its middle
MEAN, SPREAD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet's pixels, by channel


class Embedder(Protocol):
    """How images become vectors."""

    def vector(self, picture: Picture) -> Singles:
        """Shape (D,), float32, never all zero."""

    def recorded_settings(self) -> Mapping[str, str]:
        """What decides the vectors: the kind, and the digest of a model file."""


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """32 by 32 grey values around their mean: finds copies in another size or quality, not cuts and mirrors."""

    def vector(self, picture: Picture) -> Singles:
        """Shape (1025,): the last is 1 for a picture of one grey and 0 for all others."""
        from PIL import Image

        from frtaudit.collection.clients.pictures import pixels

        small = pixels(picture).convert("L").resize((SIDE, SIDE), Image.Resampling.BOX)
        grey = np.asarray(small, dtype=np.float32).ravel()
        grey -= grey.mean()
        plain = not bool(np.abs(grey).max() > 0.5)
        return np.append(np.zeros_like(grey) if plain else grey, np.float32(plain)).astype(np.float32)

    def recorded_settings(self) -> Mapping[str, str]:
        """The kind."""
        return {"embedding": "pixels"}


@dataclass(frozen=True, slots=True)
class Network:
    """An ONNX model of images (MobileNet and the like), fed as networks trained on ImageNet are.

    ``path``: input (N, 3, H, W) or (N, H, W, 3), float32, one image at a time; its first output is the vector, averaged
    over rows and columns where it has any. Raises :class:`ProviderError` for a file that is no such model.
    """

    path: str
    digest: str = field(init=False)
    _session: Any = field(init=False, repr=False, compare=False)
    _last: bool = field(init=False, repr=False, compare=False)
    _size: tuple[int, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        data = read_model(self.path, WHERE, "an ONNX model of images")
        session = session_of(data, Path(self.path).name, CPU, WHERE)
        kind, shape = session.get_inputs()[0].type, session.get_inputs()[0].shape
        if kind != "tensor(float)" or len(shape) != 4 or 3 not in (shape[1], shape[3]):
            accepted = "(N, 3, H, W) or (N, H, W, 3), float32"
            raise ProviderError(WHERE, "an input that is not an image", accepted)
        last = shape[1] != 3
        sides = shape[1:3] if last else shape[2:4]
        size = tuple(side if isinstance(side, int) else INPUT for side in sides)
        attributes = {"digest": sha256(data), "_session": session, "_last": last, "_size": size}
        for name, value in attributes.items():
            object.__setattr__(self, name, value)

    def vector(self, picture: Picture) -> Singles:
        """Shape (D,); of a picture that it makes nothing of, ones."""
        image = _squared(picture, self._size)
        fed = image[None] if self._last else image.transpose(2, 0, 1)[None]
        output = self._session.run(None, {self._session.get_inputs()[0].name: fed})[0]
        vector = np.asarray(output, dtype=np.float32)[0]
        if vector.ndim == 3:
            vector = vector.mean(axis=(0, 1) if self._last else (1, 2), dtype=np.float64).astype(np.float32)
        vector = vector.ravel()
        return vector if np.isfinite(vector).all() and vector.any() else np.ones_like(vector)

    def recorded_settings(self) -> Mapping[str, str]:
        """The kind, and the sha256 of the file."""
        return {"embedding": "onnx", "model": self.digest}


def _squared(picture: Picture, size: tuple[int, int]) -> Singles:
    """The middle of a picture, (H, W, 3), float32, by ImageNet's mean and spread."""
    from PIL import Image

    from frtaudit.collection.clients.pictures import pixels

    whole, (height, width) = pixels(picture), size
    scale = max(height, width) * SHORT / INPUT / min(whole.size)
    sides = (max(width, round(whole.width * scale)), max(height, round(whole.height * scale)))
    resized = whole.resize(sides, Image.Resampling.BILINEAR)
    left, top = (resized.width - width) // 2, (resized.height - height) // 2
    values = np.asarray(resized.crop((left, top, left + width, top + height)), dtype=np.float32) / 255
    return np.asarray((values - np.array(MEAN)) / np.array(SPREAD), dtype=np.float32)
