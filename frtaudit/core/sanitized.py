"""What sanitization left of a cohort, step by step."""

from dataclasses import dataclass

from frtaudit.core.records import Count


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassCount:
    """Subjects and samples of one class of a schema."""

    schema: str
    group: str
    subjects: Count
    samples: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What was left after a step: ``step`` is its code (``read``: before the first), ``said`` its rule in words."""

    step: str
    said: str
    reason: str
    subjects: Count
    samples: Count
    groups: tuple[ClassCount, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Required:
    """How many subjects of a class have at least j samples: ``left[j - 1]``, j = 1, 2, ..., the most that any has."""

    schema: str
    group: str
    left: tuple[Count, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sanitized:
    """The stages in order, and ``required``: counted after the stage at position ``counted_at``.

    That is the last one before samples per subject are asked for: the choice of their number is seen there.
    """

    stages: tuple[Stage, ...]
    required: tuple[Required, ...]
    counted_at: Count
