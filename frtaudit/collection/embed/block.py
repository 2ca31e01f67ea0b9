"""One block of images embedded, and its file: the same block gives the same bytes, in any process and at any time."""

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from frtaudit.collection.clients.pictures import decoded
from frtaudit.collection.embed.engine import chosen, engine_of
from frtaudit.collection.embed.images import Shot, read_image
from frtaudit.collection.embed.spec import EmbedSpec
from frtaudit.core.arrays import Floats, Ints, Names, Pixels, Singles
from frtaudit.core.collecting import CallError
from frtaudit.core.machine.files import open_regular

_DIGEST = 32  # bytes of a SHA-256
SIZE = 32  # images of a block: at most that many are embedded again after a kill, by each process


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """b images, m of them with a template.

    ``code``: why there is none, (b,), empty where there is one; ``faces``: found in each, (b,); ``sha256``: of each
    file, (b,), empty where it could not be read; ``vectors``: (m, D), float32; ``length``: (m,), of the model's output.
    """

    code: Names
    faces: Ints
    sha256: Names
    vectors: Singles
    length: Floats

    def to_bytes(self, name: str) -> bytes:
        """A digest of ``name`` and content, then the content: an ``.npz``, whose zip entries carry no date."""
        stream = io.BytesIO()
        np.savez(stream, **{part.name: getattr(self, part.name) for part in fields(self)})
        return _digest(name, stream.getvalue()) + stream.getvalue()


def read_block(path: Path, name: str) -> Block | None:
    """What :meth:`Block.to_bytes` wrote by this name; None for no file, an altered one, or one of another name."""
    if not path.exists():
        return None
    with open_regular(path) as stream:
        data = stream.read()
    if data[:_DIGEST] != _digest(name, data[_DIGEST:]):
        return None
    with np.load(io.BytesIO(data[_DIGEST:]), allow_pickle=False) as archive:
        return Block(**{key: archive[key] for key in archive.files})


def _digest(name: str, content: bytes) -> bytes:
    return hashlib.sha256(f"{name}\n".encode() + content).digest()


@dataclass(slots=True)
class _Crop:
    """An image's digest, how many faces it shows, and the one that is taken, or why there is none."""

    code: str = ""
    faces: int = 0
    sha256: str = ""
    chip: Pixels | None = None


class Worker:
    """A model and a detector, open in one process."""

    def __init__(self, spec: EmbedSpec, root: str) -> None:
        self._spec, self._root = spec, root
        self.engine, self._finder = engine_of(spec), spec.detector.open()

    def block(self, shots: Sequence[Shot]) -> Block:
        """Templates of some images, or why there is none: all faces are cropped first, then the model computes."""
        crops = [self._crop(shot) for shot in shots]
        cropped = [(crop, crop.chip) for crop in crops if crop.chip is not None]
        vectors, length = self._templates([chip for _, chip in cropped])
        there = np.array(np.isfinite(vectors).all(axis=1))
        for (crop, _), has_vector in zip(cropped, there.tolist(), strict=True):
            if not has_vector:
                crop.code = "no_embedding"
        return Block(
            code=np.array([crop.code for crop in crops], dtype=np.str_),
            faces=np.array([crop.faces for crop in crops], dtype=np.int64),
            sha256=np.array([crop.sha256 for crop in crops], dtype=np.str_),
            vectors=vectors[there].astype(np.float32),
            length=length[there],
        )

    def _crop(self, shot: Shot) -> _Crop:
        crop = _Crop()
        try:
            data = read_image(self._root, shot.address)
            crop.sha256 = hashlib.sha256(data).hexdigest()
            crop.faces, crop.chip = self._chip(data, shot)
        except CallError as error:
            crop.code = error.code
            crop.faces = 2 if error.code == "several_faces" else 0
        return crop

    def probe(self, shot: Shot) -> Floats:
        """The model's outputs for an image's face, mirrored, and with its colours in the other order, (3, D)."""
        _, chip = self._chip(read_image(self._root, shot.address), shot)
        variants = (chip, chip[:, ::-1], chip[..., ::-1])
        return self.engine.outputs([np.ascontiguousarray(variant) for variant in variants])

    def _chip(self, data: bytes, shot: Shot) -> tuple[int, Pixels]:
        """How many faces an image shows, and the one that is taken as the model takes it."""
        image = np.asarray(decoded(data), dtype=np.uint8)
        faces = self._finder.faces(image, shot.given)
        return len(faces), self.engine.chip(image, chosen(faces, self._spec.several))

    def _templates(self, chips: Sequence[Pixels]) -> tuple[Floats, Floats]:
        """Templates (m, D), NaN where there is none, and the length of the model's output for each face, (m,)."""
        vectors = self.engine.outputs(chips)
        length = np.linalg.norm(vectors, axis=1)
        if self._spec.preset.flip_sum:
            vectors = vectors + self.engine.outputs([np.ascontiguousarray(chip[:, ::-1]) for chip in chips])
        if self._spec.preset.normalise:
            vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors, length
