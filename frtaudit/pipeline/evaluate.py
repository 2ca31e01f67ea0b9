"""Evaluate a provider: score it, find its thresholds, draw its replicates."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from frtaudit.config.presets import published
from frtaudit.core import UNKNOWN, Cohort, CohortData, Comparisons, Groups, ScoreTable, ScoreTail
from frtaudit.core.arrays import Index
from frtaudit.core.canonical import seed_of
from frtaudit.core.machine.progress import Progress, quiet
from frtaudit.core.spec import AuditSpec, FailureScore, Plan
from frtaudit.core.spec_values import OrderRule
from frtaudit.errors import DataError
from frtaudit.evaluation.intervals import PLAN_OF
from frtaudit.evaluation.protocols import Provider
from frtaudit.evaluation.score_notes import direction_notes, lacking_notes, not_compared
from frtaudit.evaluation.system import (
    DEFAULT_INTERVALS,
    WEIGHTINGS,
    OperatingPoints,
    SystemData,
    replicates_of,
)
from frtaudit.inputs.acquisition import listed_tail
from frtaudit.labelling.cautions import attribution_notes
from frtaudit.pipeline.censoring import clipped
from frtaudit.pipeline.tail_depth import extended, needs_more
from frtaudit.pipeline.test_sets import fold_pairs
from frtaudit.pipeline.thresholds import (
    Named,
    decades_of,
    declared_thresholds,
    measured_thresholds,
    points_of,
    targets_of,
)
from frtaudit.stats.bootstrap.resample import Replicates
from frtaudit.stats.bootstrap.rescored_batches import Rescoring
from frtaudit.stats.intervals.wilson import prepare
from frtaudit.stats.labels.suspected_duplicates import MAX_PAIRS
from frtaudit.stats.rates import rates as rates_of
from frtaudit.stats.rates.failures import score_zero
from frtaudit.stats.rates.orders import Asymmetry, Pooled, pool_orders
from frtaudit.stats.rates.resolution import MIN_EXPECTED, smallest_target, unresolved, warning
from frtaudit.stats.rates.sums import first_not_above
from frtaudit.stats.rates.trials import complete_pairs
from frtaudit.stats.similarity.allpairs import ScoredTail, TailRequest
from frtaudit.stats.similarity.executor import Executor, by_threads

EACH_ORDER = (
    "both orders of a pair are counted, each as a comparison: there are up to twice as many comparisons and errors "
    "as pairs, and intervals for independent comparisons are too narrow"
)
WITHIN_SUBJECTS = (Plan.IMAGES, Plan.TWO_LEVEL)


def groups_of(cohort: Cohort) -> Groups:
    """The groups of all schemas, flattened; subjects without a class form the unranked group ``unknown``.

    >>> import numpy as np
    >>> from frtaudit.core import Classification, Cohort
    >>> sex = Classification(name="sex", classes=("f", "m"), labels=("f", "m"), codes=np.int16([0, 1, -1]))
    >>> cohort = Cohort(sample_ids=("a", "b", "c"), subject_ids=("1", "2", "3"), digest="",
    ...                 subject_of=np.int32([0, 1, 2]), classifications={"sex": sex})
    >>> groups_of(cohort).names
    (('sex', 'f'), ('sex', 'm'), ('sex', 'unknown'))
    """
    names: list[tuple[str, str]] = []
    ranked: list[bool] = []
    rows: list[Index] = []
    for schema in cohort.classifications.values():
        codes = schema.codes.astype(np.int32)
        row = np.where(codes >= 0, codes + len(names), -1)
        names += [(schema.name, label) for label in schema.classes]
        ranked += [True] * len(schema.classes)
        if bool(np.any(codes < 0)):
            row = np.where(codes < 0, len(names), row)
            names.append((schema.name, UNKNOWN))
            ranked.append(False)
        rows.append(row.astype(np.int32))
    of = np.stack(rows) if rows else np.empty((0, cohort.n_subjects), dtype=np.int32)
    return Groups(schemas=tuple(cohort.classifications), names=tuple(names), of=of, ranked=tuple(ranked))


def plans_of(spec: AuditSpec) -> tuple[Plan, ...]:
    """The bootstrap plans that the spec names, or those that its intervals need."""
    if spec.bootstrap.plans is not None:
        return spec.bootstrap.plans
    wanted = spec.intervals or DEFAULT_INTERVALS
    return tuple(dict.fromkeys(PLAN_OF[interval.method] for interval in wanted if interval.method in PLAN_OF))


def request_of(spec: AuditSpec, thresholds: Sequence[float]) -> TailRequest:
    """What the scoring pass must keep exactly."""
    targets, _ = targets_of(spec)
    suspected = [MAX_PAIRS] if "identity_check" in spec.analyses else []
    highest = max([*([*targets, *decades_of(spec)] or [0.01]), *suspected])
    return TailRequest(
        fmr=highest,
        thresholds=tuple(sorted(set(thresholds))),
        eer="error_rates" in spec.analyses,
        budget=spec.tail_budget,
        threads=spec.threads,
    )


def refuse_unresolved(spec: AuditSpec, cohort_data: CohortData, comparisons: Comparisons) -> None:
    """Refuse an FMR target that the whole cohort cannot resolve, whatever the provider (FORMULAS 8.4)."""
    planned = planned_non_mated(cohort_data.cohort, comparisons)
    for target in spec.thresholds.fmr if planned else ():
        reason = unresolved(target, planned)
        if reason:
            of = cohort_data.labelling
            causes = () if of is None else attribution_notes(of.faces, of.services, of.labelled)
            text = "; ".join([reason.partition(";")[0], *causes])
            some = planned > MIN_EXPECTED
            accepted = f"at least {smallest_target(planned)}" if some else "[], or more subjects"
            profile = next(
                (asked.profile for asked in spec.requirements if asked.at.get("fmr") == target), None
            )
            if profile and published(profile):
                accepted = (
                    f"{math.ceil(MIN_EXPECTED / target):,} non-mated comparisons or more, or a threshold: "
                    f"profiles.{profile}.at={{threshold: VALUE}}"
                )
            raise DataError(_asked_at(spec, target), text, accepted)


def _asked_at(spec: AuditSpec, target: float) -> str:
    """Where a spec has an FMR target: requirements add theirs, those of a profile by one key for all of them."""
    asking = [requirement for requirement in spec.requirements if requirement.at.get("fmr") == target]
    profile = next((requirement.profile for requirement in asking if requirement.profile), None)
    if profile is not None:
        return f"profiles.{profile}.fmr"
    return f"requirement {asking[0].name} at.fmr" if asking else "thresholds.fmr"


def planned_non_mated(cohort: Cohort, comparisons: Comparisons) -> int:
    """Non-mated comparisons that the protocol plans, before any failure."""
    if not comparisons.all_pairs:
        return int(np.count_nonzero(~comparisons.mated))
    samples = np.bincount(cohort.subject_of, minlength=cohort.n_subjects).astype(np.int64)
    return complete_pairs(samples, comparisons.cells)


def evaluate_system(
    spec: AuditSpec,
    provider: Provider,
    cohort_data: CohortData,
    comparisons: Comparisons,
    groups: Groups,
    progress: Progress = quiet,
    executor: Executor = by_threads,
) -> SystemData:
    """Score a provider, find its thresholds, draw its replicates; ``executor`` scores, ``progress`` hears of both.

    Long because every field of a system's data is named here once.
    """
    seed = seed_of(spec.seed, "provider", provider.name)
    scored = _scored(spec, provider, cohort_data, comparisons, groups, seed, progress, executor)
    trials = rates_of.trials(scored.scores.tail, groups)
    targets, declared = targets_of(spec, planned_non_mated(cohort_data.cohort, comparisons))
    resolved = tuple(unresolved(target, int(trials.non_mated[0])) for target in targets)
    initial = points_of(targets, declared, scored.scores.tail, groups, resolved, scored.thresholds)
    deep = extended(spec, scored.scores, groups, initial, resolved)
    clip = clipped(scored.attempts, scored.comparisons, deep.tail, groups, deep.operating_points)
    points = clip.operating_points
    return SystemData(
        provider=provider.name,
        spec=spec,
        cohort_data=cohort_data,
        comparisons=scored.comparisons,
        table=scored.table,
        tail=deep.tail,
        groups=groups,
        trials=trials,
        operating_points=points,
        rates=_rates(deep.tail, groups, points),
        replicates=_replicates(spec, deep.tail, groups, points, progress, deep.rescore),
        rule=prepare(deep.tail, groups, points.finite),
        resolved=resolved,
        warned=_warnings(deep.tail, targets, points, int(trials.non_mated[0])),
        failed=provider.failed(cohort_data, seed),
        attempts=scored.attempts,
        orders=scored.orders,
        censoring=clip.censoring,
        hidden=clip.refused,
        block=None if scored.scores.context is None else scored.scores.context.block,
        notes=tuple(f"{provider.name}: {text}" for text in (*scored.notes, *clip.notes, *deep.notes)),
        fold_pairs=fold_pairs(spec, provider, cohort_data, scored.comparisons, scored.table, seed),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """What a provider answered, as the estimators need it.

    ``thresholds``: the fixed ones, at which the tail has all sums; ``attempts``: the answers of listed ``comparisons``
    with failures kept apart.
    """

    scores: ScoredTail
    comparisons: Comparisons
    thresholds: Named = ()
    table: ScoreTable | None = None
    attempts: ScoreTable | None = None
    notes: tuple[str, ...] = ()
    orders: Asymmetry | None = None


def _scored(
    spec: AuditSpec,
    provider: Provider,
    cohort_data: CohortData,
    comparisons: Comparisons,
    groups: Groups,
    seed: int,
    progress: Progress,
    executor: Executor,
) -> Scored:
    """The scores, and the thresholds that are known once they are; all pairs a second time where these lie too low."""
    known = declared_thresholds(spec, provider)
    if not comparisons.all_pairs:
        listed = _listed(spec, provider, cohort_data, comparisons, seed)
        thresholds = known + measured_thresholds(spec, listed.scores.tail, groups)
        return replace(listed, thresholds=thresholds)

    def score(thresholds: Named) -> ScoredTail:
        asked = request_of(spec, [value for value, _ in thresholds])
        request = replace(asked, progress=progress, executor=executor)
        return provider.score_tail(cohort_data, comparisons, groups, request, seed, spec.failures)

    first = score(known)
    thresholds = known + measured_thresholds(spec, first.tail, groups)
    scores = score(thresholds) if needs_more(first.tail, thresholds) else first
    return Scored(scores=scores, comparisons=comparisons, thresholds=thresholds)


def _listed(
    spec: AuditSpec, provider: Provider, cohort_data: CohortData, comparisons: Comparisons, seed: int
) -> Scored:
    """The scores of listed comparisons; those of both orders of a pair as one, unless the protocol counts each."""
    attempts = provider.score_table(cohort_data, comparisons, seed)
    counts_zero = spec.failures is FailureScore.SCORE_ZERO
    table = score_zero(attempts, provider.score_range) if counts_zero else attempts
    pooled = pool_orders(comparisons, table) if comparisons.ordered else None
    if pooled is None or comparisons.order_rule is OrderRule.EACH:
        compared, scores, apart = comparisons, table, attempts
    else:
        compared, scores, apart = pooled.comparisons, pooled.table, pool_orders(comparisons, attempts).table
    lacking = lacking_notes(not_compared(apart))
    tail = listed_tail(scores, compared, cohort_data.cohort, provider.score_range)
    return Scored(
        scores=ScoredTail(tail=tail),
        comparisons=compared,
        table=scores,
        attempts=apart,
        notes=(*direction_notes(attempts, comparisons), *lacking, *_order_notes(comparisons, pooled)),
        orders=None if pooled is None else pooled.asymmetry,
    )


def _order_notes(comparisons: Comparisons, pooled: Pooled | None) -> Iterator[str]:
    if pooled is None:
        return
    asymmetry = pooled.asymmetry
    if asymmetry.mean is None:
        yield "no comparison was scored in both orders"
    else:
        yield (
            f"{asymmetry.both} comparisons in both orders; |s(A,B) - s(B,A)| is {asymmetry.mean:.6g} on "
            f"average and {asymmetry.max:.6g} at most; {asymmetry.single} comparisons have a score in one order only"
        )
    if comparisons.order_rule is OrderRule.EACH:
        yield EACH_ORDER


def _rates(tail: ScoreTail, groups: Groups, points: OperatingPoints) -> tuple[rates_of.Rates, rates_of.Rates]:
    """Rates at each weighting's thresholds; a missing threshold is read at +inf and masked by the analyses."""
    pair = []
    for w in range(len(WEIGHTINGS)):
        at = np.concatenate([points.at_target[w], points.thresholds])
        pair.append(rates_of.rates(tail, groups, np.where(np.isnan(at), np.inf, at)))
    return pair[0], pair[1]


def _replicates(
    spec: AuditSpec,
    tail: ScoreTail,
    groups: Groups,
    points: OperatingPoints,
    progress: Progress,
    below: Rescoring | None,
) -> dict[Plan, Replicates]:
    """One set of replicates per plan that the scores can be drawn by."""
    drawn: dict[Plan, Replicates] = {}
    for plan in plans_of(spec):
        if plan is Plan.COMPARISONS or (plan in WITHIN_SUBJECTS and not tail.mated_complete):
            continue
        drawn[plan] = replicates_of(
            spec, plan, tail, groups, points.targets, points.thresholds, progress=progress, below=below
        )
    return drawn


def _warnings(
    tail: ScoreTail, targets: Sequence[float], points: OperatingPoints, non_mated: int
) -> tuple[str | None, ...]:
    return tuple(
        warning(target, non_mated, _matched_subjects(tail, float(points.at_target[0, a])))
        if np.isfinite(points.at_target[0, a])
        else None  # not resolved: what refuses it says why
        for a, target in enumerate(targets)
    )


def _matched_subjects(tail: ScoreTail, threshold: float) -> int:
    keep = first_not_above(tail.tail_score, threshold)
    matched = np.zeros(tail.n_samples.size, dtype=np.bool_)
    for side in (tail.tail_i, tail.tail_j):
        matched[tail.subject_of[side[:keep]]] = True
    return int(np.count_nonzero(matched))
