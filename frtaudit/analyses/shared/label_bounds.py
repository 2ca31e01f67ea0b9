"""What is not known of people's classes: how far the rates of classes may move for it.

Three causes: subjects of class ``unknown`` could each belong to any class; comparisons that failed could have been
right or wrong; a declared share of the labels of each class may be wrong. For each a rectangle of rates follows, one
interval for each class, and the extremes of an index over it. Bounds, not estimates: whatever is true lies within them.

FNMR of a class is exact: a sum over its subjects. FMR compares two subjects, so that whom one joins depends on who else
does; the rectangle is outer, "at most": false matches between two people who may both join count half for each when
the rate is to be large, and their comparisons half for each when it is to be small, whoever joins. For X out of the
unknown U: E(X) = E_cc + sum_X E_uc + E(X, X) <= E_cc + sum_X (E_uc + E_uU / 2), M(X) >= M_cc + sum_X M_uc; the other
way round for the smallest. That an unknown subject joins one class only is not used: outer again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Ints
from frtaudit.core.spec import Weighting
from frtaudit.stats.groups.class_counts import ClassSums
from frtaudit.stats.groups.class_mix import between
from frtaudit.stats.groups.group_contrasts import Box
from frtaudit.stats.groups.ratio_bounds import Pool, largest_ratio, smallest_ratio

ROUNDING = 1e-9  # of a share of subjects, before it is rounded down


class Missing(Enum):
    """Why a rate of a class could be another."""

    UNKNOWN = "unknown"
    FAILURES = "failures"
    MISLABELLED = "mislabelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaCounts:
    """The subjects of one schema at one threshold.

    ``code`` (K,) int64: class 0..C-1, C = unknown; ``mated_errors``, ``mated_trials`` (K,) int64: of each subject;
    ``sums``: false matches of each subject with each class, the unknown last (None: below the kept tail).
    """

    code: Ints
    n_classes: int
    weighting: Weighting
    mated_errors: Ints
    mated_trials: Ints
    sums: ClassSums | None
    n_samples: Ints
    complete: bool

    @property
    def unknown(self) -> Flags:
        """Which subjects have no class, (K,) bool."""
        return np.asarray(self.code == self.n_classes)

    def single(self) -> tuple[Floats, Floats]:
        """What each subject adds to numerator and denominator of FNMR, (K,) each."""
        errors, trials = (part.astype(np.float64) for part in (self.mated_errors, self.mated_trials))
        if self.weighting is Weighting.POOLED:
            return errors, trials
        share = np.divide(errors, trials, out=np.zeros(errors.shape), where=trials > 0)
        return share, (trials > 0).astype(np.float64)

    def fnmr(self) -> Floats:
        """FNMR of each class, (C,); NaN without a mated comparison."""
        over, under = (
            np.bincount(self.code, weights=part, minlength=self.n_classes + 1)[:-1] for part in self.single()
        )
        return np.asarray(np.divide(over, under, out=np.full(over.shape, np.nan), where=under > 0))

    def double(self) -> tuple[Floats, Floats] | None:
        """What each subject shares with each class of numerator and denominator of FMR, (K, C+1) each."""
        if self.sums is None:
            return None
        if self.weighting is Weighting.POOLED:
            return self.sums.errors.astype(np.float64), self.sums.trials.astype(np.float64)
        return self.sums.shares, self.sums.partners.astype(np.float64)


Boxes = Mapping[str, Box]


def unknown_boxes(counts: SchemaCounts) -> Boxes:
    """Rates of the classes when each unknown subject could belong to any of them, or to none.

    FNMR of each class is exact, FMR at most.
    """
    some, classes = counts.unknown, range(counts.n_classes)
    errors, trials = counts.single()
    base = _by_class(counts, errors), _by_class(counts, trials)
    pool = [Pool(errors=errors[some], trials=trials[some])]
    boxes = {"fnmr": _box([_both(base[0][c], base[1][c], pool, pool) for c in classes])}
    pairs = counts.double()
    if pairs is None:
        return boxes
    over, under = (between(part, counts.code) for part in pairs)
    unknown = pairs[0][some], pairs[1][some]
    ends = []
    for c in classes:
        high = Pool(errors=unknown[0][:, c] + unknown[0][:, -1] / 2, trials=unknown[1][:, c])
        low = Pool(errors=unknown[0][:, c], trials=unknown[1][:, c] + unknown[1][:, -1] / 2)
        ends.append(_both(over[c, c], under[c, c], [low], [high]))
    return boxes | {"fmr": _box(ends)}


def failure_boxes(rates: Mapping[str, tuple[Ints, Ints, Ints]]) -> Boxes:
    """Pooled rates of the classes with every failed comparison right, and wrong.

    ``rates``: rate to (errors, trials, lost), (C,) int64 each.

    >>> box = failure_boxes({"fnmr": (np.array([1]), np.array([8]), np.array([2]))})["fnmr"]
    >>> box.low.tolist(), box.high.tolist()
    ([0.1], [0.3])
    """
    boxes = {}
    for rate, (errors, trials, lost) in rates.items():
        total = trials + lost
        ends = [
            np.divide(part, total, out=np.full(total.shape, np.nan), where=total > 0)
            for part in (errors, errors + lost)
        ]
        boxes[rate] = Box(low=ends[0], high=ends[1], critical=0.0)
    return boxes


def mislabelled_boxes(counts: SchemaCounts, shares: Floats) -> Boxes:
    """Rates of the classes when at most ``shares`` (C,) of the subjects labelled with each belong to another class.

    Whoever they are: up to floor(q_c K_c) leave class c, and as many as each other class may lose may join it. FNMR is
    exact for each class. FMR at most: false matches among those who leave stay half, their comparisons go whole, for
    the largest; the other way round for the smallest; comparisons of one who joins with those who leave go first.
    """
    sizes = np.bincount(counts.code, minlength=counts.n_classes + 1)[:-1]
    limits = np.floor(shares * sizes + ROUNDING).astype(np.int64)
    errors, trials = counts.single()
    base = _by_class(counts, errors), _by_class(counts, trials)
    singles = []
    for c in range(counts.n_classes):
        pools = [
            Pool(errors=sign * errors[who], trials=sign * trials[who], limit=int(limits[d]))
            for d, who, sign in _moves(counts, c, limits)
        ]
        singles.append(_both(base[0][c], base[1][c], pools, pools))
    pairs = counts.double()
    if pairs is None:
        return {"fnmr": _box(singles)}
    over, under = (between(part, counts.code) for part in pairs)
    doubles = [
        _both(over[c, c], under[c, c], *_double_pools(counts, pairs, limits, c))
        for c in range(counts.n_classes)
    ]
    return {"fnmr": _box(singles), "fmr": _box(doubles)}


def _double_pools(
    counts: SchemaCounts, pairs: tuple[Floats, Floats], limits: Ints, c: int
) -> tuple[list[Pool], list[Pool]]:
    """What makes FMR of class c small, and what makes it large: those who leave it, those who join it."""
    over, under = pairs
    others = [d for d in range(counts.n_classes) if d != c and limits[d]]
    low, high = [], []
    for d, who, sign in _moves(counts, c, limits):
        limit, errors, size = int(limits[d]), over[who, c], under[who, c]
        if sign < 0:
            low.append(Pool(errors=-errors, trials=-size / 2, limit=limit))
            high.append(Pool(errors=-errors / 2, trials=-size, limit=limit))
            continue
        more, most = (
            over[np.ix_(who, np.array(others, dtype=np.int64))].sum(axis=1),
            under[np.ix_(who, np.array(others, dtype=np.int64))].sum(axis=1),
        )
        low.append(Pool(errors=np.zeros(who.size), trials=size + most / 2, limit=limit))
        remaining = np.maximum(size - _with_leavers(counts, c, who, int(limits[c]), size), 0.0)
        high.append(Pool(errors=errors + more / 2, trials=remaining, limit=limit))
    return low, high


def _with_leavers(counts: SchemaCounts, c: int, who: Ints, leaving: int, size: Floats) -> Floats:
    """At most so much of ``size`` do those who join share with those who leave."""
    if not leaving:
        return np.zeros(who.size)
    if counts.weighting is Weighting.IDENTITY:
        return np.full(who.size, float(leaving))
    if not counts.complete:
        return size
    most = np.sort(counts.n_samples[counts.code == c])[::-1][:leaving].sum()
    return np.asarray(counts.n_samples[who] * float(most))


def _moves(counts: SchemaCounts, c: int, limits: Ints) -> list[tuple[int, Ints, int]]:
    """Classes with wrong labels, their subjects, and whether these leave c (-1) or join it (1)."""
    return [
        (d, np.flatnonzero(counts.code == d), -1 if d == c else 1)
        for d in range(counts.n_classes)
        if limits[d]
    ]


def _both(errors: float, trials: float, low: list[Pool], high: list[Pool]) -> tuple[float, float]:
    return smallest_ratio(errors, trials, low), largest_ratio(errors, trials, high)


def pair_box(first: Ints, second: Ints, wrong: Flags, code: Ints, n_classes: int) -> Box:
    """Shares of wrong pairs within each class when each unknown subject could belong to any, at most: as for FMR.

    ``first``, ``second`` (P,) int64: subjects of listed pairs, mated ones among them; ``wrong`` (P,) bool: decided
    wrongly, at thresholds that classes do not move; ``code`` (K,) as in :class:`SchemaCounts`.

    >>> pairs = np.array([[0, 0], [1, 1], [2, 2]])
    >>> box = pair_box(pairs[:, 0], pairs[:, 1], np.array([False, True, True]), np.array([0, 0, 1]), 1)
    >>> box.low.round(6).tolist(), box.high.round(6).tolist()
    ([0.5], [0.666667])
    """
    over, under = (
        _met(first, second, part, code, n_classes) for part in (wrong, np.ones(wrong.size, dtype=bool))
    )
    some = code == n_classes
    ends = []
    for c in range(n_classes):
        base = [float((mated + met[:, c] / 2)[code == c].sum()) for mated, met in (over, under)]
        joins, sizes = ((mated + met[:, c])[some] for mated, met in (over, under))
        high = Pool(errors=joins + over[1][some, -1] / 2, trials=sizes)
        low = Pool(errors=joins, trials=sizes + under[1][some, -1] / 2)
        ends.append(_both(base[0], base[1], [low], [high]))
    return _box(ends)


def _met(first: Ints, second: Ints, counted: Flags, code: Ints, n_classes: int) -> tuple[Floats, Floats]:
    """Counted pairs of each subject with itself, (K,), and with the subjects of each class, (K, C+1)."""
    values, met = np.zeros(code.size), np.zeros((code.size, n_classes + 1))
    mated = counted & (first == second)
    other = counted & (first != second)
    np.add.at(values, first[mated], 1.0)
    np.add.at(met, (first[other], code[second[other]]), 1.0)
    np.add.at(met, (second[other], code[first[other]]), 1.0)
    return values, met


def _box(ends: list[tuple[float, float]]) -> Box:
    low, high = np.array(ends, dtype=np.float64).reshape(-1, 2).T
    return Box(low=low, high=high, critical=0.0)


def _by_class(counts: SchemaCounts, values: Floats) -> Floats:
    return np.asarray(np.bincount(counts.code, weights=values, minlength=counts.n_classes + 1)[:-1])


def curve_range(
    rates: Callable[[int], Box], grid: Floats, score_range: tuple[float, float]
) -> dict[str, tuple[float, float]] | None:
    """Bounds of the largest d_l2 in quantile and in TAR space when FNMR of each class lies in a box at each threshold.

    ``rates``: place in ``grid`` to the box of FNMR, (C,); ``grid`` (V,) ascending scores.
    Between two thresholds FNMR lies between the low end of the left and the high end of the right one: outer. d_l2 as
    in FORMULAS 3, scores on 0..100. None where a class has no mated comparison.
    """
    boxes = [rates(place) for place in range(grid.size)]
    low, high = (np.stack([getattr(box, end) for box in boxes], axis=1) for end in ("low", "high"))
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        return None
    low, high = np.maximum.accumulate(low, axis=1), np.minimum.accumulate(high[:, ::-1], axis=1)[:, ::-1]
    scale = 100.0 / (score_range[1] - score_range[0])
    edges = (np.concatenate([[score_range[0]], grid, [score_range[1]]]) - score_range[0]) * scale
    left = np.concatenate([np.zeros((low.shape[0], 1)), low], axis=1)
    right = np.concatenate([high, np.ones((high.shape[0], 1))], axis=1)
    # the quantile functions on common pieces of u: FNMR over the score, turned round
    cuts = np.unique(np.concatenate([[0.0, 1.0], left.ravel(), right.ravel()]))
    middle = (cuts[:-1] + cuts[1:]) / 2
    early = np.stack([edges[:-1][np.minimum(np.searchsorted(row, middle), row.size - 1)] for row in right])
    late = np.stack([edges[1:][np.minimum(np.searchsorted(row, middle) - 1, row.size - 1)] for row in left])
    return {
        "tar": _largest(1 - right, 1 - left, np.diff(edges)),
        "quantile": _largest(early, np.maximum(early, late), np.diff(cuts)),
    }


def _largest(low: Floats, high: Floats, widths: Floats) -> tuple[float, float]:
    """Bounds of the largest distance of a class from the mean of the classes, each class within low..high (C, U)."""
    count = low.shape[0]
    rest_low, rest_high = low.sum(axis=0) - low, high.sum(axis=0) - high
    least = ((count - 1) * low - rest_high) / count
    most = ((count - 1) * high - rest_low) / count
    far = np.maximum(np.abs(least), np.abs(most))
    near = np.maximum(np.maximum(least, -most), 0.0)
    ends = [np.sqrt((np.square(part) * widths).sum(axis=1)).max() for part in (near, far)]
    return float(ends[0]), float(ends[1])
