"""FMR beyond the data: peaks over several thresholds, which of them fit, and the rate by the chosen and by all.

Above a threshold u that a share z of non-mated comparisons exceed, FMR(t) = z S(t - u), S the survival of a generalised
Pareto distribution. Chosen is the threshold with the most exceedances of which the fit, and that at every higher
candidate, is not rejected; the average is the mean of FMR(t) over it and the higher ones. Intervals resample subjects:
a comparison of k and l counts v_k v_l times, its share and its fit change with that.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Bytes, Floats
from frtaudit.core.freeze import FrozenArrays
from frtaudit.core.scores import ScoreTail
from frtaudit.stats.bootstrap.denominators import non_mated_totals
from frtaudit.stats.intervals.bootstrap_intervals import quantile
from frtaudit.stats.intervals.rate_bounds import unseen_bound
from frtaudit.stats.similarity.tail import no_groups
from frtaudit.stats.tails.anderson_darling import p_value
from frtaudit.stats.tails.generalised_pareto import ParetoFit, fit

HALVINGS = 60  # of the span of scores in which a threshold is searched


@dataclass(frozen=True, slots=True, kw_only=True)
class Peaks(FrozenArrays):
    """Exceedances of one threshold: how many, their fit, and the p value of that fit.

    ``share``: of all non-mated comparisons; ``fitted``: one fit, ``drawn`` (B,) of resamples of subjects with their
    shares ``drawn_share`` (B,).
    """

    threshold: float
    exceedances: int
    share: float
    fitted: ParetoFit
    p: float
    drawn: ParetoFit
    drawn_share: Floats

    def fmr(self, threshold: float) -> float:
        """The model's FMR at ``threshold``, which is at or above this one."""
        return self.share * float(self.fitted.survival(threshold - self.threshold)[0])

    def drawn_fmr(self, threshold: Floats | float) -> Floats:
        """The same of each resample, shape (B,), at one threshold or at its own."""
        return np.asarray(self.drawn_share * self.drawn.survival(threshold - self.threshold))


@dataclass(frozen=True, slots=True, kw_only=True)
class TailModel:
    """Candidates by falling number of exceedances, and how many of them, from the last, fit (0: the model does not)."""

    candidates: tuple[Peaks, ...]
    fits: int

    @property
    def used(self) -> tuple[Peaks, ...]:
        """The chosen candidate and those of higher thresholds; all where none fits, which decides nothing then."""
        return self.candidates[-self.fits :] if self.fits else self.candidates

    def fmr(self, threshold: float) -> tuple[float, Floats]:
        """FMR by the average of all that fit and lie below ``threshold``, and of each resample (B,)."""
        below = [peak for peak in self.used if peak.threshold <= threshold]
        return float(np.mean([peak.fmr(threshold) for peak in below])), np.mean(
            [peak.drawn_fmr(threshold) for peak in below], axis=0
        )

    def threshold_at(self, target: float, highest: float) -> tuple[float, Floats]:
        """Where that FMR is ``target``, below the share of every candidate, and of each resample (B,).

        At most ``highest``, the end of the scale; at least the highest candidate.
        """
        low = np.full(1 + self.used[0].drawn_share.size, max(peak.threshold for peak in self.used))
        upper = np.full_like(low, highest)
        for _ in range(HALVINGS):
            middle = (low + upper) / 2
            first = np.mean([peak.fmr(float(middle[0])) for peak in self.used])
            rest = np.mean([peak.drawn_fmr(middle[1:]) for peak in self.used], axis=0)
            above = np.append(first, rest) > target
            low, upper = np.where(above, middle, low), np.where(above, upper, middle)
        return float(upper[0]), upper[1:]


def bounds(drawn: Floats, error: float, least: float) -> tuple[float, float]:
    """Percentiles of a rate's resamples, each wrong with ``error``; below ``least`` nothing is read: 0, or that.

    >>> bounds(np.arange(101.0), 0.05, 10)
    (0.0, 95.0)
    """
    ordered = np.sort(drawn)
    low, high = quantile(ordered, error), quantile(ordered, 1 - error)
    return low if low >= least else 0.0, max(high, least)


def deciding_bound(drawn: Floats, error: float, least: float, pair: float) -> float:
    """The upper bound that a limit is held against: it allows for a pair of people whom the cohort lacks.

    ``pair``: what an indistinguishable two add to the rate (FORMULAS 8.18); at no error of theirs the bound is
    -ln(``error``) ``pair``.

    >>> round(deciding_bound(np.zeros(9), 0.05, 1e-6, 1 / 4950), 7)
    0.0006052
    """
    return max(bounds(drawn, error, least)[1], float(unseen_bound(0.0, 1.0, np.inf, pair, 0.0, error)))


def tail_model(
    tail: ScoreTail,
    exceedances: Sequence[int],
    copies: Bytes,
    *,
    level: float,
    draws: int,
    rng: "np.random.Generator",
) -> TailModel:
    """Fit each number of ``exceedances`` that the tail holds; a fit is rejected at p <= ``level``.

    ``copies`` (K, B) uint8: how often each subject stands in each resample.
    """
    total = non_mated_totals(tail, no_groups(tail))
    known = float(total.of(np.ones((tail.n_samples.size, 1), dtype=np.uint8)).counts[0, 0])
    drawn = np.asarray(total.of(copies).counts[0], dtype=np.float64)
    numbers = [  # those that the tail holds, of half as many different scores at least
        number
        for number in sorted(set(exceedances), reverse=True)
        if number < tail.tail_score.size
        and 2 * np.unique(tail.tail_score[: _above(tail, number)]).size >= number
    ]
    candidates = [_peaks(tail, number, copies, (known, drawn), draws, rng) for number in numbers]
    fits = 0
    while fits < len(candidates) and candidates[-1 - fits].p > level:
        fits += 1
    return TailModel(candidates=tuple(candidates), fits=fits)


def _peaks(
    tail: ScoreTail,
    number: int,
    copies: Bytes,
    totals: tuple[float, Floats],
    draws: int,
    rng: "np.random.Generator",
) -> Peaks:
    threshold, k = float(tail.tail_score[number]), _above(tail, number)
    excess = tail.tail_score[:k].astype(np.float64) - threshold
    first, second = tail.subject_of[tail.tail_i[:k]], tail.subject_of[tail.tail_j[:k]]
    weights = (copies[first].astype(np.float64) * copies[second]).T
    known, drawn = totals
    return Peaks(
        threshold=threshold,
        exceedances=k,
        share=k / known,
        fitted=fit(excess),
        p=p_value(excess, first, second, draws, rng),
        drawn=fit(excess, weights),
        drawn_share=weights.sum(axis=1) / np.maximum(drawn, 1.0),
    )


def _above(tail: ScoreTail, number: int) -> int:
    """Scores above the one at place ``number``: fewer than that where it ties with some of them."""
    return int(np.searchsorted(-tail.tail_score[:number], -tail.tail_score[number], side="left"))
