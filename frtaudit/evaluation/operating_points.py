"""A rate at an operating point: counts, replicates, rule, and the estimate of it (FORMULAS 8.1, 8.2, 8.18, 8.21)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from frtaudit.core import Estimate, Interval, Method
from frtaudit.core.arrays import Floats
from frtaudit.core.methods import MAX_UNDEFINED, MIN_ERROR_SUBJECTS, MIN_ERRORS
from frtaudit.core.metrics import SHARE
from frtaudit.core.spec import Plan, Weighting
from frtaudit.core.text import formatting
from frtaudit.evaluation.intervals import (
    PLAN_OF,
    AtKey,
    RateSummary,
    empty,
    from_bounds,
    from_variance,
    intervals_of,
)
from frtaudit.evaluation.system import WEIGHTINGS, SystemData
from frtaudit.stats.bootstrap.resample import Replicates
from frtaudit.stats.groups import influence
from frtaudit.stats.intervals import bootstrap_intervals, closed_form, dependence, wilson
from frtaudit.stats.rates.rates import rates as rates_at

MIN_DOUBLE_OR_NOTHING = 10
MIN_HEAVY = 2  # false matches of the heaviest pair: one alone says nothing of the pair
WITHIN_SUBJECTS = (Method.NAIVE, Method.RECENTERED, Method.GAUSSIAN, Method.TWO_LEVEL)
HELD = "threshold held fixed: too few replicates to let it move"
STRICTEST = "the threshold is chosen by the largest group FMR: too few replicates, or errors, to let it move"
ROUNDING = 1e-9  # of a share, which sums in another order can differ by
HEAVY = 0.1  # share of the rate at which a pair of people is named (FORMULAS 8.18)
ONE_PAIR = "one pair of"  # opens what a note says of that pair, its names included, up to the note's end
BY_CONSTRUCTION = (
    "the threshold drawn anew meets the target in every replicate: FMR* says nothing of FMR at this threshold"
)


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """Where a rate is read.

    Parameters
    ----------
    rate : {"fmr", "fnmr"}
        Which rate.
    weighting : Weighting
        How comparisons are weighted.
    group_index : int
        0 for all subjects, else as ``SystemData.every_group`` numbers groups.
    threshold : float
        In units of the score; a match has score > threshold.
    point : int
        Position among ``SystemData.operating_points``: FMR targets, then fixed thresholds.
    schema : int, optional
        Position of the schema whose largest group FMR met the target; None for the threshold of all subjects.

    Examples
    --------
    >>> OperatingPoint("fnmr", Weighting.POOLED, group_index=0, threshold=0.4, point=0).schema is None
    True
    """

    rate: str
    weighting: Weighting
    group_index: int
    threshold: float
    point: int
    schema: int | None = None


def read(system: SystemData, place: OperatingPoint) -> RateSummary:
    """Value, counts, replicates and rule of one rate at one place."""
    moving = place.point < len(system.operating_points.targets)
    mated = place.rate == "fnmr"
    find = system.rule.fnmr_residuals if mated else system.rule.fmr_residuals
    residuals = find(place.threshold, place.group_index, place.weighting)
    variance = dependence.plugin_variance(residuals) if mated else dependence.truncated_variance(residuals)
    return RateSummary(
        value=residuals.rate,
        vstat=_vstat(system, place) if mated else residuals.rate,
        errors=residuals.errors,
        trials=residuals.trials,
        subjects_with_errors=residuals.subjects_with_errors,
        total=residuals.total,
        effective_subjects=residuals.effective_subjects,
        replicates={plan: _drawn(drawn, place) for plan, drawn in system.replicates.items()},
        rule=lambda alpha: _rule(system, place, residuals, alpha, moving=moving and mated),
        bounds=lambda: _ruled(system, place, system.spec.bootstrap.alpha).bounds,
        variance=variance if place.weighting is Weighting.POOLED else None,
        missing=_missing(system, residuals, place),
        images=images_of(system, place.group_index),
    )


def images_of(system: SystemData, group_index: int = 0) -> float | None:
    """Images with a template of a subject of a group, on average; None where samples are not resampled."""
    images = system.tail.n_samples[system.rule.spread.member[group_index] & (system.tail.n_samples > 0)]
    return float(images.mean()) if images.size and Plan.IMAGES in system.replicates else None


def _vstat(system: SystemData, place: OperatingPoint) -> float:
    """FRRbar_n or FNMRbar at the place: what the image replicates are centred on (FORMULAS 1, 8.15)."""
    if place.schema is None:
        rates, row = system.rates[WEIGHTINGS.index(place.weighting)], place.point
    else:
        rates, row = rates_at(system.tail, system.groups, np.array([place.threshold])), 0
    bar = rates.fnmr_bar if place.weighting is Weighting.POOLED else rates.frr_bar
    return float(bar[row, place.group_index])


def _drawn(drawn: Replicates, place: OperatingPoint) -> Floats:
    w = WEIGHTINGS.index(place.weighting)
    if place.schema is None:
        rates = drawn.fnmr if place.rate == "fnmr" else drawn.fmr
        return rates[w, :, place.point, place.group_index]
    rates = drawn.fnmr_max if place.rate == "fnmr" else drawn.fmr_max
    return rates[w, place.schema, :, place.point, place.group_index]


def _rule(
    system: SystemData, place: OperatingPoint, residuals: dependence.Residuals, alpha: float, *, moving: bool
) -> Interval:
    """FORMULAS 8.1 and 8.18; for FNMR at an FMR target n_eff from the vertex replicates, t* recomputed (8.2, 8.21)."""
    if residuals.trials == 0:
        return empty(Method.WILSON, alpha, "no comparison")
    drawn = _moved(system, place) if moving else None
    steady = drawn is not None and _steady(system, drawn)
    if place.schema is not None:
        return _of_strictest(residuals, drawn if steady else None, alpha)
    enough = (
        residuals.errors >= MIN_ERRORS
        and residuals.subjects_with_errors >= MIN_ERROR_SUBJECTS
        and not residuals.few(MIN_ERRORS, MIN_ERROR_SUBJECTS)
    )
    if drawn is not None and steady and enough:
        return _moving(residuals, drawn, alpha)
    ruled = _ruled(system, place, alpha)
    notes = [
        ruled.note,
        HELD if moving and drawn is None else None,
        _extremes(ruled, alpha, ends=1 if place.rate == "fnmr" else 2),
        _heavy(system, place) if place.rate == "fmr" else None,
    ]
    note = "; ".join(part for part in notes if part) or None
    if drawn is None:
        return from_bounds(ruled.bounds, alpha, note, pairs=ruled.pairs)
    return from_bounds(ruled.bounds.moving(drawn), alpha, note)


def _ruled(system: SystemData, place: OperatingPoint, alpha: float) -> wilson.RuleInterval:
    find = system.rule.fnmr if place.rate == "fnmr" else system.rule.fmr
    return find(place.threshold, place.group_index, alpha, place.weighting)


def _moved(system: SystemData, place: OperatingPoint) -> Floats | None:
    """Replicates of subjects in which the threshold moved, of this group.

    None where too few of everybody's have a rate: a table lets the threshold move in all its groups or in none (8.21).
    """
    if Plan.SUBJECTS not in system.replicates:
        return None
    replicates = system.replicates[Plan.SUBJECTS]
    everybody = _drawn(replicates, replace(place, group_index=0))
    if not _whole(int(np.isfinite(everybody).sum()), everybody.size):
        return None
    drawn = _drawn(replicates, place)
    return drawn[np.isfinite(drawn)]


def _steady(system: SystemData, drawn: Floats) -> bool:
    """Whether the group has a rate in nearly all replicates, and not the same in each: their variance stands alone."""
    return _whole(drawn.size, system.replicates[Plan.SUBJECTS].t_star.shape[1]) and float(drawn.var()) > 0


def _whole(known: int, size: int) -> bool:
    return known > 1 and size - known <= MAX_UNDEFINED * size


def _of_strictest(residuals: dependence.Residuals, drawn: Floats | None, alpha: float) -> Interval:
    """At the threshold of the group with the largest FMR: chosen by a maximum, it moves, or there is none (8.21)."""
    if drawn is None or not 0 < residuals.rate < 1:
        return empty(Method.WILSON, alpha, STRICTEST)
    bias = float(drawn.mean()) - residuals.rate
    size = formatting.rate(abs(bias), style=formatting.style_of(residuals.rate))
    sign = "" if size.startswith("<") else "−" if bias < 0 else "+"
    text = f"bias of the estimate, by the replicates: {sign}{size}"
    return _moving(residuals, drawn, alpha, text)


def _moving(
    residuals: dependence.Residuals, drawn: Floats, alpha: float, note: str | None = None
) -> Interval:
    """FNMR at an FMR target (FORMULAS 8.2)."""
    degrees = dependence.degrees_of_freedom(residuals.effective_subjects)
    variance = float(drawn.var(ddof=1))
    bounds, wider = (
        wilson.bounds_from_variance(residuals.rate, value, residuals.trials, degrees, residuals.image)
        for value in (variance, variance + bootstrap_intervals.variance_error(drawn))
    )
    return from_variance(bounds, wider, int(drawn.size), alpha, note)


def _heavy(system: SystemData, place: OperatingPoint) -> str | None:
    """Say so where one pair of subjects has a tenth of the rate, or more, by two false matches at least."""
    sums, spread = system.rule.non_mated, system.rule.spread
    member, scope = spread.member[place.group_index], spread.scope_of[place.group_index]
    row = int(np.searchsorted(sums.thresholds, place.threshold))
    pooled = place.weighting is Weighting.POOLED
    each = (sums.subject_errors if pooled else sums.subject_far)[row, scope]
    total = float((sums.errors if pooled else sums.far_sum)[row, place.group_index])
    shares = each / (total or 1.0)  # of the rate, that the errors of each subject have; 0 without errors
    if np.count_nonzero(shares[member] >= HEAVY * (1 - ROUNDING)) < 2:
        return None  # a pair has no more errors than either of the two: most tables end here
    heaviest = influence.heaviest_pair(system.tail, member, place.threshold, place.weighting)
    if heaviest is None or heaviest.share < HEAVY or heaviest.errors < MIN_HEAVY:
        return None
    of = ""
    if system.spec.name_failures:
        of = ": " + " and ".join(system.cohort.subject_ids[k] for k in (heaviest.first, heaviest.second))
    return f"{ONE_PAIR} subjects has {formatting.rate(heaviest.share)} of the rate{of}"


def _extremes(ruled: wilson.RuleInterval, alpha: float, *, ends: int) -> str | None:
    """At no error: what independence of comparisons, or of disjoint subjects alone, would give (FORMULAS 2, 8.1)."""
    units = ruled.subjects // ends
    if ruled.errors or not units:
        return None
    least, most = (formatting.rate(closed_form.wilson_iid(0, n, alpha).high) for n in (ruled.trials, units))
    alone = (
        formatting.counted(units, "subject")
        if ends == 1
        else f"{formatting.counted(units, 'disjoint pair')} of subjects"
    )
    return f"no error: Wilson's upper bound is {least} for independent comparisons, {most} for {alone} alone"


def _missing(
    system: SystemData, residuals: dependence.Residuals, place: OperatingPoint
) -> Mapping[Method, str]:
    missing: dict[Method, str] = {}
    if not system.tail.mated_complete:
        missing |= dict.fromkeys(WITHIN_SUBJECTS, "needs every comparison within each subject")
    if place.group_index and residuals.subjects < MIN_DOUBLE_OR_NOTHING:
        missing[Method.DOUBLE_OR_NOTHING] = f"needs {MIN_DOUBLE_OR_NOTHING} subjects in the group"
    return missing


def rate_estimate(
    system: SystemData,
    analysis: str,
    metric: str,
    schema: str | None,
    group: str,
    at: AtKey,
    place: OperatingPoint,
    alpha: float,
) -> Estimate:
    """FMR or FNMR of a group at one operating point, with its counts and the intervals that the spec asks for.

    Parameters
    ----------
    system : SystemData
        The system that the estimate is of.
    analysis, metric : str
        Under which names it stands in the result.
    schema : str or None
        The schema of ``group``; None for all subjects.
    group : str
        A class of ``schema``, or ``all``.
    at : dict of str to float or str
        The operating point as the result names it: ``{"fmr": 0.001}``.
    place : OperatingPoint
        Where the rate is read.
    alpha : float
        1 - level of the intervals, in (0, 1).

    Returns
    -------
    Estimate
        With a note and no value where nothing was compared.

    References
    ----------
    Wilson, E. B., Probable Inference, the Law of Succession, and Statistical Inference, 1927. Clopper, C. J. and
    Pearson, E. S., The Use of Confidence or Fiducial Limits, 1934. Fay, M. P. and Feuer, E. J., Confidence Intervals
    for Directly Standardized Rates, 1997: the upper bound of FMR. Fogliato, R., Patil, P. and Perona, P., Confidence
    Intervals for Error Rates in 1:1 Matching Tasks, 2024: variance over subjects. Conti, J.-R. and Clémençon, S.,
    Assessing Uncertainty in Similarity Scoring, 2024, section 3.2: recentered bootstrap. docs/methods/statistics.md
    has the rule.

    Examples
    --------
    >>> import dataclasses, frtaudit
    >>> from frtaudit.plugin import AnalysisOutput, register
    >>> @register("analysis", "example")
    ... @dataclasses.dataclass(frozen=True)
    ... class Example:
    ...     metrics = {"pooled_fnmr": "FNMR at a target; at: {fmr: x}"}
    ...     def estimates(self, system, alpha):
    ...         place = OperatingPoint("fnmr", Weighting.POOLED, 0, system.operating_points.at_target[0, 0], 0)
    ...         rate = rate_estimate(system, "example", "pooled_fnmr", None, "all", {"fmr": 0.1}, place, alpha)
    ...         return AnalysisOutput(estimates=(rate,))
    >>> small = ["audit=demo", "cohort.subjects=24", "providers=[vendor_a]", "bootstrap.B=199", "requirements=[]"]
    >>> result = frtaudit.audit([*small, "thresholds.fmr=[0.1]", "analyses=[example]"]).result
    >>> [interval.method.value for interval in result.estimates[0].intervals]
    ['wilson', 'vertex', 'recentered', 'wilson_iid']
    """
    summary = read(system, place)
    if (
        place.rate == "fmr" and place.group_index == 0 and place.point < len(system.operating_points.targets)
    ):  # FORMULAS 8.13
        drawn = (method for method in PLAN_OF if method is not Method.WILSON)
        summary = replace(
            summary, missing={**(summary.missing or {}), **dict.fromkeys(drawn, BY_CONSTRUCTION)}
        )
    known = bool(np.isfinite(summary.value))
    return Estimate.of(
        system.provider,
        analysis,
        metric,
        summary.value if known else None,
        SHARE,
        of=(schema, group),
        counts=(summary.errors if known else 0, summary.trials if known else 0),
        at=at,
        weighting=place.weighting.value,
        intervals=intervals_of(summary, system.intervals, alpha) if known else (),
        note=None if known else "no comparison in this group",
    )
