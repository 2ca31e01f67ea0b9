"""What a spec says of detectors, read without NumPy: what their faces have."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from frtaudit.collection.clients.face_finding import FaceFinder


class Gives(StrEnum):
    """What a detector says of a face."""

    BOX = "box"
    LANDMARKS = "landmarks"
    WHOLE = "whole"  # a picture is a face


class FaceDetector(Protocol):
    """A detector as a spec names it."""

    @property
    def gives(self) -> frozenset[Gives]:
        """What its faces have."""

    def recorded_settings(self) -> Mapping[str, str]:
        """Its settings and the digests of its files, as text."""

    def open(self) -> "FaceFinder":
        """Load its models."""
