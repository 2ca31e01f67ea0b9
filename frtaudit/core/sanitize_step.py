"""Steps of sanitization, as a spec names them."""

from dataclasses import dataclass
from enum import Enum


class Sanitize(Enum):
    """Steps that take samples or subjects out of a cohort before anything is scored, or refuse it."""

    CONFLICTING_LABELS = "conflicting_labels"
    MIN_FACE_SIZE = "min_face_size"
    MIN_SAMPLES = "min_samples"
    FIXED_SAMPLES = "fixed_samples"
    MIN_SUBJECTS = "min_subjects"


@dataclass(frozen=True, slots=True, kw_only=True)
class SanitizeStep:
    """One step of sanitization; steps are taken in the spec's order.

    ``number``: of samples per subject (``min_samples`` and ``fixed_samples``, 4 unless given), or of subjects per class
    (``min_subjects``, 30). ``width``, ``height``: the smallest face in pixels, read from the columns ``width_column``
    and ``height_column``. ``schema``: the one that ``conflicting_labels`` or ``min_subjects`` looks at; all by
    default. ``reason``: printed.
    """

    step: Sanitize
    number: int | None = None
    width: int = 50
    height: int = 50
    width_column: str = "face_width"
    height_column: str = "face_height"
    schema: str | None = None
    reason: str = ""
