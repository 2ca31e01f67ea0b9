"""A share of things that come in subjects: failures to acquire (FORMULAS 8.1 with one subject to a thing)."""

import math

import numpy as np

from frtaudit.core.arrays import Ints
from frtaudit.stats.intervals.borrowing import ENOUGH_SUBJECTS
from frtaudit.stats.intervals.dependence import (
    ALONE,
    degrees_of_freedom,
    effective_number,
    hub_factor,
    image_weight,
)
from frtaudit.stats.intervals.rate_bounds import RateBounds


def share_variance(errors: Ints, trials: Ints) -> float:
    """Variance of sum(errors)/sum(trials) over subjects: K/(K-1) sum_k (e_k - p n_k)^2 / n^2 (FORMULAS 8.1).

    ``errors``, ``trials``: shape (K,), int64, subjects with trials > 0. K is counted by weight
    (:func:`~frtaudit.stats.intervals.dependence.effective_number` of the trials), and that of a subject with most
    trials with the share without it (:func:`~frtaudit.stats.intervals.dependence.hub_factor`). Infinite below two
    subjects.

    >>> share_variance(np.array([1, 0]), np.array([1, 1]))
    0.25
    """
    count, total = effective_number(trials), int(trials.sum())
    if errors.size < 2:
        return math.inf
    residual = (errors - errors.sum() / total * trials) * hub_factor(trials / total, ALONE)
    return float(count / (count - 1) * np.square(residual).sum() / total**2)


def share_bounds(errors: Ints, trials: Ints) -> RateBounds | None:
    """Bounds of a share on the effective number of trials (FORMULAS 8.1); target population.

    Below 10 subjects with errors the design effect is at least trials per subject: no other threshold lends one. With
    more errors than others, the others count. Where subjects were tried unequally often, the upper bound allows for one
    more of those tried most, whose every trial errs. None without trials; one subject says nothing of others.

    >>> share_bounds(np.zeros(50, np.int64), np.full(50, 2)).interval(0.05).low
    0.0
    """
    used = trials > 0
    errors, trials = errors[used], trials[used]
    count, total, wrong = errors.size, int(trials.sum()), int(errors.sum())
    if count == 0:
        return None
    rate, effective_subjects = wrong / total, effective_number(trials)
    if count < 2:
        return RateBounds(rate=rate, n_eff=0.0, degrees=1.0)
    design = 1.0
    if 0 < wrong < total:
        design = max(1.0, share_variance(errors, trials) * total / (rate * (1 - rate)))
    rarer = errors if 2 * wrong <= total else trials - errors
    if np.count_nonzero(rarer) < ENOUGH_SUBJECTS:
        design = max(design, total / count)
    degrees = degrees_of_freedom(effective_subjects)
    image = image_weight(float(trials.max()), total, effective_subjects, count)
    return RateBounds(rate=rate, n_eff=total / design, degrees=degrees, image=image)
