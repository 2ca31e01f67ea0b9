"""Simulated coverage of this report's own intervals under a named model of errors (FORMULAS 8.12)."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from frtaudit.analyses.shared.cohort_model import BY_COPIES, Moving, Row, Stage, methods_of, rows_of, stage_of
from frtaudit.analyses.shared.overall_ratios import chosen_here
from frtaudit.core import Estimate, Interval, Method
from frtaudit.core.arrays import Floats
from frtaudit.core.canonical import dumps, seed_of
from frtaudit.core.methods import MIN_ERROR_SUBJECTS, MIN_ERRORS
from frtaudit.core.registry import register
from frtaudit.core.spec import Plan
from frtaudit.errors import SpecError
from frtaudit.evaluation.intervals import MIN_EFFECTIVE, PLAN_OF, AtKey, RateSummary
from frtaudit.evaluation.operating_points import OperatingPoint, read
from frtaudit.evaluation.system import AnalysisOutput, SystemData
from frtaudit.stats.intervals import closed_form, coverage, simulated_cohorts
from frtaudit.stats.intervals.coverage import Bounds, Misses
from frtaudit.stats.intervals.simulated_cohorts import Drawn, Listing, LookAlikes

NAME = "coverage"
MIN_COHORTS = 1000
MIN_CASES = (MIN_ERRORS, MIN_ERROR_SUBJECTS)
WITH_HUB = "not simulated: one subject, or a few, take part in much of the comparisons"
UNKNOWN_SPREAD = "not simulated: no threshold has the errors from which the spread of subjects could be told"
GRID_LEFT_OUT = (
    "simulated coverage leaves out thresholds that the grid chose on these data: FMR targets stand for them"
)


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


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How often this report's intervals would contain the true value, in simulated cohorts of its own structure."""

    cohorts: int = MIN_COHORTS
    share_of_wolves: float = 0.02
    wolf_factor: float = 10.0

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for too few cohorts, a share outside (0, 1) or a factor that makes no wolf."""
        if self.cohorts < MIN_COHORTS:
            raise SpecError(f"analyses.{NAME}.cohorts", f"found {self.cohorts}", f"{MIN_COHORTS} or more")
        if not 0 < self.share_of_wolves < 1:
            text = f"found {self.share_of_wolves:g}"
            raise SpecError(f"analyses.{NAME}.share_of_wolves", text, "more than 0 and less than 1")
        if not 1 < self.wolf_factor < float("inf"):
            raise SpecError(f"analyses.{NAME}.wolf_factor", f"found {self.wolf_factor:g}", "more than 1")

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """Coverage and misses for every rate of the primary weighting, every method that can be tried, every truth."""
        estimates = [estimate for row in rows_of(system) for estimate in self.of_row(system, row, alpha)]
        left_out = any(chosen_here(origin) for origin in system.operating_points.origin)
        notes = (f"{system.provider}: {GRID_LEFT_OUT}",) if left_out else ()
        return AnalysisOutput(estimates=(*estimates, *_left_out(system)), notes=notes)

    def of_row(
        self, system: SystemData, row: Row, alpha: float, scenarios: Collection[Scenario] = tuple(Scenario)
    ) -> Iterator[Estimate]:
        """What the model was given, and each method's coverage and misses in each scenario, of one rate."""
        summary = read(system, row.place)
        if not np.isfinite(summary.value) or summary.rule is None:
            return
        place = row.place
        residuals = system.rule.fmr_residuals if place.rate == "fmr" else system.rule.fnmr_residuals
        known = residuals(place.threshold, place.group_index, place.weighting)
        if known.hub or known.is_concentrated:
            yield _estimate(system, row, "simulated_coverage", None, {}, note=WITH_HUB)
            return
        stage = stage_of(system, row)
        if stage is None:
            yield _estimate(system, row, "simulated_coverage", None, {}, note=UNKNOWN_SPREAD)
            return
        yield from _spreads(system, row, stage)
        for scenario, truth in _truths(summary, alpha, stage):
            if scenario not in scenarios:
                continue
            seed = seed_of(
                system.spec.seed,
                NAME, system.provider, row.metric, dumps(row.at), row.schema or "", row.group, scenario.value,
            )  # fmt: skip
            counts = self._simulate(stage, row, scenario, truth, alpha, np.random.default_rng(seed))
            for method, missed in counts.items():
                at: AtKey = {"method": method.value, "scenario": scenario.value, "true_rate": truth}
                yield from _told(system, row, at, missed, alpha)

    def _simulate(
        self,
        stage: Stage,
        row: Row,
        scenario: Scenario,
        truth: float,
        alpha: float,
        rng: "np.random.Generator",
    ) -> dict[Method, Misses]:
        """Draw the cohorts, in chunks that fit, and count each method's misses."""
        total = {method: Misses(lower=0, upper=0, given=0) for method in stage.methods}
        # numbers held for one cohort: effects of subjects, copies in replicates, listed comparisons
        copies = max(
            (plan_copies.weight.shape[1] for plan_copies in (stage.copies or {}).values()), default=0
        )
        listed = stage.cells.size.size if isinstance(stage.cells, Listing) else 0
        chunk = max(1, simulated_cohorts.CHUNK // max(int(stage.over.subjects), copies, listed))
        for first in range(0, self.cohorts, chunk):
            cohorts = min(chunk, self.cohorts - first)
            drift = None if stage.everybody is None else self._drift(stage.everybody, cohorts, rng)
            drawn = self._draw(stage, scenario, truth, cohorts, rng, None if drift is None else drift.shift)
            for method, bounds in _bounds(stage, row, drawn, alpha, drift, rng):
                total[method] += coverage.misses(bounds, truth)
        return total

    def _drift(self, moving: Moving, cohorts: int, rng: "np.random.Generator") -> "Drift":
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
        rng: "np.random.Generator",
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


def _left_out(system: SystemData) -> Iterator[Estimate]:
    """One entry for each method and rate that is not simulated, with the reason."""
    for rate in ("fmr", "fnmr"):
        place = OperatingPoint(rate, system.spec.weighting, 0, np.inf, 0)
        row = Row(metric=rate, schema=None, group="all", at={}, place=place, moving=False)
        for method, reason in methods_of(system, rate).items():
            if reason:
                yield _estimate(
                    system, row, "simulated_coverage", None, {"method": method.value}, note=reason
                )


def _truths(summary: RateSummary, alpha: float, stage: Stage) -> Iterator[tuple[Scenario, float]]:
    """Each scenario with its true rate; none where a rate of 0 or 1 leaves nothing to draw, some for FMR alone.

    Look-alikes are in addition to the estimated rate: the cohort lacks them.
    """
    interval = None if summary.rule is None else summary.rule(alpha)
    ends = (None, None) if interval is None else (interval.low, interval.high)
    rates = {Scenario.RATE_LOWER: ends[0], Scenario.RATE_UPPER: ends[1]}
    for scenario in Scenario:
        truth = rates.get(scenario, summary.value)
        if truth is None or not 0 < truth < 1 or (stage.pairs is not None and scenario in OF_FMR):
            continue
        if scenario in LOOK_ALIKES:
            truth += LOOK_ALIKES[scenario] / stage.over.pairs * stage.match_rate
        if truth < 1:
            yield scenario, float(truth)


def _bounds(
    stage: Stage, row: Row, drawn: Drawn, alpha: float, drift: Drift | None, rng: "np.random.Generator"
) -> Iterator[tuple[Method, Bounds]]:
    copies = stage.copies or {}
    counts = drawn.errors.astype(np.float64)
    if stage.identity and stage.pairs is not None:
        counts /= stage.pairs
    by_plan = {plan: plan_copies.replicates(counts) for plan, plan_copies in copies.items()}
    if drift is not None:  # each replicate finds its threshold anew
        by_plan = {
            plan: draws * np.exp(drift.spread[:, None] * rng.standard_normal(draws.shape))
            for plan, draws in by_plan.items()
        }
    for method in stage.methods:
        if method is Method.WILSON:
            if row.moving and Plan.SUBJECTS in by_plan:
                replicates = by_plan[Plan.SUBJECTS]
                bounds = coverage.wilson_moving(
                    drawn.own, drawn.lent, replicates, stage.over, alpha, MIN_CASES
                )
            else:
                bounds = coverage.wilson(drawn.own, drawn.lent, stage.over, alpha)
            yield method, bounds
        elif method is Method.WILSON_IID:
            yield method, coverage.wilson_iid(drawn.own, stage.over, alpha)
        elif BY_COPIES[method] in by_plan and stage.over.effective_subjects >= MIN_EFFECTIVE:
            yield method, coverage.percentile(drawn.own, by_plan[PLAN_OF[method]], alpha, MIN_CASES)


def _told(system: SystemData, row: Row, at: AtKey, missed: Misses, alpha: float) -> Iterator[Estimate]:
    """Coverage with its Monte Carlo interval, and the misses of either side."""
    if not missed.given:
        note = "the interval was withheld in every simulated cohort"
        yield _estimate(system, row, "simulated_coverage", None, at, note=note)
        return
    score = closed_form.wilson_iid(missed.covered, missed.given, alpha)
    interval = Interval.of(score.low, score.high, alpha, Method.MONTE_CARLO, n_resamples=missed.given)
    estimate = _estimate(system, row, "simulated_coverage", (missed.covered, missed.given), at)
    yield replace(estimate, intervals=(interval,))
    yield _estimate(system, row, "simulated_lower_misses", (missed.lower, missed.given), at)
    yield _estimate(system, row, "simulated_upper_misses", (missed.upper, missed.given), at)


def _spreads(system: SystemData, row: Row, stage: Stage) -> Iterator[Estimate]:
    """What the model was given: relative standard deviations of subjects, its upper bound, and of pairs."""
    variances = {
        "subjects": stage.effects.subject,
        "subjects_upper": stage.effects.subject_upper,
        **({} if stage.pairs is not None else {"pairs": stage.effects.pair}),
    }
    for of, variance in variances.items():
        estimate = _estimate(system, row, "simulated_spread", None, {"of": of}, note="a setting of the model")
        yield replace(estimate, value=float(np.sqrt(variance)), note=None)


def _estimate(
    system: SystemData,
    row: Row,
    metric: str,
    counts: tuple[int, int] | None,
    at: AtKey,
    note: str | None = None,
) -> Estimate:
    return Estimate.of(
        system.provider,
        NAME,
        metric,
        None if counts is None else counts[0] / counts[1],
        of=(row.schema, row.group),
        counts=counts,
        at={"rate": row.metric, **row.at, **at},
        weighting=row.place.weighting.value,
        note=note,
    )
