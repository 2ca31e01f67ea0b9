"""d_l2 beyond the quantile space: of TAR curves, on the pooled FMR axis, of pairs, from a weighted overall curve.

Interval and test as in FORMULAS 8.7, whatever the space: subjects are resampled within classes; see
:func:`~frtaudit.stats.interclass.d_l2.population_bounds` and
:func:`~frtaudit.stats.interclass.d_l2.population_bootstrap`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np

from frtaudit.core.arrays import Floats
from frtaudit.core.freeze import FrozenArrays
from frtaudit.core.scores import ScoreTail
from frtaudit.stats._scipy import scipy
from frtaudit.stats.interclass import class_curves
from frtaudit.stats.interclass.class_curves import Classes
from frtaudit.stats.interclass.d_l2 import Bounds, Space, detectable, population_bounds
from frtaudit.stats.intervals.dependence import degrees_of_freedom, effective_number


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """What distances are taken over: thresholds at equal TAR, or TAR between the thresholds ``low`` and ``high``."""

    space: Space
    low: float = 0.0
    high: float = 100.0

    @property
    def length(self) -> float:
        """What the squared difference is integrated over: 1 in quantile space, the thresholds in TAR space."""
        return 1.0 if self.space is Space.QUANTILE else self.high - self.low

    def curves(self, classes: Classes) -> Callable[[class_curves.Weights], Floats]:
        """What gives the curves on a grid of midpoints for any weights, shape (b, C, G)."""
        middle = (np.arange(class_curves.LEVELS) + 0.5) / class_curves.LEVELS
        if self.space is Space.QUANTILE:
            return partial(class_curves.quantiles, classes, middle)
        return class_curves.tar_at(classes, self.low + middle * (self.high - self.low))


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread(FrozenArrays):
    """Squared distances of C classes from overall and of their P pairs, with their replicates.

    ``point`` (C,), ``pairs`` (P,), ``drawn`` (B, C), ``drawn_pairs`` (B, P): d^2; ``noise`` (B, C), ``noise_pairs``
    (B, P): ||Delta* - Delta||^2; ``shift`` (B, C): means of Delta* - Delta; ``shares`` (C,): of the classes in overall;
    ``degrees``: of freedom of Student's t; pairs in the order of ``combinations``.
    """

    point: Floats
    pairs: Floats
    drawn: Floats
    drawn_pairs: Floats
    noise: Floats
    noise_pairs: Floats
    shift: Floats
    shares: Floats
    degrees: float

    def _stretch(self, alpha: float) -> float:
        return class_curves.t_over_z(self.degrees, alpha)

    def _worst(self, alpha: float) -> Floats:
        return np.asarray(self.noise.max(axis=1) * self._stretch(alpha) ** 2)

    def p_value(self, alpha: float) -> float:
        """Of "all classes alike": (1 + #{T_b >= T})/(B + 1)."""
        worst = self._worst(alpha)
        return float((1 + np.count_nonzero(worst >= self.point.max())) / (worst.size + 1))

    def null(self, share: float, alpha: float) -> float:
        """The largest distance that chance alone gives in a share of all cases under equality."""
        return float(np.sqrt(np.quantile(self._worst(alpha), share, method="higher")))

    def detectable(self, alpha: float) -> float | None:
        """The smallest true distance that the test finds with probability 0.8."""
        stretch = self._stretch(alpha)
        edge = self.null(1 - alpha, alpha) ** 2
        return detectable(self.noise * stretch**2, self.shift * stretch, edge, self.shares)

    @property
    def bounds(self) -> Bounds:
        """Bounds of the classes' d_l2 and their Monte Carlo error at any alpha, each (C,) (FORMULAS 8.7)."""
        return population_bounds(self.drawn, self.noise, self.point, self.degrees)

    @property
    def pair_bounds(self) -> Bounds:
        """The same of the pairs, each (P,)."""
        return population_bounds(self.drawn_pairs, self.noise_pairs, self.pairs, self.degrees)


def spread_bootstrap(
    classes: Classes, axis: Axis, *, shares: Floats, n: int, rng: "np.random.Generator"
) -> Spread:
    """Distances and their replicates; ``shares`` (C,): of the classes in overall; ``n`` replicates of subjects.

    A resample of K subjects varies too little, by (K-1)/K: a class's curves are drawn apart by sqrt(K/(K-1)), K counted
    by weight; t takes the least K of the classes.

    >>> rng = np.random.default_rng(1)
    >>> who = np.arange(60) // 3
    >>> two = Classes.of([rng.random(60), rng.random(60) + 50], [who, who])
    >>> found = spread_bootstrap(two, Axis(space=Space.QUANTILE), shares=np.array([0.5, 0.5]), n=99, rng=rng)
    >>> found.p_value(0.05)
    0.01
    """
    curves_of = axis.curves(classes)
    once = curves_of(class_curves.once(classes.sizes))[0]
    delta = class_curves.from_overall(once, shares)
    effective_subjects = np.array([effective_number(np.bincount(who)) for who in classes.subjects])
    apart = np.sqrt(effective_subjects / (effective_subjects - 1))[:, None]
    parts: list[tuple[Floats, ...]] = []
    for weights in class_curves.drawn(classes, n, rng):
        curves = once + apart * (curves_of(weights) - once)
        moved = class_curves.from_overall(curves, shares)
        noise = np.square(moved - delta).mean(axis=-1) * axis.length
        shift = (moved - delta).mean(axis=-1) * np.sqrt(axis.length)
        squared = np.square(moved).mean(axis=-1) * axis.length
        parts.append((squared, _pairs(curves, axis), noise, _pairs(curves - once, axis), shift))
    drawn, drawn_pairs, noise, noise_pairs, shift = (
        np.concatenate(items) for items in zip(*parts, strict=True)
    )
    return Spread(
        point=np.square(delta).mean(axis=-1) * axis.length,
        pairs=_pairs(once[None], axis)[0],
        drawn=drawn,
        drawn_pairs=drawn_pairs,
        noise=noise,
        noise_pairs=noise_pairs,
        shift=shift,
        shares=np.array(shares, dtype=np.float64),
        degrees=degrees_of_freedom(float(effective_subjects.min())),
    )


def _pairs(curves: Floats, axis: Axis) -> Floats:
    """Squared distances of all pairs of classes, shape (b, P)."""
    both = combinations(range(curves.shape[1]), 2)
    distances = [np.square(curves[:, i] - curves[:, j]).mean(axis=-1) * axis.length for i, j in both]
    return np.stack(distances, axis=1) if distances else np.empty((len(curves), 0))


def thesis_tar(
    classes: Classes, axis: Axis, *, shares: Floats, alpha: float, n: int
) -> tuple[Floats, Floats]:
    """The thesis's bounds of d_l2 in TAR space, each (C,): norms of the band Delta -+ t_{n, 1-alpha/2} S.

    S in closed form, :func:`~frtaudit.stats.interclass.class_curves.spread_iid`: what endless resamples would give.
    Target:
    comparisons_iid; it is no test (FORMULAS 8.7).

    >>> who = np.arange(4)
    >>> two = Classes.of([np.array([10.0, 20, 30, 40])] * 2, [who, who])
    >>> low, high = thesis_tar(two, Axis(space=Space.TAR), shares=np.array([0.5, 0.5]), alpha=0.1, n=99)
    >>> low.tolist(), bool(high[0] > 0)
    ([0.0, 0.0], True)
    """
    once = axis.curves(classes)(class_curves.once(classes.sizes))[0]
    counts = np.array([scores.size for scores in classes.scores], dtype=np.float64)
    _, spread = class_curves.spread_iid(once, counts, shares)
    size = np.abs(class_curves.from_overall(once, shares))
    half = float(-scipy.special.stdtrit(n, alpha / 2)) * spread
    ends = (np.maximum(size - half, 0.0), size + half)
    low, high = (np.sqrt(np.square(end).mean(axis=-1) * axis.length) for end in ends)
    return low, high


def decades(tail: ScoreTail, scores: Floats, ceiling: float) -> Floats:
    """Mated scores on the pooled FMR axis: -log10 FMR(s), FMR(s) the share of non-mated scores > s.

    FMR is held between 1/M, M the non-mated comparisons, and ``ceiling``: lower ones are not distinguished, higher ones
    are no operating points. Any strictly rising map of all scores leaves the values as they are. ``scores``: any shape,
    in score units; unit: decades of FMR.

    >>> from frtaudit.stats.similarity.tail import from_matrix
    >>> tail = from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["a", "a", "b"])
    >>> decades(tail, np.array([0.1, 0.25, 0.9]), 1.0).round(3).tolist()
    [0.0, 0.301, 0.301]
    """
    total = float(tail.histogram.sum())
    above = np.searchsorted(
        -tail.tail_score.astype(np.float64), -np.asarray(scores, dtype=np.float64), side="left"
    )
    return np.asarray(0.0 - np.log10(np.clip(above / total, 1 / total, ceiling)))


def ratio(distances: Floats) -> float:
    """Worst to best: the largest distance of a class over the smallest; infinite where the smallest is 0.

    >>> ratio(np.array([1.0, 4.0]))
    4.0
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(distances.max() / distances.min())


def named_pairs(names: tuple[str, ...]) -> Iterator[str]:
    """``a|b`` for each pair of classes, in the order of :class:`Spread`.

    >>> list(named_pairs(("a", "b", "c")))
    ['a|b', 'a|c', 'b|c']
    """
    return (f"{first}|{second}" for first, second in combinations(names, 2))
