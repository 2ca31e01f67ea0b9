"""Rates of everybody under other shares of the classes than those sampled, and under labels that are partly wrong.

With s_c the declared shares, FNMR = sum s_c FNMR_c and FMR = sum s_c s_d FMR_cd over ordered pairs of classes that were
compared, weights made to sum to 1: two strangers drawn from the mix. With A_cd the probability that a person labelled c
belongs to d, labelled rates are FNMR = A F and FMR = A T A', so that F and T follow from them.
"""

import numpy as np
import numpy.typing as npt

from frtaudit.core.arrays import Flags, Floats, Ints
from frtaudit.core.scores import ScoreTail
from frtaudit.core.spec import Weighting
from frtaudit.stats.groups.class_counts import ClassSums, ClassTrials, block_squares
from frtaudit.stats.rates.sums import BelowFloorError
from frtaudit.stats.rates.targets import TOLERANCE
from frtaudit.stats.rates.trials import block_sizes

MAX_CONDITION = 1e6  # of the matrix of mislabelling: beyond it the labels say next to nothing
MOSTLY = 0.5  # of the labels of each class more than this share is right
ROUNDING = 1e-9  # of a rate


def between(by_subject: npt.NDArray[np.number], code: Ints) -> Floats:
    """Unordered sums by pair of classes (C, C), symmetric, from those of each subject with each class (K, C).

    >>> between(np.array([[0, 2], [2, 0]]), np.array([0, 1])).tolist()
    [[0.0, 2.0], [2.0, 0.0]]
    """
    n_classes = by_subject.shape[1]
    whole = np.zeros((n_classes, n_classes))
    np.add.at(whole, code, by_subject.astype(np.float64))
    return np.asarray(whole - np.diag(np.diag(whole)) / 2, dtype=np.float64)


def class_rates(sums: ClassSums, weighting: Weighting) -> Floats:
    """FMR of every pair of classes (C, C), symmetric; NaN where nobody was compared."""
    pooled = weighting is Weighting.POOLED
    over = between(sums.errors if pooled else sums.shares, sums.code)
    under = between(sums.trials if pooled else sums.partners, sums.code)
    return np.asarray(np.divide(over, under, out=np.full(over.shape, np.nan), where=under > 0))


def pair_weights(shares: Floats, compared: Flags) -> Floats | None:
    """Weights of ordered pairs of classes (C, C) that sum to 1 over those ``compared``.

    ``shares`` (C,) of the mix. None where a class with a share was not compared within itself: the mix needs it.

    >>> pair_weights(np.array([0.75, 0.25]), np.ones((2, 2), dtype=bool)).tolist()
    [[0.5625, 0.1875], [0.1875, 0.0625]]
    """
    if not np.all(np.diag(compared)[shares > 0]):
        return None
    weights = np.where(compared, np.outer(shares, shares), 0.0)
    return np.asarray(weights / weights.sum())


def mixed(rates: Floats, weights: Floats) -> float:
    """Sum of weights times rates where a weight is; NaN where such a rate is unknown."""
    used = weights > 0
    return float((weights[used] * rates[used]).sum())


def mixed_threshold(
    tail: ScoreTail, comparisons: ClassTrials, weights: Floats, target: float, weighting: Weighting
) -> float:
    """The smallest threshold at which the reweighted FMR is <= target (match iff score > threshold; FORMULAS 1).

    Every entry of the tail carries the weight of its pair of classes over that pair's comparisons (pooled) or blocks
    (identity). -inf where every threshold does; raises :class:`BelowFloorError` where the tail ends first.

    >>> from frtaudit.stats.groups.class_counts import class_trials
    >>> from frtaudit.stats.similarity.tail import from_matrix
    >>> tail = from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["a", "b", "c"])
    >>> held = class_trials(tail, np.array([0, 0, 1]), 2)
    >>> mixed_threshold(tail, held, np.array([[0.2, 0.4], [0.4, 0.0]]), 0.3, Weighting.POOLED)
    0.3
    """
    first, second = tail.subject_of[tail.tail_i], tail.subject_of[tail.tail_j]
    pooled = weighting is Weighting.POOLED
    each = _each(comparisons.trials if pooled else comparisons.partners, comparisons.code, weights)
    value = each[comparisons.code[first], comparisons.code[second]]
    if not pooled:
        value = value / block_sizes(tail, first, second)
    total = np.cumsum(value, dtype=np.longdouble)
    last = np.append(tail.tail_score[1:] != tail.tail_score[:-1], True)[: total.size]
    past = np.flatnonzero(last & (total > target * (1 + TOLERANCE)))
    if past.size:
        return float(tail.tail_score[past[0]])
    if np.isneginf(tail.cutoff):
        return float("-inf")
    raise BelowFloorError(f"the threshold at FMR {target:g} of the mix", tail.cutoff)


def mixture_residuals(sums: ClassSums, weights: Floats, weighting: Weighting) -> Floats:
    """Sum over l of (weight per comparison or block) times (error - rate of the pair of classes), (K,) float64.

    R_k of the reweighted FMR: K/(K-1) sum R_k^2 is its variance as in FORMULAS 8.1.
    """
    pooled = weighting is Weighting.POOLED
    count, under = (sums.errors, sums.trials) if pooled else (sums.shares, sums.partners)
    each = _each(under, sums.code, weights)
    rates = np.nan_to_num(class_rates(sums, weighting))
    residual = count - rates[sums.code] * under
    return np.asarray((each[sums.code] * residual).sum(axis=1))


def pairs_by_weight(
    tail: ScoreTail, comparisons: ClassTrials, weights: Floats, weighting: Weighting
) -> float:
    """Pairs of people by weight in the mix, 1 over the sum of their squared shares (``blocks`` of FORMULAS 8.18).

    >>> from frtaudit.stats.groups.class_counts import class_trials
    >>> from frtaudit.stats.similarity.tail import from_matrix
    >>> tail = from_matrix(np.eye(4), ["a", "b", "c", "c"])
    >>> held = class_trials(tail, np.array([0, 0, 0]), 1)
    >>> one = np.ones((1, 1))
    >>> [round(pairs_by_weight(tail, held, one, weighting), 9) for weighting in Weighting]
    [2.777777778, 3.0]
    """
    pooled = weighting is Weighting.POOLED
    each = _each(comparisons.trials if pooled else comparisons.partners, comparisons.code, weights)
    square = block_squares(tail, comparisons.code, each.shape[0]) if pooled else comparisons.partners
    return float(1 / np.triu(np.square(each) * between(square, comparisons.code)).sum())


def _each(under: Ints, code: Ints, weights: Floats) -> Floats:
    """What a comparison (pooled) or a pair of people (identity) of each pair of classes weighs in the mix, (C, C)."""
    total = between(under, code)
    whole = weights + weights.T - np.diag(np.diag(weights))
    return np.divide(whole, total, out=np.zeros(total.shape), where=total > 0)


def mislabelling(shares: Floats) -> Floats:
    """A (C, C): a person labelled c is of c with probability 1 - q_c, else of any other class alike; ``shares`` q (C,).

    >>> mislabelling(np.array([0.1, 0.0])).tolist()
    [[0.9, 0.1], [0.0, 1.0]]
    """
    count = shares.size
    spread = np.repeat((shares / max(count - 1, 1))[:, None], count, axis=1)
    spread[np.diag_indices(count)] = 1 - shares
    return spread


def unmixed(fnmr: Floats, fmr: Floats, matrix: Floats) -> tuple[Floats, Floats | None] | None:
    """True FNMR (C,) and FMR within each class (C,) from labelled ones and A; not in [0, 1] where A is not as declared.

    ``fmr`` (C, C) of all pairs of labels; None in its place where a pair was not compared. None where A cannot be
    undone, or half of a class's labels or more are wrong. Chance alone too can put a rate outside [0, 1].

    >>> unmixed(np.array([0.19, 0.1]), np.full((2, 2), np.nan), mislabelling(np.array([0.1, 0.0])))[0].round(9).tolist()
    [0.2, 0.1]
    """
    if not (np.diag(matrix).min() > MOSTLY and np.linalg.cond(matrix) < MAX_CONDITION):
        return None
    single = _without_rounding(np.asarray(np.linalg.solve(matrix, fnmr)))
    if not np.isfinite(fmr).all():
        return single, None
    inverse = np.linalg.inv(matrix)
    return single, _without_rounding(np.asarray(np.diag(inverse @ fmr @ inverse.T)))


def _without_rounding(rates: Floats) -> Floats:
    """Rates that rounding alone puts outside [0, 1] are 0 or 1."""
    nearest = np.clip(rates, 0.0, 1.0)
    return np.where(np.abs(rates - nearest) <= ROUNDING, nearest, rates)
