"""Interclass bias d_l2 of the thesis (FORMULAS 3), and its bootstrap for the population (8.7).

Scores are mapped from the provider's range to 0..100. In quantile space a class is its empirical quantile
function Q(u) = x_(ceil(n u)), in TAR space its share of mated scores above t. Both are step functions:
integrals are exact sums over the union of the classes' breakpoints. The thesis's own bootstrap: iid_bootstrap.py.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from frtaudit.core.arrays import Floats, Ints
from frtaudit.core.freeze import FrozenArrays
from frtaudit.stats._scipy import scipy
from frtaudit.stats.interclass.class_curves import PART, Classes, redrawn, t_over_z
from frtaudit.stats.intervals.bootstrap_intervals import Moments
from frtaudit.stats.intervals.dependence import degrees_of_freedom, effective_number

SCALE = 100.0  # d_l2 stands on scores mapped to 0..SCALE
LEVELS = 500  # midpoints of u that bootstraps integrate over
POWER = 0.8

Bounds = Callable[[float], tuple[Floats, Floats, Floats]]
"""Of distances at a two-sided alpha: low, high and Monte Carlo error, (C,) each."""


class Space(Enum):
    """What the distance of two classes is taken over: scores at equal TAR, or TAR at equal score."""

    QUANTILE = "quantile"
    TAR = "tar"


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps(FrozenArrays):
    """Step functions of all classes on common pieces.

    ``values``: shape (C, U), float64, value of each class on each piece; ``widths``: shape (U,), lengths of
    the pieces; the argument is u in 0..1 and the value a score in 0..100 (quantile), or the reverse (TAR).
    """

    values: Floats
    widths: Floats

    def from_mean(self) -> Floats:
        """Class minus the plain mean of the classes, shape (C, U) (FORMULAS 3, Delta_c)."""
        return from_mean(self.values)


def steps(classes: Sequence[Floats], score_range: tuple[float, float], space: Space) -> Steps:
    """Step functions of the classes' mated scores, shape (n_c,) each, n_c >= 1, any order, in score units.

    >>> steps([np.array([0.0, 1.0]), np.array([1.0])], (0, 1), Space.QUANTILE).values.tolist()
    [[0.0, 100.0], [100.0, 100.0]]
    """
    ordered = [np.sort(to_scale(scores, score_range)) for scores in classes]
    if space is Space.QUANTILE:
        u = breakpoints([scores.size for scores in ordered])
        return Steps(
            values=np.stack([quantiles(scores, u) for scores in ordered]), widths=np.diff(u, prepend=0.0)
        )
    # TAR between consecutive distinct scores; outside the range nothing is integrated
    knots = np.unique(np.concatenate([*ordered, [0.0, SCALE]]).clip(0.0, SCALE))
    values = [1 - np.searchsorted(scores, knots[:-1], side="right") / scores.size for scores in ordered]
    return Steps(values=np.stack(values), widths=np.diff(knots))


def to_scale(scores: npt.ArrayLike, score_range: tuple[float, float]) -> Floats:
    """Map scores of any shape from ``score_range`` to 0..100.

    >>> to_scale([-1.0, 0.0], (-1, 1)).tolist()
    [0.0, 50.0]
    """
    low, high = score_range
    return (np.asarray(scores, dtype=np.float64) - low) * (SCALE / (high - low))


def d_l2(
    classes: Sequence[Floats], score_range: tuple[float, float], space: Space = Space.QUANTILE
) -> Floats:
    """Distance of each class from the mean curve, shape (C,): sqrt of the integral of Delta_c^2 (FORMULAS 3).

    Units: quantile space, score points on 0..100; TAR space, TAR in 0..1 times the root of score points.

    >>> d_l2([np.array([0.2, 0.4]), np.array([0.4, 0.6])], (0, 1)).tolist()
    [10.0, 10.0]
    """
    curves = steps(classes, score_range, space)
    return norm(curves.from_mean(), curves.widths)


def d_l2_pairs(
    classes: Sequence[Floats], score_range: tuple[float, float], space: Space = Space.QUANTILE
) -> Floats:
    """Distance of class i from class j, shape (C, C), symmetric, zero diagonal (FORMULAS 3 ii).

    >>> d_l2_pairs([np.array([0.2, 0.4]), np.array([0.4, 0.6])], (0, 1))[0, 1].item()
    20.0
    """
    curves = steps(classes, score_range, space)
    return np.stack([norm(curves.values - row, curves.widths) for row in curves.values])


def threshold_curves(
    classes: Sequence[Floats], tar: npt.ArrayLike, score_range: tuple[float, float]
) -> Floats:
    """Score on 0..100 at each TAR (V,) in 0..1, shape (C, V): Q_c(1 - TAR), the thesis's performance curve.

    >>> threshold_curves([np.array([0.1, 0.5])], [1.0, 0.5, 0.2], (0, 1)).tolist()
    [[10.0, 10.0, 50.0]]
    """
    u = 1 - np.asarray(tar, dtype=np.float64)
    rows = []
    for scores in classes:
        ordered = np.sort(to_scale(scores, score_range))
        rank = np.ceil(u * ordered.size - 1e-9).astype(np.int64)  # 1 - 0.9 is not 0.1 in binary
        rows.append(ordered[np.clip(rank, 1, ordered.size) - 1])
    return np.stack(rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationTable(FrozenArrays):
    """d_l2 for the population (FORMULAS 8.7), quantile space, 0..100.

    ``low``, ``point``, ``high``: shape (C,); ``statistic``: max over classes of ||Delta_c||; ``p_value``: of "all
    classes alike"; ``null_median``, ``null_edge``: what the statistic is in half of all cases, and what it exceeds in a
    share alpha of them, under equality; ``detectable``: see :func:`detectable`; ``subjects``: shape (C,), int64;
    ``mc_error``: shape (C,), of the bounds; ``bounds``: at any level, see :func:`population_bounds`.
    """

    low: Floats
    point: Floats
    high: Floats
    statistic: float
    p_value: float
    null_median: float
    null_edge: float
    detectable: float | None
    n_resamples: int
    subjects: Ints
    mc_error: Floats
    bounds: Bounds


def population_bounds(square: Floats, noise: Floats, point: Floats, degrees: float = math.inf) -> Bounds:
    """Bounds of d_l2 and their Monte Carlo error, each (C,), as a function of alpha: on d^2, then the root (8.7).

    ``square``: shape (B, C), d*^2; ``noise``: shape (B, C), ||Delta* - Delta||^2; ``point``: shape (C,), d^2;
    ``degrees``: of freedom of Student's t. Low: centre - t sd(d*^2), centre = d^2 - (mean d*^2 - d^2), truncated at 0.
    The variance of d^2 grows with d^2: a + b d^2, a that of the noise alone. High: the largest v with
    (v - centre)^2 <= t^2 (a + b v), as Wilson's bound is found, for a bound from the variance at the estimate lies too
    low where the estimate does.

    >>> bounds = population_bounds(np.array([[1.0], [3.0]]), np.array([[0.1], [0.3]]), np.array([2.0]))
    >>> [side.round(3).tolist() for side in bounds(0.05)[:2]]
    [[0.0], [2.695]]
    """
    variance, least = square.var(axis=0, ddof=1), noise.var(axis=0, ddof=1)
    centre = 2 * point - square.mean(axis=0)
    growth = np.maximum(variance - least, 0.0) / np.maximum(point, np.finfo(np.float64).tiny)
    moments = [Moments.of(drawn) for drawn in square.T]

    def bounds(alpha: float) -> tuple[Floats, Floats, Floats]:
        critical = float(-scipy.special.stdtrit(degrees, alpha / 2))
        lean, positive = growth * critical**2 / 2, np.maximum(centre, 0.0)
        top = positive + lean + np.sqrt(lean * (lean + 2 * positive) + critical**2 * least)
        low = np.sqrt(np.maximum(centre - critical * np.sqrt(variance), 0.0))
        high = np.sqrt(top)
        error = np.array([drawn.gaussian_error(alpha) for drawn in moments])  # of bounds on d^2
        twice = np.maximum(2 * np.where(low > 0, low, high), np.finfo(np.float64).tiny)
        # On d: d/(2d), at most its root.
        return low, high, np.asarray(np.minimum(error / twice, np.sqrt(error)))

    return bounds


def population_bootstrap(
    classes: Sequence[Floats],
    subjects: Sequence[Ints],
    score_range: tuple[float, float],
    *,
    alpha: float,
    n: int,
    rng: "np.random.Generator",
) -> PopulationTable:
    """Interval of d_l2 and test of "all classes alike": subjects are resampled within class (FORMULAS 8.7).

    ``subjects``: shape (n_c,) each, int, the subject of each mated score; ``n``: B >= 2. Interval:
    :func:`population_bounds`. Test: T_b = max_c ||Delta*_cb - Delta_c|| against T = max_c ||Delta_c||,
    p = (1 + #{T_b >= T})/(B+1). u is a grid of 500 midpoints. A resample of K subjects varies too little, by (K-1)/K,
    and its variance is itself an estimate: a class's curves are drawn apart by sqrt(K/(K-1)), and t_{K-1} takes the
    place of z, in T_b by the ratio of the two; K is counted by weight, for t that of the least class.

    >>> rng = np.random.default_rng(1)
    >>> table = population_bootstrap(
    ...     [rng.random(60), rng.random(60) + 9], [np.arange(60) // 3] * 2, (0, 10), alpha=0.1, n=99, rng=rng)
    >>> table.p_value
    0.01
    """
    ordered = Classes.of([to_scale(scores, score_range) for scores in classes], subjects)
    u = (np.arange(LEVELS) + 0.5) / LEVELS
    curves = np.stack([quantiles(scores, u) for scores in ordered.scores])
    effective_subjects = np.array([[effective_number(np.bincount(who))] for who in ordered.subjects])
    with np.errstate(divide="ignore"):  # one subject says nothing of others
        apart = np.sqrt(effective_subjects / (effective_subjects - 1))
    square, gap, shift = _replicates(ordered, apart, u, curves, n, rng)
    point = np.square(from_mean(curves)).mean(axis=1)
    degrees = degrees_of_freedom(float(effective_subjects.min()))
    bounds = population_bounds(square, gap, point, degrees)
    low, high, error = bounds(alpha)
    stretch = t_over_z(degrees, alpha)
    gap, shift = gap * stretch**2, shift * stretch
    excess = gap.max(axis=1)
    edge = float(np.quantile(excess, 1 - alpha, method="higher"))
    return PopulationTable(
        low=low,
        point=d_l2(classes, score_range),
        high=high,
        statistic=float(np.sqrt(point.max())),
        p_value=float((1 + np.count_nonzero(excess >= point.max())) / (n + 1)),
        null_median=float(np.sqrt(np.quantile(excess, 0.5, method="higher"))),
        null_edge=float(np.sqrt(edge)),
        detectable=detectable(gap, shift, edge),
        n_resamples=n,
        subjects=np.array(ordered.sizes, dtype=np.int64),
        mc_error=error,
        bounds=bounds,
    )


def _replicates(
    ordered: Classes, apart: Floats, u: Floats, curves: Floats, n: int, rng: "np.random.Generator"
) -> tuple[Floats, Floats, Floats]:
    """Of n replicates ||Delta*||^2, ||Delta* - Delta||^2, mean of Delta* - Delta: (n, C) each; ``curves`` (C, U)."""
    delta, sizes = from_mean(curves), ordered.sizes
    square, gap, shift = (np.empty((n, len(sizes))) for _ in range(3))
    among, ends = np.repeat(sizes, sizes), np.cumsum(sizes)
    for done in range(0, n, PART):
        part = slice(done, min(done + PART, n))
        chosen = rng.integers(among, size=(part.stop - done, among.size))  # one call: class by class in each
        weights = map(_often, np.split(chosen, ends[:-1], axis=1))
        drawn = [
            redrawn(*each, u, 0.0) for each in zip(ordered.scores, ordered.subjects, weights, strict=True)
        ]
        moved = curves + apart * (np.stack(drawn, axis=1) - curves)
        moved -= moved.mean(axis=1, keepdims=True)
        square[part] = np.square(moved).mean(axis=2)
        moved -= delta
        gap[part], shift[part] = np.square(moved).mean(axis=2), moved.mean(axis=2)
    return square, gap, shift


def _often(chosen: Ints) -> Ints:
    """How often each of K is chosen in each row of (B, K)."""
    rows, count = chosen.shape
    places = (chosen + np.arange(rows)[:, None] * count).ravel()
    return np.bincount(places, minlength=chosen.size).reshape(chosen.shape)


def detectable(gap: Floats, shift: Floats, edge: float, shares: Floats | None = None) -> float | None:
    """Smallest true d_l2 of a class moved as a whole at which the test flags with probability 0.8; None above 100.

    With shares w_c in overall (1/C each by default) moving class c by s moves its Delta by a_c = s(1 - w_c) and those
    of the others by -s w_c, so that the replicates'
    ||Delta*_k - Delta_k + a_k||^2 = gap_k + 2 a_k shift_k + a_k^2, where ``gap``: shape (B, C), the squared norms of
    the null; ``shift``: shape (B, C), their means; ``edge``: of the largest gap. Of the class and
    the direction hardest to see.

    >>> round(detectable(np.zeros((9, 2)), np.zeros((9, 2)), 4.0), 6)
    2.0
    """
    count = gap.shape[1]
    weights = np.full(count, 1 / count) if shares is None else shares
    gaps, shifts = np.ascontiguousarray(gap.T), np.ascontiguousarray(shift.T)  # a maximum over rows is fast
    distances: list[float] = []
    for hidden in range(count):
        for sign in (1.0, -1.0):
            unit = np.full((count, 1), -sign * weights[hidden])
            unit[hidden] += sign

            def detected(size: float, unit: Floats = unit) -> bool:
                moved = gaps + 2 * size * unit * shifts + (size * unit) ** 2
                return bool(np.mean(moved.max(axis=0) > edge) >= POWER)

            if not detected(SCALE):
                return None
            low, high = 0.0, SCALE
            for _ in range(40):
                middle = (low + high) / 2
                low, high = (low, middle) if detected(middle) else (middle, high)
            distances.append(high * float(1 - weights[hidden]))
    return max(distances)


def from_mean(values: Floats) -> Floats:
    """Class minus the plain mean of the classes, shape (C, U) as given.

    >>> from_mean(np.array([[1.0], [3.0]])).tolist()
    [[-1.0], [1.0]]
    """
    return np.asarray(values - values.mean(axis=0))


def breakpoints(sizes: Sequence[int]) -> Floats:
    """Union of {i/n}, i = 1..n, over the sizes; equal fractions are equal doubles.

    >>> breakpoints([2, 4]).tolist()
    [0.25, 0.5, 0.75, 1.0]
    """
    return np.unique(np.concatenate([np.arange(1, n + 1) / n for n in sorted(set(sizes))]))


def ranks(n: int, u: Floats) -> Ints:
    """Rank ceil(n u) in 1..n, without the rounding of the product where u is some i/n.

    >>> ranks(10, np.array([0.05, 0.3, 1.0])).tolist()
    [1, 3, 10]
    """
    rank = np.searchsorted(np.arange(1, n + 1) / n, u, side="left") + 1
    return np.asarray(np.minimum(rank, n), dtype=np.int64)


def quantiles(ordered: Floats, u: Floats) -> Floats:
    """Q(u) = x_(ceil(n u)) of sorted scores, shape (n,), at u, shape (U,).

    >>> quantiles(np.array([1.0, 5.0]), np.array([0.5, 0.6])).tolist()
    [1.0, 5.0]
    """
    return ordered[ranks(ordered.size, u) - 1]


def norm(values: Floats, widths: Floats) -> Floats:
    """Root of the integral of the square over the pieces: shape (..., U) to (...).

    >>> float(norm(np.array([3.0, 1.0]), np.array([0.5, 0.5])).round(3))
    2.236
    """
    return np.sqrt(np.square(values) @ widths)
