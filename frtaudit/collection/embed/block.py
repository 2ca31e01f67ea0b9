"""One block of images embedded, and its file: the same block gives the same bytes, in any process and at any time."""

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from frtaudit.collection.clients.pictures import decoded
from frtaudit.collection.embed.align import Pixels
from frtaudit.collection.embed.engine import Template, chosen, engine_of
from frtaudit.collection.embed.images import Shot, read_image
from frtaudit.collection.embed.spec import EmbedSpec
from frtaudit.core.arrays import Floats, Ints, Singles
from frtaudit.core.collecting import CallError
from frtaudit.core.machine.files import open_regular

SIZE = 32  # images of a block: at most that many are embedded again after a kill, by each process


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """b images, m of them with a template.

    ``code``: why there is none, (b,), empty where there is one; ``faces``: found in each, (b,); ``sha256``: of each
    file, (b,), empty where it could not be read; ``vectors``: (m, D), float32; ``length``: (m,), of the model's output.
    """

    code: npt.NDArray[np.str_]
    faces: Ints
    sha256: npt.NDArray[np.str_]
    vectors: Singles
    length: Floats

    def to_bytes(self) -> bytes:
        """As an ``.npz``, whose zip entries carry no date."""
        stream = io.BytesIO()
        np.savez(
            stream,
            code=self.code,
            faces=self.faces,
            sha256=self.sha256,
            vectors=self.vectors,
            length=self.length,
        )
        return stream.getvalue()


def read_block(path: Path) -> Block:
    """What :meth:`Block.to_bytes` wrote; nothing is unpickled."""
    with open_regular(path) as stream, np.load(stream, allow_pickle=False) as held:
        return Block(**{name: held[name] for name in held.files})


class Worker:
    """A model and a detector, open in one process."""

    def __init__(self, spec: EmbedSpec, root: str) -> None:
        self._spec, self._root = spec, root
        self.engine, self._finder = engine_of(spec), spec.detector.open()

    def block(self, shots: Sequence[Shot]) -> Block:
        """Templates of some images, or why there is none."""
        codes, counts, sums, vectors, lengths = [], [], [], [], []
        for shot in shots:
            code, found, digest = "", 0, ""
            try:
                data = read_image(self._root, shot.address)
                digest = hashlib.sha256(data).hexdigest()
                found, chip = self._chip(data, shot)
                vector, length = self._template(chip)
                vectors.append(vector)
                lengths.append(length)
            except CallError as error:
                code = error.code
                found = 2 if code == "several_faces" else found
            codes.append(code)
            counts.append(found)
            sums.append(digest)
        return Block(
            code=np.array(codes, dtype=np.str_),
            faces=np.array(counts, dtype=np.int64),
            sha256=np.array(sums, dtype=np.str_),
            vectors=np.array(vectors, dtype=np.float32).reshape(-1, self.engine.dimension),
            length=np.array(lengths, dtype=np.float64),
        )

    def probe(self, shot: Shot) -> tuple[Template, Template, Template]:
        """The model's outputs for an image's face, for the face mirrored, and with its colours in the other order."""
        _, chip = self._chip(read_image(self._root, shot.address), shot)
        variants = (chip, chip[:, ::-1], chip[..., ::-1])
        plain, mirrored, swapped = (self.engine.vector(np.ascontiguousarray(one)) for one in variants)
        return plain, mirrored, swapped

    def _chip(self, data: bytes, shot: Shot) -> tuple[int, Pixels]:
        """How many faces an image shows, and the one that is taken as the model takes it."""
        image = np.asarray(decoded(data), dtype=np.uint8)
        faces = self._finder.faces(image, shot.given)
        return len(faces), self.engine.chip(image, chosen(faces, self._spec.several))

    def _template(self, chip: Pixels) -> tuple[Template, float]:
        """The template, and the length of the model's output for the face as it is."""
        vector = self.engine.vector(chip)
        length = float(np.linalg.norm(vector))
        if self._spec.preset.flip_sum:
            vector = vector + self.engine.vector(np.ascontiguousarray(chip[:, ::-1]))
        if self._spec.preset.normalise:
            vector = vector / np.linalg.norm(vector)
        return vector, length
