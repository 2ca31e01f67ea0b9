"""The smallest ratio between the error rates of groups that a cohort can find, and the cohort that finds a given one.

Groups of K_g subjects are compared by the simultaneous intervals of all pairwise log ratios (FORMULAS 8.6): a pair
differs when its interval leaves 0. With log rates near normal (delta method, Var log p = deff (1-p)/(n p)) the largest
studentised difference of G equal groups has the studentised range's quantile, so that c = q_{1-alpha; G, inf}/sqrt(2)
stands where 8.6 takes the bootstrap's max-t. One group has the rate p, another the rate R p; R is found with
probability 1 - beta when

    log R >= (c + z_beta) sqrt((1-p)/(n_1 p) + (1 - R p)/(n_2 R p)),    n_1, n_2 effective comparisons.

A group with fewer than 10 errors, or errors of fewer than 10 subjects, is not tested (FORMULAS 8.5): the group of the
lower rate has to have 10 effective errors, and errors of 10 subjects, all but surely. A tenth of beta is given to that,
nine tenths to the ratio.
"""

import math
from functools import lru_cache

from frtaudit.core.methods import MIN_ERROR_SUBJECTS, MIN_ERRORS
from frtaudit.stats._scipy import scipy
from frtaudit.stats.sample_size.power import ComparisonDesign, Dependence, fewest

FOR_ERRORS = 0.1
ALIKE = 1e-9  # a correlation below counts as none


@lru_cache(maxsize=64)
def critical_value(groups: int, alpha: float) -> float:
    """Two-sided critical value of all pairwise differences of ``groups`` alike normal estimates.

    >>> round(critical_value(2, 0.05), 3), round(critical_value(3, 0.05), 3)
    (1.96, 2.344)
    """
    return float(scipy.stats.studentized_range.ppf(1 - alpha, groups, math.inf)) / math.sqrt(2)


def resampled(dependence: Dependence, design: ComparisonDesign) -> Dependence:
    """The dependence that subject replicates show: they triple the noise of a non-mated block (FORMULAS 8.2).

    The rule of 8.1 counts it twice, so that deff is one larger; mated comparisons have no blocks.

    >>> from frtaudit.stats.sample_size.power import least, non_mated
    >>> resampled(least(non_mated(1)), non_mated(1)).base
    3.0
    """
    return Dependence(base=dependence.base + design.ends - 1, share=dependence.share)


def enough_errors(power: float) -> float:
    """Errors to expect, so that at least 10 come (Poisson) with probability 1 - (1 - power)/10.

    >>> round(enough_errors(0.8), 1)
    17.5
    """
    return float(scipy.special.gammaincinv(MIN_ERRORS, 1 - FOR_ERRORS * (1 - power)))


def enough_subjects(
    rate: float, design: ComparisonDesign, dependence: Dependence, subjects: int, power: float
) -> bool:
    """Whether at least 10 of ``subjects`` have an error, with probability 1 - (1 - power)/10.

    A subject's errors are beta-binomial, with the correlation rho between two of its c comparisons that the design
    effect shows: none with probability (1 - p)^c at rho = 0, 1 - p at rho = 1. ``dependence``: as :func:`resampled`.

    >>> from frtaudit.stats.sample_size.power import least, mated
    >>> [enough_subjects(0.05, mated(12), least(mated(12)), subjects, 0.8) for subjects in (10, 12)]
    [False, True]
    """
    weighing = int(subjects / design.imbalance)  # those who make about as many comparisons as the heaviest
    if weighing < MIN_ERROR_SUBJECTS or rate <= 0 or design.each <= 0:
        return False
    each, independent = design.per_subject(subjects), 2 * design.ends - 1
    room = each - design.ends
    rho = min(max((dependence.deff(design, subjects) - independent) / room, 0.0), 1.0) if room > 0 else 1.0
    erring = _any_error(min(rate, 1.0), each, rho)
    beyond = scipy.special.betainc(MIN_ERROR_SUBJECTS, weighing - MIN_ERROR_SUBJECTS + 1, erring)
    return float(beyond) >= 1 - FOR_ERRORS * (1 - power)


def _any_error(rate: float, each: float, rho: float) -> float:
    """Probability that one of ``each`` comparisons of a subject is an error."""
    if rho >= 1 or rate >= 1:
        return rate
    if rho < ALIKE:
        return -math.expm1(each * math.log1p(-rate))
    spread = 1 / rho - 1
    right = (1 - rate) * spread
    betaln = scipy.special.betaln
    return -math.expm1(float(betaln(rate * spread, right + each) - betaln(rate * spread, right)))


def log_error(rate: float, n_eff: float, other: float, other_n_eff: float) -> float:
    """Standard error of the log ratio of two rates.

    >>> round(log_error(0.01, 5000, 0.02, 5000), 3)
    0.172
    """
    return math.sqrt((1 - rate) / (rate * n_eff) + (1 - other) / (other * other_n_eff))


def found(
    ratio: float, rate: float, n_eff: float, other_n_eff: float, *, groups: int, alpha: float, power: float
) -> bool:
    """Whether groups with rates ``rate`` and ``ratio * rate`` differ significantly with probability ``power``.

    ``n_eff``, ``other_n_eff``: effective comparisons of the two; ``groups``: of the schema, all pairs compared.

    >>> found(2.0, 0.01, 5000, 5000, groups=2, alpha=0.05, power=0.8)
    True
    """
    other = ratio * rate
    if rate <= 0 or other > 1 or min(n_eff, other_n_eff) <= 0 or rate * n_eff < enough_errors(power):
        return False
    beta = (1 - FOR_ERRORS) * (1 - power)
    reach = critical_value(groups, alpha) + float(-scipy.special.ndtri(beta))
    return math.log(ratio) >= reach * log_error(rate, n_eff, other, other_n_eff) * (1 - 1e-12)


def detectable_ratio(
    rate: float, n_eff: float, other_n_eff: float, *, groups: int, alpha: float, power: float
) -> float | None:
    """The smallest ratio found with probability ``power``; None where the errors are too few, or 1/rate is too small.

    >>> round(detectable_ratio(0.01, 5000, 5000, groups=2, alpha=0.05, power=0.8), 2)
    1.67
    """

    def gap(ratio: float) -> float:
        return math.log(ratio) - reach * log_error(rate, n_eff, ratio * rate, other_n_eff)

    if not found(1 / rate, rate, n_eff, other_n_eff, groups=groups, alpha=alpha, power=power):
        return None
    reach = critical_value(groups, alpha) + float(-scipy.special.ndtri((1 - FOR_ERRORS) * (1 - power)))
    return float(scipy.optimize.brentq(gap, 1.0, 1 / rate, xtol=1e-9))


def subjects_to_find(
    ratio: float,
    rate: float,
    design: ComparisonDesign,
    dependence: Dependence,
    *,
    groups: int,
    alpha: float,
    power: float,
) -> int | None:
    """The fewest subjects in each of ``groups`` groups that find ``ratio`` with probability ``power``.

    ``rate``: of the group that errs less; the other errs ``ratio`` times as often. None where no size does.

    >>> from frtaudit.stats.sample_size.power import mated, worst
    >>> subjects_to_find(2.0, 0.01, mated(4), worst(mated(4)), groups=2, alpha=0.05, power=0.8)
    2547
    """
    if ratio <= 1 or ratio * rate > 1 or design.each <= 0:
        return None

    def enough(subjects: int) -> bool:
        if not enough_subjects(rate, design, dependence, subjects, power):
            return False
        n_eff = dependence.n_eff(design, subjects)
        return found(ratio, rate, n_eff, n_eff, groups=groups, alpha=alpha, power=power)

    return fewest(enough)
