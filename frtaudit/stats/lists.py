"""Error rates of plain score lists, without people: only the scores near the answer are sorted.

A sample says about where a threshold lies; one pass counts the scores beyond a window around it and keeps those
inside. Where the window turns out not to hold the answer, everything is sorted. Results are exact.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from frtaudit.stats.compiled import kernel
from frtaudit.stats.crossing import EER
from frtaudit.stats.targets import Target, exact

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float32] | npt.NDArray[np.float64]

SAMPLE = 1 << 14
SPREAD = 6.0  # standard errors of a sample's share, on either side


@dataclass(frozen=True, slots=True, kw_only=True)
class RateAtTarget:
    """FNMR at an FMR target: ``threshold``, and counts of both errors there."""

    threshold: float
    fnmr: float
    false_non_matches: int
    mated: int
    false_matches: int
    non_mated: int


def fnmr_at_fmr(mated: Scores, non_mated: Scores, target: Target) -> RateAtTarget:
    """FNMR at the smallest threshold with FMR <= ``target`` (match iff score > threshold), of finite scores.

    ``mated`` (P,), ``non_mated`` (Q,) float: not empty, in any order; a target >= 1 gives the threshold -inf.

    >>> fnmr_at_fmr(np.array([.9, .2]), np.array([.1, .5, .3]), "1/3").threshold
    0.3
    """
    _check(mated, non_mated)
    rate = exact(target)
    allowed = int(rate * non_mated.size)
    threshold = float("-inf") if rate >= 1 else _highest(non_mated, allowed)
    missed = int(np.count_nonzero(mated <= threshold))
    return RateAtTarget(
        threshold=threshold, fnmr=missed / mated.size, false_non_matches=missed, mated=mated.size,
        false_matches=int(np.count_nonzero(non_mated > threshold)), non_mated=non_mated.size,
    )  # fmt: skip


def eer_of(mated: Scores, non_mated: Scores) -> EER:
    """The equal error rate (FORMULAS 8.14) of finite scores in any order, not empty.

    >>> eer_of(np.array([.9, .4]), np.array([.1, .5])).value
    0.5
    """
    _check(mated, non_mated)
    low, high = _crossing_window(_sampled(mated), _sampled(non_mated))
    window = _Window.of(mated, non_mated, low, high)
    if not window.holds(low, high):
        window = _Window.of(mated, non_mated, float("-inf"), float("inf"))
    return window.eer()


def _check(mated: Scores, non_mated: Scores) -> None:
    for name, scores in (("mated", mated), ("non-mated", non_mated)):
        if scores.size == 0:
            raise ValueError(f"no {name} score")
        if not np.isfinite(scores.sum()) and not bool(np.isfinite(scores).all()):
            raise ValueError(f"a {name} score is not finite")


def _highest(scores: Scores, rank: int) -> float:
    """The score of which exactly ``rank`` scores stand before it in descending order."""
    some = _sampled(scores)
    share = rank / scores.size
    margin = SPREAD * np.sqrt((share * (1 - share) + 1 / some.size) / some.size)
    place = int((1 - share - margin) * some.size)
    if place > 0:
        kept, _ = between(scores, float(some[place]), float("inf"))
        if kept.size > rank:
            scores = kept
    place = scores.size - 1 - rank
    return float(np.partition(scores, place)[place])


def _sampled(scores: Scores) -> Scores:
    """Sorted scores from evenly spread places."""
    return _sort(scores[:: max(1, scores.size // SAMPLE)])


def _sort(scores: Scores) -> Scores:
    ascending: Scores = scores.copy()
    ascending.sort()
    return ascending


def _crossing_window(mated: Scores, non_mated: Scores) -> tuple[float, float]:
    """Where the rates of two sorted samples cross, give or take their errors."""
    tried = np.sort(np.concatenate([mated, non_mated]))
    fnmr = np.searchsorted(mated, tried, side="right") / mated.size
    fmr = 1 - np.searchsorted(non_mated, tried, side="right") / non_mated.size
    rate = float((fnmr + fmr)[np.argmin(np.abs(fnmr - fmr))]) / 2
    least = min(mated.size, non_mated.size)
    margin = SPREAD * np.sqrt((rate * (1 - rate) + 1 / least) / least)
    beyond = np.flatnonzero(fmr - fnmr < -2 * margin)
    before = np.flatnonzero(fmr - fnmr > 2 * margin)
    low = float(tried[before[-1]]) if before.size else float("-inf")
    return low, float(tried[beyond[0]]) if beyond.size else float("inf")


@dataclass(frozen=True, slots=True)
class _Window:
    """Sorted scores in (low, high], and how many mated scores lie below, non-mated above; and of how many."""

    mated: Scores
    non_mated: Scores
    below: int
    above: int
    n_mated: int
    n_non_mated: int

    @classmethod
    def of(cls, mated: Scores, non_mated: Scores, low: float, high: float) -> "_Window":
        inside, below = between(mated, low, high)
        others, under = between(non_mated, low, high)
        above = non_mated.size - under - others.size
        return cls(_sort(inside), _sort(others), below, above, mated.size, non_mated.size)

    def gaps(self, thresholds: Scores) -> Ints:
        """(FMR - FNMR) times both numbers of trials."""
        matches, misses = self._errors(thresholds)
        return matches * self.n_mated - misses * self.n_non_mated

    def holds(self, low: float, high: float) -> bool:
        """Whether the rates cross strictly inside."""
        ends = self.gaps(np.array([low, high]))
        scores = np.concatenate([self.mated, self.non_mated])
        inner = self.gaps(scores) >= 0
        return bool(ends[0] > 0 > ends[1] and inner.any() and not inner.all())

    def eer(self) -> EER:
        """At the score with the least gap, of two the smaller."""
        tried = np.unique(np.concatenate([self.mated, self.non_mated]))
        best = tried[np.argmin(np.abs(self.gaps(tried)))]
        matches, misses = (int(found[0]) for found in self._errors(np.array([best])))
        fmr, fnmr = matches / self.n_non_mated, misses / self.n_mated
        return EER(
            value=(fmr + fnmr) / 2, threshold=float(best), fmr=fmr, fnmr=fnmr, false_matches=matches,
            non_mated=self.n_non_mated, false_non_matches=misses, mated=self.n_mated,
        )  # fmt: skip

    def _errors(self, thresholds: Scores) -> tuple[Ints, Ints]:
        not_above = np.searchsorted(self.non_mated, thresholds, side="right")
        reached = np.searchsorted(self.mated, thresholds, side="right")
        return self.above + self.non_mated.size - not_above, self.below + reached


@kernel
def between(scores: Scores, low: float, high: float) -> tuple[Scores, int]:
    """The scores in (low, high], in order, and how many are not above ``low``."""
    kept, under = 0, 0
    for q in range(scores.size):
        kept += low < scores[q] <= high
        under += scores[q] <= low
    out = np.empty(kept, dtype=scores.dtype)
    place = 0
    for q in range(scores.size if kept > 0 else 0):
        if low < scores[q] <= high:
            out[place] = scores[q]
            place += 1
    return out, under
