"""A share of things that come in subjects, such as samples not acquired, with its intervals (FORMULAS 8.1)."""

import math
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

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
    """All errors over all trials, pooled, with intervals; a requirement on it is decided on that for the population.

    Subjects are what depends: the interval for the population is ``wilson`` on the effective number of trials. Beside
    it stands the interval that treats trials as independent.

    Parameters
    ----------
    system : SystemData
        The system that the estimate is of.
    analysis, metric : str
        Under which names it stands in the result.
    errors, trials : ndarray of int64, shape (K,)
        Counts of each subject of the cohort; 0 for subjects outside the group.
    alpha : float
        1 - level of the intervals, in (0, 1).
    unit : str
        What is counted: ``samples``, ``mated comparisons``, ...
    of : (str or None, str)
        Schema and class; all subjects where it is not given.
    at : mapping of str to float or str
        The operating point.

    Returns
    -------
    Estimate
        With value, counts and intervals; with a note and no value where nothing was tried.

    Raises
    ------
    ValueError
        The counts are no whole numbers from 0, not one for each subject, or more errors than trials of a subject.

    References
    ----------
    Wilson, E. B., Probable Inference, the Law of Succession, and Statistical Inference, 1927. Clopper, C. J. and
    Pearson, E. S., The Use of Confidence or Fiducial Limits, 1934. Fogliato, R., Patil, P. and Perona, P., Confidence
    Intervals for Error Rates in 1:1 Matching Tasks, 2024: the effective number. docs/methods/statistics.md has the
    rule.

    Examples
    --------
    >>> import dataclasses, frtaudit
    >>> from frtaudit.plugin import AnalysisOutput, register
    >>> @register("analysis", "example")
    ... @dataclasses.dataclass(frozen=True)
    ... class Example:
    ...     metrics = {"odd": "samples taken by an odd number"}
    ...     def estimates(self, system, alpha):
    ...         shots = system.tail.n_samples
    ...         odd = share_estimate(system, "example", "odd", shots % 2, shots, alpha, "samples")
    ...         return AnalysisOutput(estimates=(odd,))
    >>> small = ["audit=demo", "cohort.subjects=24", "providers=[vendor_a]", "bootstrap.B=199", "requirements=[]"]
    >>> result = frtaudit.audit([*small, "analyses=[example]"]).result
    >>> [interval.method.value for interval in result.estimates[0].intervals]
    ['wilson', 'wilson_iid']
    """
    errors, trials = _counts(system, errors, trials)
    return pooled_share(system, analysis, metric, errors, trials, alpha, unit, of=of, at=at)


def pooled_share(
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
    """The same from counts of whatever depends, be it the queries of a rapid test."""
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


def _counts(system: SystemData, errors: Ints, trials: Ints) -> tuple[Ints, Ints]:
    """The counts as whole numbers. Raises ValueError for what are none of each subject."""
    people = (system.cohort.n_subjects,)
    for name, given in {"errors": errors, "trials": trials}.items():
        counts = np.asarray(given)
        if counts.shape != people:
            needed, given_as = f"a count for each subject, shape {people}", f"have shape {counts.shape}"
        elif counts.dtype.kind not in "biuf":
            needed, given_as = "whole numbers", f"are of type {counts.dtype.type.__name__.rstrip('_')}"
        elif (broken := ~np.isfinite(counts) | (np.trunc(counts) != counts)).any():
            needed, given_as = "whole numbers", f"hold {counts[broken][0]:g}"
        elif (counts < 0).any():
            needed, given_as = "counts from 0", f"hold {counts.min():g}"
        else:
            continue
        raise ValueError(f"share_estimate takes {needed}: {name} {given_as}")
    errors, trials = (np.asarray(counts, dtype=np.int64) for counts in (errors, trials))
    if (errors > trials).any():
        place = int(np.argmax(errors > trials))
        text = f"a subject has {errors[place]} errors in {trials[place]} trials"
        raise ValueError(f"share_estimate takes as many trials as errors, or more: {text}")
    return errors, trials


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
