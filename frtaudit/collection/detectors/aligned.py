"""Pictures that are aligned faces already."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from frtaudit.collection.clients.face_finding import FoundFace
from frtaudit.collection.embed.face_detector import Gives
from frtaudit.core.arrays import Pixels
from frtaudit.core.registry import register


@register("detector", "aligned")
@dataclass(frozen=True, slots=True, kw_only=True)
class Aligned:
    """Each picture is a face that is already cropped and aligned, in exactly the size of the model's input."""

    gives = frozenset({Gives.WHOLE})

    def recorded_settings(self) -> Mapping[str, str]:
        """The kind."""
        return {"faces": "pictures are aligned faces"}

    def open(self) -> "Aligned":
        """Nothing is loaded."""
        return self

    def faces(self, image: Pixels, given: FoundFace | None) -> Sequence[FoundFace]:  # noqa: ARG002  detectors share a signature
        """One, without a box."""
        return [FoundFace()]
