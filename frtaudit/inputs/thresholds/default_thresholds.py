"""The thresholds that libraries ship, and what each is as a score of a run: ``default_thresholds.json``."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class Scale(Enum):
    """What the scores of a run are; higher is more alike in each.

    The cosine of two templates; minus their squared Euclidean distance at unit length, which is 2 cosine - 2; or minus
    the Euclidean distance of the templates as they come.
    """

    COSINE = "cosine"
    MINUS_SQUARED_DISTANCE = "minus_squared_distance"
    MINUS_DISTANCE = "minus_distance"


@dataclass(frozen=True, slots=True, kw_only=True)
class Default:
    """A threshold as a library writes it: a similarity, or a distance at which or below which two images match."""

    library: str
    model: str
    metric: str
    threshold: float
    source: str

    @property
    def name(self) -> str:
        """What it is called in a table."""
        return f"{self.library} {self.model}, {self.metric.replace('_', ' ')} {self.threshold:g}"

    def on(self, scale: Scale) -> float | None:
        """The same threshold as a score, None where it does not follow: a raw distance is no cosine.

        A cosine distance d is 1 - c, a distance of unit templates d is c = 1 - d^2/2. A score equal to the threshold
        matches in the libraries and not here (match iff score > threshold).

        >>> sface = Default(library="OpenCV", model="SFace", metric="unit_euclidean", threshold=1.128, source="")
        >>> sface.on(Scale.COSINE)
        0.363808
        """
        if scale is Scale.MINUS_DISTANCE or self.metric not in _COSINE:
            raw = scale is Scale.MINUS_DISTANCE and self.metric == "euclidean"
            return -self.threshold if raw else None
        cosine = _COSINE[self.metric](self.threshold)
        value = cosine if scale is Scale.COSINE else 2 * cosine - 2
        return float(f"{value:.12g}")  # what was declared in three digits is not written in seventeen


_COSINE: Mapping[str, Callable[[float], float]] = {
    "cosine_similarity": lambda value: value,
    "cosine_distance": lambda value: 1 - value,
    "unit_euclidean": lambda value: 1 - math.pow(value, 2) / 2,
}


def default_thresholds() -> tuple[Default, ...]:
    """All of them, in the file's order."""
    document = json.loads(Path(__file__).with_suffix(".json").read_bytes())
    return tuple(Default(**entry) for entry in document["defaults"])
