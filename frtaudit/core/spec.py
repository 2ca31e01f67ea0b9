"""The resolved, typed spec: frozen values that the pipeline takes. What it means is in README and docs.

Fields whose metadata says ``role: path`` name inputs or outputs and ``role: machine`` thread counts and the like:
both stay out of the audit's identity.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from frtaudit.core.methods import Method, Sided, Target
from frtaudit.core.profile import ProfileSpec
from frtaudit.core.provenance import Provenance
from frtaudit.core.spec_values import MACHINE, PATH, PadesLevel, Paper, SanitizeStep, Signatory

# Left out of the identity while it holds its default: older results keep their digests.
ADDED = {"added": True}


class GridKind(Enum):
    """How the threshold grid is given."""

    EXPLICIT = "explicit"
    LINEAR = "linear"
    QUANTILE = "quantile"
    FMR_DECADES = "fmr_decades"


class Reach(Enum):
    """How far down a curve over FMR targets is drawn."""

    DECLARED = "declared"
    RESOLUTION = "resolution"


class ThresholdSource(Enum):
    """Where a threshold came from; the report prints it."""

    SAME_DATA = "same_data"
    OTHER_COHORT = "other_cohort"
    FILE = "file"
    VENDOR = "vendor"


class Weighting(Enum):
    """What counts equally in a rate.

    Attributes
    ----------
    POOLED
        Every comparison.
    IDENTITY
        Every subject, or every pair of subjects.
    """

    POOLED = "pooled"
    IDENTITY = "identity"


class Plan(Enum):
    """What a bootstrap replicate resamples.

    Attributes
    ----------
    IMAGES
        Samples within each subject.
    SUBJECTS
        Subjects, with all their samples.
    DOUBLE_OR_NOTHING
        Subjects, each counted twice or not at all.
    TWO_LEVEL
        Subjects, then samples within them: a diagnostic.
    COMPARISONS
        Single comparisons: an audit draws no such replicates.
    """

    IMAGES = "images"
    SUBJECTS = "subjects"
    DOUBLE_OR_NOTHING = "double_or_nothing"
    TWO_LEVEL = "two_level"
    COMPARISONS = "comparisons"


class ConflictRule(Enum):
    """What happens to a subject whose samples disagree about its class."""

    ERROR = "error"
    DROP = "drop"
    MAJORITY = "majority"
    UNKNOWN = "unknown"


class Engine(Enum):
    """What multiplies where all pairs are scored: the processor, or a graphics processor (extra ``gpu``)."""

    CPU = "cpu"
    GPU = "gpu"


class FailureScore(Enum):
    """What a failed comparison is.

    Attributes
    ----------
    APART
        No score: a failure, counted apart.
    SCORE_ZERO
        The lowest score of the range (Peña-Alcántara 2022).
    """

    APART = "apart"
    SCORE_ZERO = "score_zero"


class FoldSource(Enum):
    """Where folds come from."""

    NONE = "none"
    OFFICIAL = "official"
    FILE = "file"
    DISJOINT = "disjoint"
    STRICT = "strict"


class FoldClaim(Enum):
    """What given folds are said to be: checked, and refused where they are not."""

    NONE = "none"
    DISJOINT = "disjoint"
    STRICT = "strict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bins:
    """Turn a numeric column into classes by edges, or by percentiles within a group (another schema)."""

    edges: tuple[float, ...] = ()
    percentiles: tuple[float, ...] = ()
    within: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaSpec:
    """A classification schema: a column and its classes, a binned number, or a crossing of other schemas.

    Parameters
    ----------
    column : str, optional
        Column of the class or of the number; none where schemas are crossed.
    classes, labels : tuple of str
        Classes in the order of the report, and what it prints for each; empty: those of the column.
    unknown : tuple of str
        Texts of the column that mean "not known".
    bins : frtaudit.core.spec.Bins, optional
        Edges or percentiles that turn a number into classes.
    cross : tuple of str
        Schemas whose classes are crossed.
    super_classes : mapping of str to tuple of str
        Super-class to the classes in it.
    conflicts : frtaudit.core.spec.ConflictRule
        What happens to a subject whose samples disagree.

    Examples
    --------
    >>> SchemaSpec(column="sex", classes=("female", "male")).conflicts.value
    'error'
    """

    column: str | None = None
    classes: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    bins: Bins | None = None
    cross: tuple[str, ...] = ()
    super_classes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    conflicts: ConflictRule = ConflictRule.ERROR


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """The threshold grid: ``values``; or ``low``, ``high``, ``num``; or FMR decades from ``high`` down to ``low``."""

    kind: GridKind = GridKind.FMR_DECADES
    values: tuple[float, ...] = ()
    low: float | None = None
    high: float | None = None
    num: int = 11


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveGrid:
    """FMR targets that only draw curves: ``per_decade``, evenly in log FMR, below the largest declared target.

    Down to the smallest declared one, or to the smallest that the comparisons resolve (FORMULAS 8.4).
    """

    per_decade: int = 4
    reach: Reach = Reach.DECLARED


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Where rates are read: at FMR targets, on a grid, and at thresholds from a declared source."""

    fmr: tuple[float, ...] = (0.01, 0.001)
    curve: CurveGrid = field(default_factory=CurveGrid)
    grid: Grid = field(default_factory=Grid)
    source: ThresholdSource = ThresholdSource.SAME_DATA
    file: str | None = field(default=None, metadata=PATH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bootstrap:
    """Number of resamples, alpha = 1 - level, plans (None: those that the intervals need), stratifying schema."""

    B: int = 1000
    alpha: float = 0.05
    plans: tuple[Plan, ...] | None = None
    stratify: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalSpec:
    """A method and the target it is to serve."""

    method: Method
    target: Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Folds:
    """Folds of the accuracy analysis: official (the cohort's), from a file, or constructed.

    ``claim``: what given folds must be; ``per_subject``: at most so many mated pairs of a subject, drawn; ``stratify``:
    a schema whose groups constructed folds hold in equal shares; ``overlap``: the same pairs again in folds that split
    each subject's mated pairs, for the difference that identity-disjoint folds make.
    """

    source: FoldSource = FoldSource.NONE
    k: int = 10
    file: str | None = field(default=None, metadata=PATH)
    claim: FoldClaim = FoldClaim.NONE
    per_subject: int | None = None
    stratify: str | None = None
    overlap: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSetSpec:
    """A test set: ``pairs`` (a registered protocol that lists pairs; None: the audit's own) and its folds."""

    pairs: object | None = None
    folds: Folds = field(default_factory=Folds)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequirementSpec:
    """A limit on an estimate: ``metric`` at ``at`` for ``group`` ("all", a class, "each") compared with ``limit``.

    ``of``: the rate that a ratio or an index is of; ``sense``: the direction of the limit, ``strict``: the limit itself
    breaks it; ``level``, ``sided``: of the interval whose bounds decide, by default 1 - ``bootstrap.alpha``;
    ``minimum``: how many subjects, comparisons or transactions it takes, else it is not testable; ``advisory``: it is
    reported and fails nothing; ``as_measured``: the estimate is held against the limit too, for a source that sets no
    statistical rule; ``profile``, ``source``: whose requirement it is.
    """

    name: str
    metric: str
    limit: float
    sense: str = "<="
    sided: Sided = Sided.ONE
    at: Mapping[str, float | str] = field(default_factory=dict)
    schema: str | None = None
    group: str = "all"
    weighting: str | None = None
    profile: str | None = None
    source: str | None = None
    of: str | None = field(default=None, metadata=ADDED)
    strict: bool = field(default=False, metadata=ADDED)
    level: float | None = field(default=None, metadata=ADDED)
    minimum: Mapping[str, int] = field(default_factory=dict, metadata=ADDED)
    advisory: bool = field(default=False, metadata=ADDED)
    as_measured: bool = field(default=False, metadata=ADDED)

    @property
    def place(self) -> Mapping[str, float | str]:
        """Where its estimate is read: ``at``, and the rate that it is of."""
        return self.at if self.of is None else {**self.at, "rate": self.of.removesuffix("_at_fmr")}

    def alpha(self, default: float) -> float:
        """The error of its bounds."""
        return default if self.level is None else round(1 - self.level, 12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What the report says of itself, and how it is signed; none of it is part of the audit's identity.

    ``earlier_runs``: in words, how often these data were looked at before, and what was changed since; printed, and
    where it is null ``not declared`` is. ``signatories``: who signs it by hand; ``previous``: the result.json of the
    last audit of the same systems. ``annex``: what the main report leaves out is laid out too, as ``annex.pdf``.
    ``checklists``: lists to fill, by name; ``templates``: a folder of sections, styles, words and a logo.
    """

    title: str | None = None
    organisation: str | None = None
    auditor: str | None = None
    commissioner: str | None = None
    purpose: str | None = None
    system_version: str | None = None
    reference: str | None = None
    earlier_runs: str | None = None
    date: str | None = None
    sign: bool = True
    key: str | None = None
    pades: PadesLevel = PadesLevel.B_B
    tsa: str | None = None
    evidence: str | None = None
    html: bool = True
    pdf: bool = True
    paper: Paper = Paper.A4
    signatories: tuple[Signatory, ...] = ()
    previous: str | None = field(default=None, metadata=PATH)
    checklists: tuple[str, ...] = field(default=(), metadata=ADDED)
    annex: bool = field(default=False, metadata=ADDED)
    templates: str | None = field(default=None, metadata={**PATH, **ADDED})


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSpec:
    """A whole audit; ``frtaudit.load_spec`` makes one. Plug-ins in it are instances of registered classes.

    Attributes
    ----------
    name, question, spec_version : str
        What the audit is called, what it is to answer, and the version of the format.
    cohort, protocol : object
        Plug-ins: who is tested, and which comparisons are made.
    providers : tuple of object or None
        Plug-ins or names of systems; None for all that the cohort offers.
    analyses : mapping of str to object
        Plug-ins by name.
    weighting : Weighting
        The primary one.
    failures : FailureScore
        What a failed comparison is.
    seed, tail_budget, threads : int
        Of every random draw; bytes for the tail of non-mated scores; 0 for one thread per core.
    name_failures : bool
        Whether the result names samples that failed.
    schemas, thresholds, bootstrap, intervals, folds, test_sets, requirements, sanitize, profiles, report : object
        The keys of these names in a spec.
    trained_on, provenance : object
        Declared: the set that each system was trained on; licences and origins of systems and test data.
    dask, checkpoint, seal : str or None
        Where all pairs are scored if not by threads: ``local``, or a scheduler by its address or file; the folder of
        finished blocks, to resume a run; the file of the seal that the run is held to.
    engine : frtaudit.core.spec.Engine
        What multiplies where all pairs are scored.

    Examples
    --------
    >>> import frtaudit
    >>> frtaudit.load_spec(["audit=demo", "seed=7"]).seed
    7
    """

    name: str
    cohort: object
    protocol: object
    analyses: Mapping[str, object]
    question: str = ""
    spec_version: str = "1"
    seed: int = 0
    weighting: Weighting = Weighting.IDENTITY
    schemas: Mapping[str, SchemaSpec] = field(default_factory=dict)
    providers: tuple[object, ...] | None = None
    failures: FailureScore = FailureScore.APART
    name_failures: bool = False
    thresholds: Thresholds = field(default_factory=Thresholds)
    bootstrap: Bootstrap = field(default_factory=Bootstrap)
    intervals: tuple[IntervalSpec, ...] = ()
    folds: Folds = field(default_factory=Folds)
    test_sets: Mapping[str, PairSetSpec] = field(default_factory=dict)
    requirements: tuple[RequirementSpec, ...] = ()
    tail_budget: int = 2_000_000_000
    sanitize: tuple[SanitizeStep, ...] = field(default=(), metadata=ADDED)
    trained_on: Mapping[str, str] = field(default_factory=dict, metadata=ADDED)
    provenance: Provenance = field(default_factory=Provenance, metadata=ADDED)
    profiles: Mapping[str, ProfileSpec] = field(default_factory=dict, metadata=ADDED)
    threads: int = field(default=0, metadata=MACHINE)
    dask: str | None = field(default=None, metadata=MACHINE)
    engine: Engine = field(default=Engine.CPU, metadata=MACHINE)
    checkpoint: str | None = field(default=None, metadata=MACHINE)
    seal: str | None = field(default=None, metadata=PATH)
    report: Report = field(default_factory=Report)
