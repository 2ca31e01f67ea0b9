"""Groups that err with a known dependence, and whether the project's rules pass them or find differences."""

import numpy as np
import numpy.typing as npt

from frtaudit.core.spec import Weighting
from frtaudit.stats.groups.group_contrasts import log_ratios
from frtaudit.stats.intervals.borrowing import DesignEffectSource
from frtaudit.stats.intervals.dependence import Residuals
from frtaudit.stats.intervals.wilson import RuleInterval, _rule, prepare
from frtaudit.stats.similarity.tail import from_matrix, no_groups

Ints = npt.NDArray[np.int64]
ALPHA = 0.05  # one-sided
LAXER = 4.0  # times the rate, at the threshold that lends its design effect
MIN_ERRORS = 10  # errors, and subjects with errors, of a group that is tested (FORMULAS 8.5)


def clustered(rng: np.random.Generator, subjects: int, each: int, rate: float, correlation: float) -> Ints:
    """Errors of each subject in ``each`` comparisons, beta-binomial: correlation between any two comparisons of one."""
    if correlation == 0:
        return rng.binomial(each, rate, subjects)
    weight = (1 - correlation) / correlation
    return rng.binomial(each, rng.beta(rate * weight, (1 - rate) * weight, subjects))


def residuals(errors: Ints, each: int) -> Residuals:
    """The sums of FORMULAS 8.1 for mated comparisons, as many of each subject."""
    rate = errors.sum() / (errors.size * each)
    return Residuals(
        rate=float(rate),
        errors=int(errors.sum()),
        trials=errors.size * each,
        total=errors.size * each,
        subjects=errors.size,
        effective_subjects=float(errors.size),
        subjects_with_errors=int(np.count_nonzero(errors)),
        by_subject=float(np.square(errors - rate * each).sum()),
        right=int(np.count_nonzero(errors < each)),
    )


def fnmr_passes(
    rng: np.random.Generator,
    subjects: int,
    each: int,
    rate: float,
    correlation: float,
    limit: float,
    alpha: float,
) -> bool:
    """Whether one drawn test passes by the Wilson rule of FORMULAS 8.1; a laxer threshold lends its design effect."""
    errors = clustered(rng, subjects, each, rate, correlation)
    more = clustered(rng, subjects, each, LAXER * rate, correlation)
    laxer = residuals(np.minimum(errors + more, each), each)
    bound = _rule(
        residuals(errors, each), laxer, DesignEffectSource(threshold=0.0, whole=False), 2 * alpha, ends=1
    ).high
    return bound is not None and bound <= limit


def fmr_seen(rng: np.random.Generator, subjects: int, rate: float, variance: float) -> RuleInterval:
    """FMR of one drawn test, one sample a subject: k, l match with probability rate g_k g_l, gamma g of mean 1.

    The score log g_k + log g_l + an exponential exceeds -log(rate) with that probability, and every other threshold
    likewise.
    """
    own = np.log(rng.gamma(1 / variance, variance, subjects))
    noise = np.triu(rng.exponential(size=(subjects, subjects)), 1)
    scores = own[:, None] + own[None, :] + noise + noise.T
    tail = from_matrix(scores, list(range(subjects)))
    return prepare(tail, no_groups(tail), [-float(np.log(rate))]).fmr(
        -float(np.log(rate)), 0, 2 * ALPHA, Weighting.POOLED
    )


def fmr_passes(rng: np.random.Generator, subjects: int, rate: float, variance: float, limit: float) -> bool:
    """Whether one drawn test passes ``limit`` by the Wilson rule of FORMULAS 8.1."""
    bound = fmr_seen(rng, subjects, rate, variance).high
    return bound is not None and bound <= limit


def told_apart(
    rng: np.random.Generator, subjects: int, each: int, rates: list[float], correlation: float, alpha: float
) -> bool:
    """Whether groups of ``subjects`` are tested and the simultaneous interval of max/min (FORMULAS 8.6) excludes 1."""
    errors = [clustered(rng, subjects, each, rate, correlation) for rate in rates]
    if any(item.sum() < MIN_ERRORS or np.count_nonzero(item) < MIN_ERRORS for item in errors):
        return False
    trials = subjects * each
    drawn = [rng.multinomial(subjects, np.full(subjects, 1 / subjects), size=299) @ item for item in errors]
    found = log_ratios(
        np.array([item.sum() / trials for item in errors]), np.stack(drawn, axis=1) / trials, alpha
    )
    return found is not None and found[0] > 1
