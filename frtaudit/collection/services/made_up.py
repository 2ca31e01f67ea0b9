"""A synthetic service on synthetic faces: no network, no credentials, no package."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from frtaudit.collection.clients.handles import largest
from frtaudit.collection.clients.made_up import boxes_in, likeness, logistic, template
from frtaudit.collection.clients.protocol import Gate, Limits
from frtaudit.core.arrays import Floats
from frtaudit.core.collecting import Answer, CallError, Crop, DetectedFace, Detection, Picture, Refusal
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

    def open(self, gate: Gate) -> "MadeUpSession":
        """Nothing is missing."""
        return MadeUpSession(self, gate)


class MadeUpSession:
    """Open for calls."""

    def __init__(self, settings: MadeUp, gate: Gate) -> None:
        self._settings, self._gate = settings, gate

    def detect(self, picture: Picture) -> Detection:
        """Bright regions; a handle is the template."""
        self._gate.attempt("detect")
        return Detection(faces=_faces(picture), version=self._settings.model)

    def compare(self, probe: Crop, reference: Crop) -> Answer:
        """The score of two regions."""
        self._gate.attempt("compare")
        template, other = _template(probe), _template(reference)
        settings = self._settings
        value = likeness(template, other, settings.model, settings.noise, settings.asymmetry)
        return Answer(score=logistic(value, settings.middle, settings.slope), version=settings.model)

    def close(self) -> None:
        """Nothing to close."""


def _faces(picture: Picture) -> tuple[DetectedFace, ...]:
    boxes = boxes_in(picture)
    return tuple(
        DetectedFace(box=box, handle=template(picture, box), facts={"size": box.width}) for box in boxes
    )


def _template(crop: Crop) -> Floats:
    seen = crop.face if crop.face is not None else largest(_faces(crop.picture))
    if isinstance(seen.handle, np.ndarray):
        return seen.handle
    if seen.box is None:
        raise CallError(Refusal.FAILURE_TO_ACQUIRE, "no_face")
    return template(crop.picture, seen.box)
