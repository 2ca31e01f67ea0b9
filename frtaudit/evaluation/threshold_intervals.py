"""The interval of a threshold at an FMR target, by inverting the interval of FMR (FORMULAS 8.21).

At the true threshold of a target the true FMR meets the target: so all thresholds whose interval of FMR holds the
target are kept. Low is the smallest threshold with FMR_low <= target, high the smallest with FMR_upper <= target.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from frtaudit.core import Interval, Method
from frtaudit.core.arrays import Floats
from frtaudit.core.scores import NonMatedSums
from frtaudit.core.spec import Weighting
from frtaudit.evaluation.system import SystemData
from frtaudit.stats.intervals.wilson import RuleInterval, WilsonRule
from frtaudit.stats.rates.running_sums import RunningSums, running_sums
from frtaudit.stats.rates.sums import rows_at
from frtaudit.stats.similarity.tail import no_groups

Holds = Callable[[RuleInterval], bool]
LEVEL = 0.05  # of the rule's own interval, which is not read here
STEPS = 32  # thresholds read at once; each pass narrows the place to one of them
TOO_HIGH = "no score is high enough to show the target: up to the end of the scale"
TOO_LOW = "the target cannot be excluded at any threshold that was kept: down to the end of the scale"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inversion:
    """One system's non-mated scores, ready to be read at any of them."""

    system: SystemData
    rule: WilsonRule
    scores: Floats
    sums: RunningSums

    def interval(self, target: float, at: float, weighting: Weighting, alpha: float) -> Interval:
        """The interval of ``threshold_at_fmr``, estimated as ``at``, for the population, at level 1 - alpha.

        FMR at the estimate keeps the target, and so does its lower bound: low lies at or below it, high at or above.
        """

        def low_holds(interval: RuleInterval) -> bool:
            return interval.bounds.low(alpha / 2) <= target

        def high_holds(interval: RuleInterval) -> bool:
            return interval.bounds.high(alpha / 2) <= target

        place = int(np.searchsorted(self.scores, at))
        low = self._smallest(low_holds, self._below(low_holds, place, weighting), place, weighting)
        high = self._smallest(high_holds, place - 1, self.scores.size, weighting)
        cut = low == 0 and np.isfinite(self.system.tail.cutoff)
        ends, none = self.system.tail.score_range, high == self.scores.size
        notes = [TOO_LOW if cut else None, TOO_HIGH if none else None]
        return Interval.of(
            ends[0] if cut else float(self.scores[low]),
            ends[1] if none else float(self.scores[high]),
            alpha,
            Method.WILSON,
            note="; ".join(note for note in notes if note) or None,
            one_sided=lambda error: self.interval(target, at, weighting, 2 * error),
        )

    def _below(self, holds: Holds, place: int, weighting: Weighting) -> int:
        """A place at which the bound does not hold, -1 where it holds at all: four times the errors, and again."""
        above = self.scores.size - place
        while above < self.scores.size:
            above = min(4 * above + STEPS, self.scores.size)
            below = self.scores.size - above
            if self._first(holds, self._at(below), weighting) is None:
                return below
        return -1

    def _smallest(self, holds: Holds, low: int, high: int, weighting: Weighting) -> int:
        """The smallest place above ``low``, where the bound does not hold, and up to ``high``, at which it does."""
        above = self._at(high) if high < self.scores.size else None
        while high - low > 1:
            places = np.unique(np.linspace(low + 1, high - 1, STEPS).astype(np.int64))
            sums = self.sums.at(self.scores[places], above)
            first = self._first(holds, sums, weighting)
            if first is None:
                low = int(places[-1])
            else:
                low, high = int(places[first - 1]) if first else low, int(places[first])
                above = rows_at(sums, self.scores[high : high + 1])
        return high

    def _at(self, place: int) -> NonMatedSums:
        return self.sums.at(self.scores[place : place + 1])

    def _first(self, holds: Holds, sums: NonMatedSums, weighting: Weighting) -> int | None:
        """At which of the thresholds of ``sums`` the bound holds first."""
        rule = self.rule.given(self.system.tail, no_groups(self.system.tail), sums)
        read = (holds(rule.fmr(float(threshold), 0, LEVEL, weighting)) for threshold in sums.thresholds)
        return next((n for n, is_met in enumerate(read) if is_met), None)


def inversion(system: SystemData) -> Inversion:
    """Ready to invert; the scores of the tail are those that a threshold can be."""
    tail = system.tail
    ascending = tail.tail_score[::-1]
    fresh = np.ones(ascending.size, dtype=np.bool_)
    fresh[1:] = ascending[1:] != ascending[:-1]
    scores = ascending[fresh].astype(np.float64)
    return Inversion(system=system, rule=system.rule.overall(tail), scores=scores, sums=running_sums(tail))
