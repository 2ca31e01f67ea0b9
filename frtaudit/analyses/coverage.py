"""Simulated coverage of this report's own intervals under a named model of errors (FORMULAS 8.12).

Long because a plug-in is one file: the settings, the rates to try, the structure of the cohort, the counts.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from frtaudit.core import Estimate, Interval, Method, Target
from frtaudit.core.arrays import Flags, Floats, Ints
from frtaudit.core.canonical import dumps, seed_of
from frtaudit.core.registry import register
from frtaudit.core.spec import Plan, ThresholdSource, Weighting
from frtaudit.errors import SpecError
from frtaudit.evaluation.intervals import (
    MIN_EFFECTIVE,
    MIN_ERRING,
    MIN_ERRORS,
    PLAN_OF,
    At,
    OperatingPoint,
    RateSummary,
    read,
)
from frtaudit.evaluation.system import WEIGHTINGS, AnalysisOutput, SystemData, strata_of
from frtaudit.stats.bootstrap import weights
from frtaudit.stats.intervals import borrowing, coverage, simulated_cohorts, wilson
from frtaudit.stats.intervals.coverage import Bounds, Copies, Denominators, Misses
from frtaudit.stats.intervals.simulated_cohorts import Cells, Drawn, Listing, LookAlikes
from frtaudit.stats.intervals.subject_effects import BlockErrors, Effects, mated_effects, non_mated_effects
from frtaudit.stats.rates.rates import rates as rates_at
from frtaudit.stats.rates.sums import BelowFloorError
from frtaudit.stats.rates.targets import threshold_at

NAME = "coverage"
LEAST_COHORTS = 1000
LEAST = (MIN_ERRORS, MIN_ERRING)
UNIT = "share of simulated cohorts"
SPREAD = "standard deviation over mean"
BY_COPIES = {Method.VERTEX: Plan.SUBJECTS, Method.DOUBLE_OR_NOTHING: Plan.DOUBLE_OR_NOTHING}
UNKNOWN_SPREAD = "not simulated: no threshold has the errors from which the spread of subjects could be told"
NO_BLOCKS = "not simulated: its replicates of FMR need every pair of subjects, and the simulation keeps sums by subject"
NO_PLUGIN = "not simulated: the published plug-in stands beside the rule of its kind as a comparison"
NOT_NEW = "not simulated: it holds for the same subjects, and each simulated cohort has others"
GRID_LEFT_OUT = (
    "simulated coverage leaves out thresholds that the grid chose on these data: FMR targets stand for them"
)

ANY_LEVEL = 0.05  # of an interval whose bounds are not read


class Scenario(Enum):
    """A truth to simulate, no forecast: where the rate lies, how far subjects lie apart, whom the cohort lacks."""

    ESTIMATE = "estimate"
    RATE_LOWER = "rate_lower"
    RATE_UPPER = "rate_upper"
    SUBJECTS_UPPER = "subjects_upper"
    WOLVES = "wolves"
    ONE_LOOK_ALIKE = "one_look_alike"
    THREE_LOOK_ALIKES = "three_look_alikes"


LOOK_ALIKES = {Scenario.ONE_LOOK_ALIKE: 1.0, Scenario.THREE_LOOK_ALIKES: 3.0}  # pairs expected in a cohort
OF_FMR = {Scenario.WOLVES, *LOOK_ALIKES}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A rate of the report whose intervals are tried: as ``error_rates`` names it, and where it is read."""

    metric: str
    schema: str | None
    group: str
    at: At
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


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How often this report's intervals would contain the true value, in simulated cohorts of its own structure."""

    cohorts: int = LEAST_COHORTS
    share_of_wolves: float = 0.02
    wolf_factor: float = 10.0

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for too few cohorts, a share outside (0, 1) or a factor that makes no wolf."""
        if self.cohorts < LEAST_COHORTS:
            raise SpecError(f"analyses.{NAME}.cohorts", f"found {self.cohorts}", f"{LEAST_COHORTS} or more")
        if not 0 < self.share_of_wolves < 1:
            found = f"found {self.share_of_wolves:g}"
            raise SpecError(f"analyses.{NAME}.share_of_wolves", found, "more than 0 and less than 1")
        if not 1 < self.wolf_factor < float("inf"):
            raise SpecError(f"analyses.{NAME}.wolf_factor", f"found {self.wolf_factor:g}", "more than 1")

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """Coverage and misses for every rate of the primary weighting, every method that can be tried, every truth."""
        found = [item for row in rows_of(system) for item in self.of_row(system, row, alpha)]
        left_out = any(_chosen_here(origin) for origin in system.points.origin)
        notes = (f"{system.provider}: {GRID_LEFT_OUT}",) if left_out else ()
        return AnalysisOutput(estimates=(*found, *_left_out(system)), notes=notes)

    def of_row(
        self, system: SystemData, row: Row, alpha: float, scenarios: Collection[Scenario] = tuple(Scenario)
    ) -> Iterator[Estimate]:
        """What the model was given, and each method's coverage and misses in each scenario, of one rate."""
        reading = read(system, row.place)
        if not np.isfinite(reading.value) or reading.rule is None:
            return
        stage = _stage(system, row)
        if stage is None:
            yield _estimate(system, row, "simulated_coverage", None, {}, note=UNKNOWN_SPREAD)
            return
        yield from _spreads(system, row, stage)
        for scenario, truth in _truths(reading, alpha, stage):
            if scenario not in scenarios:
                continue
            seed = seed_of(
                system.spec.seed,
                NAME, system.provider, row.metric, dumps(row.at), row.schema or "", row.group, scenario.value,
            )  # fmt: skip
            counts = self._simulate(stage, row, scenario, truth, alpha, np.random.default_rng(seed))
            for method, missed in counts.items():
                at: At = {"method": method.value, "scenario": scenario.value, "true_rate": truth}
                yield from _told(system, row, at, missed, alpha)

    def _simulate(
        self,
        stage: Stage,
        row: Row,
        scenario: Scenario,
        truth: float,
        alpha: float,
        rng: np.random.Generator,
    ) -> dict[Method, Misses]:
        """Draw the cohorts, in chunks that fit, and count each method's misses."""
        total = {method: Misses(lower=0, upper=0, given=0) for method in stage.methods}
        chunk = max(1, simulated_cohorts.CHUNK // _width(stage))
        for first in range(0, self.cohorts, chunk):
            cohorts = min(chunk, self.cohorts - first)
            drift = None if stage.everybody is None else self._drift(stage.everybody, cohorts, rng)
            drawn = self._draw(stage, scenario, truth, cohorts, rng, None if drift is None else drift.shift)
            for method, bounds in _bounds(stage, row, drawn, alpha, drift, rng):
                missed, known = coverage.misses(bounds, truth), total[method]
                total[method] = Misses(
                    lower=known.lower + missed.lower,
                    upper=known.upper + missed.upper,
                    given=known.given + missed.given,
                )
        return total

    def _drift(self, moving: Moving, cohorts: int, rng: np.random.Generator) -> "Drift":
        """How far the threshold of each cohort lies from the true one, and how far its replicates' do from its own."""
        over = moving.stage.over
        drawn = self._draw(moving.stage, Scenario.ESTIMATE, moving.target, cohorts, rng, None)
        rate = np.maximum(coverage.rates(drawn.own, over), 0.5 / over.trials)
        n_eff = coverage.effective_trials(drawn.own, drawn.lent, over)
        return Drift(
            shift=(rate / moving.target) ** moving.slope,
            spread=moving.slope * np.sqrt((1 - rate) / (rate * n_eff)),
        )

    def _draw(
        self,
        stage: Stage,
        scenario: Scenario,
        truth: float,
        cohorts: int,
        rng: np.random.Generator,
        shift: Floats | None,
    ) -> Drawn:
        effects = stage.effects
        spread = effects.subject_upper if scenario is Scenario.SUBJECTS_UPPER else effects.subject
        if stage.pairs is not None or stage.cells is None:
            pairs = np.zeros(0, dtype=np.int64) if stage.pairs is None else stage.pairs
            return simulated_cohorts.draw_mated(
                rng, pairs, truth, spread, cohorts, identity=stage.identity, shift=shift
            )
        people = simulated_cohorts.gamma_effects(rng, (cohorts, int(stage.over.subjects)), spread)
        if scenario is Scenario.WOLVES:
            people = simulated_cohorts.with_wolves(rng, people, self.share_of_wolves, self.wolf_factor)
        also = LookAlikes(pairs=LOOK_ALIKES.get(scenario, 0.0), match_rate=stage.match_rate)
        rate = truth - also.pairs / stage.over.pairs * also.match_rate
        return simulated_cohorts.draw_non_mated(rng, stage.cells, rate, people, effects.pair, also)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """What a threshold found anew does to FNMR, each (C,): a factor, and the spread of its logarithm in replicates."""

    shift: Floats
    spread: Floats


def _chosen_here(origin: Mapping[str, float | str]) -> bool:
    return origin.get("source") == ThresholdSource.SAME_DATA.value


def rows_of(system: SystemData) -> Iterator[Row]:
    """Rates at the declared FMR targets and at thresholds that are not of these data, in the primary weighting."""
    weighting, points = system.spec.weighting, system.points
    places: list[tuple[At, float, int]] = []
    for a in points.declared:
        threshold = float(points.at_target[WEIGHTINGS.index(weighting), a])
        if np.isfinite(threshold):
            places.append(({"fmr": points.targets[a]}, threshold, a))
    for t, (threshold, origin) in enumerate(zip(points.thresholds, points.origin, strict=True)):
        if not _chosen_here(origin):
            places.append(({"threshold": threshold, **origin}, threshold, len(points.targets) + t))
    for at, threshold, point in places:
        moving = point < len(points.targets)
        for group_index, schema, group in system.every_group():
            for rate in ("fmr", "fnmr"):
                place = OperatingPoint(
                    rate=rate, weighting=weighting, group_index=group_index, threshold=threshold, point=point
                )
                moves = moving and rate == "fnmr"
                metric = "fnmr_at_fmr" if moves else rate
                yield Row(metric=metric, schema=schema, group=group, at=at, place=place, moving=moves)


def _methods(system: SystemData, rate: str) -> dict[Method, str | None]:
    """The spec's methods, each with None or the reason why it is not simulated."""
    found: dict[Method, str | None] = {}
    for spec in system.intervals:
        method = spec.method
        if method is Method.WILSON or (method in BY_COPIES and rate == "fnmr"):
            found[method] = None
        elif method is Method.WILSON_IID:
            if system.spec.weighting is Weighting.POOLED:  # else the report prints none
                found[method] = None
        elif method in BY_COPIES:
            found[method] = NO_BLOCKS
        elif method is Method.WILSON_PLUGIN:
            found[method] = NO_PLUGIN
        elif spec.target is Target.FIXED_IDENTITIES:
            found[method] = NOT_NEW
        else:
            found[method] = "not simulated: a diagnostic"
    return found


def _left_out(system: SystemData) -> Iterator[Estimate]:
    """One entry for each method and rate that is not simulated, with the reason."""
    for rate in ("fmr", "fnmr"):
        place = OperatingPoint(
            rate=rate, weighting=system.spec.weighting, group_index=0, threshold=np.inf, point=0
        )
        row = Row(metric=rate, schema=None, group="all", at={}, place=place, moving=False)
        for method, reason in _methods(system, rate).items():
            if reason:
                yield _estimate(
                    system, row, "simulated_coverage", None, {"method": method.value}, note=reason
                )


def _stage(system: SystemData, row: Row) -> Stage | None:
    """None where the spread of subjects cannot be told."""
    methods = tuple(method for method, reason in _methods(system, row.place.rate).items() if reason is None)
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
    place = OperatingPoint(
        rate="fmr",
        weighting=row.place.weighting,
        group_index=0,
        threshold=row.place.threshold,
        point=row.place.point,
    )
    stage = _stage(system, Row(metric="fmr", schema=None, group="all", at=row.at, place=place, moving=False))
    target, slope = read(system, place).value, _slope(system, row.place)
    return Moving(stage=stage, target=target, slope=slope) if stage and 0 < target < 1 and slope else None


def _slope(system: SystemData, place: OperatingPoint) -> float:
    """-d log FNMR / d log FMR between half and twice the target, or what of it the tail and the errors allow."""
    target, found = system.points.targets[place.point], []
    for factor in (0.5, 1.0, 2.0):
        try:
            threshold = threshold_at(system.tail, system.groups, target * factor, place.weighting)
        except BelowFloorError:
            continue
        rates = rates_at(system.tail, system.groups, [threshold])
        pooled = place.weighting is Weighting.POOLED
        fmr, fnmr = (rates.fmr, rates.fnmr) if pooled else (rates.far, rates.frr)
        if fmr[0, 0] > 0 and fnmr[0, place.group_index] > 0:
            found.append((float(np.log(fmr[0, 0])), float(np.log(fnmr[0, place.group_index]))))
    (x, first), (y, last) = (found[0], found[-1]) if found else ((0.0, 0.0), (0.0, 0.0))
    return max(0.0, (first - last) / (y - x)) if y > x else 0.0


def _effects(system: SystemData, row: Row) -> Effects | None:
    """Relative variances at the threshold, or at the nearest that has errors enough (as FORMULAS 8.1 borrows)."""
    rule, place = system.rule, row.place
    mated = place.rate == "fnmr"
    own = (rule.fnmr_residuals if mated else rule.fmr_residuals)(
        place.threshold, place.group_index, place.weighting
    )
    threshold: float | None = place.threshold
    if borrowing.few(own):
        threshold = (rule.lenders_fnmr if mated else rule.lenders_fmr)[place.group_index].of(own).threshold
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
    found = {}
    for plan in sorted(plans & set(system.replicates), key=lambda plan: plan.value):
        seed, count = seed_of(system.spec.seed, "bootstrap", plan.value), system.replicates[plan].B
        if plan is Plan.SUBJECTS:
            strata = strata_of(system.spec, system.groups)
            strata = np.zeros(chosen.size, dtype=np.int32) if strata is None else strata
            drawn = weights.draw_between(strata, seed=seed, first=0, count=count)
        else:
            drawn = weights.draw_coins(chosen.size, seed=seed, first=0, count=count)
        found[plan] = Copies(weight=drawn[chosen], unit=unit)
    return found


def _width(stage: Stage) -> int:
    """Numbers held for one cohort."""
    copies = max((item.weight.shape[1] for item in (stage.copies or {}).values()), default=0)
    listed = stage.cells.size.size if isinstance(stage.cells, Listing) else 0
    return max(int(stage.over.subjects), copies, listed)


def _truths(reading: RateSummary, alpha: float, stage: Stage) -> Iterator[tuple[Scenario, float]]:
    """Each scenario with its true rate; none where a rate of 0 or 1 leaves nothing to draw, some for FMR alone.

    Look-alikes come on top of the rate as estimated: the cohort lacks them.
    """
    interval = None if reading.rule is None else reading.rule(alpha)
    ends = (None, None) if interval is None else (interval.low, interval.high)
    rates = {Scenario.RATE_LOWER: ends[0], Scenario.RATE_UPPER: ends[1]}
    for scenario in Scenario:
        truth = rates.get(scenario, reading.value)
        if truth is None or not 0 < truth < 1 or (stage.pairs is not None and scenario in OF_FMR):
            continue
        if scenario in LOOK_ALIKES:
            truth += LOOK_ALIKES[scenario] / stage.over.pairs * stage.match_rate
        if truth < 1:
            yield scenario, float(truth)


def _bounds(
    stage: Stage, row: Row, drawn: Drawn, alpha: float, drift: Drift | None, rng: np.random.Generator
) -> Iterator[tuple[Method, Bounds]]:
    copies = stage.copies or {}
    counts = drawn.errors.astype(np.float64)
    if stage.identity and stage.pairs is not None:
        counts /= stage.pairs
    made = {plan: item.replicates(counts) for plan, item in copies.items()}
    if drift is not None:  # each replicate finds its threshold anew
        made = {
            plan: found * np.exp(drift.spread[:, None] * rng.standard_normal(found.shape))
            for plan, found in made.items()
        }
    for method in stage.methods:
        if method is Method.WILSON:
            if row.moving and Plan.SUBJECTS in made:
                replicates = made[Plan.SUBJECTS]
                found = coverage.wilson_moving(drawn.own, drawn.lent, replicates, stage.over, alpha, LEAST)
            else:
                found = coverage.wilson(drawn.own, drawn.lent, stage.over, alpha)
            yield method, found
        elif method is Method.WILSON_IID:
            yield method, coverage.wilson_iid(drawn.own, stage.over, alpha)
        elif BY_COPIES[method] in made and stage.over.effective >= MIN_EFFECTIVE:
            yield method, coverage.percentile(drawn.own, made[PLAN_OF[method]], alpha, LEAST)


def _told(system: SystemData, row: Row, at: At, missed: Misses, alpha: float) -> Iterator[Estimate]:
    """Coverage with its Monte Carlo interval, and the misses of either side."""
    if not missed.given:
        note = "the interval was withheld in every simulated cohort"
        yield _estimate(system, row, "simulated_coverage", None, at, note=note)
        return
    score = wilson.wilson_iid(missed.covered, missed.given, alpha)
    interval = Interval.of(score.low, score.high, alpha, Method.MONTE_CARLO, n_resamples=missed.given)
    made = _estimate(system, row, "simulated_coverage", (missed.covered, missed.given), at)
    yield replace(made, intervals=(interval,))
    yield _estimate(system, row, "simulated_lower_misses", (missed.lower, missed.given), at)
    yield _estimate(system, row, "simulated_upper_misses", (missed.upper, missed.given), at)


def _spreads(system: SystemData, row: Row, stage: Stage) -> Iterator[Estimate]:
    """What the model was given: relative standard deviations of subjects, its upper bound, and of pairs."""
    found = {
        "subjects": stage.effects.subject,
        "subjects_upper": stage.effects.subject_upper,
        **({} if stage.pairs is not None else {"pairs": stage.effects.pair}),
    }
    for of, variance in found.items():
        made = _estimate(system, row, "simulated_spread", None, {"of": of}, note="a setting of the model")
        yield replace(made, value=float(np.sqrt(variance)), unit=SPREAD, note=None)


def _estimate(
    system: SystemData, row: Row, metric: str, counts: tuple[int, int] | None, at: At, note: str | None = None
) -> Estimate:
    return Estimate.of(
        system.provider,
        NAME,
        metric,
        None if counts is None else counts[0] / counts[1],
        UNIT,
        of=(row.schema, row.group),
        counts=counts,
        at={"rate": row.metric, **row.at, **at},
        weighting=row.place.weighting.value,
        note=note,
    )
