"""CPU of ``frtaudit embed`` for an image with given landmarks, over that of the bare session's call inside it.

``python -m benchmarks.embed``. The denominator is ``InferenceSession.run`` of one ready input on one thread, timed
where embed calls it, so that both share caches and clock; a second ratio has Pillow's decoding of the picture in its
denominator too, which nobody can leave out. The rest is what embed adds: file, digest, alignment, scaling, checks of
the output, block. Start-up and the checks of a run (at most 192 calls) are not in it.
"""

import io
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any  # Any: values of onnx and of onnxruntime
from unittest import mock

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save
from PIL import Image

from frtaudit.collection.clients import pictures
from frtaudit.collection.embed import block
from frtaudit.collection.embed.block import SIZE, Worker
from frtaudit.collection.embed.images import Shot, images_of
from frtaudit.config.load import load_embedding
from frtaudit.testing.photographs import Photographs

ROUNDS = 6
SIDES = (None, 112, 250, 1000)  # of the picture, pixels; None: as it is drawn, 200 x 180
# MobileFaceNet (Chen et al. 2018, table 1): expansion, channels, repeats, first stride.
BOTTLENECKS = ((2, 64, 5, 2), (4, 128, 1, 2), (2, 128, 6, 1), (4, 128, 1, 2), (2, 128, 2, 1))
STAGES = ((64, 3), (128, 4), (256, 14), (512, 3))  # of ResNet-50: channels, repeats


class MobileFaceNet:
    """The network's layers with random weights: 1.0 million of them, 221 million multiplications."""

    def __init__(self) -> None:
        self._rng, self._nodes, self._held = np.random.default_rng(0), [], []  # type: Any, list[Any], list[Any]

    def write(self, path: Path) -> Path:
        """The model's file."""
        last = self._conv(self._conv("face", 3, 64, 3, 2), 64, 64, 3, 1, groups=64)
        channels = 64
        for expansion, width, repeats, first in BOTTLENECKS:
            for stride in (first, *[1] * (repeats - 1)):
                wide = expansion * channels
                inside = self._conv(last, channels, wide, 1, 1)
                inside = self._conv(inside, wide, wide, 3, stride, groups=wide)
                out = self._conv(inside, wide, width, 1, 1, linear=True)
                last = self._node("Add", [last, out]) if stride == 1 and width == channels else out
                channels = width
        last = self._conv(last, channels, 512, 1, 1)
        last = self._conv(last, 512, 512, 7, 1, groups=512, padding=0, linear=True)
        return self._saved(self._conv(last, 512, 128, 1, 1, linear=True), 128, path)

    def _saved(self, last: str, dimension: int, path: Path) -> Path:
        last = self._node("Flatten", [last])
        shapes = (("face", [1, 3, 112, 112]), (last, [1, dimension]))
        face, template = (
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)] for name, shape in shapes
        )
        graph = helper.make_graph(self._nodes, path.stem, face, template, self._held)
        save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
        return path

    def _conv(
        self,
        last: str,
        taken: int,
        given: int,
        side: int,
        stride: int,
        *,
        groups: int = 1,
        padding: int | None = None,
        linear: bool = False,
    ) -> str:
        inputs = taken // groups * side * side
        weights = self._rng.standard_normal((given, taken // groups, side, side)) * np.sqrt(2 / inputs)
        out = self._node(
            "Conv",
            [last, self._hold(weights)],
            strides=[stride] * 2,
            group=groups,
            pads=[side // 2 if padding is None else padding] * 4,
        )
        return out if linear else self._node("PRelu", [out, self._hold(np.full((given, 1, 1), 0.25))])

    def _hold(self, values: Any) -> str:  # noqa: ANN401  an array
        self._held.append(numpy_helper.from_array(values.astype(np.float32), f"weights{len(self._held)}"))
        return str(self._held[-1].name)

    def _node(self, kind: str, inputs: Sequence[str], **settings: Any) -> str:  # noqa: ANN401  attributes of a node
        self._nodes.append(helper.make_node(kind, inputs, [f"out{len(self._nodes)}"], **settings))
        return str(self._nodes[-1].output[0])


class ResNet50(MobileFaceNet):
    """The 50 layers that ArcFace uses (Deng et al. 2019), random weights, without normalisation: 174 MB."""

    def write(self, path: Path) -> Path:
        """The model's file."""
        last, channels = self._conv("face", 3, 64, 3, 1), 64
        for width, repeats in STAGES:
            for stride in (2, *[1] * (repeats - 1)):
                inside = self._conv(last, channels, width, 3, 1)
                inside = self._conv(inside, width, width, 3, stride, linear=True)
                short = self._conv(last, channels, width, 1, 2, linear=True) if stride == 2 else last
                last, channels = self._node("Add", [short, inside]), width
        return self._saved(self._conv(last, 512, 512, 7, 1, padding=0, linear=True), 512, path)


class Timed:
    """A call that notes its CPU seconds; as a session, its ``run``."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call, self.seconds = call, 0.0

    def run(self, *words: Any) -> Any:  # noqa: ANN401  onnxruntime has no types
        """As the call does."""
        start = time.process_time()
        try:
            return self._call(*words)
        finally:
            self.seconds += time.process_time() - start


def resized(folder: Path, side: int | None) -> None:
    """The drawn photographs and their landmarks, as pictures of another size."""
    table = Photographs(people=SIZE // 4, faceless=10**6).write(folder)
    if side is None:
        return
    head, *rows = [line.split(",") for line in table.read_text().splitlines()]
    for row in rows:
        path = folder / row[0]
        try:
            image = Image.open(io.BytesIO(path.read_bytes())).convert("RGB")
        except OSError:  # the torn one
            continue
        width, height = image.size
        image.resize((side, side), Image.Resampling.BICUBIC).save(path, quality=90)
        scales = [side / width, side / height] * 5
        row[3:] = [f"{float(text) * scale:.3f}" for text, scale in zip(row[3:], scales, strict=True)]
    table.write_text("\n".join(",".join(row) for row in [head, *rows]) + "\n")


@dataclass(frozen=True, slots=True)
class Seconds:
    """CPU of one image: in the session, in Pillow's decoder, in all."""

    session: float
    decoding: float
    embed: float

    def __str__(self) -> str:
        bare, with_decoding = self.embed / self.session, self.embed / (self.session + self.decoding)
        named = (("session", self.session), ("decoding", self.decoding), ("embed", self.embed))
        times = ", ".join(f"{name} {seconds * 1e3:.2f} ms" for name, seconds in named)
        return f"{times}, over session {bare:.3f}, over session and decoding {with_decoding:.3f}"


def measured(folder: Path, model: Path, rounds: int) -> Seconds:
    """Of the pictures of a folder, the mean of several rounds."""
    words = [f"images={folder}/photographs.csv", f"into={folder}/out", f"model={model}"]
    spec = load_embedding([*words, "preset=arcface_rgb_127.5", "detector=given"])
    images = images_of(spec.images)
    worker = Worker(spec, images.root)
    shots: list[Shot] = [images.shot(row) for row in range(SIZE)]
    network: Any = worker.engine._network  # type: ignore[attr-defined]  # noqa: SLF001  the call inside is timed
    network._run = session = Timed(network._run.run)  # noqa: SLF001  the same
    decoder = Timed(pictures.decoded)
    with mock.patch.object(block, "decoded", decoder.run):
        worker.block(shots)
        session.seconds = decoder.seconds = 0.0
        start = time.process_time()
        for _ in range(rounds):
            worker.block(shots).to_bytes("")
        whole = time.process_time() - start
    calls = rounds * SIZE
    return Seconds(session.seconds / calls, decoder.seconds / calls, whole / calls)


def main() -> None:
    """Print a line for each model and size of the pictures."""
    with tempfile.TemporaryDirectory() as held:
        models = {
            MobileFaceNet().write(Path(held) / "mobilefacenet.onnx"): ROUNDS,
            ResNet50().write(Path(held) / "resnet50.onnx"): 1,
        }
        for side in SIDES:
            folder = Path(held) / str(side)
            resized(folder, side)
            size = "200 x 180" if side is None else f"{side} x {side}"
            for model, rounds in models.items():
                print(f"{model.stem}, {size}: {measured(folder, model, rounds)}")


if __name__ == "__main__":
    main()
