"""A share of things that come in subjects, such as samples not acquired, with its intervals (FORMULAS 8.1)."""

import math
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from frtaudit.core import Estimate, Interval, Method
from frtaudit.core.arrays import Ints
from frtaudit.core.text import formatting
from frtaudit.evaluation.intervals import empty, from_bounds
from frtaudit.evaluation.system import SystemData
from frtaudit.stats.intervals import closed_form, clustered_share, dependence
from frtaudit.stats.intervals.rate_bounds import RateBounds

FAR = 2.0  # times the upper bound that allows for no further subject


def share_estimate(
    system: SystemData,
    analysis: str,
    metric: str,
    errors: Ints,
    trials: Ints,
    alpha: float,
    unit: str,
    *,
    of: tuple[str | None, str] = (None, "all"),
    at: Mapping[str, float | str] = MappingProxyType({}),
) -> Estimate:
    """All errors over all trials, pooled; a requirement on the metric is decided on its interval for the population.

    ``errors``, ``trials``: shape (K,), int64, counts of each subject of the cohort, 0 for those outside the group
    ``of`` (schema, class). Subjects are what depends: an interval of level 1 - ``alpha`` for the population
    (Wilson, on the effective number of trials), and one for trials treated as independent.
    """
    wrong, total = int(errors.sum()), int(trials.sum())
    return Estimate.of(
        system.provider,
        analysis,
        metric,
        wrong / total if total else None,
        unit,
        of,
        counts=(wrong, total),
        at=at,
        intervals=_intervals(errors, trials, alpha),
        note=None if total else "nothing was tried in this group",
    )


def _intervals(errors: Ints, trials: Ints, alpha: float) -> tuple[Interval, ...]:
    bounds = clustered_share.share_bounds(errors, trials)
    if bounds is None:
        return (empty(Method.WILSON, alpha, "nothing was tried"),)
    iid = closed_form.wilson_iid(int(errors.sum()), int(trials.sum()), alpha)
    independent = Interval.of(iid.low, iid.high, alpha, Method.WILSON_IID, n_eff=iid.n_eff)
    return from_bounds(bounds, alpha, _beyond(bounds, errors, trials, alpha)), independent


def _beyond(bounds: RateBounds, errors: Ints, trials: Ints, alpha: float) -> str | None:
    """Why the upper bound is far above the rate, where a subject tried oftener than others at least doubles it."""
    tried, most, total = trials[trials > 0], int(trials.max()), int(trials.sum())
    high, without = (of.interval(alpha).high for of in (bounds, replace(bounds, image=0.0)))
    if tried.size < 2 or most == int(tried.min()) or high <= without:
        return None
    effective = formatting.effective_size(dependence.effective_number(tried))
    why = (
        f"the upper bound allows for one more subject with {most:,} attempts, as many as any subject here; all failed, "
        f"they would add {formatting.rate(bounds.image)} to the rate ({most:,} / {total:,} attempts, times "
        f"1 − {effective} / {tried.size:,} effective subjects)"
    )
    if errors.any():
        return why if high > FAR * without else None
    times = -math.log(alpha / 2)
    derived = f"; the bound is {times:.2f} times that, −ln {alpha / 2:g}"
    return f"no error: {why}{derived if math.isclose(high, times * bounds.image) else ''}"
