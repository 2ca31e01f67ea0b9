"""Who is tested: samples, their subjects, and the classes of the subjects under each schema."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from frtaudit.core.arrays import Floats, Index, Shorts, Singles, Texts
from frtaudit.core.canonical import Json
from frtaudit.core.comparisons import Comparisons
from frtaudit.core.freeze import freeze, require
from frtaudit.core.labelling import Labelling
from frtaudit.core.plain.records import ADDED, Count
from frtaudit.core.scores import ScoreTable, ScoreTail
from frtaudit.core.spec_values import UNKNOWN
from frtaudit.core.transactions import Transactions


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassCount:
    """Subjects and samples of one class of a schema."""

    schema: str
    group: str
    subjects: Count
    samples: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What was left after a step: ``step`` is its code (``read``: before the first), ``rule`` says it in words."""

    step: str
    rule: str
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """One classification schema applied to a cohort.

    Parameters
    ----------
    name : str
        Name of the schema.
    classes : tuple of str
        Class names in the schema's order, without ``unknown``.
    labels : tuple of str
        What the report prints for each class, in the same order.
    codes : ndarray of int16, shape (K,)
        Class of each subject, an index into ``classes``; -1 is unknown.
    super_classes : mapping of str to tuple of str, optional
        Super-class (for example light, dark) to the classes in it.

    Raises
    ------
    ValueError
        Classes are repeated, lack a label or are named ``unknown``, or a code is out of range.

    Examples
    --------
    >>> codes = np.array([0, 1, -1], dtype=np.int16)
    >>> Classification(name="sex", classes=("female", "male"), labels=("Women", "Men"), codes=codes).codes.tolist()
    [0, 1, -1]
    """

    name: str
    classes: tuple[str, ...]
    labels: tuple[str, ...]
    codes: Shorts
    super_classes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        freeze(self, "codes")
        require(len(self.classes) == len(self.labels), "one label per class")
        require(len(set(self.classes)) == len(self.classes), "class names are unique")
        require(UNKNOWN not in self.classes, "unknown is implied, not declared")
        require(
            self.codes.size == 0 or bool(self.codes.min() >= -1 and self.codes.max() < len(self.classes)),
            "class codes lie in -1..classes",
        )


NOT_SHARED = "scored_but_not_by_every_system"  # code of comparisons that another system did not score


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """Samples, subjects or comparisons that failed or were left out, counted.

    Parameters
    ----------
    code : str
        Why, in snake_case: ``no_face``.
    count : int
        How many of ``unit``.
    unit : str
        What is counted: ``samples``, ``subjects``, ``comparisons``, ...
    provider, schema, group : str, optional
        The system, the schema and the class that it is about.
    names : tuple of str, optional
        Names of samples, only where the spec asks for them (``name_failures``).

    Examples
    --------
    >>> LedgerEntry(code="no_face", count=2, unit="samples", provider="a").count
    2
    """

    code: str
    count: Count
    unit: str
    provider: str | None = None
    schema: str | None = None
    group: str | None = None
    names: tuple[str, ...] = field(default=(), metadata=ADDED)


def ledger_of(counts: Mapping[str, int], unit: str, provider: str | None = None) -> list[LedgerEntry]:
    """An entry for each code that something was left out for.

    >>> [entry.code for entry in ledger_of({"no_face": 2, "several_faces": 0}, "images")]
    ['no_face']
    """
    return [
        LedgerEntry(code=code, count=count, unit=unit, provider=provider)
        for code, count in counts.items()
        if count
    ]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Cohort:
    """Samples sorted by subject.

    Attributes
    ----------
    sample_ids : tuple of str
        N unique names.
    subject_ids : tuple of str
        K unique names.
    subject_of : ndarray of int32, shape (N,)
        Subject of each sample, a non-decreasing index into ``subject_ids``.
    classifications : mapping of str to Classification
        By name of the schema.
    digest : str
        SHA-256 over ids, subjects and classes.
    ledger : tuple of LedgerEntry
        What was left out while the cohort was made.

    Examples
    --------
    >>> two = Cohort(sample_ids=("a1", "a2", "b1"), subject_ids=("a", "b"),
    ...              subject_of=np.array([0, 0, 1], dtype=np.int32), classifications={}, digest="")
    >>> two.n_samples, two.n_subjects
    (3, 2)
    """

    sample_ids: tuple[str, ...]
    subject_ids: tuple[str, ...]
    subject_of: Index
    classifications: Mapping[str, Classification]
    digest: str
    ledger: tuple[LedgerEntry, ...] = ()

    def __post_init__(self) -> None:
        freeze(self, "subject_of")
        require(len(set(self.sample_ids)) == len(self.sample_ids), "sample ids are unique")
        require(len(set(self.subject_ids)) == len(self.subject_ids), "subject ids are unique")
        require(self.subject_of.shape == (len(self.sample_ids),), "one subject per sample")
        require(
            len(np.unique(self.subject_of)) == len(self.subject_ids),
            "every subject has a sample",
        )
        require(bool(np.all(np.diff(self.subject_of) >= 0)), "samples are sorted by subject")
        for schema in self.classifications.values():
            require(schema.codes.shape == (len(self.subject_ids),), "one class per subject")

    def __repr__(self) -> str:
        """Without a name: what an error prints may be published."""
        return f"{type(self).__name__}(samples={self.n_samples}, subjects={self.n_subjects})"

    @property
    def n_samples(self) -> int:
        """Number of samples N."""
        return len(self.sample_ids)

    @property
    def n_subjects(self) -> int:
        """Number of subjects K."""
        return len(self.subject_ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Templates:
    """Feature vectors of one provider.

    Parameters
    ----------
    rows : ndarray of int32, shape (n,)
        Ascending cohort indices of the samples that have a template.
    vectors : ndarray of float32, shape (n, D)
        Finite, no zero vector, not normalised.

    Raises
    ------
    ValueError
        The shapes disagree, or ``rows`` do not ascend.

    Examples
    --------
    >>> Templates(rows=np.array([0, 2], dtype=np.int32), vectors=np.ones((2, 4), dtype=np.float32)).vectors.shape
    (2, 4)
    """

    rows: Index
    vectors: Singles

    def __post_init__(self) -> None:
        freeze(self, "rows", "vectors")
        require(self.vectors.ndim == 2, "vectors are a matrix")
        require(self.rows.shape == (self.vectors.shape[0],), "one row per vector")
        require(bool(np.all(np.diff(self.rows) > 0)), "rows ascend")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSystem:
    """One system of a finished run: what its tables hold.

    ``tail``: of all pairs, or None; ``table``: scores of listed comparisons, or None; ``score_range``: low, high;
    ``pairs``: the folds' pairs with their scores, or None; ``replicates``: FMR target to FNMR of everybody in every
    replicate of subjects (B,), pooled and identity-weighted, drawn with ``seed``; ``resamples``: the run's B;
    ``signer``: whom its statement names, None for an unsigned run.
    """

    score_range: tuple[float, float]
    tail: ScoreTail | None = None
    table: ScoreTable | None = None
    pairs: tuple[Comparisons, ScoreTable] | None = None
    replicates: Mapping[tuple[float, str], Floats] = field(default_factory=dict)
    seed: int = 0
    resamples: int = 0
    signer: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CohortData:
    """What a cohort source gives to protocols and providers. A source sets what it has; the rest keeps its default.

    Parameters
    ----------
    cohort : Cohort
        Samples, subjects and classes.
    templates : mapping of str to callable, optional
        Provider to a loader of its ``Templates``, called once, when the provider is scored.
    tables : mapping of str to (Comparisons, ScoreTable), optional
        Provider to its listed comparisons and scores.
    failures : mapping of str to mapping of int to str, optional
        Provider to {cohort sample index: failure code}.
    pairs : Path, optional
        The official list of pairs.
    inputs : mapping of str to str, optional
        File name to SHA-256, of every file that was read.
    paths : mapping of str to Path, optional
        File name to the place where it was read, of those that have rows.
    unread : tuple of str
        Files beside them that may be tables too, but end otherwise.
    pseudonym_key : bytes
        Key of the pseudonyms that stand for names in what is published.
    secret : bool
        Whether that key came from a file: tables are then in the order of the pseudonyms, which tells no names.
    attributes : mapping of str to ndarray of object, shape (N,), optional
        Column to one text per sample; empty is missing.
    training : mapping of str to CohortData, optional
        Name of a training set to its subjects and templates.
    seed : int
        The spec's, for protocols that draw.
    sanitized : Sanitized, optional
        What the steps of sanitization left; None without steps.
    named : bool
        False where no subject is known, as for scores without subjects.
    stored_systems : mapping of str to StoredSystem, optional
        Provider to the tables of its finished run.
    compared, folded : Comparisons, optional
        The comparisons of finished runs, and the pairs of their folds.
    labelling, earlier : Labelling, optional
        Identities of faces without labels; the same of an earlier collection.
    notes : tuple of str
        Sentences on how the cohort was gathered, for the report.
    collection : mapping, optional
        The same as facts.
    made : mapping of str to mapping, optional
        Provider to the record of ``frtaudit embed`` on its templates.
    transactions : mapping of str to Transactions, optional
        Provider to the transactions that its attempts belong to.

    Examples
    --------
    >>> nobody = np.empty(0, dtype=np.int32)
    >>> empty = Cohort(sample_ids=(), subject_ids=(), subject_of=nobody, classifications={}, digest="")
    >>> CohortData(cohort=empty, inputs={"faces.csv": "00ff"}).named
    True
    """

    cohort: Cohort
    templates: Mapping[str, Callable[[], Templates]] = field(default_factory=dict)
    tables: Mapping[str, tuple[Comparisons, ScoreTable]] = field(default_factory=dict)
    failures: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    pairs: Path | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    paths: Mapping[str, Path] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    pseudonym_key: bytes = b""
    secret: bool = False
    attributes: Mapping[str, Texts] = field(default_factory=dict)
    training: "Mapping[str, CohortData]" = field(default_factory=dict)
    seed: int = 0
    sanitized: Sanitized | None = None
    named: bool = True
    stored_systems: Mapping[str, StoredSystem] = field(default_factory=dict)
    compared: Comparisons | None = None
    folded: Comparisons | None = None
    labelling: Labelling | None = None
    earlier: Labelling | None = None
    notes: tuple[str, ...] = ()
    collection: Mapping[str, Json] | None = None
    made: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    transactions: Mapping[str, Transactions] = field(default_factory=dict)
