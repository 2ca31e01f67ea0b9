"""Intervals of distances between classes: for the population, and of the largest distance (FORMULAS 3, 8.7)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from frtaudit.core import Interval, Method, Test, TestMethod
from frtaudit.evaluation.intervals import empty, finite
from frtaudit.stats.interclass.d_l2 import POWER, Bounds
from frtaudit.stats.interclass.d_l2_spaces import Spread

CLASS_MOVED = "d_l2 of one class moved as a whole"  # what is detectable is told in


def for_population(bounds: Bounds, n: int, alpha: float) -> tuple[Interval, ...]:
    """The interval of each distance at any level from the same ``n`` replicates; none where it is degenerate.

    >>> import numpy as np
    >>> made = for_population(lambda alpha: (np.array([0.1, 0.0]), np.array([0.4, 0.0]), np.zeros(2)), 99, 0.05)
    >>> [item.low for item in made]
    [0.1, None]
    """
    none = empty(Method.VERTEX_GAUSSIAN, alpha, "degenerate: truncated at 0 on both sides")
    intervals = _at_any_level(bounds, n, alpha)
    return tuple(
        interval if (interval.low or 0.0) < (interval.high or 0.0) else none for interval in intervals
    )


def _at_any_level(bounds: Bounds, n: int, alpha: float) -> tuple[Interval, ...]:
    return tuple(
        Interval.of(
            float(low),
            float(high),
            alpha,
            Method.VERTEX_GAUSSIAN,
            n_resamples=n,
            mc_error=finite(float(error)),
            one_sided=partial(lambda place, wrong: _at_any_level(bounds, n, 2 * wrong)[place], c),
        )
        for c, (low, high, error) in enumerate(zip(*bounds(alpha), strict=True))
    )


def largest(parts: Sequence[Interval]) -> Interval:
    """Maximum over classes of each bound separately (FORMULAS 3, ambiguity i).

    One-sided, for verdicts: some class's lower bound lies too high C times as often as one of them, so that the largest
    lower bound at error a is that of the classes at a/C; the largest upper bound errs as often as one. No bounds where
    one of ``parts`` has none.
    """
    lows = [part.low for part in parts if part.low is not None]
    highs = [part.high for part in parts if part.high is not None]
    if len(lows) < len(parts):
        return next(part for part in parts if part.low is None)
    known = [part.one_sided for part in parts if part.one_sided is not None]
    return replace(
        parts[0],
        low=max(lows),
        high=max(highs),
        mc_error=max((part.mc_error for part in parts if part.mc_error is not None), default=None),
        note="the largest lower and the largest upper bound over the classes, each class by itself",
        one_sided=(lambda error: _one_sided(known, error)) if known else None,
    )


def _one_sided(known: Sequence[Callable[[float], Interval]], error: float) -> Interval:
    """The bounds of the largest class, each wrong with probability ``error`` at most (Bonferroni below)."""
    above = largest([make(error) for make in known])
    below = largest([make(error / len(known)) for make in known])
    return replace(above, low=below.low, mc_error=max(above.mc_error or 0.0, below.mc_error or 0.0) or None)


def classes_alike(spread: Spread, alpha: float) -> Test:
    """The test that all classes have equal scores, by replicates of people, centred (FORMULAS 8.7)."""
    return Test(
        p=spread.p_value(alpha),
        null_median=spread.null(0.5, alpha),
        null_edge=spread.null(1 - alpha, alpha),
        alpha=alpha,
        n_resamples=len(spread.noise),
        method=TestMethod.CENTRED_CURVES,
        detectable=spread.detectable(alpha),
        detectable_unit=CLASS_MOVED,
        power=POWER,
    )
