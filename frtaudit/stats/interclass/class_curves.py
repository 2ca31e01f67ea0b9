"""Curves of classes and their replicates: thresholds at equal TAR, TAR at equal thresholds; subjects are resampled.

A class is its mated scores on some axis. Its quantile function is Q(u) = x_(ceil(n u)), the threshold at TAR 1 - u; its
TAR at t the share of scores > t. A replicate draws the subjects of each class with replacement, each with all scores.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Floats, Ints
from frtaudit.stats._numba import kernel
from frtaudit.stats._scipy import scipy

LEVELS = 500  # midpoints that integrals over u or over thresholds are taken on
BATCH, PART = (
    250,
    25,
)  # replicates drawn at once; those whose curves are made at once, in the processor's cache
REACH = 9.0  # standard deviations of a rank beyond which a resample's quantile is not looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Classes:
    """C classes: ``scores`` (n_c,) ascending; ``subjects`` (n_c,) numbered 0..K_c - 1; ``sizes``: K_c each.

    ``order``: the classes by their first subject. What is drawn is drawn in this order, so that it depends neither on
    the names of the classes nor on the order they stand in.
    """

    scores: tuple[Floats, ...]
    subjects: tuple[Ints, ...]
    sizes: tuple[int, ...]
    order: tuple[int, ...]

    @classmethod
    def of(cls, scores: Sequence[Floats], subjects: Sequence[Ints]) -> "Classes":
        """From scores in any order and the subject of each, any integers.

        >>> made = Classes.of([np.array([0.5, 0.2])], [np.array([7, 3])])
        >>> made.scores[0].tolist(), made.subjects[0].tolist(), made.sizes
        ([0.2, 0.5], [0, 1], (2,))
        """
        ordered, codes, sizes, firsts = [], [], [], []
        for values, who in zip(scores, subjects, strict=True):
            order = np.argsort(values, kind="stable")
            names, code = np.unique(who, return_inverse=True)
            ordered.append(np.asarray(values, dtype=np.float64)[order])
            codes.append(code[order].astype(np.int64))
            sizes.append(int(names.size))
            firsts.append(int(names[0]) if names.size else 0)
        by_first = sorted(range(len(firsts)), key=firsts.__getitem__)
        return cls(scores=tuple(ordered), subjects=tuple(codes), sizes=tuple(sizes), order=tuple(by_first))


Weights = tuple[Ints, ...]


def drawn(classes: Classes, n: int, rng: "np.random.Generator") -> Iterator[Weights]:
    """``n`` draws of the subjects of each class, in parts: how often each is drawn, (b, K_c) for each class.

    >>> three = Classes.of([np.zeros(3)], [np.arange(3)])
    >>> [part[0].sum(axis=1).tolist() for part in drawn(three, 2, np.random.default_rng(0))]
    [[3, 3]]
    """
    for done in range(0, n, BATCH):
        count = min(BATCH, n - done)
        weights: dict[int, Ints] = {}
        for c in classes.order:
            size = classes.sizes[c]
            weights[c] = rng.multinomial(size, np.full(size, 1 / size), size=count)
        for part in range(0, count, PART):
            yield tuple(weights[c][part : part + PART] for c in range(len(weights)))


def once(sizes: Sequence[int]) -> Weights:
    """Everybody drawn once: the data themselves as one replicate."""
    return tuple(np.ones((1, size), dtype=np.int64) for size in sizes)


def tar_at(classes: Classes, thresholds: Floats) -> Callable[[Weights], Floats]:
    """TAR, the share of scores > t, of each replicate and class, shape (b, C, T); ``thresholds`` (T,) any order.

    A function of weights: who passes which threshold is counted once.

    >>> one = Classes.of([np.array([0.1, 0.5])], [np.array([0, 1])])
    >>> tar_at(one, np.array([0.1, 0.3]))(once(one.sizes)).tolist()
    [[[0.5, 0.5]]]
    """
    counted = []
    for scores, who, size in zip(classes.scores, classes.subjects, classes.sizes, strict=True):
        accepted = hits(scores, who, size, thresholds).astype(np.float64)  # whole numbers: products are exact
        counted.append((accepted, np.bincount(who, minlength=size).astype(np.float64)))

    def rates(weights: Weights) -> Floats:
        rows = []
        for (accepted, total), weight in zip(counted, weights, strict=True):
            drawn_as = weight.astype(np.float64)
            rows.append((drawn_as @ accepted) / (drawn_as @ total)[:, None])
        return np.stack(rows, axis=1)

    return rates


def hits(scores: Floats, who: Ints, size: int, thresholds: Floats) -> Ints:
    """Scores > t of each subject, shape (K, T); ``scores`` ascending."""
    order = np.argsort(thresholds, kind="stable")
    above = np.searchsorted(thresholds[order], scores, side="left")  # thresholds below the score
    counts = np.zeros((size, thresholds.size + 1), dtype=np.int64)
    np.add.at(counts, (who, above), 1)
    passed = counts[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
    result = np.empty((size, thresholds.size), dtype=np.int64)
    result[:, order] = passed
    return result


def quantiles(classes: Classes, u: Floats, weights: Weights) -> Floats:
    """Q at u in (0, 1] of each replicate and class, shape (b, C, U).

    >>> one = Classes.of([np.array([0.1, 0.5])], [np.array([0, 1])])
    >>> quantiles(one, np.array([0.5, 0.6]), once(one.sizes)).tolist()
    [[[0.1, 0.5]]]
    """
    values = np.empty((len(weights[0]), len(weights), u.size))
    for c, (scores, who, weight) in enumerate(zip(classes.scores, classes.subjects, weights, strict=True)):
        values[:, c] = redrawn(scores, who, weight, u, 1e-9)  # 1 - 0.9 is not 0.1 in binary
    return values


@kernel
def redrawn(scores: Floats, who: Ints, weight: Ints, u: Floats, slack: float) -> Floats:
    """The score at rank ceil(n u - slack), at least 1, of n scores, each as often as its subject is drawn; (b, U).

    ``scores``, ``who`` (N,): as in :class:`Classes`; ``weight`` (b, K): how often each subject is drawn; ``u`` (U,): in
    (0, 1].

    >>> redrawn(np.array([0.1, 0.5]), np.array([0, 1]), np.array([[2, 1]]), np.array([0.5, 1.0]), 0.0).tolist()
    [[0.1, 0.5]]
    """
    values = np.empty((weight.shape[0], u.size))
    often = np.bincount(who, minlength=weight.shape[1])
    most = np.int64(0)
    for b in range(weight.shape[0]):
        most = max(most, (weight[b] * often).sum())
    row = np.empty(most + 4)
    for b in range(weight.shape[0]):
        end = np.int64(0)
        for q in range(scores.size):
            for more in range(4):  # without a branch; more than the count is overwritten by the next
                row[np.uint64(end + more)] = scores[q]
            count = weight[b, np.uint64(who[q])]
            for more in range(4, count):
                row[np.uint64(end + more)] = scores[q]
            end += count
        for v in range(u.size):
            values[b, v] = row[max(np.int64(np.ceil(u[v] * end - slack)), np.int64(1)) - 1]
    return values


def from_overall(curves: Floats, shares: Floats) -> Floats:
    """Class minus overall, shape (..., C, G): overall is the mean of the classes weighted by ``shares`` (C,), sum 1.

    >>> from_overall(np.array([[1.0], [4.0]]), np.array([0.5, 0.5])).tolist()
    [[-1.5], [1.5]]
    """
    return np.asarray(curves - np.einsum("c,...cg->...g", shares, curves)[..., None, :])


def from_mean(classes: Classes, weights: Weights) -> Floats:
    """Quantile curves of the classes minus their mean, in which all weigh the same, shape (b, C, LEVELS).

    >>> who = np.array([0, 1])
    >>> two = Classes.of([np.array([1.0, 2.0]), np.array([3.0, 4.0])], [who, who])
    >>> largest(from_mean(two, once(two.sizes))).tolist()
    [1.0]
    """
    levels = (np.arange(LEVELS) + 0.5) / LEVELS
    return from_overall(
        quantiles(classes, levels, weights), np.full(len(classes.sizes), 1 / len(classes.sizes))
    )


def largest(apart: Floats) -> Floats:
    """The largest root mean square of a class's curve, of curves (..., C, LEVELS)."""
    return np.asarray(np.sqrt(np.square(apart).mean(axis=-1).max(axis=-1)))


def tar_of_others(classes: Classes, tar_wanted: float, weights: Weights) -> Floats:
    """TAR of class B at the threshold that gives class A its TAR, shape (b, A, B), the threshold found anew in each.

    >>> two = Classes.of([np.array([0.1, 0.5]), np.array([0.2, 0.3])], [np.array([0, 1]), np.array([0, 1])])
    >>> tar_of_others(two, 0.5, once(two.sizes)).tolist()
    [[[0.5, 1.0], [0.5, 0.5]]]
    """
    threshold = quantiles(classes, np.array([1 - tar_wanted]), weights)[:, :, 0]
    values = np.empty((*threshold.shape, len(classes.sizes)))
    for place, (scores, who, weight) in enumerate(
        zip(classes.scores, classes.subjects, weights, strict=True)
    ):
        total = np.concatenate([np.zeros((len(weight), 1)), weight[:, who].cumsum(axis=1)], axis=1)
        below = np.searchsorted(scores, threshold, side="right")
        values[:, :, place] = 1 - np.take_along_axis(total, below, axis=1) / total[:, -1:]
    return values


def drawn_apart(effective_subjects: Floats) -> Floats:
    """What makes resamples of K subjects by weight vary enough: sqrt(K/(K-1)), shape as given; sqrt(K) below two.

    >>> drawn_apart(np.array([2.0, 1.0])).round(3).tolist()
    [1.414, 1.0]
    """
    return np.asarray(np.sqrt(effective_subjects / np.maximum(effective_subjects - 1, 1.0)))


def t_over_z(degrees: float, alpha: float) -> float:
    """Student's t over z: the variance that the replicates show is itself an estimate.

    >>> round(t_over_z(19.0, 0.05), 3)
    1.068
    """
    return float(scipy.special.stdtrit(degrees, alpha / 2) / scipy.special.ndtri(alpha / 2))


def spread_iid(rates: Floats, counts: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Standard deviations of TAR and of class minus overall when scores are drawn independently, each (C, T).

    What the thesis's bootstrap of scores estimates, in closed form: n TAR* is binomial. ``rates`` (C, T): TAR;
    ``counts`` (C,): scores; ``shares`` (C,): of the classes in overall. It ignores that scores share subjects.

    >>> own, excess = spread_iid(np.array([[0.5], [0.5]]), np.array([25, 25]), np.array([0.5, 0.5]))
    >>> own[0, 0].item(), excess.round(4).tolist()
    (0.1, [[0.0707], [0.0707]])
    """
    variance = rates * (1 - rates) / counts[:, None]
    common = (shares[:, None] ** 2 * variance).sum(axis=0)
    own_share = shares[:, None]
    excess = ((1 - own_share) ** 2 - own_share**2) * variance + common
    return np.sqrt(variance), np.sqrt(np.maximum(excess, 0.0))


def quantile_spread_iid(classes: Classes, u: Floats, shares: Floats) -> Floats:
    """Root mean square of (Delta* - Delta)(u), shape (C, U), when the scores of each class are drawn independently.

    Delta is class minus overall of the quantile functions: what S_c(u) of the thesis's bootstrap estimates (FORMULAS
    3), in closed form. It ignores that scores share subjects.

    >>> one = Classes.of([np.array([0.0, 1.0]), np.array([0.0, 0.0])], [np.array([0, 1]), np.array([0, 1])])
    >>> quantile_spread_iid(one, np.array([0.5]), np.array([0.5, 0.5])).round(6).tolist()  # (Q* - Q) / 2; Q* = 1: p 1/4
    [[0.25], [0.25]]
    """
    moved, variance = (
        np.stack(part) for part in zip(*(_redrawn(scores, u) for scores in classes.scores), strict=True)
    )
    share = shares[:, None]
    spread = ((1 - share) ** 2 - share**2) * variance + (share**2 * variance).sum(axis=0)
    return np.asarray(np.sqrt(np.maximum(spread + from_overall(moved, shares) ** 2, 0.0)))


def _redrawn(scores: Floats, u: Floats) -> tuple[Floats, Floats]:
    """Mean of Q* - Q and variance of Q* at each u, (U,) each, of n scores redrawn from ``scores`` (n,), ascending.

    Q* is x_(k) or less iff r = ceil(n u) draws or more are among the k smallest: with probability I_(k/n)(r, n-r+1)
    (Maritz and Jarrett 1978).
    """
    n = scores.size
    mean, variance = np.empty(u.size), np.empty(u.size)
    for place, level in enumerate(u):
        rank = int(np.clip(np.ceil(n * level - 1e-9), 1, n))
        reach = int(REACH * np.sqrt(n * level * (1 - level))) + 20
        k = np.arange(max(rank - reach, 1), min(rank + reach, n) + 1)
        below = scipy.special.betainc(rank, n - rank + 1, k / n)
        below[-1] = 1.0
        chance = np.diff(below, prepend=0.0)
        apart = scores[k - 1] - scores[rank - 1]
        mean[place] = chance @ apart
        variance[place] = chance @ (apart - mean[place]) ** 2
    return mean, variance
