"""Accuracy over folds: best thresholds, means and spreads, intervals (FORMULAS 4, 8.11).

Decision everywhere: match iff score > threshold. A pair is correct when its decision is right.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Ints
from frtaudit.core.freeze import FrozenArrays
from frtaudit.stats._numba import kernel
from frtaudit.stats._scipy import scipy
from frtaudit.stats.intervals.dependence import degrees_of_freedom, effective_number, hub_factor, image_weight
from frtaudit.stats.intervals.rate_bounds import RateBounds
from frtaudit.stats.intervals.wilson import bounds_from_variance

DROPPED = -1  # the fold of a pair that strict folds leave out


def correct_at(scores: Floats, mated: Flags, threshold: float | Floats) -> Flags:
    """Whether each pair's decision at ``threshold``, one for all or one for each pair, is right, shape (n,).

    >>> correct_at(np.array([0.1, 0.3]), np.array([True, True]), 0.1).tolist()
    [False, True]
    """
    return np.asarray((scores > threshold) == mated)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldAccuracy(FrozenArrays):
    """Accuracy of each fold at the threshold fitted on the others.

    ``thresholds``: shape (k,), score units; ``correct``, ``total``: shape (k,), int64, pairs; ``is_correct``:
    shape (n,), bool, False for pairs in no fold.
    """

    thresholds: Floats
    correct: Ints
    total: Ints
    is_correct: Flags

    @property
    def accuracies(self) -> Floats:
        """Accuracy of each fold, shape (k,)."""
        return np.asarray(self.correct / self.total)

    @property
    def mean(self) -> float:
        """Plain mean of the fold accuracies."""
        return float(self.accuracies.mean())

    @property
    def sd_ddof1(self) -> float:
        """Standard deviation of the fold accuracies, divisor k - 1 (LFW protocol)."""
        return float(self.accuracies.std(ddof=1))

    @property
    def sem(self) -> float:
        """``sd_ddof1``/sqrt(k): descriptive, for fold means are not independent."""
        return self.sd_ddof1 / math.sqrt(self.total.size)


def k_fold_accuracy(scores: Floats, mated: Flags, folds: Ints, k: int | None = None) -> FoldAccuracy:
    """Accuracy of each fold at the best threshold of the other folds (FORMULAS 4).

    ``scores``, ``mated``, ``folds``: shape (n,); ``folds`` in 0..k-1, negative = in no fold; ``k`` defaults
    to the largest fold + 1. Raises ``ValueError`` for an empty fold or fewer than two.

    >>> scores, mated = np.array([0.1, 0.9, 0.2, 0.8]), np.array([False, True, False, True])
    >>> k_fold_accuracy(scores, mated, np.array([0, 0, 1, 1])).mean
    1.0
    """
    k = int(folds.max()) + 1 if k is None else k
    total = np.bincount(folds[folds >= 0], minlength=k)
    if k < 2 or total.size > k or not total.all():
        raise ValueError(
            f"folds hold {total.tolist()} pairs; every one of 0..{k - 1}, two at least, needs some"
        )
    thresholds = training_thresholds(scores, mated, folds, k)
    is_correct = correct_at(scores, mated, thresholds[folds]) & (folds >= 0)
    correct = np.bincount(folds[is_correct], minlength=k)
    return FoldAccuracy(thresholds=thresholds, correct=correct, total=total, is_correct=is_correct)


def training_thresholds(scores: Floats, mated: Flags, folds: Ints, k: int) -> Floats:
    """The best threshold of all folds but one, for each fold, shape (k,): one walk through the sorted scores.

    ``scores``: shape (n,), finite; ``mated``, ``folds``: shape (n,). Best: most correct pairs. Candidates: -inf,
    midpoints of consecutive distinct scores, the largest score; of equally good ones the largest, which is the
    strictest (FORMULAS 4). An empty fold gets the best threshold of all pairs.

    >>> scores, mated = np.array([0.1, 0.3, 0.5]), np.array([False, True, True])
    >>> training_thresholds(scores, mated, np.array([0, 0, 0]), 2).tolist()
    [-inf, 0.2]
    """
    order = np.argsort(scores)
    order = order[folds[order] >= 0]
    ordered, ends = scores[order], np.empty((2, k), dtype=np.int64)
    _search_folds(mated[order], folds[order], np.diff(ordered, append=np.inf) > 0, ends)
    values = np.full(k, -np.inf)
    for fold, (low, high) in enumerate(ends.T.tolist()):
        if low >= 0:
            at = values[fold] = float(ordered[low])
            if high < ordered.size:
                middle = (at + float(ordered[high])) / 2  # neighbouring doubles have none: the lower one
                values[fold] = middle if at <= middle < ordered[high] else at
    return values


@kernel
def _search_folds(mated: Flags, folds: Ints, last: Flags, ends: Ints) -> None:
    """For each fold, the places of the training scores on both sides of the best threshold, -1 or n where none is.

    Pairs are sorted by score; ``last``: the next score is larger. Refusing one pair more wins a non-mated pair
    or loses a mated one; what a fold's own pairs win is taken off. Of equally good places the last one stands.
    """
    n, k = mated.size, ends.shape[1]
    values, most, best = np.zeros(k, np.int64), np.zeros(k, np.int64), np.zeros(k, np.int64)
    total = 0
    for pair in range(n):
        won = -1 if mated[pair] else 1
        total += won
        values[folds[pair]] += won
        if last[pair]:
            for fold in range(k):
                if total - values[fold] >= most[fold]:
                    most[fold], best[fold] = total - values[fold], pair + 1
    for fold in range(k):
        low, high = best[fold] - 1, best[fold]
        while low >= 0 and folds[low] == fold:
            low -= 1
        while high < n and folds[high] == fold:
            high += 1
        ends[0, fold], ends[1, fold] = low, high


def empty_folds(folds: Ints, k: int) -> int:
    """How many of the folds 0..k-1 hold no pair.

    >>> empty_folds(np.array([0, 2, -1]), 4)
    2
    """
    return k - len(np.unique(folds[(folds >= 0) & (folds < k)]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Part(FrozenArrays):
    """Some of the pairs, pooled: their accuracy as one fold, and ``folds`` (n,) int64, 0 for them and else -1."""

    accuracy: FoldAccuracy
    folds: Ints


def within(accuracy: FoldAccuracy, folds: Ints, chosen: Flags) -> Part | None:
    """Decisions of the ``chosen`` pairs (n,) bool, each at its own fold's threshold; None where there is none.

    >>> scores, mated = np.array([0.1, 0.9, 0.2, 0.8]), np.array([False, True, False, True])
    >>> found = k_fold_accuracy(scores, mated, np.array([0, 0, 1, 1]))
    >>> within(found, np.array([0, 0, 1, 1]), np.array([True, True, True, False])).accuracy.mean
    1.0
    """
    used = chosen & (folds >= 0)
    if not used.any():
        return None
    pooled = FoldAccuracy(
        thresholds=np.array([np.nan]),
        correct=np.array([np.count_nonzero(accuracy.is_correct[used])]),
        total=np.array([np.count_nonzero(used)]),
        is_correct=accuracy.is_correct,
    )
    return Part(accuracy=pooled, folds=np.where(used, 0, DROPPED))


def t_interval(accuracy: FoldAccuracy, alpha: float) -> tuple[float, float]:
    """Mean -+ t_{k-1,1-alpha/2} sem, unclipped; for identity-disjoint folds (FORMULAS 8.11).

    >>> scores, mated = np.array([0.1, 0.9, 0.2, 0.8]), np.array([False, True, False, True])
    >>> t_interval(k_fold_accuracy(scores, mated, np.array([0, 0, 1, 1])), 0.05)
    (1.0, 1.0)
    """
    half = float(-scipy.special.stdtrit(accuracy.total.size - 1, alpha / 2)) * accuracy.sem
    return accuracy.mean - half, accuracy.mean + half


def dyadic_variance(residuals: Floats, first: Ints, second: Ints) -> float:
    """Sum the products of residuals of any two pairs that share a subject (FORMULAS 8.11).

    ``residuals``: shape (n,), already weighted (sum of weights 1 makes it the variance of a mean); ``first``,
    ``second``: shape (n,), subject codes >= 0, equal for a mated pair. With D_kl the residual sum of the
    block {k,l} and R_k that of all pairs of k: sum_k R_k^2 - sum_{k<l} D_kl^2, for a block with two subjects
    is counted twice.

    >>> dyadic_variance(np.array([1.0, 1.0]), np.array([0, 1]), np.array([1, 2]))
    4.0
    """
    size = int(max(first.max(), second.max())) + 1
    two = first != second
    key = np.minimum(first, second).astype(np.int64) * size + np.maximum(first, second)
    _, block = np.unique(key[two], return_inverse=True)
    by_block = np.bincount(block, weights=residuals[two])
    return subject_variance(residuals, first, second) - float(np.square(by_block).sum())


def subject_variance(residuals: Floats, first: Ints, second: Ints) -> float:
    """sum_k R_k^2, R_k the residuals of all pairs of subject k: the dyadic variance with its blocks counted twice.

    As in 8.1 for FMR, that is the safe side: it leaves room for what moves with the same subjects and is held fixed,
    here the folds' thresholds. A subject in most of the pairs counts with the mean without it
    (:func:`~frtaudit.stats.intervals.dependence.hub_factor`).

    >>> subject_variance(np.array([1.0, 1.0]), np.array([0, 1]), np.array([1, 2]))
    6.0
    """
    size = int(max(first.max(), second.max())) + 1
    two = first != second
    by_subject = np.bincount(first, weights=residuals, minlength=size)
    by_subject += np.bincount(second[two], weights=residuals[two], minlength=size)
    pairs = np.bincount(first, minlength=size) + np.bincount(second[two], minlength=size)
    grown = by_subject[pairs > 0] * hub_factor(pairs[pairs > 0] / first.size)
    return float(np.square(grown).sum())


def subjects_by_weight(first: Ints, second: Ints) -> float:
    """How many subjects of equal weight the pairs have (:func:`~.dependence.effective_number`), a mated pair one.

    >>> subjects_by_weight(np.array([0, 0, 1]), np.array([0, 1, 1]))
    2.0
    """
    return effective_number(np.bincount(np.concatenate([first, second[first != second]])))


def accuracy_bounds(accuracy: FoldAccuracy, folds: Ints, first: Ints, second: Ints) -> RateBounds:
    """Bounds of the mean fold accuracy by FORMULAS 8.1, n_eff from the variance over subjects (FORMULAS 8.11).

    Target population. Fold thresholds are held fixed, and :func:`subject_variance` stands for the dyadic one, which
    covers too little for that (measured: .87 to .90 of .95 in a cohort of very unequal subjects). Each pair weighs
    1/(k n_fold), so that the weighted mean is :attr:`FoldAccuracy.mean`. With K subjects, counted by weight
    (:func:`~.dependence.effective_number` of the pairs of each), the variance is multiplied by K/(K-1) and the
    critical value is t_{K-1}, as in 8.1. A variance below that of independent pairs is not believed: n_eff <= n. The
    lower bound allows for one more image half of whose mated pairs are wrong, as far as subjects weigh unequally: as
    the upper bound of a pooled FNMR, whose threshold is stricter, does for one that errs in all.
    No wrong pair (or no right one): the variance says nothing, and n_eff is the number of subjects.

    >>> scores, mated = np.array([0.1, 0.9, 0.2, 0.8]), np.array([False, True, False, True])
    >>> folds, first, second = np.array([0, 0, 1, 1]), np.array([0, 1, 2, 3]), np.array([1, 1, 3, 3])
    >>> accuracy_bounds(k_fold_accuracy(scores, mated, folds), folds, first, second).n_eff
    4.0
    """
    used = folds >= 0
    n, mean = int(used.sum()), accuracy.mean
    if not 0 < mean < 1:
        subjects = np.unique(np.concatenate([first[used], second[used]])).size
        return RateBounds(rate=mean, n_eff=float(subjects), degrees=degrees_of_freedom(subjects))
    weight = 1 / (accuracy.total.size * accuracy.total[folds[used]])
    residuals = weight * (accuracy.is_correct[used] - mean)
    ends = first[used], second[used]
    effective_subjects = subjects_by_weight(*ends)
    if effective_subjects == 1:
        return RateBounds(rate=mean, n_eff=0.0, degrees=1.0)
    variance = effective_subjects / (effective_subjects - 1) * subject_variance(residuals, *ends)
    floor = mean * (1 - mean) / n
    bounds = bounds_from_variance(
        mean, max(variance, floor), n, degrees_of_freedom(effective_subjects), _unseen_image(*ends)
    )
    return replace(bounds, of_right=True)


def _unseen_image(first: Ints, second: Ints) -> float:
    """What an image half of whose mated pairs are wrong takes from the accuracy: of the subject with most of them."""
    pairs = np.bincount(first[first == second])
    pairs = pairs[pairs > 0]
    if not pairs.size:
        return 0.0
    of_an_image = (
        math.sqrt(8 * int(pairs.max()) + 1) - 1
    ) / 2  # m - 1, where all m (m - 1) / 2 pairs are used
    return image_weight(of_an_image, first.size, effective_number(pairs), pairs.size) / 2
