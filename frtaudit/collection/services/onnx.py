"""Any ONNX model of face embeddings on this machine: its file's digest is recorded; nothing leaves it."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from frtaudit.collection.clients.dlib_faces import Detector, Finding, Pixels, largest
from frtaudit.collection.clients.embedding import load_onnxruntime
from frtaudit.collection.clients.pictures import pixels
from frtaudit.collection.clients.protocol import Gate, Limits
from frtaudit.core.canonical import sha256_file
from frtaudit.core.collecting import Answer, Box, CallError, Crop, DetectedFace, Detection, Picture, Refusal
from frtaudit.core.registry import register
from frtaudit.core.spec import PATH
from frtaudit.errors import ProviderError, SpecError

PACKAGE = "onnxruntime"
EXTRA = "pip install frtaudit[onnx]"
WHERE = "service onnx"

Template = npt.NDArray[np.float64]
Inputs = npt.NDArray[np.float32]


class Layout(StrEnum):
    """Order of a model's input: channels before the pixels, or after."""

    NCHW = "NCHW"
    NHWC = "NHWC"


class Colours(StrEnum):
    """Order of its colours."""

    RGB = "rgb"
    BGR = "bgr"


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
    layout: Layout = Layout.NCHW
    colours: Colours = Colours.RGB
    mean: tuple[float, float, float] = (127.5, 127.5, 127.5)
    deviation: tuple[float, float, float] = (127.5, 127.5, 127.5)
    output: str | None = None
    execution: str = "CPUExecutionProvider"
    detector: FoundBy = FoundBy.NONE
    margin: float = 0.0
    longest: int = 1600
    limits: Limits = field(default_factory=lambda: Limits(concurrency=2))

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for a size, a deviation or a margin that no picture takes."""
        if min(self.size) < 1:
            raise SpecError(".size", f"{list(self.size)}", "height and width, 1 and more")
        if 0.0 in self.deviation or not np.isfinite((*self.mean, *self.deviation)).all():
            raise SpecError(
                ".", "mean or deviation: a deviation of 0, or no number", "finite numbers, deviations not 0"
            )
        if not 0 <= self.margin <= 5:
            raise SpecError(".margin", f"{self.margin:g}", "0 to 5")
        self._finding()

    detects = True  # faces are found, and embedded, by a call of its own
    score_range = (-1.0, 1.0)  # of a cosine

    def recorded_settings(self) -> Mapping[str, str]:
        """Package, digest of the model, settings. Raises :class:`ProviderError` without the extra or the file."""
        finding = self._finding()
        return {
            "package": _installed(),
            "sha256 of model": sha256_file(self._file()),
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
        return _Open(self, _Network(self, self._file()), self._finding(), gate)

    def _finding(self) -> Finding | None:
        return Finding(longest=self.longest) if self.detector is FoundBy.DLIB else None

    def _file(self) -> Path:
        path = Path(self.model)
        if not path.is_file():
            raise ProviderError(WHERE, f"no file {self.model!r}", "model=FILE.onnx")
        return path

    def taken(self, image: Pixels, box: Box | None) -> Inputs:
        """The model's input for a face, shape (1, 3, height, width) or (1, height, width, 3)."""
        height, width = self.size
        cut = Image.fromarray(image)
        if box is not None:
            x, y = self.margin * box.width, self.margin * box.height
            sides = (box.x - x, box.y - y, box.x + box.width + x, box.y + box.height + y)
            cut = cut.crop(tuple(round(side) for side in sides))  # type: ignore[arg-type]  # four of them
        scaled = np.asarray(cut.resize((width, height), Image.Resampling.BILINEAR), dtype=np.float32)
        if self.colours is Colours.BGR:
            scaled = scaled[..., ::-1]
        values = (scaled - np.array(self.mean, np.float32)) / np.array(self.deviation, np.float32)
        return np.ascontiguousarray(
            (values.transpose(2, 0, 1) if self.layout is Layout.NCHW else values)[None]
        )


class _Network:
    """The model, loaded from the bytes of its one file, so that its digest says what runs."""

    def __init__(self, how: Onnx, path: Path) -> None:
        _installed()
        runtime = load_onnxruntime()
        if how.execution not in runtime.get_available_providers():
            accepted = ", ".join(runtime.get_available_providers())
            raise ProviderError(WHERE, f"no execution provider {how.execution!r} here", accepted)
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        try:
            self._run = runtime.InferenceSession(path.read_bytes(), options, providers=[how.execution])
        except Exception as error:  # the errors of onnxruntime share no other base
            raise ProviderError(
                WHERE, f"{path.name} is no ONNX model in one file", "a whole .onnx file"
            ) from error
        self._input = self._taken(how)
        self._output = self._given(how)
        self._try(how)

    def _taken(self, how: Onnx) -> str:
        """The input's name. Raises :class:`ProviderError` where it takes something else than our pictures."""
        inputs = self._run.get_inputs()
        if len(inputs) != 1 or inputs[0].type != "tensor(float)":
            text = ", ".join(f"{one.name} {one.type}" for one in inputs)
            raise ProviderError(WHERE, f"the model takes {text}", "one input, tensor(float)")
        ours = (1, 3, *how.size) if how.layout is Layout.NCHW else (1, *how.size, 3)
        theirs = inputs[0].shape
        fits = len(theirs) == 4 and all(
            not isinstance(there, int) or there == here for here, there in zip(ours, theirs, strict=True)
        )
        if not fits:
            text = f"the model takes shape {list(theirs)}, our pictures have {list(ours)}"
            raise ProviderError(WHERE, text, "size and layout of the model's input")
        return str(inputs[0].name)

    def _given(self, how: Onnx) -> str:
        """The output's name."""
        names = [str(output.name) for output in self._run.get_outputs()]
        if how.output is None and len(names) == 1:
            return names[0]
        if how.output not in names:
            text = "several outputs" if how.output is None else f"no output {how.output!r}"
            raise ProviderError(WHERE, text, f"output={' or '.join(names)}")
        return str(how.output)

    def _try(self, how: Onnx) -> None:
        grey = np.full((*how.size, 3), 127, dtype=np.uint8)
        try:
            found = self._run.run([self._output], {self._input: how.taken(grey, None)})[0]
        except Exception as error:  # the errors of onnxruntime share no other base
            raise ProviderError(
                WHERE, "the model fails on a grey picture", "size and layout of its input"
            ) from error
        if np.shape(found)[:1] != (1,) or np.size(found) < 2 or not np.issubdtype(found.dtype, np.floating):
            raise ProviderError(WHERE, f"output of shape {list(np.shape(found))}", "an embedding, [1, D]")

    def embedding(self, values: Inputs) -> Template:
        """Of unit length, shape (D,). Raises :class:`CallError` (failure to acquire, ``no_embedding``)."""
        try:
            found = np.asarray(
                self._run.run([self._output], {self._input: values})[0], dtype=np.float64
            ).ravel()
        except Exception as error:  # the errors of onnxruntime share no other base
            raise CallError(Refusal.FAILURE_TO_ACQUIRE, "no_embedding") from error
        length = float(np.linalg.norm(found))
        if not np.isfinite(length) or length == 0.0:
            raise CallError(Refusal.FAILURE_TO_ACQUIRE, "no_embedding")
        return found / length


class _Open:
    """The model, open for several threads; the detector lets one in at a time."""

    def __init__(self, how: Onnx, network: _Network, finding: Finding | None, gate: Gate) -> None:
        self._how, self._network, self._gate = how, network, gate
        self._detector = None if finding is None else Detector(finding)
        self._lock = threading.Lock()
        self._version = _installed()

    def detect(self, picture: Picture) -> Detection:
        """Every face from left to right, its embedding as its handle; without a detector the whole picture."""
        self._gate.attempt("detect")
        image = _array(picture)
        seen = [
            DetectedFace(box=box, handle=self._network.embedding(self._how.taken(image, box)), facts=facts)
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

    def _of(self, crop: Crop) -> Template:
        """The embedding of a crop: of the face that was seen, or of the largest."""
        if crop.face is not None and isinstance(crop.face.handle, np.ndarray):
            return crop.face.handle
        image = _array(crop.picture)
        box = crop.face.box if crop.face is not None else None
        if box is None and self._detector is not None:
            with self._lock:
                box = largest(self._detector.faces(image)).box
        return self._network.embedding(self._how.taken(image, box or _whole(image)))


def _installed() -> str:
    """Package and version. Raises :class:`ProviderError` without it."""
    try:
        return f"{PACKAGE} {version(PACKAGE)}"
    except PackageNotFoundError:
        raise ProviderError(WHERE, f"{PACKAGE} is not installed", EXTRA) from None


def _array(picture: Picture) -> Pixels:
    return np.array(pixels(picture), dtype=np.uint8)


def _whole(image: Pixels) -> Box:
    return Box(x=0, y=0, width=image.shape[1], height=image.shape[0])
