"""Rates of one system's listed comparisons when faces come and go, and people count more than once or not at all."""

from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Index, Ints

NEAR = 1 + 1e-12  # a rate that equals a target read as a decimal counts as at the target (FORMULAS 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Comparisons sorted by score: ``first``, ``second`` (P,) int32, faces; ``score`` (P,); queries of both."""

    first: Index
    second: Index
    score: Floats
    query: Index
    other: Index

    def counted(self, shown: Flags, times: Floats) -> Floats:
        """How often each comparison counts, shape (P,): both faces shown, times those of the people compared.

        A person's comparison with itself counts as often as the person; copies of one person are never strangers.
        """
        both = shown[self.first] & shown[self.second]
        weight = times[self.query]
        return np.where(both, weight * np.where(self.query == self.other, 1.0, times[self.other]), 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One system's comparisons: ``mated`` by rising score, ``non_mated`` by falling score."""

    mated: Pairs
    non_mated: Pairs

    def threshold(self, shown: Flags, times: Floats, targets: Floats) -> Floats:
        """inf{t : FMR(t) <= a} for each target a, shape (A,); -inf for a target of 1, NaN without a comparison.

        ``shown``: shape (F,), faces that take part; ``times``: shape (Q,), how often each query's person counts.
        """
        total = np.cumsum(self.non_mated.counted(shown, times))
        if not total.size or total[-1] == 0:
            return np.full(targets.shape, np.nan)
        at = np.searchsorted(total, targets * NEAR * total[-1], side="right")
        return np.asarray(np.append(self.non_mated.score, -np.inf)[at])

    def fnmr(self, shown: Flags, times: Floats, thresholds: Floats) -> Floats:
        """FNMR at each threshold, shape (T,); NaN without a mated comparison or a threshold."""
        total = np.concatenate([[0.0], np.cumsum(self.mated.counted(shown, times))])
        at = np.searchsorted(self.mated.score, thresholds, side="right")
        rate = total[at] / total[-1] if total[-1] else np.full(thresholds.shape, np.nan)
        return np.where(np.isnan(thresholds), np.nan, rate)

    def fmr(self, shown: Flags, times: Floats, thresholds: Floats) -> Floats:
        """FMR at each threshold, shape (T,); NaN without a non-mated comparison or a threshold."""
        total = np.concatenate([[0.0], np.cumsum(self.non_mated.counted(shown, times))])
        at = np.searchsorted(-self.non_mated.score, -thresholds, side="left")
        rate = total[at] / total[-1] if total[-1] else np.full(thresholds.shape, np.nan)
        return np.where(np.isnan(thresholds), np.nan, rate)


def listed(ends: tuple[Index, Index], score: Floats, query_of: Index, person: Index, wanted: Flags) -> Listed:
    """Comparisons of wanted faces, sorted; both orders of a pair are one, with the mean score (FORMULAS 8.15).

    ``ends``: faces, shape (P,) each; ``score``: shape (P,), NaN where it failed, which takes no part; ``query_of``,
    ``person``: shape (F,). Mated: one query and one person of it; two people of one query are not compared.

    >>> faces = np.array([0, 0, 1], dtype=np.int32)
    >>> made = listed((np.array([0, 1, 0]), np.array([1, 0, 2])), np.array([0.5, 0.7, 0.1]), faces,
    ...               np.zeros(3, dtype=np.int32), np.ones(3, dtype=bool))
    >>> made.mated.score.tolist(), made.non_mated.score.tolist()
    ([0.6], [0.1])
    """
    first, second = np.minimum(*ends), np.maximum(*ends)
    keep = ~np.isnan(score) & wanted[first] & wanted[second]
    keep &= (query_of[first] != query_of[second]) | (person[first] == person[second])
    keys, place, count = np.unique(
        first[keep].astype(np.int64) * query_of.size + second[keep], return_inverse=True, return_counts=True
    )
    mean = np.bincount(place, score[keep], minlength=keys.size) / count
    low, two = (keys // query_of.size).astype(np.int32), (keys % query_of.size).astype(np.int32)
    mated = query_of[low] == query_of[two]

    def part(rows: Ints) -> Pairs:
        a, b = low[rows], two[rows]
        return Pairs(first=a, second=b, score=mean[rows], query=query_of[a], other=query_of[b])

    order = np.argsort(mean, kind="stable")
    falling = order[::-1]
    return Listed(mated=part(order[mated[order]]), non_mated=part(falling[~mated[falling]]))
