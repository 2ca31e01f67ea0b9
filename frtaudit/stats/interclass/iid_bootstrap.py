"""The thesis's bootstrap of d_l2 in quantile space (FORMULAS 3): i.i.d. resampling of each class's mated scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from frtaudit.core.arrays import Floats, Ints, Longs
from frtaudit.core.freeze import FrozenArrays
from frtaudit.stats._numba import kernel
from frtaudit.stats._scipy import scipy
from frtaudit.stats.bootstrap.gammas import STRIPS, GammaTables, fill_sums, strips_of
from frtaudit.stats.bootstrap.weights import CURVE, stream_of, word_of
from frtaudit.stats.interclass.d_l2 import (
    LEVELS,
    breakpoints,
    d_l2,
    from_mean,
    norm,
    quantiles,
    ranks,
    to_scale,
)

PIECES = 2000  # with more breakpoints than this u is a grid of LEVELS midpoints


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(FrozenArrays):
    """Distances of all classes with their bounds, each shape (C,), float64.

    ``n_resamples``: B; ``critical``: the critical value of the bounds.
    """

    point: Floats
    lower: Floats
    upper: Floats
    n_resamples: int
    critical: float


def thesis_bootstrap(
    classes: Sequence[Floats], score_range: tuple[float, float], *, alpha: float, n: int, seed: int
) -> Table:
    """The thesis's interval of d_l2: i.i.d. resampling of each class's scores (FORMULAS 3).

    Target: comparisons_iid; it is no test (FORMULAS 8.7). ``n``: B >= 2. A resample is drawn at the wanted ranks
    alone, without binning: with E_1..E_{n+1} standard exponentials, U_(r) = (E_1+..+E_r)/(E_1+..+E_{n+1}) are n
    uniforms in order, x_(floor(n U_(r)) + 1) the resample's scores in order, and a sum over a gap of ranks is one
    gamma; so the law is that of literal resampling, and the cost does not grow with n_c.

    >>> rng = np.random.default_rng(1)
    >>> table = thesis_bootstrap([rng.random(50), rng.random(40)], (0, 1), alpha=0.1, n=99, seed=1)
    >>> bool((table.lower <= table.point).all() and (table.point <= table.upper).all())
    True
    """
    curves, gamma_tables = _resampled([np.sort(to_scale(scores, score_range)) for scores in classes])
    square = np.zeros_like(curves.own)
    with np.errstate(over="ignore"):
        add_squares(square, curves, gamma_tables, word_of(seed), n)
    return bounds(classes, score_range, square, n=n, alpha=alpha)


def bounds(
    classes: Sequence[Floats], score_range: tuple[float, float], square: Floats, *, n: int, alpha: float
) -> Table:
    """The bounds from ``square``, shape (C, U): sums over B = ``n`` resamples of (Delta* - Delta)^2 at :func:`pieces`.

    S^2 = square / (B-1); band Delta -+ t_{B,1-alpha/2} S; the bounds are the norms of the band's smallest and largest
    absolute value.

    >>> bounds([np.array([0.1, 0.3]), np.array([0.2, 0.4])], (0, 1), np.zeros((2, 2)), n=9, alpha=0.1).upper.round(9)
    array([5., 5.])
    """
    u, widths = pieces([len(scores) for scores in classes])
    ordered = [np.sort(to_scale(scores, score_range)) for scores in classes]
    delta = np.abs(from_mean(np.stack([quantiles(scores, u) for scores in ordered])))
    critical = float(-scipy.special.stdtrit(n, alpha / 2))  # df = B, not B - 1 (FORMULAS 3)
    half = critical * np.sqrt(square / (n - 1))
    return Table(
        point=d_l2(classes, score_range),
        lower=norm(np.maximum(delta - half, 0.0), widths),  # 0 where the band holds 0
        upper=norm(delta + half, widths),
        n_resamples=n,
        critical=critical,
    )


def pieces(sizes: Sequence[int]) -> tuple[Floats, Floats]:
    """Points u and widths of the pieces integrated over, each shape (U,), for classes of these sizes.

    >>> pieces([2, 4])[1].tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    if sum(set(sizes)) <= PIECES:
        u = breakpoints(sizes)
        return u, np.diff(u, prepend=0.0)
    return (np.arange(LEVELS) + 0.5) / LEVELS, np.full(LEVELS, 1 / LEVELS)


class Curves(NamedTuple):
    """What is resampled: sorted scores of C classes, one after the other, shape (sum of n,), float64.

    ``first``, ``size``: shape (C,), int64, where each class starts and its n; ``own``: shape (C, U), Q at u. Of the
    gaps between the ranks at u, and beyond the last, those that are not empty come first: ``gaps``: shape (C,), int64,
    how many; ``place``, ``start``: shape (C, U + 1), int64 and uint64, where each stands among all, and its strips;
    ``upto``: shape (C, U), int64, the last of them up to each u.
    """

    scores: Floats
    first: Ints
    size: Ints
    own: Floats
    gaps: Ints
    place: Ints
    start: Longs
    upto: Ints


def _resampled(ordered: Sequence[Floats]) -> tuple[Curves, GammaTables]:
    size = np.array([scores.size for scores in ordered], dtype=np.int64)
    u, _ = pieces(size.tolist())
    gaps = np.stack([np.diff(ranks(n, u), prepend=0, append=n + 1) for n in size.tolist()])
    filled = gaps > 0
    place = np.argsort(~filled, axis=1, kind="stable")
    shapes, number = np.unique(np.take_along_axis(gaps, place, axis=1), return_inverse=True)
    curves = Curves(
        scores=np.concatenate(ordered),
        first=np.cumsum(size) - size,
        size=size,
        own=np.stack([quantiles(scores, u) for scores in ordered]),
        gaps=filled.sum(axis=1),
        place=place,
        start=(number.reshape(gaps.shape) * STRIPS).astype(np.uint64),
        upto=np.cumsum(filled, axis=1)[:, :-1] - 1,
    )
    return curves, strips_of(shapes.tolist())


@kernel
def add_squares(square: Floats, curves: Curves, gamma_tables: GammaTables, seed: np.uint64, n: int) -> None:
    """Add (Delta* - Delta)^2 of resamples 0..n-1 to ``square``, shape (C, U)."""
    moved, mean = np.empty_like(square), np.empty(square.shape[1])
    sums = np.empty(square.shape[1] + 1)
    for resample in range(n):
        mean[:] = 0.0
        for number in range(square.shape[0]):
            move(moved[number], sums, curves, gamma_tables, number, stream_of(seed, CURVE, number, resample))
            mean += moved[number]
        mean /= square.shape[0]
        for number in range(square.shape[0]):
            for at in range(mean.size):
                square[number, at] += (moved[number, at] - mean[at]) ** 2


@kernel
def move(
    moved: Floats, sums: Floats, curves: Curves, gamma_tables: GammaTables, number: int, stream: np.uint64
) -> None:
    """Fill ``moved``, shape (U,), with Q* - Q of a resample of class ``number``; ``sums``, shape (U + 1,): room."""
    gaps, upto = curves.gaps[number], curves.upto[number]
    fill_sums(sums[:gaps], curves.place[number], curves.start[number], gamma_tables, stream)
    scores, quantiles, last = (
        curves.scores[curves.first[number] :],
        curves.own[number],
        np.float64(curves.size[number] - 1),
    )
    scale = np.float64(curves.size[number]) / sums[gaps - 1]
    for at in range(moved.size):
        moved[at] = scores[np.uint32(min(sums[upto[at]] * scale, last))] - quantiles[at]
