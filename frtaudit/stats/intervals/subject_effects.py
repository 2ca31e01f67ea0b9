"""How unlike subjects are: the variance of their error rates once the noise of their comparisons is taken out.

The model of errors ("subject and pair effects"). Mated: subject k errs at rate p_k of mean p and variance p^2 c^2, its
errors are binomial given p_k. Non-mated: the errors of the block {k, l} are Poisson with mean p n_kl a_k a_l b_kl; the
subject effects a and the pair effects b (look-alikes) have mean one and variances c^2 and d^2. Moments of products of
errors separate them. A product of two errors has expectation

    p^2                          when the two comparisons share no subject,
    p^2 (1 + c^2)                when they share one (mated: two comparisons of one subject),
    p^2 (1 + c^2)^2 (1 + d^2)    when they are two comparisons of one block,

so that each quotient of mean products estimates a variance, and each difference is free of bias: products of an error
with itself, which hold the noise of a single comparison, are never used.
"""

import math
from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Floats, Ints
from frtaudit.stats._scipy import scipy

CONFIDENCE = 0.95  # of the one-sided upper bound (FORMULAS 8.12)
ITERATIONS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """Relative variances: of subjects' rates, ``subject`` (c^2), with its upper bound; of pair effects, ``pair`` (d^2).

    All are variances over the squared mean, truncated at 0; ``variance``: p^2 c^2 itself, unbiased, not truncated.
    """

    subject: float
    subject_upper: float
    pair: float
    variance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockErrors:
    """False matches of one group at one threshold, as the moments need them: pooled, or as shares of each block.

    With e_kl the errors of a block of n_kl comparisons (shares: e_kl/n_kl, of one): ``errors``, ``comparisons`` (K,)
    float64: sums over l; ``total``, ``trials``: sums over blocks; ``square``, ``size_square``: of e_kl^2 and n_kl^2.
    """

    errors: Floats
    comparisons: Floats
    total: float
    trials: float
    square: float
    size_square: float


def mated_effects(errors: Ints, pairs: Ints) -> Effects | None:
    """Estimate c^2 of subjects' FNMR from ``errors`` of ``pairs`` mated comparisons, each (K2,) int64, pairs >= 1.

    With r_k = errors_k/pairs_k: the mean of errors_k(errors_k - 1)/(pairs_k(pairs_k - 1)) over the subjects with two
    comparisons or more, minus the mean of r_k r_l over k != l, is unbiased for the variance of p_k: it is the
    variance of the r_k minus the mean of their binomial noise r_k(1 - r_k)/(pairs_k - 1). Comparisons of one subject
    that share a sample hang together more closely than others; that, too, is counted as the subject's. All variances
    are 0 where no subject has two comparisons: their spread then changes nothing. None without errors of two subjects.

    >>> found = mated_effects(np.array([0, 0, 3, 3]), np.array([6, 6, 6, 6]))
    >>> round(found.variance, 6), round(found.subject, 6)
    (0.058333, 1.4)
    """
    r, several = errors / pairs, pairs > 1
    # mean of r_k r_l over k != l
    apart = float(r.sum() ** 2 - np.square(r).sum()) / max(r.size * (r.size - 1), 1)
    if not several.any():
        return Effects(subject=0.0, subject_upper=0.0, pair=0.0, variance=0.0)
    if apart <= 0:
        return None
    e, n = errors[several].astype(np.float64), pairs[several].astype(np.float64)
    products = np.zeros(r.size)
    products[several] = e * (e - 1) / (n * (n - 1)) / several.sum()
    together = float(products.sum())
    seen, places = float((e * (e - 1)).sum()) / 2, float((n * (n - 1)).sum()) / 2
    if seen == 0:
        upper = _poisson(0.0) / places / apart - 1
    else:
        pull = products / together - several / several.sum() - 2 * (r / r.sum() - 1 / r.size)
        upper = _upper(together / apart, pull, np.ones(int(several.sum())), seen)
    subject = max(together / apart - 1, 0.0)
    return Effects(subject=subject, subject_upper=max(upper, 0.0), pair=0.0, variance=together - apart)


def non_mated_effects(shares: BlockErrors, pooled: BlockErrors) -> Effects | None:
    """Estimate c^2 of subjects' FMR and d^2 of pairs of subjects by the three mean products of errors.

    Over ordered pairs of comparisons in different blocks that share a subject, sum_k e_k^2 - 2 sum_{k<l} e_kl^2 counts
    the products of errors, e_k being the errors of subject k; without a shared subject it is
    e^2 - sum_k e_k^2 + sum_{k<l} e_kl^2; within blocks sum e_kl^2 - e. The same sums of comparisons divide them. The
    first two are taken of ``shares``, so that no subject of hundreds of samples speaks for all others, the third, which
    has no meaning for shares, of ``pooled``. A block's noise stands in the first-order parts of both its subjects, so
    that their sum has at most twice the variance that they would have apart ((x + y)^2 <= 2(x^2 + y^2)): the upper
    bound takes that. None where no two comparisons share a subject across blocks, or without errors.

    >>> block = BlockErrors(errors=np.array([2.0, 1, 1]), comparisons=np.array([8.0, 8, 8]), total=2, trials=12,
    ...                     square=2.0, size_square=48.0)
    >>> found = non_mated_effects(block, block)
    >>> round(found.subject, 6), round(found.pair, 6)
    (0.0, 0.0)
    """
    e, n = shares.errors, shares.comparisons
    shared = float(np.square(n).sum()) - 2 * shares.size_square
    if shared <= 0 or shares.total == 0:
        return None
    apart = _blocks_apart(shares)
    terms = np.square(e) - shares.square / shares.total * e  # adds up to sum e_k^2 - 2 sum e_kl^2
    products = float(terms.sum())
    seen = (float(np.square(pooled.errors).sum()) - 2 * pooled.square) / 2
    ratio = products / shared / apart
    if seen <= 0 or products <= 0:
        upper = 2 * _poisson(0.0) / shared / apart - 1
    else:
        part = terms / products - (np.square(n) - shares.size_square / shares.trials * n) / shared
        part -= (e - shares.total / shares.trials * n) / shares.total
        upper = _upper(ratio, np.sqrt(2) * part, n, seen)
    subject = max(ratio - 1, 0.0)
    within = pooled.size_square - pooled.trials
    together = (pooled.square - pooled.total) / within if within > 0 else 0.0
    pair = max(together / (_blocks_apart(pooled) * (1 + subject) ** 2) - 1, 0.0)
    return Effects(
        subject=subject, subject_upper=max(upper, 0.0), pair=pair, variance=products / shared - apart
    )


def _blocks_apart(errors: BlockErrors) -> float:
    """Mean product of errors of blocks without a common subject; of any two blocks where there are none."""
    products = errors.total**2 - float(np.square(errors.errors).sum()) + errors.square
    places = errors.trials**2 - float(np.square(errors.comparisons).sum()) + errors.size_square
    if min(products, places) <= 0:
        return float((errors.total / errors.trials) ** 2)
    return float(products / places)


def _upper(ratio: float, first_order: Floats, weight: Floats, seen: float) -> float:
    """One-sided 95 % upper bound of c^2, ``ratio`` being the estimate of 1 + c^2.

    ``first_order`` (K,): each subject's first-order part of log(ratio), so that the logarithm has variance
    K/(K-1) sum first_order^2 (the delta method; on the logarithm, for a variance's error is skewed). That variance
    grows with c^2 itself: with gamma effects a, the part a^2/(1+c^2) - 1 - 2(a-1) has variance 2c^4/(1+c^2), divided
    by the effective number of subjects (sum w^2)^2/sum w^4. So the bound is the c^2 whose own error would just reach
    down to the estimate: log(1+c^2) = log(ratio) + t_{K-1} se(c^2), by iteration, at most K. Few products of errors
    say little however alike they are: it is never below the Poisson bound of their number ``seen``.
    """
    k = first_order.size
    error = k / (k - 1) * float(np.square(first_order).sum())
    subjects = float(np.square(weight).sum()) ** 2 / float((weight**4).sum())
    estimate = bound = max(ratio - 1, 0.0)
    critical = float(scipy.special.stdtrit(k - 1, CONFIDENCE))
    for _ in range(ITERATIONS):
        grown = max(_gamma_error(bound) - _gamma_error(estimate), 0.0) / subjects
        reach = critical * math.sqrt(error + grown)
        bound = min(ratio * math.exp(min(reach, 50.0)) - 1, float(k))
    return max(bound, ratio * _poisson(seen) / seen - 1, 0.0)


def _gamma_error(variance: float) -> float:
    return 2 * variance**2 / (1 + variance)


def _poisson(seen: float) -> float:
    """One-sided 95 % upper bound of a Poisson mean."""
    return float(scipy.special.gammaincinv(seen + 1, CONFIDENCE))
