"""Misses of one-sided bounds, counted over cohorts and held against 1.2 times their error."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from frtaudit.core.arrays import Floats
from frtaudit.stats.intervals.rate_bounds import RateBounds
from frtaudit.testing.checks import ALARM
from frtaudit.testing.study.sets.one_sided import ERRORS

SLACK = 1.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Misses:
    """How many of ``cohorts`` have a ``lower``, an ``upper`` bound that misses, at each of ``ERRORS``."""

    cohorts: int
    lower: tuple[int, ...]
    upper: tuple[int, ...]

    @property
    def broken(self) -> tuple[str, ...]:
        """The bounds that miss more often than 1.2 times their error."""
        return tuple(
            f"{side} {error:g}"
            for side, counts in (("lower", self.lower), ("upper", self.upper))
            for error, count in zip(ERRORS, counts, strict=True)
            if stats.binomtest(count, self.cohorts, SLACK * error, alternative="greater").pvalue <= ALARM
        )


def totals(rows: Sequence[Floats | tuple[Floats, Floats]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """How many of the cohorts' lower and of their upper bounds miss, at each error, from what each missed."""
    lower, upper = np.array(rows, dtype=np.float64).sum(axis=0).astype(int).tolist()
    return tuple(lower), tuple(upper)


def missed(bounds: RateBounds, truth: float) -> Floats:
    """Whether the lower and the upper bound of one cohort miss the truth (2, errors), as 0 and 1."""
    low = [bounds.low(error) > truth for error in ERRORS]
    return np.array([low, [bounds.high(error) < truth for error in ERRORS]], dtype=np.float64)
