"""Slow twins of the data side: the definitions, written out with plain loops, and what a draw expects."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy import special


def subject_class(codes: Sequence[int]) -> tuple[int, bool, bool]:
    """(commonest class or -1, tied, disagree) of one subject's sample codes."""
    votes = Counter(code for code in codes if code >= 0).most_common()
    if not votes:
        return -1, False, False
    best = [code for code, count in votes if count == votes[0][1]]
    return min(best), len(best) > 1, len(votes) > 1


def ordered_mated(subject_of: Sequence[int]) -> list[tuple[int, int]]:
    """Every ordered pair of different samples of one subject."""
    n = len(subject_of)
    return [(i, j) for i in range(n) for j in range(n) if i != j and subject_of[i] == subject_of[j]]


def aligned(wanted: Sequence[int], have: Sequence[int]) -> list[int]:
    """For each wanted key the first position in ``have`` that no earlier equal key took, else -1."""
    free = dict(enumerate(have))
    found = []
    for key in wanted:
        at = next((i for i, other in sorted(free.items()) if other == key), -1)
        free.pop(at, None)
        found.append(at)
    return found


def mean_cosine(kappa: np.ndarray, dimension: int) -> np.ndarray:
    """E<x, mu> of a von Mises-Fisher direction: I_{d/2}(kappa) / I_{d/2-1}(kappa) (FORMULAS 6)."""
    half = dimension / 2
    return np.asarray(special.ive(half, kappa), dtype=np.float64) / special.ive(half - 1, kappa)
