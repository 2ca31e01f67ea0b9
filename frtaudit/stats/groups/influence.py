"""How much of a rate hangs on few: kinds of people nobody met, the worst subjects, one subject, the top comparisons."""

from dataclasses import dataclass
from math import ceil, expm1, log

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Integers, Ints
from frtaudit.core.freeze import FrozenArrays
from frtaudit.core.scores import ScoreTail
from frtaudit.core.spec import Weighting
from frtaudit.stats.rates.sums import first_not_above
from frtaudit.stats.rates.trials import block_sizes

ROUNDING = 1e-9  # of a share of subjects, before it is rounded up


def absent_share(subjects: int, alpha: float) -> float:
    """The largest share of a kind of person in the population that ``subjects`` miss with probability ``alpha``.

    Drawn independently, all of K people miss a kind of share p with probability (1 - p)^K; it is alpha at
    p = 1 - alpha^(1/K). 1.0 where nobody was drawn.

    >>> round(absent_share(59, 0.05), 4)
    0.0495
    """
    return -expm1(log(alpha) / subjects) if subjects else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts(FrozenArrays):
    """A rate as a sum over subjects: what each subject takes with it when it goes.

    ``errors``, ``trials`` (K,) int64: pooled counts of the comparisons a subject takes part in; ``count``, ``weight``
    (K,) float64: its part of numerator and denominator of the rate (errors and comparisons, or shares and blocks).
    ``all_errors``, ``all_trials``, ``all_count``, ``all_weight``: of everybody.
    """

    errors: Ints
    trials: Ints
    count: Floats
    weight: Floats
    all_errors: int
    all_trials: int
    all_count: float
    all_weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveOneOut:
    """A rate without one subject: ``rate``, pooled ``errors`` and ``trials`` that stay, and who went."""

    rate: float
    errors: int
    trials: int
    subject: int


def leave_one_out(parts: Parts) -> tuple[LeaveOneOut, LeaveOneOut] | None:
    """The smallest and the largest rate when one subject goes with all its comparisons; ties: the first subject.

    Exact: (count - count_k) / (weight - weight_k), nothing is scored again. None where fewer than two subjects take
    part, or each of them takes part in every comparison.

    >>> found = leave_one_out(Parts(
    ...     errors=np.array([3, 0, 1]), trials=np.array([4, 4, 4]), count=np.array([3.0, 0, 1]),
    ...     weight=np.array([4.0, 4, 4]), all_errors=4, all_trials=12, all_count=4.0, all_weight=12.0))
    >>> [(item.rate, item.subject) for item in found]
    [(0.125, 0), (0.5, 1)]
    """
    errors, trials = parts.all_errors - parts.errors, parts.all_trials - parts.trials
    stays = (parts.trials > 0) & (trials > 0)
    if not stays.any():
        return None
    weight = np.where(stays, parts.all_weight - parts.weight, 1.0)
    rate = (parts.all_count - parts.count) / weight
    rate = np.where(errors == 0, 0.0, np.where(errors == trials, 1.0, rate))
    ends = int(np.where(stays, rate, np.inf).argmin()), int(np.where(stays, rate, -np.inf).argmax())
    low, high = (
        LeaveOneOut(rate=float(rate[k]), errors=int(errors[k]), trials=int(trials[k]), subject=k)
        for k in ends
    )
    return low, high


def worst_subjects(errors: Ints, trials: Ints, share: float) -> Ints:
    """The subjects with the most errors, as many as ``share`` of those that take part, rounded up; ties: the first.

    ``errors``, ``trials`` (K,) int64. Returns their indices, worst first.

    >>> worst_subjects(np.array([0, 5, 2]), np.array([9, 9, 9]), 0.01).tolist()
    [1]
    """
    taking = np.flatnonzero(trials > 0)
    most = ceil(share * taking.size - ROUNDING)
    return np.asarray(taking[np.argsort(-errors[taking], kind="stable")][:most], dtype=np.int64)


def involving(tail: ScoreTail, threshold: float, subjects: Ints) -> int | None:
    """False matches (score > threshold) in which at least one of ``subjects`` takes part; None below the floor."""
    if threshold < tail.cutoff:
        return None
    chosen = np.zeros(tail.n_samples.size, dtype=np.bool_)
    chosen[subjects] = True
    end = first_not_above(tail.tail_score, threshold)
    hit = chosen[tail.subject_of[tail.tail_i[:end]]] | chosen[tail.subject_of[tail.tail_j[:end]]]
    return int(np.count_nonzero(hit))


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked:
    """Pairs of subjects by their best score: ``first`` < ``second`` (n,) int64, ``comparisons`` (n,) int64 of the two.

    ``places`` (n,): where the best comparison of each stands in the tail.
    """

    first: Ints
    second: Ints
    comparisons: Ints
    places: Ints


def top_people(tail: ScoreTail, number: int) -> Blocked:
    """The ``number`` pairs of subjects with the highest non-mated scores; fewer where the tail holds fewer.

    >>> from frtaudit.stats.similarity.tail import from_matrix
    >>> tail = from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["a", "a", "b"])
    >>> found = top_people(tail, 3)
    >>> found.first.tolist(), found.second.tolist(), found.comparisons.tolist()
    ([0], [1], [2])
    """
    seen: dict[tuple[int, int], int] = {}
    for place in range(tail.tail_i.size):
        if len(seen) == number:
            break
        ends = int(tail.subject_of[tail.tail_i[place]]), int(tail.subject_of[tail.tail_j[place]])
        seen.setdefault((min(ends), max(ends)), place)
    pairs = np.array(list(seen), dtype=np.int64).reshape(-1, 2)
    sizes = block_sizes(tail, pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int32))
    places = np.array(list(seen.values()), dtype=np.int64)
    return Blocked(first=pairs[:, 0], second=pairs[:, 1], comparisons=sizes, places=places)


def errors_between(tail: ScoreTail, threshold: float, pairs: Blocked) -> Ints | None:
    """False matches (score > threshold) between the two subjects of each pair, (n,) int64; None below the floor."""
    if threshold < tail.cutoff:
        return None
    key = _keys(tail, threshold)
    wanted = pairs.first * tail.n_samples.size + pairs.second
    return np.array([int(np.count_nonzero(key == code)) for code in wanted.tolist()], dtype=np.int64)


def _keys(tail: ScoreTail, threshold: float, member: Flags | None = None) -> Integers:
    """The pair of subjects of each false match, as one number: lower times K plus higher; within ``member`` only."""
    end, size = first_not_above(tail.tail_score, threshold), tail.n_samples.size
    first, second = tail.subject_of[tail.tail_i[:end]], tail.subject_of[tail.tail_j[:end]]
    if member is not None:
        inside = member[first] & member[second]
        first, second = first[inside], second[inside]
    lower, higher = np.minimum(first, second), np.maximum(first, second)
    if size < 1 << 16:  # half the width sorts in half the time
        return lower.astype(np.uint32) * np.uint32(size) + higher.astype(np.uint32)
    return lower.astype(np.int64) * size + higher


@dataclass(frozen=True, slots=True, kw_only=True)
class Heaviest:
    """The pair of people with the largest part in FMR: subjects, ``errors`` between them, ``share`` of the rate."""

    first: int
    second: int
    errors: int
    share: float


def heaviest_pair(tail: ScoreTail, member: Flags, threshold: float, weighting: Weighting) -> Heaviest | None:
    """Of the subjects ``member`` (K,); None without a false match, and below the floor of the tail (FORMULAS 8.18).

    >>> from frtaudit.stats.similarity.tail import from_matrix
    >>> tail = from_matrix([[1, 0.9, 0.2], [0.9, 1, 0.3], [0.2, 0.3, 1]], ["a", "b", "c"])
    >>> heaviest_pair(tail, np.ones(3, bool), 0.25, Weighting.POOLED).share
    0.5
    """
    if threshold < tail.cutoff:
        return None
    key, errors = np.unique(_keys(tail, threshold, member), return_counts=True)
    if not key.size:
        return None
    first, second = np.divmod(key.astype(np.int64), tail.n_samples.size)
    count = errors.astype(np.float64)
    if weighting is Weighting.IDENTITY:
        count /= block_sizes(tail, first.astype(np.int32), second.astype(np.int32))
    most = int(np.argmax(count))
    share = float(count[most] / count.sum())
    return Heaviest(first=int(first[most]), second=int(second[most]), errors=int(errors[most]), share=share)
