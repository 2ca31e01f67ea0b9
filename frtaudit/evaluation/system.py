"""One system that is audited: its scores, the rates at every point of interest, the replicates. What analyses read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

import numpy as np

from frtaudit.core import (
    Cohort,
    CohortData,
    Comparisons,
    Groups,
    LedgerEntry,
    Method,
    ScoreTable,
    ScoreTail,
    Target,
)
from frtaudit.core.arrays import Flags, Floats, Index, Ints
from frtaudit.core.curves import Curve
from frtaudit.core.estimates import Estimate
from frtaudit.core.spec import AuditSpec, FailureScore, IntervalSpec, Plan, SchemaSpec, Weighting
from frtaudit.errors import SpecError
from frtaudit.stats.bootstrap.resample import Replicates
from frtaudit.stats.intervals.wilson import WilsonRule
from frtaudit.stats.rates.censoring import Censoring
from frtaudit.stats.rates.orders import Asymmetry
from frtaudit.stats.rates.rates import Rates
from frtaudit.stats.rates.trials import Trials
from frtaudit.stats.similarity.allpairs import ScoredTail, TailRequest
from frtaudit.stats.similarity.scorers import BlockScorer

POOLED = 0
BELOW_FLOOR = "the threshold lies below the floor of the kept tail"
WEIGHTINGS: tuple[Weighting, ...] = (Weighting.POOLED, Weighting.IDENTITY)
DEFAULT_INTERVALS = (
    IntervalSpec(method=Method.WILSON, target=Target.POPULATION),
    IntervalSpec(method=Method.VERTEX, target=Target.POPULATION),
    IntervalSpec(method=Method.RECENTERED, target=Target.FIXED_IDENTITIES),
)


def stratum(spec: AuditSpec, schemas: Sequence[str]) -> str | None:
    """The schema within whose groups the subject plans draw: ``bootstrap.stratify``, or the first (FORMULAS 8.2).

    None: among everybody, as for a cohort that is a random sample of the mix (``stratify: none``).
    """
    name = spec.bootstrap.stratify or next(iter(schemas), None)
    return None if name == "none" else name


def offered(cohort_data: CohortData) -> list[str]:
    """Systems that a cohort brings: templates, score lists, finished runs, each name once."""
    return list(dict.fromkeys([*cohort_data.templates, *cohort_data.tables, *cohort_data.stored_systems]))


def on_panel(spec: AuditSpec, cohort_data: CohortData) -> list[str]:
    """Names of the systems that are audited, in their order: the spec's, else all that the cohort offers."""
    if spec.providers is None:
        return offered(cohort_data)
    return [
        provider if isinstance(provider, str) else str(getattr(provider, "name", ""))
        for provider in spec.providers
    ]


class CohortSource(Protocol):
    """Where people come from (``cohort`` plug-ins)."""

    def load(self, schemas: Mapping[str, SchemaSpec], seed: int) -> CohortData:
        """Samples, subjects, classes, and what providers need."""


class Pairing(Protocol):
    """Which comparisons are made (``protocol`` plug-ins)."""

    def comparisons(self, cohort_data: CohortData) -> Comparisons:
        """Listed comparisons, or all pairs, implied."""


class Provider(Protocol):
    """A system under test: what a registered provider offers (``provider`` plug-ins)."""

    @property
    def name(self) -> str:
        """How the result calls it."""

    @property
    def score_range(self) -> tuple[float, float]:
        """Lowest and highest possible score."""

    @property
    def recommended(self) -> Mapping[str, float]:
        """The vendor's thresholds by name."""

    @property
    def thresholds_version(self) -> str | None:
        """Version of those thresholds."""

    def failed(self, cohort_data: CohortData, seed: int) -> Mapping[int, str]:
        """Cohort sample index to failure code."""

    def score_table(
        self,
        cohort_data: CohortData,
        comparisons: Comparisons,
        seed: int,
        failures: FailureScore = FailureScore.APART,
    ) -> ScoreTable:
        """The scores of listed comparisons, in their order."""

    def score_tail(
        self,
        cohort_data: CohortData,
        comparisons: Comparisons,
        groups: Groups,
        request: TailRequest,
        seed: int,
        failures: FailureScore = FailureScore.APART,
    ) -> ScoredTail:
        """The scores of all pairs: those that ``request`` asks to be exact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingPoints:
    """Where rates are read, for both weightings (first axis: pooled, identity).

    ``targets`` (A,): FMR targets, ascending; ``at_target`` (2, A) float64: their thresholds on these data, NaN below
    the floor; ``at_max`` (2, S, A): those at which the largest FMR of a schema's groups meets the target;
    ``thresholds`` (T,): fixed thresholds; ``origin``: T mappings that name a fixed threshold in an estimate's ``at``.
    ``declared``: positions of the targets that the spec declared (the rest only draw curves).
    """

    targets: tuple[float, ...]
    declared: tuple[int, ...]
    at_target: Floats
    at_max: Floats
    thresholds: tuple[float, ...]
    origin: tuple[Mapping[str, float | str], ...]

    @property
    def finite(self) -> Floats:
        """Every threshold that is known, once, ascending, float64."""
        every = np.concatenate([self.at_target.ravel(), self.at_max.ravel(), self.thresholds])
        return np.unique(every[np.isfinite(every)])


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldPairs:
    """The pairs of the accuracy analysis, scored.

    ``first``, ``second`` (P,) int64: subjects; ``mated`` (P,) bool; ``score`` (P,) float64; ``folds`` (P,) int64, -1 =
    in no fold; ``failed``: pairs left out, without a score; ``dropped``: non-mated pairs across folds, left out;
    ``tail``: the same pairs for rates; ``disjoint``: every subject's mated pairs lie in one fold; ``strict``: all its
    pairs do; ``origin``: in words; ``overlap`` (P,) int64: folds that split each subject's mated pairs, non-mated
    ones as in ``folds``; ``listed``: all pairs, scored or not; ``at`` (P,) int64: places of these pairs among them.
    """

    first: Ints
    second: Ints
    mated: Flags
    score: Floats
    folds: Ints
    k: int
    failed: int
    dropped: int
    disjoint: bool
    tail: ScoreTail
    origin: str
    listed: Comparisons
    at: Ints
    strict: bool = False
    overlap: Ints | None = None

    @property
    def official(self) -> bool:
        """Whether the folds are the list's own, and not constructed of the pairs that have a score."""
        return self.listed.fold is not None and np.array_equal(self.listed.fold[self.at], self.folds)

    def pairs_in(self, folds: Ints) -> Comparisons:
        """The pairs that lie in one of ``folds``, shape (P,), int64, each with its fold; official ones unscored too."""
        listed = self.listed
        fold = np.full(listed.n_listed, -1, dtype=np.int16)
        fold[self.at] = folds
        if folds is self.folds and self.official and listed.fold is not None:
            fold = listed.fold
        at = np.flatnonzero(fold >= 0)
        return replace(
            listed,
            probe=listed.probe[at],
            reference=listed.reference[at],
            mated=listed.mated[at],
            fold=fold[at],
        )

    @property
    def n_subjects(self) -> int:
        """How many subjects stand in the pairs that lie in a fold."""
        used = self.folds >= 0
        return int(np.unique(np.concatenate([self.first[used], self.second[used]])).size)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemData:
    """Everything an analysis may read about one provider.

    ``rates``: pooled and identity pair of rates at :class:`OperatingPoints` (targets first, then thresholds);
    ``resolved``: for each target None, or why it cannot be resolved (FORMULAS 8.4); ``warned``: what to say of it;
    ``failed``: cohort sample index to failure code; ``table``: scores and failures of listed comparisons; ``attempts``:
    the same with failures kept apart, whatever the spec does with them; ``test_sets``: name to its scored pairs;
    ``surveys``: analysis name to what it found out once for all systems; ``orders``: how far the two orders of a
    comparison are apart, where both were made; ``censoring``: what the scores hide; ``hidden``: (weighting, target) by
    their places to why that target's threshold is hidden; ``block``: scores slices of the acquired samples again, None
    where the scores came from a file.
    """

    provider: str
    spec: AuditSpec
    cohort_data: CohortData
    comparisons: Comparisons
    table: ScoreTable | None
    tail: ScoreTail
    groups: Groups
    trials: Trials
    operating_points: OperatingPoints
    rates: tuple[Rates, Rates]
    replicates: Mapping[Plan, Replicates]
    rule: WilsonRule
    resolved: tuple[str | None, ...]
    warned: tuple[str | None, ...]
    failed: Mapping[int, str]
    attempts: ScoreTable | None = None
    notes: tuple[str, ...] = ()
    fold_pairs: FoldPairs | None = None
    test_sets: Mapping[str, FoldPairs] = field(default_factory=dict)
    surveys: Mapping[str, object] = field(default_factory=dict)
    orders: Asymmetry | None = None
    censoring: Censoring = field(default_factory=Censoring)
    hidden: Mapping[tuple[int, int], str] = field(default_factory=dict)
    block: BlockScorer | None = None

    def refused(self, w: int, a: int) -> str | None:
        """Why target ``a`` has no threshold under weighting ``w``, None where it has one."""
        if np.isfinite(self.operating_points.at_target[w, a]):
            return None
        return self.resolved[a] or self.hidden.get((w, a)) or BELOW_FLOOR

    @property
    def cohort(self) -> Cohort:
        """The cohort that is audited."""
        return self.cohort_data.cohort

    @property
    def intervals(self) -> tuple[IntervalSpec, ...]:
        """The intervals that the spec asks for, or the defaults."""
        return self.spec.intervals or DEFAULT_INTERVALS

    def every_group(self) -> list[tuple[int, str | None, str]]:
        """(group_index, schema, group) of everybody and of every group."""
        return [
            (0, None, "all"),
            *((index + 1, schema, name) for index, (schema, name) in enumerate(self.groups.names)),
        ]

    def classes(self, schema: str) -> list[tuple[int, str]]:
        """(group_index, class) of the classes of a schema that are compared with each other, in its order."""
        flags = zip(self.groups.names, self.groups.ranked, strict=True)
        return [
            (index + 1, name)
            for index, ((group_schema, name), ranked) in enumerate(flags)
            if ranked and group_schema == schema
        ]


def strata_of(spec: AuditSpec, groups: Groups) -> Index | None:
    """Strata of the subject plans: groups of ``bootstrap.stratify``, by default of the first schema (FORMULAS 8.2)."""
    name = stratum(spec, groups.schemas)
    if name is None:
        return None
    if name not in groups.schemas:
        raise SpecError(
            "bootstrap.stratify", f"no schema is named {name!r}", ", ".join([*groups.schemas, "none"])
        )
    return np.asarray(groups.of[groups.schemas.index(name)], dtype=np.int32)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisOutput:
    """What an analysis hands back.

    ``files``: name to bytes, lists that the run folder gets beside the result; ``per_system_state``: what it wants to
    see again when all systems were evaluated.
    """

    estimates: tuple[Estimate, ...] = ()
    curves: tuple[Curve, ...] = ()
    failures: tuple[LedgerEntry, ...] = ()
    notes: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    per_system_state: object | None = None


@runtime_checkable
class CohortAnalysis(Protocol):
    """An analysis that looks at the cohort once, before any system is evaluated."""

    def survey(self, spec: AuditSpec, cohort_data: CohortData) -> object:
        """What its :meth:`Analysis.estimates` find in ``system.surveys`` under its name."""


class Analysis(Protocol):
    """What is estimated of a system (``analysis`` plug-ins)."""

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """Estimates with intervals of level 1 - alpha, and curves."""


class Comparison(Protocol):
    """An analysis that also compares systems: it kept something of each, and is asked once after the last."""

    def across(self, states: Mapping[str, object], spec: AuditSpec, alpha: float) -> AnalysisOutput:
        """Estimates over several systems; ``states``: the ``per_system_state`` of each provider."""
