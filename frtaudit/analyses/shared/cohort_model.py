"""What the simulated cohorts of one rate share with this one: structure, denominators, effects, bootstrap copies."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from frtaudit.analyses.shared.overall_ratios import points_of
from frtaudit.analyses.shared.overall_ratios import threshold_at as threshold_of
from frtaudit.core import Method, Target
from frtaudit.core.arrays import Flags, Ints
from frtaudit.core.canonical import seed_of
from frtaudit.core.spec import Plan, Weighting
from frtaudit.evaluation.intervals import AtKey
from frtaudit.evaluation.operating_points import OperatingPoint, read
from frtaudit.evaluation.system import WEIGHTINGS, SystemData, strata_of
from frtaudit.stats.bootstrap import weights
from frtaudit.stats.intervals import borrowing
from frtaudit.stats.intervals.coverage import Copies, Denominators
from frtaudit.stats.intervals.simulated_cohorts import Cells, Listing
from frtaudit.stats.intervals.subject_effects import BlockErrors, Effects, mated_effects, non_mated_effects
from frtaudit.stats.rates.rates import rates as rates_at
from frtaudit.stats.rates.sums import BelowFloorError
from frtaudit.stats.rates.targets import threshold_at

BY_COPIES = {Method.VERTEX: Plan.SUBJECTS, Method.DOUBLE_OR_NOTHING: Plan.DOUBLE_OR_NOTHING}
NO_BLOCKS = "not simulated: its replicates of FMR need every pair of subjects, and the simulation keeps sums by subject"
NO_PLUGIN = "not simulated: the published plug-in stands beside the rule of its kind as a comparison"
NOT_NEW = "not simulated: it holds for the same subjects, and each simulated cohort has others"
ANY_LEVEL = 0.05  # of an interval whose bounds are not read


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A rate of the report whose intervals are tried: as ``error_rates`` names it, and where it is read."""

    metric: str
    schema: str | None
    group: str
    at: AtKey
    place: OperatingPoint
    moving: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What the cohorts of one row share: structure, denominators, effects, bootstrap copies, methods.

    ``pairs`` (K2,) int64: mated comparisons of each subject, or ``cells``: the non-mated structure, with ``match_rate``
    (TMR) of look-alikes; ``everybody``: where a threshold found anew in each cohort moves, what it is found on.
    """

    over: Denominators
    effects: Effects
    methods: tuple[Method, ...]
    identity: bool
    pairs: Ints | None = None
    cells: Cells | Listing | None = None
    copies: Mapping[Plan, Copies] | None = None
    match_rate: float = 1.0
    everybody: "Moving | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Moving:
    """The threshold at an FMR target, found anew in each cohort.

    ``stage``: of everybody's FMR there; ``target``: that FMR; ``slope``: d log FNMR / d log FMR along this system's
    curve, -1 times: where a cohort shows FMR_c at the true threshold, its own lies where FNMR is (FMR_c/target)^slope
    times as large, as the rates of a system follow a power of each other over a factor of two.
    """

    stage: Stage
    target: float
    slope: float


def rows_of(system: SystemData) -> Iterator[Row]:
    """Rates at the declared FMR targets and at thresholds that are not of these data, in the primary weighting."""
    weighting = system.spec.weighting
    for point, at in points_of(system):
        threshold = threshold_of(system, WEIGHTINGS.index(weighting), point)
        moving = point < len(system.operating_points.targets)
        if moving and not np.isfinite(threshold):
            continue
        for group_index, schema, group in system.every_group():
            for rate in ("fmr", "fnmr"):
                place = OperatingPoint(rate, weighting, group_index, threshold, point)
                moves = moving and rate == "fnmr"
                metric = "fnmr_at_fmr" if moves else rate
                yield Row(metric=metric, schema=schema, group=group, at=at, place=place, moving=moves)


def methods_of(system: SystemData, rate: str) -> dict[Method, str | None]:
    """The spec's methods, each with None or the reason why it is not simulated."""
    reasons: dict[Method, str | None] = {}
    for spec in system.intervals:
        method = spec.method
        if method is Method.WILSON or (method in BY_COPIES and rate == "fnmr"):
            reasons[method] = None
        elif method is Method.WILSON_IID:
            if system.spec.weighting is Weighting.POOLED:  # else the report prints none
                reasons[method] = None
        elif method in BY_COPIES:
            reasons[method] = NO_BLOCKS
        elif method is Method.WILSON_PLUGIN:
            reasons[method] = NO_PLUGIN
        elif spec.target is Target.FIXED_IDENTITIES:
            reasons[method] = NOT_NEW
        else:
            diagnostic = ": a diagnostic" if method is Method.TWO_LEVEL else ""
            reasons[method] = f"not simulated{diagnostic}"
    return reasons


def stage_of(system: SystemData, row: Row) -> Stage | None:
    """None where the spread of subjects cannot be told."""
    methods = tuple(method for method, reason in methods_of(system, row.place.rate).items() if reason is None)
    identity = row.place.weighting is Weighting.IDENTITY
    effects = _effects(system, row)
    if effects is None:
        return None
    if row.place.rate == "fmr":
        cells, over, match_rate = _non_mated(system, row.place)
        stage = Stage(
            over=over, effects=effects, methods=methods, identity=identity, cells=cells, match_rate=match_rate
        )
    else:
        chosen = _mated_members(system, row.place.group_index)
        pairs = system.rule.mated.subject_pairs[chosen]
        total, square = (pairs.size, pairs.size) if identity else (pairs.sum(), np.square(pairs).sum())
        over = Denominators(
            trials=int(pairs.sum()),
            total=int(total),
            subjects=pairs.size,
            square=float(square),
            ends=1,
            image=system.rule.fnmr_residuals(
                row.place.threshold, row.place.group_index, row.place.weighting
            ).image,
        )
        copies = _copies(system, chosen, pairs, methods, identity=identity, moving=row.moving)
        stage = Stage(
            over=over,
            effects=effects,
            methods=methods,
            identity=identity,
            pairs=pairs,
            copies=copies,
            everybody=_moving(system, row) if row.moving else None,
        )
    return stage if over.subjects > 1 else None


def _moving(system: SystemData, row: Row) -> Moving | None:
    """None where nothing is known of everybody's FMR there, or FNMR does not move with it."""
    place = OperatingPoint("fmr", row.place.weighting, 0, row.place.threshold, row.place.point)
    stage = stage_of(
        system, Row(metric="fmr", schema=None, group="all", at=row.at, place=place, moving=False)
    )
    target, slope = read(system, place).value, _slope(system, row.place)
    return Moving(stage=stage, target=target, slope=slope) if stage and 0 < target < 1 and slope else None


def _slope(system: SystemData, place: OperatingPoint) -> float:
    """-d log FNMR / d log FMR between half and twice the target, or what of it the tail and the errors allow."""
    target, points = system.operating_points.targets[place.point], []
    for factor in (0.5, 1.0, 2.0):
        try:
            threshold = threshold_at(system.tail, system.groups, target * factor, place.weighting)
        except BelowFloorError:
            continue
        rates = rates_at(system.tail, system.groups, [threshold])
        fmr, fnmr = (rates.fmr, rates.fnmr) if place.weighting is Weighting.POOLED else (rates.far, rates.frr)
        if fmr[0, 0] > 0 and fnmr[0, place.group_index] > 0:
            points.append((float(np.log(fmr[0, 0])), float(np.log(fnmr[0, place.group_index]))))
    (x, first), (y, last) = (points[0], points[-1]) if points else ((0.0, 0.0), (0.0, 0.0))
    return max(0.0, (first - last) / (y - x)) if y > x else 0.0


def _effects(system: SystemData, row: Row) -> Effects | None:
    """Relative variances at the threshold, or at the nearest that has errors enough (as FORMULAS 8.1 borrows)."""
    rule, place = system.rule, row.place
    mated = place.rate == "fnmr"
    residuals = (rule.fnmr_residuals if mated else rule.fmr_residuals)(
        place.threshold, place.group_index, place.weighting
    )
    threshold: float | None = place.threshold
    if borrowing.few(residuals):
        threshold = (
            (rule.sources_fnmr if mated else rule.sources_fmr)[place.group_index].of(residuals).threshold
        )
    if threshold is None:
        return None
    if mated:
        chosen = _mated_members(system, place.group_index)
        at = int(np.searchsorted(rule.mated.thresholds, threshold))
        return mated_effects(rule.mated.subject_errors[at, chosen], rule.mated.subject_pairs[chosen])
    at = int(np.searchsorted(rule.non_mated.thresholds, threshold))
    scope, part = _non_mated_members(system, place.group_index)
    sums, spread = rule.non_mated, rule.spread
    pairs = float(spread.pairs[place.group_index])
    shares = BlockErrors(
        errors=sums.subject_far[at, scope, part],
        comparisons=spread.partners[scope, part].astype(np.float64),
        total=float(sums.far_sum[at, place.group_index]),
        trials=pairs,
        square=float(sums.far_square[at, place.group_index]),
        size_square=pairs,
    )
    pooled = BlockErrors(
        errors=sums.subject_errors[at, scope, part].astype(np.float64),
        comparisons=spread.comparisons[scope, part].astype(np.float64),
        total=float(sums.errors[at, place.group_index]),
        trials=float(spread.trials[place.group_index]),
        square=float(sums.error_square[at, place.group_index]),
        size_square=float(spread.square[place.group_index]),
    )
    return non_mated_effects(shares, pooled)


def _mated_members(system: SystemData, group_index: int) -> Flags:
    return np.asarray(system.rule.spread.member[group_index] & (system.rule.mated.subject_pairs > 0))


def _non_mated_members(system: SystemData, group_index: int) -> tuple[int, Flags]:
    spread = system.rule.spread
    scope = int(spread.scope_of[group_index])
    return scope, spread.member[group_index] & (spread.comparisons[scope] > 0)


def _non_mated(system: SystemData, place: OperatingPoint) -> tuple[Cells | Listing, Denominators, float]:
    """The structure of a group's non-mated comparisons: complete cells, or listed blocks; and TMR at the threshold."""
    spread, tail = system.rule.spread, system.tail
    group_index, identity = place.group_index, place.weighting is Weighting.IDENTITY
    ruled = system.rule.fmr(place.threshold, group_index, ANY_LEVEL, place.weighting)
    scope, part = _non_mated_members(system, group_index)
    subjects = np.flatnonzero(part)
    subjects = subjects[np.argsort(tail.cells[subjects], kind="stable")]
    each = spread.partners if identity else spread.comparisons
    weight = each[scope, subjects].astype(np.float64)
    pair = ruled.pair or 0.0  # None where nothing was compared
    over = Denominators(
        trials=int(spread.trials[group_index]),
        total=int((spread.pairs if identity else spread.trials)[group_index]),
        subjects=subjects.size,
        square=float(np.square(weight).sum()),
        ends=2,
        pairs=int(spread.pairs[group_index]),
        pair=pair,
    )
    match_rate = pair * ruled.pairs
    if tail.blocks is None:
        _, counts = np.unique(tail.cells[subjects], return_counts=True)
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        samples = tail.n_samples[subjects]
        return Cells(samples=samples, starts=starts, weight=weight, identity=identity), over, match_rate
    number = np.full(part.size, -1, dtype=np.int64)
    number[subjects] = np.arange(subjects.size)
    blocks = tail.blocks
    inside = spread.member[group_index][blocks.k] & spread.member[group_index][blocks.l]
    listing = Listing(
        first=number[blocks.k[inside]],
        second=number[blocks.l[inside]],
        size=blocks.count[inside],
        weight=weight,
        identity=identity,
    )
    return listing, over, match_rate


def _copies(
    system: SystemData,
    chosen: Flags,
    pairs: Ints,
    methods: tuple[Method, ...],
    *,
    identity: bool,
    moving: bool,
) -> dict[Plan, Copies]:
    """The report's own bootstrap copies of the subjects, for the plans that it drew and these intervals need."""
    plans = {BY_COPIES[method] for method in methods if method in BY_COPIES}
    plans |= {Plan.SUBJECTS} if moving else set()
    unit = np.ones(pairs.size) if identity else pairs.astype(np.float64)
    copies = {}
    for plan in sorted(plans & set(system.replicates), key=lambda plan: plan.value):
        seed, count = seed_of(system.spec.seed, "bootstrap", plan.value), system.replicates[plan].B
        if plan is Plan.SUBJECTS:
            strata = strata_of(system.spec, system.groups)
            strata = np.zeros(chosen.size, dtype=np.int32) if strata is None else strata
            drawn = weights.draw_between(strata, seed=seed, first=0, count=count)
        else:
            drawn = weights.draw_coins(chosen.size, seed=seed, first=0, count=count)
        copies[plan] = Copies(weight=drawn[chosen], unit=unit)
    return copies
