"""What a spec says of models, read without NumPy: how a model wants its pixels."""

import math
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING

from frtaudit.errors import SpecError

if TYPE_CHECKING:
    from frtaudit.core.arrays import Pixels, Singles

CPU = "CPUExecutionProvider"


class Layout(StrEnum):
    """Order of a model's input: channels before the pixels, or after."""

    NCHW = "NCHW"
    NHWC = "NHWC"


class Colours(StrEnum):
    """Order of its colours."""

    RGB = "rgb"
    BGR = "bgr"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInput:
    """``size``: height, width; a pixel v becomes (v - ``mean``) / ``deviation``, by colour in the model's order."""

    size: tuple[int, int] = (112, 112)
    layout: Layout = Layout.NCHW
    colours: Colours = Colours.RGB
    mean: tuple[float, float, float] = (127.5, 127.5, 127.5)
    deviation: tuple[float, float, float] = (127.5, 127.5, 127.5)

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for a size or a deviation that no picture takes."""
        if min(self.size) < 1:
            raise SpecError(".size", f"{list(self.size)}", "height and width, 1 or more")
        if 0.0 in self.deviation or not all(map(math.isfinite, (*self.mean, *self.deviation))):
            problem = "mean or deviation: a deviation of 0, or no number"
            raise SpecError(".", problem, "finite numbers, deviations not 0")

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the input for one face."""
        return (1, 3, *self.size) if self.layout is Layout.NCHW else (1, *self.size, 3)

    def of(self, face: "Pixels") -> "Singles":
        """The input for a face, RGB, shape (height, width, 3)."""
        import numpy as np  # a spec is read without

        ordered = face[..., ::-1] if self.colours is Colours.BGR else face
        values = np.array(ordered.transpose(2, 0, 1), dtype=np.float32, order="C")
        values -= np.array(self.mean, np.float32)[:, None, None]
        values /= np.array(self.deviation, np.float32)[:, None, None]
        if self.layout is Layout.NHWC:
            values = np.ascontiguousarray(values.transpose(1, 2, 0))
        return values[None]


def input_of(settings: object) -> ModelInput:
    """The input that the fields of these names describe."""
    return ModelInput(**{part.name: getattr(settings, part.name) for part in fields(ModelInput)})
