"""Suspected duplicates the slow way: every pair of people, every median from the whole matrix (FORMULAS 8.20)."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def cut(scores: Floats, ids: list[str], quantile: float = 0.25) -> float:
    """The quantile of the medians within each person of two images or more."""
    return float(
        np.quantile([np.median(own) for who in set(ids) if len(own := _within(scores, ids, who))], quantile)
    )


def _within(scores: Floats, ids: list[str], who: str) -> list[float]:
    at = [i for i, name in enumerate(ids) if name == who]
    return [scores[i, j] for n, i in enumerate(at) for j in at[:n]]


def pairs(scores: Floats, ids: list[str], level: float, of_25: float) -> dict[tuple[str, str], float]:
    """Pairs of people whose median cross score reaches ``level``, or ``of_25`` where there are 25 scores; with that."""
    found = {}
    names = sorted(set(ids))
    for n, second in enumerate(names):
        for first in names[:n]:
            cross = [
                scores[i, j]
                for i, a in enumerate(ids)
                if a == first
                for j, b in enumerate(ids)
                if b == second
            ]
            if np.median(cross) >= (level if len(cross) < 25 else of_25):
                found[first, second] = float(np.median(cross))
    return found


def images(scores: Floats, ids: list[str], level: float, far: float) -> dict[int, str]:
    """Images whose median against their own person is at most ``far``, with the other person who reaches ``level``."""
    found = {}
    for i, own in enumerate(ids):
        mates = [scores[i, j] for j, name in enumerate(ids) if name == own and j != i]
        if not mates or np.median(mates) > far:
            continue
        others = {
            who: np.median([scores[i, j] for j, name in enumerate(ids) if name == who])
            for who in sorted(set(ids) - {own})
        }
        best = max(others, key=lambda who: (others[who], -sorted(others).index(who)))
        if others[best] >= level:
            found[i] = best
    return found
