"""Thresholds at a target false match rate: t_a = inf{t : FMR(t) <= a} (FORMULAS 1)."""

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from math import floor

import numpy as np

from frtaudit.core.arrays import Floats, Index, Ints, Scores
from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.core.spec import Weighting
from frtaudit.stats._numba import kernel
from frtaudit.stats.rates.sums import BelowFloorError, size_of, sizes_along
from frtaudit.stats.rates.trials import schema_of, trials

Target = float | Fraction | str

TOLERANCE = 1e-12  # FORMULAS 0: FAR(t) <= a (1 + 1e-12)


def exact(target: Target) -> Fraction:
    """The target rate as a fraction: floats by their shortest decimal text, strings as ``"0.2"`` or ``"1/9"``.

    >>> exact(0.2), exact("1/9")
    (Fraction(1, 5), Fraction(1, 9))
    """
    rate = target if isinstance(target, Fraction) else Fraction(str(target))
    if rate < 0:
        raise ValueError(f"a target rate is not negative: {target}")
    return rate


def threshold_at(
    tail: ScoreTail, groups: Groups, target: Target, weighting: Weighting, group_index: int = 0
) -> float:
    """The smallest threshold t with FMR(t) <= target (match iff score > t), for everybody or one group.

    Pooled rates are compared in integers, identity-weighted ones as FAR(t) <= a(1 + 1e-12). A target >= 1
    gives -inf, 0 the largest non-mated score; NaN when the group has no non-mated comparison. Raises
    :class:`BelowFloorError` when the threshold lies below the tail's floor.

    >>> from frtaudit.stats.similarity.tail import from_matrix, no_groups
    >>> tail = from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["a", "a", "b"])
    >>> threshold_at(tail, no_groups(tail), "1/2", Weighting.POOLED)
    0.2
    """
    rate, denominators = exact(target), trials(tail, groups)
    if not denominators.non_mated[group_index]:
        return float("nan")
    if rate >= 1:
        return float("-inf")
    # the group of each subject under the group's schema; for index 0 everybody is in group -1
    scope = np.full(tail.n_samples.size, -1, dtype=np.int32)
    if group_index:
        scope[:] = groups.of[int(schema_of(groups)[group_index - 1])]
    if weighting is Weighting.POOLED:
        limit = floor(rate * int(denominators.non_mated[group_index]))
        place = _passes_count(tail.tail_i, tail.tail_j, tail.subject_of, scope, group_index - 1, limit)
    else:
        bound = float(rate) * (1 + TOLERANCE) * float(denominators.subject_pairs[group_index])
        sizes = sizes_along(tail, tail.tail_i.size)
        along = (tail.tail_i, tail.tail_j, tail.tail_score, tail.subject_of, tail.n_samples, sizes)
        place = _passes_share(*along, scope, group_index - 1, bound)
    if place >= 0:
        return float(tail.tail_score[place])
    if np.isneginf(tail.cutoff):
        return float("-inf")
    raise BelowFloorError(f"the threshold at FMR {target}", tail.cutoff)


def thresholds_at(
    tail: ScoreTail,
    groups: Groups,
    targets: Sequence[float],
    refused: Sequence[str | None],
    weightings: Sequence[Weighting],
) -> Floats:
    """:func:`threshold_at` by weighting and target, (W, A) float64; NaN where refused or below the tail's floor."""
    values = np.full((len(weightings), len(targets)), np.nan)
    for w, weighting in enumerate(weightings):
        for a, target in enumerate(targets):
            if refused[a] is None:
                with suppress(BelowFloorError):
                    values[w, a] = threshold_at(tail, groups, target, weighting)
    return values


def threshold_at_max_group(
    tail: ScoreTail, groups: Groups, target: Target, weighting: Weighting, schema_index: int
) -> float:
    """The smallest threshold at which the FMR of every ranked group of one schema is <= target.

    Groups without a non-mated comparison do not count; NaN when there is none with one. Raises
    :class:`BelowFloorError` when every group's threshold lies below the tail's floor.
    """
    thresholds, refused = [], None
    for group in np.flatnonzero(schema_of(groups) == schema_index):
        if groups.ranked[group]:
            try:
                thresholds.append(threshold_at(tail, groups, target, weighting, int(group) + 1))
            except BelowFloorError as error:
                refused = error
    known = [value for value in thresholds if not np.isnan(value)]
    if refused is not None and not any(value >= tail.cutoff for value in known):
        raise refused
    return max(known, default=float("nan"))


@kernel
def _passes_count(i: Index, j: Index, subject_of: Index, scope: Index, group: int, limit: int) -> int:
    """Position of the entry of the group that makes the count exceed ``limit``, -1 if none does."""
    count = 0
    for q in range(i.size):
        if scope[subject_of[i[q]]] == group and scope[subject_of[j[q]]] == group:
            count += 1
            if count > limit:
                return q
    return -1


@kernel
def _passes_share(
    i: Index, j: Index, score: Scores, subject_of: Index, n: Ints, sizes: Ints, scope: Index, group: int,
    bound: float,
) -> int:  # fmt: skip
    """First position of the tie at which the sum of 1/n_kl exceeds ``bound`` (compensated sum), -1 if none does."""
    total, lost, q = 0.0, 0.0, 0
    while q < i.size:
        tie = q
        while q < i.size and score[q] == score[tie]:
            a, b = subject_of[i[q]], subject_of[j[q]]
            if scope[a] == group and scope[b] == group:
                share = 1.0 / size_of(q, a, b, n, sizes) - lost
                new = total + share
                lost = (new - total) - share
                total = new
            q += 1
        if total > bound:
            return tie
    return -1
