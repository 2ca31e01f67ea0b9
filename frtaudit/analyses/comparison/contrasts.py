"""From a measure of several systems to estimates: values, differences with tests, equivalence, ranks."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from frtaudit.analyses.comparison.measures import Measure
from frtaudit.analyses.comparison.support import CommonSupport
from frtaudit.core import Estimate, Interval, Method, Target, Test, TestMethod
from frtaudit.core.arrays import Floats
from frtaudit.evaluation.intervals import AtKey, empty
from frtaudit.stats.systems import multiple_comparisons
from frtaudit.stats.systems.multiple_comparisons import Family, Pair

NAME = "vendor_comparison"
VALUE, DIFFERENCE, EQUIVALENCE, RANK = (
    "vendor_value",
    "vendor_difference",
    "vendor_equivalence",
    "vendor_rank",
)
IDENTICAL = "identical by construction"
DUST = 1e-14  # rates in 0..1: sums of many thousand terms differ by less where they are equal
NO_SPREAD = "undefined or equal in too many replicates"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A measure with the differences of its pairs.

    ``family``: the pairs that can be tested, judged together (None: none can); ``untested``: the other pairs and why.
    ``confirmatory``: the measure of the declared decision, p is adjusted over its own pairs alone.
    """

    measure: Measure
    names: tuple[str, ...]
    pairs: tuple[Pair, ...]
    family: Family | None
    untested: dict[Pair, str]
    alpha: float
    confirmatory: bool = False

    def directions(self) -> list[int]:
        """For each pair of the family 1 where the first is shown to be worse, -1 where the second is, else 0."""
        if self.family is None:
            return []
        shown = self.family.p() <= self.alpha
        sides = -np.sign(self.family.value).astype(int) * self.measure.better
        return [int(side) if is_shown else 0 for side, is_shown in zip(sides, shown, strict=True)]

    def detectable(self) -> Floats:
        """For each pair of the family the true difference found with probability 0.8."""
        if self.family is None:
            return np.zeros(0)
        return self.family.detectable(self.alpha, self._apart(), max(self.measure.subjects, 1))

    def subjects_for(self, difference: float) -> Floats:
        """For each pair of the family the subjects that find this true difference with probability 0.8."""
        if self.family is None:
            return np.zeros(0)
        return self.family.subjects_for(self.alpha, difference, self._apart(), max(self.measure.subjects, 1))

    def _apart(self) -> Floats | None:
        """The share of decisions that differ in each pair of the family, where they can be counted."""
        decided = [self.decided(pair) for pair in self.family.pairs] if self.family else []
        if any(counts is None for counts in decided):
            return None
        return np.array([counts[0] / counts[1] for counts in decided if counts is not None])

    def decided(self, pair: Pair) -> tuple[int, int] | None:
        """Discordant decisions of a pair and all its decisions, where they can be counted."""
        if self.measure.refused:
            return None
        return self.measure.decided.get(pair) or self.measure.decided.get((pair[1], pair[0]))

    def ranks(self) -> tuple[tuple[int, int], ...]:
        """The confidence set of each system's rank; a pair that cannot be tested parts nobody."""
        tested = self.family.pairs if self.family else ()
        return multiple_comparisons.ranks(len(self.names), tested, self.directions())


def judged(
    measure: Measure,
    common: CommonSupport,
    alpha: float,
    *,
    against: int | None = None,
    confirmatory: bool = False,
) -> Judged:
    """Test every pair of systems that can be tested, or every system with ``against``."""
    pairs = multiple_comparisons.every_pair(len(common.systems), against)
    untested = {pair: reason for pair in pairs if (reason := _reason(measure, common, pair)) is not None}
    testable = [pair for pair in pairs if pair not in untested]
    family = multiple_comparisons.family_of(measure.values, measure.drawn, testable, measure.lift)
    if family is None:
        untested |= dict.fromkeys(testable, NO_SPREAD)
    return Judged(
        measure=measure,
        names=common.names,
        pairs=pairs,
        family=family,
        untested=untested,
        alpha=alpha,
        confirmatory=confirmatory,
    )


def _reason(measure: Measure, common: CommonSupport, pair: Pair) -> str | None:
    """Why nothing can be said of a pair: no number, the same scores, too few decisions that differ, no spread."""
    first, second = pair
    system, other = common.systems[first], common.systems[second]
    same = system.digest == other.digest
    if measure.refused:
        return measure.refused
    if same and np.array_equal(measure.drawn[:, first], measure.drawn[:, second], equal_nan=True):
        return IDENTICAL
    if not np.isfinite(measure.values[list(pair)]).all():
        return "no finite value in one of the two"
    known = measure.untested.get(pair) or measure.untested.get((second, first))
    return known or (
        None if multiple_comparisons.family_of(measure.values, measure.drawn, [pair]) else NO_SPREAD
    )


def estimates(outcome: Judged, margin: float | None) -> Iterator[Estimate]:
    """The value of each system, the difference of each pair, equivalence where a margin is declared, and ranks."""
    for name, value in zip(outcome.names, outcome.measure.values.tolist(), strict=True):
        shown = float(np.exp(value)) if outcome.measure.ratio else value
        known = outcome.measure.refused is None and np.isfinite(value)
        yield _estimate(outcome, VALUE, name, {}, shown if known else None, outcome.measure.unit)
    yield from (_difference(outcome, pair) for pair in outcome.pairs)
    if margin is not None:
        yield from (_equivalence(outcome, pair, margin) for pair in outcome.pairs)
    yield from _ranked(outcome)


def _estimate(
    outcome: Judged, metric: str, provider: str, at: AtKey, value: float | None, unit: str
) -> Estimate:
    measure = outcome.measure
    return Estimate.of(
        provider,
        NAME,
        metric,
        value,
        unit,
        of=(measure.schema, measure.group),
        at={"of": measure.of, **measure.at, **at},
        weighting=measure.weighting,
        note=None if value is not None else measure.refused or "undefined",
    )


def _difference(outcome: Judged, pair: Pair) -> Estimate:
    """First minus second; of ratios first over second."""
    estimate = _estimate(
        outcome, DIFFERENCE, outcome.names[pair[0]], {"against": outcome.names[pair[1]]}, None, _unit(outcome)
    )
    counts = outcome.decided(pair)
    if counts is not None:
        estimate = replace(estimate, numerator=counts[0], denominator=counts[1])
    reason = outcome.untested.get(pair)
    if reason is not None or outcome.family is None:
        return _untested(outcome, pair, estimate, reason or NO_SPREAD)
    place = outcome.family.pairs.index(pair)
    low, high = (float(side[place]) for side in outcome.family.bounds(outcome.alpha))
    value = _shown(outcome, float(outcome.family.value[place]))
    interval = _interval(outcome, (low, high), 1 - outcome.alpha)
    return replace(
        estimate, value=value, intervals=(interval,), note=None, test=_test(outcome, outcome.family, place)
    )


def _untested(outcome: Judged, pair: Pair, estimate: Estimate, reason: str) -> Estimate:
    """A pair of which nothing is tested: no interval and no p; its difference stands unless the two are identical."""
    both = outcome.measure.values[list(pair)]
    value = float(both[0] - both[1]) if np.isfinite(both).all() else float("nan")
    known = outcome.measure.refused is None and reason != IDENTICAL and np.isfinite(value)
    test = Test(
        p=None,
        alpha=outcome.alpha,
        method=TestMethod.PAIRED_PEOPLE,
        detectable_unit=_unit(outcome),
        power=multiple_comparisons.POWER,
        note=reason,
    )
    shown = _shown(outcome, value) if known else None
    none = () if shown is None else (empty(Method.MAX_T, outcome.alpha, reason, Target.POPULATION),)
    return replace(estimate, value=shown, intervals=none, note=reason, test=test)


def _test(outcome: Judged, family: Family, place: int) -> Test:
    """Raw p of the pair and p over the declared family; else p over the systems, to be adjusted with others."""
    raw, adjusted = (float(p[place]) for p in (family.raw_p(), family.p()))
    far = float(outcome.detectable()[place])
    return Test(
        p=raw if outcome.confirmatory else adjusted,
        alpha=outcome.alpha,
        n_resamples=family.n_resamples,
        method=TestMethod.PAIRED_PEOPLE,
        detectable=float(np.exp(far)) if outcome.measure.ratio else far,
        detectable_unit=_unit(outcome),
        power=multiple_comparisons.POWER,
        p_adjusted=adjusted if outcome.confirmatory else None,
        family=len(family.pairs) if outcome.confirmatory else None,
    )


def _equivalence(outcome: Judged, pair: Pair, margin: float) -> Estimate:
    """Two one-sided tests of "at least the margin apart"; the interval lies within the margin iff both reject."""
    at: AtKey = {"against": outcome.names[pair[1]], "margin": margin}
    estimate = _estimate(outcome, EQUIVALENCE, outcome.names[pair[0]], at, None, _unit(outcome))
    reason = outcome.untested.get(pair)
    if reason is not None or outcome.family is None:
        return _untested(outcome, pair, estimate, reason or NO_SPREAD)
    place = outcome.family.pairs.index(pair)
    low, high = (float(side[place]) for side in outcome.family.narrow(outcome.alpha))
    p = float(outcome.family.equivalence_p(float(np.log(margin)) if outcome.measure.ratio else margin)[place])
    test = Test(
        p=p,
        alpha=outcome.alpha,
        n_resamples=outcome.family.n_resamples,
        method=TestMethod.TWO_ONE_SIDED,
        detectable_unit=_unit(outcome),
        power=multiple_comparisons.POWER,
        p_adjusted=p,
        family=len(outcome.family.pairs),
        note="equivalent" if p <= outcome.alpha else "not shown to be equivalent",
    )
    level = 1 - (2 * outcome.alpha if len(outcome.family.pairs) == 1 else outcome.alpha)
    value = _shown(outcome, float(outcome.family.value[place]))
    return replace(
        estimate, value=value, intervals=(_interval(outcome, (low, high), level),), note=None, test=test
    )


def _ranked(outcome: Judged) -> Iterator[Estimate]:
    """Rank by the value, ties alike; the confidence set as an interval; 1 is best."""
    sets = outcome.ranks()
    scores = -outcome.measure.values * outcome.measure.better
    for v, (name, (low, high)) in enumerate(zip(outcome.names, sets, strict=True)):
        known = outcome.measure.refused is None and np.isfinite(scores[v])
        rank = float(1 + np.count_nonzero(scores < scores[v] - DUST)) if known else None
        estimate = _estimate(outcome, RANK, name, {}, rank, "rank, 1 = best")
        interval = _interval(outcome, (float(low), float(high)), 1 - outcome.alpha, plain=True)
        yield replace(estimate, intervals=(interval,) if known else ())


def _interval(outcome: Judged, ends: tuple[float, float], level: float, *, plain: bool = False) -> Interval:
    low, high = ends if plain else (_shown(outcome, end) for end in ends)
    if outcome.measure.of_shares and not plain:
        low, high = max(low, -1.0), min(high, 1.0)  # no two shares are further apart
    drawn = outcome.family.n_resamples if outcome.family else None
    return Interval(
        low=low, high=high, level=level, method=Method.MAX_T, target=Target.POPULATION, n_resamples=drawn
    )


def _shown(outcome: Judged, value: float) -> float:
    """A difference as it is printed: of logarithms as a quotient; what only rounding left is none."""
    value = 0.0 if abs(value) < DUST else value
    return float(np.exp(value)) if outcome.measure.ratio else value


def _unit(outcome: Judged) -> str:
    return "first ratio over second" if outcome.measure.ratio else f"difference: {outcome.measure.unit}"
