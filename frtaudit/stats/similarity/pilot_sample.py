"""The pilot sample: a few hundred subjects, scored first, say how deep the tail has to be."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Floats, Index, Ints, Singles
from frtaudit.stats.similarity.scorers import BlockScorer
from frtaudit.stats.similarity.tiles import in_order

SUBJECTS = 800
SAMPLES = 1536
RUNS = 16


@dataclass(frozen=True, slots=True)
class PilotSample:
    """Its non-mated scores, descending, with the share of comparisons at or above each, in both weightings."""

    score: Floats
    pooled: Floats
    identity: Floats

    def floor_at(self, depth: float) -> float:
        """A score above which at most ``depth`` of the pilot lies, in the weighting that needs the lower one."""
        return min(self._at(depth, self.pooled), self._at(depth, self.identity))

    def pooled_floor_at(self, depth: float) -> float:
        """A score above which at most ``depth`` of the pilot's comparisons lie."""
        return self._at(depth, self.pooled)

    def rate_at_crossing(self, mated: Singles | Floats) -> float:
        """The pilot's FMR where it first reaches the FNMR of the ascending mated scores; 1 if it never does."""
        fnmr = np.searchsorted(mated, self.score, side="right") / max(mated.size, 1)
        met = np.flatnonzero(self.pooled >= fnmr)
        return float(self.pooled[met[0]]) if met.size else 1.0

    def _at(self, depth: float, share: Floats) -> float:
        place = int(np.searchsorted(share, depth))
        return float(np.float32(self.score[place])) if place < share.size and depth < 1 else float("-inf")


def pilot_of(
    block: BlockScorer, n_samples: Ints, subject_of: Index, room: Index, threads: int
) -> PilotSample:
    """Score runs of neighbouring subjects, evenly spread over the cohort, against each other.

    A run is cut at ``SAMPLES / RUNS`` samples; a subject k of which m_k of n_k samples were scored weighs
    n_k/m_k.
    """
    runs = _runs(n_samples)
    taken = np.concatenate([np.arange(run.start, run.stop) for run in runs])
    counted = np.bincount(subject_of[taken], minlength=n_samples.size)
    per_subject = 1.0 / np.maximum(counted, 1)
    size = n_samples * per_subject

    def work(pair: tuple[slice, slice]) -> tuple[Floats, Floats, Floats]:
        return _pair(block, *pair, subject_of, room, size, per_subject)

    pairs = [(a, b) for place, a in enumerate(runs) for b in runs[place:]]
    scored = zip(*in_order(work, pairs, threads), strict=True)
    score, pooled, identity = (np.concatenate(parts) for parts in scored)
    order = np.argsort(-score, kind="stable")
    return PilotSample(score[order], _share(pooled[order]), _share(identity[order]))


def _runs(n_samples: Ints) -> Sequence[slice]:
    """Slices of samples: whole subjects while they fit, the first subject of a run cut if it alone does not."""
    present = np.flatnonzero(n_samples > 0)
    start = np.concatenate([[0], np.cumsum(n_samples)])
    heads = np.unique(np.linspace(0, present.size, RUNS, endpoint=False).astype(np.int64))
    tails = np.append(heads[1:], present.size)
    runs = []
    for head, tail in zip(heads, tails, strict=True):
        first = int(start[present[head]])
        ends = start[present[head : min(tail, head + SUBJECTS // RUNS)] + 1]
        fits = ends[ends - first <= SAMPLES // RUNS]
        runs.append(slice(first, int(fits[-1]) if fits.size else first + SAMPLES // RUNS))
    return runs


def _pair(
    block: BlockScorer, a: slice, b: slice, subject_of: Index, room: Index, size: Floats, share: Floats
) -> tuple[Floats, Floats, Floats]:
    """Scores and weights (n_k n_l / m_k m_l and 1 / m_k m_l) of the non-mated comparisons of two runs."""
    scores = block(a, b)
    counts = subject_of[a][:, None] != subject_of[b][None, :]
    counts &= (room[a][:, None] == room[b][None, :]) & (room[a][:, None] >= 0)
    if a == b:
        counts &= np.tri(scores.shape[0], k=-1, dtype=np.bool_).T
    rows, columns = np.nonzero(counts)
    first, second = subject_of[a][rows], subject_of[b][columns]
    return scores[counts], size[first] * size[second], share[first] * share[second]


def _share(weight: Floats) -> Floats:
    total = np.cumsum(weight)
    return np.asarray(total / total[-1] if total.size else total, dtype=np.float64)
