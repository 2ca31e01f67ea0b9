"""From a rate, its counts and its replicates to the intervals that the spec asks for (FORMULAS 8.1 to 8.3)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from frtaudit.core import Interval, Method, Target
from frtaudit.core.arrays import Floats
from frtaudit.core.methods import MIN_ERROR_SUBJECTS, MIN_ERRORS
from frtaudit.core.spec import IntervalSpec, Plan
from frtaudit.core.text.formatting import counted
from frtaudit.stats.intervals import bootstrap_intervals
from frtaudit.stats.intervals.closed_form import CLOSED_FORM, PooledRate
from frtaudit.stats.intervals.rate_bounds import RateBounds

MIN_IMAGES = 4  # of a subject on average: of two, images vary by 1.4 times what resampling shows
MIN_EFFECTIVE = 20  # the smallest number of subjects at which FORMULAS 8.2 measured percentile intervals
PLAN_OF: Mapping[
    Method, Plan
] = {  # the replicates that a method needs; all but ``wilson`` make bounds of them
    Method.NAIVE: Plan.IMAGES,
    Method.RECENTERED: Plan.IMAGES,
    Method.GAUSSIAN: Plan.IMAGES,
    Method.VERTEX: Plan.SUBJECTS,
    Method.WILSON: Plan.SUBJECTS,
    Method.DOUBLE_OR_NOTHING: Plan.DOUBLE_OR_NOTHING,
    Method.TWO_LEVEL: Plan.TWO_LEVEL,
}
PERCENTILE = {Method.VERTEX, Method.DOUBLE_OR_NOTHING}

AtKey = dict[str, float | str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RateSummary:
    """One number to be given intervals.

    ``value``: the estimate; ``vstat``: its V-statistic version (the value itself where there is none); ``errors``,
    ``trials``: pooled counts; ``subjects_with_errors``: distinct subjects among the errors; ``replicates``: plan to
    (B,) float64; ``rule``: alpha to the Wilson interval of FORMULAS 8, None where there is no such rule; ``bounds``:
    those of FORMULAS 8.1 and 8.18, threshold held fixed; ``variance``: published plug-in variance; ``missing``: methods
    that cannot be had here, each with its reason; ``total``: what the value is divided by: comparisons (pooled),
    subjects or their pairs (identity); ``effective_subjects``: subjects by weight, None where no subject weighs more
    than another; ``is_rate``: not of a score; ``images``: of a subject on average, where images are resampled.
    """

    value: float
    vstat: float
    errors: int
    trials: int
    subjects_with_errors: int
    replicates: Mapping[Plan, Floats]
    total: int = 0
    effective_subjects: float | None = None
    rule: Callable[[float], Interval] | None = None
    bounds: Callable[[], RateBounds] | None = None
    variance: float | None = None
    missing: Mapping[Method, str] | None = None
    is_rate: bool = True
    images: float | None = None

    @property
    def too_few_errors(self) -> bool:
        """Fewer than 10 errors or 10 subjects with errors: too few to resample or to compare (FORMULAS 8.3, 8.5)."""
        return self.errors < MIN_ERRORS or self.subjects_with_errors < MIN_ERROR_SUBJECTS


def intervals_of(summary: RateSummary, wanted: Sequence[IntervalSpec], alpha: float) -> tuple[Interval, ...]:
    """The wanted intervals at level 1 - alpha, in the wanted order.

    Where a percentile interval is withheld (fewer than 10 errors or 10 subjects with errors) its entry has no bounds
    and a note, and a ``wilson`` one of target population stands beside it (FORMULAS 8.3).
    """
    intervals = [_one(summary, spec, alpha) for spec in wanted]
    withheld = any(interval.low is None for interval in intervals if interval.method in PLAN_OF)
    has_rule = any(spec.method is Method.WILSON for spec in wanted)
    if withheld and not has_rule and summary.rule is not None:
        intervals.append(summary.rule(alpha))
    return tuple(intervals)


def _one(summary: RateSummary, spec: IntervalSpec, alpha: float) -> Interval:
    if summary.missing and spec.method in summary.missing:
        return empty(spec.method, alpha, summary.missing[spec.method], spec.target)
    if spec.method is Method.WILSON:
        if summary.rule is None:
            return empty(spec.method, alpha, "Wilson's interval is for rates", spec.target)
        return summary.rule(alpha)
    if spec.method in CLOSED_FORM:
        return _published(summary, spec, alpha)
    if spec.method in PLAN_OF:
        return _bootstrap(summary, spec, alpha)
    return empty(spec.method, alpha, "this method is not for this metric", spec.target)


def empty(method: Method, alpha: float, note: str, target: Target | None = None) -> Interval:
    """An interval without bounds, which says why."""
    return Interval.of(None, None, alpha, method, target, note=note)


def _published(summary: RateSummary, spec: IntervalSpec, alpha: float) -> Interval:
    if summary.rule is None:
        return empty(spec.method, alpha, "Wilson's interval is for rates", spec.target)
    if summary.trials == 0:
        return empty(spec.method, alpha, "no comparison", spec.target)
    if summary.variance is None:
        return empty(spec.method, alpha, "the published intervals are for pooled rates", spec.target)
    rate = PooledRate(
        errors=summary.errors,
        trials=summary.trials,
        variance=summary.variance,
        n_eff=summary.rule(alpha).n_eff or 0.0,
    )
    bounds = CLOSED_FORM[spec.method](rate, alpha)
    return Interval.of(bounds.low, bounds.high, alpha, spec.method, spec.target, n_eff=finite(bounds.n_eff))


def few_by_weight(subjects: float) -> str:
    """Why percentiles of resampled subjects are withheld: by weight there are fewer than 20.

    >>> few_by_weight(4.286)
    'withheld: by weight these are 4.29 subjects; a bootstrap of subjects needs 20'
    """
    return f"withheld: by weight these are {subjects:.3g} subjects; a bootstrap of subjects needs {MIN_EFFECTIVE}"


def _bootstrap(summary: RateSummary, spec: IntervalSpec, alpha: float) -> Interval:
    replicates = summary.replicates.get(PLAN_OF[spec.method])
    if replicates is None:
        return empty(spec.method, alpha, "no replicates at this point", spec.target)
    if summary.too_few_errors:
        note = (
            f"withheld: {counted(summary.errors, 'error')} of {counted(summary.subjects_with_errors, 'subject')}; "
            f"a bootstrap needs {MIN_ERRORS} of {MIN_ERROR_SUBJECTS}"
        )
        return empty(spec.method, alpha, note, spec.target)
    subjects = summary.effective_subjects
    if spec.method in PERCENTILE and subjects is not None and subjects < MIN_EFFECTIVE:
        return empty(spec.method, alpha, few_by_weight(subjects), spec.target)
    if summary.is_rate and summary.rule is not None and spec.method in PERCENTILE:
        replicates = np.minimum(replicates, 1.0)  # a rate: rounding of its sums can leave more
    bounds = bounds_of(summary.value, summary.vstat, spec.method, replicates, alpha)
    if bounds is None:
        share = float(np.mean(~np.isfinite(replicates)))
        return empty(spec.method, alpha, f"undefined in {share:.1%} of the replicates", spec.target)
    if bounds[0] == bounds[1]:
        return empty(spec.method, alpha, "degenerate: every replicate gives the same value", spec.target)
    interval = _percentile(summary.value, summary.vstat, replicates, spec, alpha)
    return (
        replace(interval, note=few_images(summary.images))
        if spec.target is Target.FIXED_IDENTITIES
        else interval
    )


def few_images(images: float | None) -> str | None:
    """That resampling images of so few a subject shows too little of how they vary; None where they are enough.

    >>> few_images(2.0)
    'too narrow: 2 images of a subject on average, and resampling them needs 4'
    """
    if images is None or round(images) >= MIN_IMAGES:  # a failure here and there changes nothing
        return None
    return f"too narrow: {images:.3g} images of a subject on average, and resampling them needs {MIN_IMAGES}"


def _percentile(value: float, vstat: float, replicates: Floats, spec: IntervalSpec, alpha: float) -> Interval:
    """An interval of replicates; at any level from the same replicates."""
    bounds = bounds_of(value, vstat, spec.method, replicates, alpha)
    if bounds is None:
        return empty(spec.method, alpha, "undefined in too many replicates", spec.target)
    gaussian = spec.method is Method.GAUSSIAN
    error_of = bootstrap_intervals.gaussian_error if gaussian else bootstrap_intervals.mc_error
    return Interval.of(
        bounds[0],
        bounds[1],
        alpha,
        spec.method,
        spec.target,
        n_resamples=int(replicates.size),
        mc_error=finite(error_of(replicates, alpha)),
        one_sided=lambda error: _percentile(value, vstat, replicates, spec, 2 * error),
    )


def bounds_of(
    value: float, vstat: float, method: Method, replicates: Floats, alpha: float
) -> tuple[float, float] | None:
    """The bounds of a statistic by its replicates; None where too many are undefined.

    Two-level replicates hold copies of samples, which never err: they are recentered as image replicates are.
    """
    if method in PERCENTILE or method is Method.NAIVE:
        return bootstrap_intervals.percentile(replicates, alpha)
    make = bootstrap_intervals.gaussian if method is Method.GAUSSIAN else bootstrap_intervals.recentered
    return make(replicates, value, vstat, alpha)


def finite(value: float | None) -> float | None:
    """The value, or None where it is not finite."""
    return None if value is None or not np.isfinite(value) else float(value)


def from_bounds(bounds: RateBounds, alpha: float, note: str | None = None, *, pairs: float = 0.0) -> Interval:
    """The interval of a rate for the population (FORMULAS 8.1, 8.18); ``pairs``: pairs of people by weight, of FMR."""
    score = bounds.interval(alpha)
    return Interval.of(
        score.low,
        score.high,
        alpha,
        Method.WILSON,
        n_eff=finite(score.n_eff),
        note=note,
        one_sided=lambda error: from_bounds(bounds, 2 * error, note, pairs=pairs),
        p_value=lambda limit, sense: bounds.p_above(limit) if sense == "<=" else bounds.p_below(limit),
        people_for=(lambda limit, error: bounds.people_for(limit, error, pairs)) if pairs else None,
    )


def from_variance(
    bounds: RateBounds, wider: RateBounds, n_resamples: int, alpha: float, note: str | None = None
) -> Interval:
    """The interval on a variance of replicates; its Monte Carlo error is that of the variance.

    ``wider``: the same with the variance's Monte Carlo error added to it.
    """
    score, beyond = bounds.interval(alpha), wider.interval(alpha)
    return replace(
        from_bounds(bounds, alpha, note),
        n_resamples=n_resamples,
        mc_error=max(score.low - beyond.low, beyond.high - score.high),
        one_sided=lambda error: from_variance(bounds, wider, n_resamples, 2 * error, note),
    )
