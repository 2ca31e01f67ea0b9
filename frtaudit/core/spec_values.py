"""Values that a spec names: of sanitization, comparisons, scores, labels of identities, paper, signatures."""

from dataclasses import dataclass
from enum import Enum, StrEnum

PATH = {"role": "path"}  # of a field that names a file or a folder
MACHINE = {"role": "machine"}  # of one that changes no number

UNKNOWN = "unknown"  # the class of a subject whose class no file says
FOLDS = "folds"  # what the pairs of spec.folds are called among test sets
PROTOCOL = "protocol"  # what the audit's own list of pairs is called among test sets
COSINE_RANGE, UNIT_DISTANCE_RANGE = (-1.0, 1.0), (-4.0, 0.0)  # of scores of templates of unit length
SIMILARITY = 0.9  # cosine above which faces of a query are near-duplicates: Knott et al., supplement A


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


class NonMated(Enum):
    """Which non-mated comparisons count.

    Attributes
    ----------
    ALL
        All.
    WITHIN_GROUP
        Those of two subjects of one class of one schema.
    YOKED
        Those of two subjects whose classes agree under every schema.
    """

    ALL = "all"
    WITHIN_GROUP = "within_group"
    YOKED = "yoked"


class OrderRule(Enum):
    """What the two orders of a pair, A-B and B-A, are.

    Attributes
    ----------
    MEAN
        One comparison, with their mean score.
    EACH
        A comparison each.
    """

    MEAN = "mean"
    EACH = "each"


class Paper(Enum):
    """The sheet that the PDF is laid out for."""

    A4 = "a4"
    LETTER = "letter"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signatory:
    """Who signs the paper: a name and, where it is declared, a role."""

    name: str
    role: str | None = None


class PadesLevel(Enum):
    """How far the PDF's signature reaches: by itself, with a time, with revocation data, with a time over all of it."""

    B_B = "B-B"
    B_T = "B-T"
    B_LT = "B-LT"
    B_LTA = "B-LTA"


class LabelSource(StrEnum):
    """Source of the identities; ``combined``: the annotated ones where there is an answer, else the estimated."""

    ESTIMATED = "estimated"
    ANNOTATED = "annotated"
    COMBINED = "combined"


class Rule(StrEnum):
    """How many identities a service sees: ``public``, as the numbers were made, or ``paper``, as it is written."""

    PUBLIC = "public"
    PAPER = "paper"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """``size``: of an eigenvalue that counts (T); ``ratio``: to the next; ``tau``: of z; fewest faces, positives."""

    size: float = 4.0
    ratio: float = 1.5
    tau: float = 0.2
    min_faces: int = 8
    min_positives: int = 5


class Nan(Enum):
    """What a score that is not a number means: a fault of the file, or a comparison that failed."""

    REFUSE = "refuse"
    FAILED = "failed"
