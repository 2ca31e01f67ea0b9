"""One system that is audited: its scores, the rates at every point of interest, the replicates. What analyses read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

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
from frtaudit.core.arrays import Bytes, Flags, Floats, Index, Ints
from frtaudit.core.canonical import seed_of
from frtaudit.core.comparisons import chosen
from frtaudit.core.curves import Curve
from frtaudit.core.estimates import Estimate
from frtaudit.core.machine.progress import Progress, quiet
from frtaudit.core.spec import AuditSpec, IntervalSpec, Plan, Weighting
from frtaudit.core.spec_values import FOLDS
from frtaudit.errors import SpecError
from frtaudit.stats.bootstrap.resample import Replicates, replicate
from frtaudit.stats.bootstrap.rescored_batches import Rescoring
from frtaudit.stats.bootstrap.weights import draw_between
from frtaudit.stats.intervals.wilson import WilsonRule
from frtaudit.stats.rates.censoring import Censoring
from frtaudit.stats.rates.orders import Asymmetry
from frtaudit.stats.rates.rates import Rates
from frtaudit.stats.rates.trials import Trials
from frtaudit.stats.similarity.scorers import BlockScorer

POOLED = 0
BELOW_FLOOR = "the threshold lies below the floor of the kept tail"
STRATIFIED = (Plan.SUBJECTS, Plan.TWO_LEVEL)  # the plans that draw subjects (FORMULAS 8.2)
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
        return replace(chosen(listed, at), fold=fold[at], transaction=None)

    @property
    def n_subjects(self) -> int:
        """How many subjects stand in the pairs that lie in a fold."""
        used = self.folds >= 0
        return int(np.unique(np.concatenate([self.first[used], self.second[used]])).size)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemData:
    """Everything that an analysis may read about one system.

    Pairs by weighting are pooled first, then identity-weighted.

    Attributes
    ----------
    provider : str
        Name of the system.
    spec : AuditSpec
        The audit.
    cohort_data : CohortData
        What the cohort source gave.
    comparisons : Comparisons
        Which comparisons were made.
    table, attempts : ScoreTable or None
        Scores and failures of listed comparisons; ``attempts`` keeps failures apart, whatever the spec does with them.
    tail : ScoreTail
        Scores as the estimators need them.
    groups : Groups
        The classes of all schemas.
    trials : frtaudit.stats.rates.trials.Trials
        Denominators by group.
    operating_points : frtaudit.evaluation.system.OperatingPoints
        FMR targets with their thresholds on these data, then fixed thresholds.
    rates : (frtaudit.stats.rates.rates.Rates, frtaudit.stats.rates.rates.Rates)
        Rates at the operating points, pooled and identity-weighted.
    replicates : mapping of Plan to frtaudit.stats.bootstrap.resample.Replicates
        Bootstrap replicates.
    rule : frtaudit.stats.intervals.wilson.WilsonRule
        What the interval ``wilson`` is computed from.
    resolved, warned : tuple of (str or None)
        For each target why the data do not resolve it, and what must be said of it; None where nothing.
    failed : mapping of int to str
        Cohort sample index to failure code.
    notes : tuple of str
        Sentences for the report.
    fold_pairs : frtaudit.evaluation.system.FoldPairs or None
        The scored pairs of the accuracy analysis.
    test_sets : mapping of str to frtaudit.evaluation.system.FoldPairs
        Further test sets, scored.
    surveys : mapping of str to object
        Analysis to what its ``CohortAnalysis.survey`` returned.
    orders : frtaudit.stats.rates.orders.Asymmetry or None
        How far the two orders of a comparison differ, where both were made.
    censoring : frtaudit.stats.rates.censoring.Censoring
        Which scores are cut off or rounded.
    hidden : mapping of (int, int) to str
        (weighting, target) by their positions to why that target's threshold is hidden by censoring.
    block : callable or None
        Scores slices of the acquired samples again; None where the scores came from a file.
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
        """Why an FMR target has no threshold.

        Parameters
        ----------
        w : int
            0 for the pooled weighting, 1 for the identity weighting.
        a : int
            Position of the target.

        Returns
        -------
        str or None
            The reason; None where there is a threshold.
        """
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

    @property
    def pair_sets(self) -> dict[str, FoldPairs]:
        """The pairs of the folds, if there are some, and every test set."""
        return ({} if self.fold_pairs is None else {FOLDS: self.fold_pairs}) | dict(self.test_sets)

    def every_group(self) -> list[tuple[int, str | None, str]]:
        """All subjects, and every class of every schema.

        Returns
        -------
        list of (int, str or None, str)
            Group index, schema and group; ``(0, None, "all")`` first.
        """
        return [
            (0, None, "all"),
            *((index + 1, schema, name) for index, (schema, name) in enumerate(self.groups.names)),
        ]

    def classes(self, schema: str) -> list[tuple[int, str]]:
        """The classes of a schema that are compared with each other.

        Parameters
        ----------
        schema : str
            Its name.

        Returns
        -------
        list of (int, str)
            Group index and class, in the schema's order, without ``unknown``.
        """
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


def replicates_of(
    spec: AuditSpec,
    plan: Plan,
    tail: ScoreTail,
    groups: Groups,
    targets: Sequence[float],
    thresholds: Sequence[float] = (),
    *,
    progress: Progress = quiet,
    below: Rescoring | None = None,
) -> Replicates:
    """Those of a plan, by the spec's seed, strata and number; the seed knows the plan, not the provider.

    Vendors share subject weights.
    """
    return replicate(
        tail,
        groups,
        plan=plan,
        n=spec.bootstrap.B,
        seed=seed_of(spec.seed, "bootstrap", plan.value),
        targets=targets,
        thresholds=thresholds,
        strata=strata_of(spec, groups) if plan in STRATIFIED else None,
        threads=spec.threads,
        progress=progress,
        below=below,
    )


def subject_copies(spec: AuditSpec, groups: Groups, subjects: int) -> Bytes:
    """How often each of K ``subjects`` stands in each replicate of the plan that draws them, shape (K, B)."""
    strata = strata_of(spec, groups)
    return draw_between(
        np.zeros(subjects, dtype=np.int32) if strata is None else strata,
        seed=seed_of(spec.seed, "bootstrap", Plan.SUBJECTS.value),
        first=0,
        count=spec.bootstrap.B,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisOutput:
    """What an analysis returns.

    Parameters
    ----------
    estimates : tuple of Estimate
        Numbers with their counts and intervals.
    curves : tuple of Curve
        What figures draw.
    failures : tuple of LedgerEntry
        What was left out, counted.
    notes : tuple of str
        Sentences that the report prints with the method.
    files : mapping of str to bytes
        Files of the run folder, under ``lists/``.
    per_system_state : object, optional
        What ``Comparison.across`` gets of this system.

    Examples
    --------
    >>> AnalysisOutput(notes=("No comparison was made.",)).estimates
    ()
    """

    estimates: tuple[Estimate, ...] = ()
    curves: tuple[Curve, ...] = ()
    failures: tuple[LedgerEntry, ...] = ()
    notes: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    per_system_state: object | None = None
