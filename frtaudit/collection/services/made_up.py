"""A synthetic service on synthetic faces: no network, no credentials, no package."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from frtaudit.collection.clients.local import LocalSession
from frtaudit.collection.clients.made_up import boxes_in, likeness, logistic, template
from frtaudit.collection.clients.protocol import Gate, Limits
from frtaudit.core.arrays import Floats
from frtaudit.core.collecting import Box, Facts, Picture
from frtaudit.core.registry import register
from frtaudit.errors import SpecError


@register("service", "made_up")
@dataclass(frozen=True, slots=True, kw_only=True)
class MadeUp:
    """For demos, training and tests: scores synthetic pictures (source ``made_up``) by their pixels.

    ``model``: its name; another one has other noise. ``noise``, ``asymmetry``: standard deviations of a draw for each
    pair, and for each order of it, on the cosine of two thumbnails; ``middle``, ``slope``: score = 1 / (1 + exp(-slope
    (cosine - middle))).
    """

    model: str = "one"
    noise: float = 0.05
    asymmetry: float = 0.0
    middle: float = 0.45
    slope: float = 8.0
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for numbers that give no score."""
        numbers = (self.noise, self.asymmetry, self.middle, self.slope)
        if not np.isfinite(numbers).all() or min(self.noise, self.asymmetry) < 0 or self.slope <= 0:
            raise SpecError(".", "noise, asymmetry, middle or slope", "noise of 0 or more, slope above 0")

    detects = True  # it finds bright regions
    score_range = (0.0, 1.0)  # of the logistic function

    def recorded_settings(self) -> Mapping[str, str]:
        """All settings."""
        names = ("noise", "asymmetry", "middle", "slope")
        return {"model": self.model} | {name: f"{getattr(self, name):g}" for name in names}

    def open(self, gate: Gate) -> LocalSession[Picture]:
        """Bright regions, each with its template."""

        def find(picture: Picture) -> list[tuple[Box, Facts]]:
            return [(box, {"size": box.width}) for box in boxes_in(picture)]

        def score(values: Floats, other: Floats) -> tuple[float, Facts]:
            value = likeness(values, other, self.model, self.noise, self.asymmetry)
            return logistic(value, self.middle, self.slope), {}

        return LocalSession(
            gate=gate,
            version=self.model,
            read=lambda picture: picture,
            find=find,
            vector=template,
            score=score,
        )
