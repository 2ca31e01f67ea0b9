"""Faces that a table gives: its box or its landmarks of each picture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from frtaudit.collection.clients.face_finding import FoundFace
from frtaudit.collection.embed.face_detector import Gives
from frtaudit.core.arrays import Pixels
from frtaudit.core.registry import register


@register("detector", "given")
@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The box (x, y, width, height) or the landmarks (x1, y1, ..., x5, y5) in the table's row of a picture."""

    gives = frozenset({Gives.BOX, Gives.LANDMARKS})

    def recorded_settings(self) -> Mapping[str, str]:
        """The kind."""
        return {"faces": "given by the table"}

    def open(self) -> "Given":
        """Nothing is loaded."""
        return self

    def faces(self, image: Pixels, given: FoundFace | None) -> Sequence[FoundFace]:  # noqa: ARG002  detectors share a signature
        """The face of the row; none if it has none."""
        return [] if given is None else [given]
