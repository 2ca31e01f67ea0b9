"""Put a provider on trial: score it, find its thresholds, draw its replicates.

Long because thresholds are found, named and masked here alone, above and below the floor of the tail.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from frtaudit.canonical import seed_of
from frtaudit.core import UNKNOWN, Cohort, Comparisons, Groups, Material, ScoreTable, ScoreTail
from frtaudit.core.spec import AuditSpec, CurveGrid, FailureScore, GridKind, Plan, Reach, ThresholdSource
from frtaudit.errors import DataError, SpecError
from frtaudit.foldpairs import fold_pairs
from frtaudit.intake.acquisition import listed_tail
from frtaudit.intake.threshold_file import thresholds_from_file
from frtaudit.progress import Progress, quiet
from frtaudit.stats import rates as rates_of
from frtaudit.stats.batches import Below, below_of
from frtaudit.stats.below import sums_below
from frtaudit.stats.failures import score_zero
from frtaudit.stats.orders import Asymmetry, pool_orders
from frtaudit.stats.resample import Replicates, replicate
from frtaudit.stats.resolution import (
    MIN_EXPECTED,
    beyond_budget,
    scored_again,
    smallest_target,
    unresolved,
    warning,
)
from frtaudit.stats.scan import Ground
from frtaudit.stats.sums import BelowFloorError
from frtaudit.stats.tail import TailRequest
from frtaudit.stats.trials import complete_pairs
from frtaudit.stats.wilson import prepare
from frtaudit.trial import DEFAULT_INTERVALS, PLAN_OF, WEIGHTINGS, Points, Provider, Trial, strata_of

WITHIN_SUBJECTS = (Plan.IMAGES, Plan.TWO_LEVEL)
STRATIFIED = (Plan.SUBJECTS, Plan.TWO_LEVEL)  # the plans that draw subjects (FORMULAS 8.2)

Named = Sequence[tuple[float, Mapping[str, float | str]]]


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
    rows: list[npt.NDArray[np.int32]] = []
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


def targets_of(spec: AuditSpec, non_mated: int = 0) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """FMR targets, ascending: the declared and those beside them that draw curves; where the declared stand.

    ``non_mated``: comparisons that bound a curve drawn down to their resolution.
    """
    declared = sorted(set(spec.thresholds.fmr))
    if not declared:
        return (), ()
    grid = _curve_targets(spec.thresholds.curve, declared, non_mated)
    between = [value for value in grid if not any(abs(value / known - 1) < 1e-3 for known in declared)]
    targets = tuple(sorted([*declared, *between]))
    return targets, tuple(targets.index(value) for value in declared)


def _curve_targets(curve: CurveGrid, declared: Sequence[float], non_mated: int) -> set[float]:
    """Targets evenly spaced in log FMR; those to the resolution step down from the largest declared one."""
    low, high = np.log10(declared[0]), np.log10(declared[-1])
    if curve.reach is Reach.DECLARED:
        steps = max(2, round((high - low) * curve.per_decade) + 1)
        return {_six_digits(exponent) for exponent in np.linspace(low, high, steps)}
    if not non_mated:
        return set()
    steps = max(0, int(np.floor((high - np.log10(MIN_EXPECTED / non_mated)) * curve.per_decade + 1e-9)))
    found = {_six_digits(high - step / curve.per_decade) for step in range(steps + 1)}
    return {value for value in found if unresolved(value, non_mated) is None}


def _six_digits(exponent: float) -> float:
    return float(f"{10**exponent:.6g}")


def plans_of(spec: AuditSpec) -> tuple[Plan, ...]:
    """The bootstrap plans that the spec names, or those that its intervals need."""
    if spec.bootstrap.plans is not None:
        return spec.bootstrap.plans
    wanted = spec.intervals or DEFAULT_INTERVALS
    return tuple(dict.fromkeys(PLAN_OF[item.method] for item in wanted if item.method in PLAN_OF))


def declared_thresholds(spec: AuditSpec, provider: Provider) -> list[tuple[float, Mapping[str, float | str]]]:
    """Fixed thresholds known before scoring: the explicit or linear grid, those from a file, the vendor's.

    Raises :class:`SpecError` for a value outside the provider's score range.
    """
    grid, score_range = spec.thresholds.grid, provider.score_range
    values: list[float] = []
    if grid.kind is GridKind.EXPLICIT:
        values = list(grid.values)
    elif grid.kind is GridKind.LINEAR:
        low = score_range[0] if grid.low is None else grid.low
        high = score_range[1] if grid.high is None else grid.high
        values = [float(f"{value:.12g}") for value in np.linspace(low, high, grid.num)]
    found: list[tuple[float, Mapping[str, float | str]]] = [(value, {}) for value in values]
    found += thresholds_from_file(spec, provider.name)
    version = {} if provider.thresholds_version is None else {"version": provider.thresholds_version}
    found += [(value, {"recommended": name, **version}) for name, value in provider.recommended.items()]
    for value, _ in found:
        if not score_range[0] <= value <= score_range[1]:
            raise SpecError(
                "thresholds",
                f"{value:g} lies outside the score range of {provider.name}",
                f"{score_range[0]:g} to {score_range[1]:g}",
            )
    return found


def measured_thresholds(
    spec: AuditSpec, tail: ScoreTail, groups: Groups
) -> list[tuple[float, Mapping[str, float | str]]]:
    """Grid thresholds that these data define: quantiles of the mated scores, or thresholds at FMR decades (pooled).

    Each with the rate that it was chosen by: that rate says nothing of the system (FORMULAS 8.13).
    """
    grid = spec.thresholds.grid
    found: dict[float, str] = {}
    if grid.kind is GridKind.QUANTILE and tail.mated_score.size:
        shares = np.linspace(grid.low or 0.0, 1.0 if grid.high is None else grid.high, grid.num)
        for share in shares.tolist():
            found.setdefault(float(np.quantile(tail.mated_score, share)), f"fnmr={share:.6g}")
    if grid.kind is GridKind.FMR_DECADES and int(tail.histogram.sum()):
        total = int(rates_of.trials(tail, groups).non_mated[0])
        for value in decades_of(spec):
            if unresolved(value, total) is None:
                threshold = _or_nan(rates_of.threshold_at, tail, groups, value, WEIGHTINGS[0])
                found.setdefault(threshold, f"fmr={value:g}")
    source = ThresholdSource.SAME_DATA.value
    return [(value, {"source": source, "name": name}) for value, name in found.items() if np.isfinite(value)]


def decades_of(spec: AuditSpec) -> list[float]:
    """The FMR decades of the grid, from ``high`` down to ``low`` (defaults: the declared targets' extremes)."""
    grid, targets = spec.thresholds.grid, spec.thresholds.fmr
    if grid.kind is not GridKind.FMR_DECADES or not (targets or (grid.low and grid.high)):
        return []
    high = grid.high or max(targets)
    low = grid.low or min(targets)
    first, last = np.floor(np.log10(high) + 1e-9), np.ceil(np.log10(low) - 1e-9)
    return [float(f"1e{int(power)}") for power in np.arange(first, last - 1, -1)]


def request_of(spec: AuditSpec, thresholds: Sequence[float]) -> TailRequest:
    """What the scoring pass must keep exactly."""
    targets, _ = targets_of(spec)
    highest = max([*targets, *decades_of(spec)], default=0.01)
    return TailRequest(
        fmr=highest,
        thresholds=tuple(sorted(set(thresholds))),
        eer="error_rates" in spec.analyses,
        budget=spec.tail_budget,
        threads=spec.threads,
    )


def refuse_unresolved(spec: AuditSpec, material: Material, comparisons: Comparisons) -> None:
    """Refuse an FMR target that the whole cohort cannot resolve, whatever the provider (FORMULAS 8.4)."""
    planned = planned_non_mated(material.cohort, comparisons)
    for target in spec.thresholds.fmr if planned else ():
        reason = unresolved(target, planned)
        if reason:
            raise DataError(
                "thresholds.fmr", reason.partition(";")[0], f"at least {smallest_target(planned)}"
            )


def planned_non_mated(cohort: Cohort, comparisons: Comparisons) -> int:
    """Non-mated comparisons that the protocol plans, before any failure."""
    if not comparisons.all_pairs:
        return int(np.count_nonzero(~comparisons.mated))
    samples = np.bincount(cohort.subject_of, minlength=cohort.n_subjects).astype(np.int64)
    return complete_pairs(samples, comparisons.cells)


def put_on_trial(
    spec: AuditSpec,
    provider: Provider,
    material: Material,
    comparisons: Comparisons,
    groups: Groups,
    progress: Progress = quiet,
) -> Trial:
    """Score a provider, find its thresholds, draw its replicates; ``progress`` hears of both."""
    seed = seed_of(spec.seed, "provider", provider.name)
    named = declared_thresholds(spec, provider)
    scored = _scored(spec, provider, material, comparisons, groups, seed, named, progress)
    tail, table, compared = scored.tail, scored.table, scored.comparisons
    fixed = named + measured_thresholds(spec, tail, groups)
    if needs_more(tail, fixed):
        tail = _scored(spec, provider, material, comparisons, groups, seed, fixed, progress).tail
    trials = rates_of.trials(tail, groups)
    targets, declared = targets_of(spec, planned_non_mated(material.cohort, comparisons))
    resolved = tuple(unresolved(target, int(trials.non_mated[0])) for target in targets)
    points = _points(targets, declared, tail, groups, resolved, fixed)
    max_points = _max_points(tail, groups, targets, resolved)
    held = points
    below = below_floor(scored.ground, spec.tail_budget, tail, points, resolved)
    if below is not None:
        points, max_points, tail = deeper(below, tail, groups, points, max_points, resolved, spec.threads)
    at = np.concatenate([points.at_target.ravel(), max_points.ravel(), points.thresholds])
    return Trial(
        provider=provider.name,
        spec=spec,
        material=material,
        comparisons=compared,
        table=table,
        tail=tail,
        groups=groups,
        trials=trials,
        points=points,
        rates=_rates(tail, groups, points),
        max_points=max_points,
        replicates=_replicates(spec, tail, groups, points, progress, below),
        rule=prepare(tail, groups, np.unique(at[np.isfinite(at)])),
        resolved=resolved,
        warned=_warnings(tail, targets, points, int(trials.non_mated[0])),
        failed=provider.failed(material, seed),
        attempts=scored.attempts,
        notes=(*scored.notes, *_beyond(spec, provider.name, tail, points, held)),
        fold_pairs=fold_pairs(spec, provider, material, compared, table, groups, seed),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """What a provider answered, as the estimators need it; ``attempts``: listed answers with failures kept apart."""

    tail: ScoreTail
    table: ScoreTable | None
    comparisons: Comparisons
    attempts: ScoreTable | None = None
    notes: tuple[str, ...] = ()
    ground: Ground | None = None


def _scored(
    spec: AuditSpec,
    provider: Provider,
    material: Material,
    comparisons: Comparisons,
    groups: Groups,
    seed: int,
    fixed: Named,
    progress: Progress,
) -> Scored:
    grounds: list[Ground] = []
    request = replace(request_of(spec, [value for value, _ in fixed]), progress=progress, seen=grounds.append)
    failures = spec.failures if comparisons.all_pairs else FailureScore.APART
    found = provider.scores(material, comparisons, groups, request, seed, failures)
    if isinstance(found, ScoreTail):
        ground = grounds[-1] if grounds else None
        return Scored(tail=found, table=None, comparisons=comparisons, ground=ground)
    table = score_zero(found, provider.score_range) if spec.failures is FailureScore.SCORE_ZERO else found
    notes: tuple[str, ...] = ()
    attempts, compared = found, comparisons
    if comparisons.ordered:
        pooled = pool_orders(comparisons, table)
        notes = (_asymmetry(provider.name, pooled.asymmetry),)
        attempts = pool_orders(comparisons, found).table
        table, compared = pooled.table, pooled.comparisons
    tail = listed_tail(table, compared, material.cohort, provider.score_range)
    return Scored(tail=tail, table=table, comparisons=compared, attempts=attempts, notes=notes)


def _beyond(spec: AuditSpec, provider: str, tail: ScoreTail, points: Points, held: Points) -> tuple[str, ...]:
    """A note where a declared target lies below what the tail's budget holds, as in the points ``held``."""
    again = [
        points.targets[a]
        for a in points.declared
        if np.isnan(held.at_target[0, a]) and not np.isnan(points.at_target[0, a])
    ]
    if again:
        return (f"{provider}: {scored_again(again, spec.tail_budget)}",)
    lost = [points.targets[a] for a in points.declared if np.isnan(points.at_target[0, a])]
    said = beyond_budget(lost, spec.tail_budget, tail.tail_score.size, int(tail.histogram.sum()))
    return () if said is None else (f"{provider}: {said}",)


def _asymmetry(provider: str, found: Asymmetry) -> str:
    if found.mean is None:
        return f"{provider}: no comparison was scored in both orders"
    return (
        f"{provider}: {found.both} comparisons in both orders; |s(A,B) - s(B,A)| is {found.mean:.6g} on average and "
        f"{found.max:.6g} at most; {found.single} comparisons have one order only"
    )


def below_floor(
    ground: Ground | None, budget: int, tail: ScoreTail, points: Points, resolved: Sequence[str | None]
) -> Below | None:
    """Where to look below the floor, if a threshold of interest lies there and the provider can score again."""
    fixed = np.asarray(points.thresholds)
    known = np.array([reason is None for reason in resolved], dtype=bool)
    missing = bool(np.isnan(points.at_target[:, known]).any()) or bool((fixed < tail.floor).any())
    return None if ground is None or not missing else below_of(ground, budget)


def deeper(
    below: Below,
    tail: ScoreTail,
    groups: Groups,
    points: Points,
    max_points: npt.NDArray[np.float64],
    resolved: Sequence[str | None],
    threads: int,
) -> tuple[Points, npt.NDArray[np.float64], ScoreTail]:
    """The thresholds of resolved targets that lie below the floor, and the tail with all sums at them.

    The data are one replicate among others: the one in which everybody is drawn once.
    """
    once = replicate(
        tail, groups, plan=Plan.SUBJECTS, n=1, seed=0, targets=points.targets, thresholds=(), threads=threads,
        subject_weights=np.ones((1, tail.n_samples.size), dtype=np.int64), below=below,
    )  # fmt: skip
    known = np.array([reason is None for reason in resolved], dtype=bool)
    at_target = np.where(np.isnan(points.at_target) & known, once.t_star[:, 0], points.at_target)
    at_max = np.where(np.isnan(max_points) & known, once.t_star_max[:, :, 0], max_points)
    wanted = np.concatenate([at_target.ravel(), at_max.ravel(), points.thresholds])
    wanted = np.unique(wanted[np.isfinite(wanted) & (wanted < tail.floor)])
    sums = sums_below(below.ground, tail, groups, wanted) if wanted.size else tail.below
    return replace(points, at_target=at_target), at_max, replace(tail, below=sums)


def needs_more(tail: ScoreTail, fixed: Named) -> bool:
    """Whether a fixed threshold lies below the tail's floor without declared sums."""
    known = () if tail.below is None else tail.below.thresholds
    return any(value < tail.floor and value not in known for value, _ in fixed)


def _points(
    targets: tuple[float, ...],
    declared: tuple[int, ...],
    tail: ScoreTail,
    groups: Groups,
    resolved: Sequence[str | None],
    fixed: Named,
) -> Points:
    return Points(
        targets=targets,
        declared=declared,
        at_target=_at_targets(tail, groups, targets, resolved),
        thresholds=tuple(value for value, _ in fixed),
        origin=tuple(at for _, at in fixed),
    )


def _at_targets(
    tail: ScoreTail, groups: Groups, targets: Sequence[float], resolved: Sequence[str | None]
) -> npt.NDArray[np.float64]:
    found = np.full((len(WEIGHTINGS), len(targets)), np.nan)
    for w, weighting in enumerate(WEIGHTINGS):
        for a, target in enumerate(targets):
            if resolved[a] is None:
                found[w, a] = _or_nan(rates_of.threshold_at, tail, groups, target, weighting)
    return found


def _or_nan(find: Callable[..., float], *where: object) -> float:
    """The threshold, or NaN where it lies below the floor that the tail's budget allowed."""
    try:
        return find(*where)
    except BelowFloorError:
        return float("nan")


def _rates(tail: ScoreTail, groups: Groups, points: Points) -> tuple[rates_of.Rates, rates_of.Rates]:
    """Rates at each weighting's thresholds; a missing threshold is read at +inf and masked by the analyses."""
    pair = []
    for w in range(len(WEIGHTINGS)):
        at = np.concatenate([points.at_target[w], points.thresholds])
        pair.append(rates_of.rates(tail, groups, np.where(np.isnan(at), np.inf, at)))
    return pair[0], pair[1]


def _max_points(
    tail: ScoreTail, groups: Groups, targets: Sequence[float], resolved: Sequence[str | None]
) -> npt.NDArray[np.float64]:
    found = np.full((len(WEIGHTINGS), len(groups.schemas), len(targets)), np.nan)
    for w, weighting in enumerate(WEIGHTINGS):
        for s in range(len(groups.schemas)):
            for a, target in enumerate(targets):
                if resolved[a] is None:
                    found[w, s, a] = _or_nan(
                        rates_of.threshold_at_max_group, tail, groups, target, weighting, s
                    )
    return found


def _replicates(
    spec: AuditSpec,
    tail: ScoreTail,
    groups: Groups,
    points: Points,
    progress: Progress,
    below: Below | None,
) -> dict[Plan, Replicates]:
    """One set of replicates per plan; the seed knows the plan, not the provider: vendors share subject weights."""
    drawn: dict[Plan, Replicates] = {}
    for plan in plans_of(spec):
        if plan is Plan.COMPARISONS or (plan in WITHIN_SUBJECTS and not tail.mated_complete):
            continue
        drawn[plan] = replicate(
            tail,
            groups,
            plan=plan,
            n=spec.bootstrap.B,
            seed=seed_of(spec.seed, "bootstrap", plan.value),
            targets=points.targets,
            thresholds=points.thresholds,
            strata=strata_of(spec, groups) if plan in STRATIFIED else None,
            threads=spec.threads,
            progress=progress,
            below=below,
        )
    return drawn


def _warnings(
    tail: ScoreTail, targets: Sequence[float], points: Points, non_mated: int
) -> tuple[str | None, ...]:
    return tuple(
        warning(target, non_mated, _matched_subjects(tail, float(points.at_target[0, a])))
        for a, target in enumerate(targets)
    )


def _matched_subjects(tail: ScoreTail, threshold: float) -> int:
    keep = int(np.searchsorted(-tail.tail_score, -threshold, side="left")) if np.isfinite(threshold) else 0
    ends = [tail.subject_of[tail.tail_i[:keep]], tail.subject_of[tail.tail_j[:keep]]]
    return len(np.unique(np.concatenate(ends)))
