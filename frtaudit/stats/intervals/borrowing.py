"""The threshold from which a rate of few errors borrows its design effect (FORMULAS 8.1).

Where errors are fewer than 30, or of fewer than 10 subjects, their own design effect says little: that of the nearest
threshold with enough of both is taken where it is larger. Where all but few comparisons err, what does not err counts.
"""

import math
from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Flags, Index, Ints, Scores
from frtaudit.core.scores import ScoreTail
from frtaudit.stats.intervals.dependence import Residuals

ENOUGH_ERRORS = 30
ENOUGH_SUBJECTS = 10
_CHUNK = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignEffectSource:
    """The threshold from which a group borrows its design effect.

    ``threshold``: the nearest with enough errors and subjects with errors; where ``whole`` is false the tail ended
    before there were enough, and it is the tail's floor; None: there is none among all scores.
    """

    threshold: float | None
    whole: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignEffectSources:
    """Two of them: where errors are few, and where all but few comparisons err (FORMULAS 8.1: the rarer outcome)."""

    errors: DesignEffectSource
    others: DesignEffectSource

    def of(self, residuals: Residuals) -> DesignEffectSource:
        """Where the design effect of the rarer outcome comes from."""
        return self.errors if 2 * residuals.errors <= residuals.trials else self.others


def few(residuals: Residuals) -> bool:
    """Whether the rarer outcome counts fewer than 30 comparisons, or of fewer than 10 subjects."""
    return residuals.few(ENOUGH_ERRORS, ENOUGH_SUBJECTS)


def fmr_sources(tail: ScoreTail, member: Flags, trials: int) -> DesignEffectSources:
    """Return the nearest thresholds, down the tail and up all scores, at which the rarer outcome is frequent enough.

    ``member``: shape (K,), bool; a comparison counts when both its subjects do; ``trials``: how many do. Errors only
    rise as the threshold falls, so that the nearest one serves every higher threshold; past half of the comparisons
    what does not err is rarer, and becomes rarer still. Where all but few comparisons err a cut tail lends nothing.
    """
    whole, others = math.isinf(tail.cutoff), None
    if whole:
        inside, subjects = _inside(tail, member, tail.tail_score.size)
        last = _place(subjects[::-1], member.size, trials)
        others = None if last is None else float(tail.tail_score[inside[-1 - last]])
    return DesignEffectSources(
        errors=_fewer_matches(tail, member, trials, whole=whole), others=DesignEffectSource(threshold=others)
    )


def _fewer_matches(tail: ScoreTail, member: Flags, trials: int, *, whole: bool) -> DesignEffectSource:
    size = 0
    while size < tail.tail_score.size:
        size = min(max(4 * size, _CHUNK), tail.tail_score.size)
        inside, subjects = _inside(tail, member, size)
        last = _place(subjects, member.size, trials)
        if last is not None:
            below = _next_below(tail.tail_score, tail.tail_score[inside[last]])
            return DesignEffectSource(threshold=(None if whole else tail.cutoff) if below is None else below)
    return DesignEffectSource(threshold=None if whole else tail.cutoff, whole=whole)


def _inside(tail: ScoreTail, member: Flags, size: int) -> tuple[Index, Index]:
    """Places of the first comparisons of the tail whose subjects both belong, and those subjects (m, 2)."""
    first, second = tail.subject_of[tail.tail_i[:size]], tail.subject_of[tail.tail_j[:size]]
    inside = np.flatnonzero(member[first] & member[second]).astype(np.int32)
    return inside, np.stack([first[inside], second[inside]], axis=1)


def fnmr_sources(tail: ScoreTail, member: Flags) -> DesignEffectSources:
    """Return the nearest thresholds, up and down the mated scores, at which the rarer outcome is frequent enough.

    ``member``: shape (K,), bool. Every mated score is kept, so that the search is whole.
    """
    subject = tail.subject_of[tail.mated_i]
    inside = np.flatnonzero(member[subject])
    subjects, score = subject[inside][:, None], tail.mated_score[inside]
    up, down = (_place(part, member.size, inside.size) for part in (subjects, subjects[::-1]))
    below = None if down is None else _next_below(score[::-1], score[-1 - down])
    return DesignEffectSources(
        errors=DesignEffectSource(threshold=None if up is None else float(score[up])),
        others=DesignEffectSource(threshold=below),
    )


def _place(subjects: Index, n_subjects: int, trials: int) -> int | None:
    """Where both counts suffice, or half of the ``trials`` is passed, whichever comes first; None where neither is."""
    enough, half = _reach(subjects, n_subjects), trials // 2
    if enough is not None and enough < half:
        return enough
    return half if half < len(subjects) else enough


def _reach(subjects: Index, n_subjects: int) -> int | None:
    """Position at which both counts suffice; the subjects of each error in order, shape (m, 1 or 2)."""
    if subjects.shape[0] < ENOUGH_ERRORS:
        return None
    flat = subjects.ravel()
    first = np.full(n_subjects, flat.size, dtype=np.int64)
    backwards = np.arange(flat.size)[::-1]
    first[flat[backwards]] = backwards  # the last assignment stands: the first position of each subject
    seen: Ints = np.sort(first[first < flat.size])
    if seen.size < ENOUGH_SUBJECTS:
        return None
    return max(ENOUGH_ERRORS - 1, int(seen[ENOUGH_SUBJECTS - 1]) // int(subjects.shape[1]))


def _next_below(descending: Scores, score: np.floating) -> float | None:
    """Largest score below ``score``: the threshold at which it and all above are false matches."""
    count = int(np.searchsorted(descending[::-1], score, side="left"))
    return float(descending[-count]) if count else None
