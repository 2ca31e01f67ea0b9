"""The input of a model: crop of the face, size, order of colours and scale; with source and licence of the weights."""

import math
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING

from frtaudit.collection.clients.model_input import Colours, Layout, ModelInput, input_of
from frtaudit.errors import SpecError

if TYPE_CHECKING:
    from frtaudit.core.arrays import Floats

LANDMARKS = 5
ORDER = "image-left eye, image-right eye, nose, image-left and image-right corner of the mouth"


class EngineKind(StrEnum):
    """What computes templates: an ONNX model, or dlib's own network."""

    ONNX = "onnx"
    DLIB = "dlib"


class Cut(StrEnum):
    """How a face is cut out: by landmarks onto a template, by its box, or as dlib does by landmarks of its own."""

    LANDMARKS = "landmarks"
    BOX = "box"
    DLIB = "dlib"


class Metric(StrEnum):
    """What the model's authors compare templates by."""

    COSINE = "cosine"
    EUCLIDEAN = "euclidean"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """``name``: of the preset; ``engine``, ``cut``: what computes a template, and how a face is cropped.

    ``landmarks``: x, y of five landmarks in the input (order: see ``ORDER``).
    ``size``, ``layout``, ``colours``, ``mean``, ``deviation``: of the input, a pixel v becoming (v - mean) / deviation.
    ``margin``: of a box's own size on each side. ``scaled_in_graph``: the model subtracts and multiplies by itself.
    ``flip_sum``: a template is the sum of the face's and the mirrored face's; ``normalise``: it is scaled to length 1.
    ``metric``, ``source``, ``licence``: what is known of the model and its weights.
    """

    name: str = ""
    engine: EngineKind = EngineKind.ONNX
    cut: Cut = Cut.LANDMARKS
    landmarks: tuple[tuple[float, float], ...] = ()
    size: tuple[int, int] = (112, 112)
    layout: Layout = Layout.NCHW
    colours: Colours = Colours.RGB
    mean: tuple[float, float, float] = (0.0, 0.0, 0.0)
    deviation: tuple[float, float, float] = (1.0, 1.0, 1.0)
    margin: float = 0.0
    scaled_in_graph: bool = False
    flip_sum: bool = False
    normalise: bool = False
    metric: Metric = Metric.COSINE
    source: str = ""
    licence: str = ""

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for what is no template, no size, no margin."""
        self.model_input  # noqa: B018  it checks size and deviation
        five = len(self.landmarks) == LANDMARKS and all(map(math.isfinite, chain(*self.landmarks)))
        if self.cut is Cut.LANDMARKS and not five:
            raise SpecError(".landmarks", f"{len(self.landmarks)} landmarks", f"x, y of five: {ORDER}")
        if (self.engine is EngineKind.DLIB) != (self.cut is Cut.DLIB):
            raise SpecError(".cut", f"{self.cut} with engine {self.engine}", "engine: dlib with cut: dlib")
        if not 0 <= self.margin <= 5:
            raise SpecError(".margin", f"{self.margin:g}", "0 to 5")

    @property
    def model_input(self) -> ModelInput:
        """The input that an ONNX model of this kind takes."""
        return input_of(self)

    @property
    def template(self) -> "Floats":
        """The landmarks in the input, shape (5, 2), pixels: float32, as the families hold them."""
        import numpy as np  # a spec is read without

        return np.array(self.landmarks, dtype=np.float32)
