"""Tests that no requirement asked for: adjusted together, or raw and the B that adjusting needs (FORMULAS 8.9)."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from frtaudit.core import Estimate
from frtaudit.core.methods import UNADJUSTED
from frtaudit.core.spec import Weighting
from frtaudit.stats.systems.multiplicity import benjamini_yekutieli, enough_for_scan


def adjusted(
    estimates: Sequence[Estimate], named: Collection[int], weighting: Weighting, alpha: float
) -> tuple[Estimate, ...]:
    """The same estimates with Benjamini and Yekutieli's p values on their tests; no raw number moves.

    The family: all tests of the primary ``weighting`` (and those that have none) with a p value, but for estimates at
    the positions ``named``, which a requirement judges, and those that come adjusted over a family of their own,
    declared beforehand. Other tests keep their unadjusted p alone.
    """
    family = [
        place
        for place, estimate in enumerate(estimates)
        if estimate.test is not None
        and estimate.test.p is not None
        and estimate.test.p_adjusted is None
        and estimate.weighting in (weighting.value, None)
        and place not in named
    ]
    raw = [test.p for place in family if (test := estimates[place].test) is not None and test.p is not None]
    values = dict(zip(family, benjamini_yekutieli(raw), strict=True))
    needed = enough_for_scan(alpha, len(family))
    return tuple(
        _adjusted(estimate, values[place], len(family), needed) if place in values else estimate
        for place, estimate in enumerate(estimates)
    )


def _adjusted(estimate: Estimate, value: float, family: int, needed: int) -> Estimate:
    test = estimate.test
    if test is None:
        return estimate
    if (test.n_resamples or 0) >= needed:
        return replace(estimate, test=replace(test, p_adjusted=value, family=family))
    reason = f"{UNADJUSTED}adjusting for {family} tests needs B of {needed:,} or more"
    note = f"{test.note}; {reason}" if test.note else reason
    return replace(estimate, test=replace(test, family=family, note=note))
