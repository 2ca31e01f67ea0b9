"""The equal error rate: where the two error rates cross (FORMULAS 8.14)."""

from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Scores
from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.stats.rates.sums import BelowFloorError, first_not_above
from frtaudit.stats.rates.trials import schema_of, trials


@dataclass(frozen=True, slots=True, kw_only=True)
class EER:
    """Equal error rate with its counts: ``value`` = (fmr + fnmr)/2 at ``threshold``; NaN where a side is empty."""

    value: float
    threshold: float
    fmr: float
    fnmr: float
    false_matches: int
    non_mated: int
    false_non_matches: int
    mated: int


def eer(tail: ScoreTail, groups: Groups, group_index: int = 0) -> EER:
    """Pooled rates at the distinct score with the smallest |FMR - FNMR|; of two the smaller threshold (FORMULAS 8.14).

    FMR - FNMR falls strictly from one distinct score to the next, so the two scores beside its change of sign
    are the only candidates; they are compared in integers. Raises :class:`BelowFloorError` when the crossing
    lies below the tail's floor.

    >>> from frtaudit.stats.similarity.tail import from_matrix, no_groups
    >>> tail = from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["a", "a", "b"])
    >>> eer(tail, no_groups(tail)).value
    0.0
    """
    denominators = trials(tail, groups)
    n_mated, n_non_mated = int(denominators.mated[group_index]), int(denominators.non_mated[group_index])
    mated, non_mated = group_scores(tail, groups, group_index)
    if not n_mated or not n_non_mated:
        return _EMPTY
    crossing = _Crossing(mated, non_mated[::-1], n_mated, n_non_mated)
    candidates = crossing.candidates(tail.cutoff)
    if not np.isneginf(tail.cutoff) and all(crossing.gap(t) < 0 for t in candidates):
        raise BelowFloorError("the equal error rate", tail.cutoff)
    best = min(candidates, key=lambda t: (abs(crossing.gap(t)), t))
    return crossing.at(best)


def eer_of(mated: Scores, non_mated: Scores) -> EER:
    """The same of two arrays of scores, in any order.

    >>> eer_of(np.array([.9, .4]), np.array([.2, .3, .5])).value
    0.41666666666666663
    """
    if not mated.size or not non_mated.size:
        return _EMPTY
    crossing = _Crossing(_ascending(mated), _ascending(non_mated), mated.size, non_mated.size)
    best = min(crossing.candidates(float("-inf")), key=lambda t: (abs(crossing.gap(t)), t))
    return crossing.at(best)


def _ascending(scores: Scores) -> Scores:
    ordered = scores.copy() if scores.dtype.kind == "f" else scores.astype(np.float64)
    ordered.sort()
    return ordered


def group_scores(tail: ScoreTail, groups: Groups, group_index: int) -> tuple[Scores, Scores]:
    """Mated scores (ascending) and tail scores (descending) of one group."""
    if group_index == 0:
        return tail.mated_score, tail.tail_score
    in_group = groups.of[int(schema_of(groups)[group_index - 1])] == group_index - 1
    member = in_group[tail.subject_of]
    both = member[tail.tail_i] & member[tail.tail_j]
    return tail.mated_score[member[tail.mated_i]], tail.tail_score[both]


@dataclass(frozen=True, slots=True)
class _Crossing:
    """Both sorted score lists (ascending; the non-mated one may lack its lowest part) and the full counts."""

    mated: Scores
    non_mated: Scores
    n_mated: int
    n_non_mated: int

    def errors(self, threshold: float) -> tuple[int, int]:
        """False matches (> threshold) and false non-matches (<= threshold)."""
        matches, over = (first_not_above(scores[::-1], threshold) for scores in (self.non_mated, self.mated))
        return matches, self.mated.size - over

    def gap(self, threshold: float) -> int:
        """(FMR - FNMR) times both numbers of trials."""
        matches, non_matches = self.errors(threshold)
        return matches * self.n_mated - non_matches * self.n_non_mated

    def candidates(self, floor: float) -> list[float]:
        """From each list the last score > floor with gap >= 0 and the first with gap < 0."""
        values = []
        for scores in (self.mated, self.non_mated):
            first = scores.size - first_not_above(scores[::-1], floor)
            place = self._turn(scores, first)
            values += [float(scores[p]) for p in (place - 1, place) if first <= p < scores.size]
        return values

    def _turn(self, scores: Scores, low: int) -> int:
        """The first position from ``low`` on whose score has gap < 0."""
        high = scores.size
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.gap(float(scores[middle])) < 0 else (middle + 1, high)
        return low

    def at(self, threshold: float) -> EER:
        """Rates and counts at a threshold."""
        matches, non_matches = self.errors(threshold)
        fmr, fnmr = matches / self.n_non_mated, non_matches / self.n_mated
        return EER(
            value=(fmr + fnmr) / 2, threshold=threshold, fmr=fmr, fnmr=fnmr,
            false_matches=matches, non_mated=self.n_non_mated,
            false_non_matches=non_matches, mated=self.n_mated,
        )  # fmt: skip


_NAN = float("nan")
_EMPTY = EER(
    value=_NAN, threshold=_NAN, fmr=_NAN, fnmr=_NAN,
    false_matches=0, non_mated=0, false_non_matches=0, mated=0,
)  # fmt: skip
