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
from frtaudit.core.transactions import Transactions

UNKNOWN = "unknown"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """One classification schema applied to a cohort.

    ``classes``: class names in the schema's order, without ``unknown``; ``labels``: what the report prints
    for each class (same order); ``codes``: shape (K,), int16, the class of each subject, ``-1`` = unknown;
    ``super_classes``: super-class name to class names (for example light, dark), possibly empty.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """Something that was left out or failed, counted: ``code`` says why, ``count`` how many of ``unit``."""

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

    ``sample_ids``: N unique names; ``subject_ids``: K unique names; ``subject_of``: shape (N,), int32,
    non-decreasing index into ``subject_ids``; ``classifications``: schema name to :class:`Classification`;
    ``ledger``: exclusions while the cohort was made; ``digest``: sha256 over ids, subjects and classes.
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

    ``rows``: shape (n,), int32, ascending cohort indices of the samples that have a template;
    ``vectors``: shape (n, D), float32, finite, no zero vector, not normalised.
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
    """What a cohort source hands to protocols and providers.

    ``templates``: provider name to a loader (called once, when the provider is scored); ``tables``: provider
    name to its listed comparisons and scores; ``failures``: provider name to {cohort sample index: code};
    ``pairs``: path of the official pair list, if any; ``inputs``: file name to sha256 of every file read;
    ``paths``: file name to where it was read, of those that have rows;
    ``attributes``: column name to one text per sample, shape (N,), object of str, empty = missing; ``training``: name
    to a training set, its people and their templates; ``seed``: the spec's, for protocols that draw;
    ``sanitized``: what the steps of sanitization left, None where there were none; ``named``: False where nobody is,
    and the cohort only stands in for scores without subjects; ``stored_systems``: provider name to what its run left;
    ``compared``: the comparisons of finished runs; ``folded``: their folds' pairs; ``labelling``: the identities
    of faces without labels; ``earlier``: the same of an earlier collection, whose faces are no samples;
    ``notes``: sentences about how it was gathered, for a report's notes; ``collection``: the same as facts; ``made``:
    provider name to what made its templates, where ``frtaudit embed`` did; ``transactions``: provider name to the
    transactions that its attempts belong to.
    """

    cohort: Cohort
    templates: Mapping[str, Callable[[], Templates]] = field(default_factory=dict)
    tables: Mapping[str, tuple[Comparisons, ScoreTable]] = field(default_factory=dict)
    failures: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    pairs: Path | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    paths: Mapping[str, Path] = field(default_factory=dict)
    pseudonym_key: bytes = b""
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
