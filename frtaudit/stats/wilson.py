"""Wilson score intervals: i.i.d., published plug-in effective size, and the one rule of FORMULAS 8.1.

The i.i.d. interval treats comparisons as independent. The published plug-in (FORMULAS 2) divides p(1-p) by a
variance that knows which comparisons share a subject. The rule of FORMULAS 8.1 does so for every number of
errors, none included: where errors are few it borrows the design effect from the nearest threshold that has
enough. Long because the three rules and what prepares them share their sums.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from frtaudit.core.scores import Groups, Index, NonMatedSums, Scores, ScoreTail
from frtaudit.core.spec import Weighting
from frtaudit.stats.dependence import (
    Flags,
    Residuals,
    Spread,
    degrees_of_freedom,
    inflated_variance,
    mated_residuals,
    non_mated_residuals,
    spread,
)
from frtaudit.stats.sums import MatedSums, mated_sums, non_mated_sums
from frtaudit.stats.trials import members

ENOUGH_ERRORS = 30  # FORMULAS 8.1: below them, or
ENOUGH_SUBJECTS = 10  # below these erring subjects, the design effect is borrowed
_CHUNK = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A Wilson interval, within [0, 1], and the effective number of comparisons behind it."""

    low: float
    high: float
    n_eff: float


def wilson_iid(errors: int, trials: int, alpha: float) -> Score:
    """Wilson interval of ``errors`` in ``trials`` independent comparisons; 0 at no error, 1 at all errors.

    statsmodels' ``proportion_confint``; level 1 - alpha, two-sided. ``trials`` >= 1.

    >>> round(wilson_iid(0, 223, 0.05).high, 6)
    0.016935
    """
    low, high = proportion_confint(errors, trials, alpha=alpha, method="wilson")
    return Score(
        low=float(low) if errors else 0.0, high=float(high) if errors < trials else 1.0, n_eff=float(trials)
    )


def wilson_score(rate: float, n_eff: float, critical: float) -> Score:
    """Wilson interval of ``rate`` on ``n_eff`` comparisons with a critical value of the caller (FORMULAS 2).

    centre (p + z^2/2n)/(1 + z^2/n), half-width z sqrt(p(1-p)/n + z^2/4n^2)/(1 + z^2/n).

    >>> score = wilson_score(0.5, 100.0, 1.96)
    >>> round(score.low, 4), round(score.high, 4)
    (0.4038, 0.5962)
    """
    square = critical**2
    scale = 1 + square / n_eff
    centre = (rate + square / (2 * n_eff)) / scale
    half = critical * math.sqrt(rate * (1 - rate) / n_eff + square / (4 * n_eff**2)) / scale
    low = 0.0 if rate == 0 else max(centre - half, 0.0)
    high = 1.0 if rate == 1 else min(centre + half, 1.0)
    return Score(low=low, high=high, n_eff=n_eff)


def wilson_plugin(
    errors: int, trials: int, variance: float, alpha: float, *, cap: bool = True, rate: float | None = None
) -> Score:
    """The published dependent Wilson interval with its boundary rules (FORMULAS 2): n_eff = p(1-p)/variance.

    ``errors``, ``trials``: pooled counts, unordered comparisons; ``variance``:
    :func:`~.dependence.plugin_variance` (FNMR) or :func:`~.dependence.truncated_variance` (FMR) of the same
    rate; ``cap``: n_eff := min(n_eff, trials); ``rate``: p where it is not errors/trials (identity
    weighting). No error or nothing but errors: n_eff = trials, which treats comparisons as independent; one
    error (or all but one) replaces that one limit by -ln(1-alpha)/trials.

    >>> round(wilson_plugin(1, 40, 0.00065546875, 0.05).low, 7)
    0.0012823
    """
    p = errors / trials if rate is None else rate
    n_eff = float(trials)
    if 0 < p < 1 and variance > 0:
        n_eff = p * (1 - p) / variance
    if cap:
        n_eff = min(n_eff, float(trials))
    score = wilson_score(p, n_eff, _critical(alpha, None))
    poisson = -math.log1p(-alpha) / trials
    return Score(
        low=poisson if errors == 1 < trials else score.low,
        high=1 - poisson if errors == trials - 1 > 0 else score.high,
        n_eff=n_eff,
    )


def wilson_from_variance(
    rate: float, variance: float, trials: int, alpha: float, degrees: float | None = None
) -> Score:
    """Wilson interval on n_eff = min(p(1-p)/variance, trials), as for FNMR at an FMR target (FORMULAS 8.2).

    ``variance``: of the rate, for instance over vertex replicates with t* recomputed in each; ``degrees``: of
    freedom of Student's t, None for the normal. Raises ``ValueError`` for a rate of 0 or 1 or a variance that
    is not positive: no effective size follows from them, and FORMULAS 8.1 (:class:`WilsonRule`) serves
    instead.

    >>> wilson_from_variance(0.5, 0.01, 1000, 0.05).n_eff
    25.0
    """
    if not (0 < rate < 1 and variance > 0):
        raise ValueError(f"rate {rate}, variance {variance}: no effective size; the rule of 8.1 serves here")
    n_eff = min(rate * (1 - rate) / variance, float(trials))
    return wilson_score(rate, n_eff, _critical(alpha, degrees))


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleInterval:
    """An interval by FORMULAS 8.1, target population.

    ``low``, ``high``: None where nothing was compared, and ``note`` says so; ``n_eff`` = trials/deff;
    ``deff``: design effect, >= 1; ``borrowed_from``: the threshold whose design effect was larger than the
    own one and taken, else None; ``rate``, ``errors``, ``trials``, ``subjects``, ``effective``, ``erring``: as in
    :class:`~frtaudit.stats.dependence.Residuals`; Student's t has ``effective`` - 1 degrees of freedom, at least 1.
    """

    low: float | None
    high: float | None
    n_eff: float
    deff: float
    borrowed_from: float | None
    rate: float
    errors: int
    trials: int
    subjects: int
    effective: float
    erring: int
    note: str | None = None


def at_alpha(ruled: RuleInterval, alpha: float) -> Score:
    """The interval of a rule's n_eff at another level, two-sided; [0, 1] where one subject says nothing of others.

    >>> known = RuleInterval(low=0.2, high=0.4, n_eff=50.0, deff=2.0, borrowed_from=None, rate=0.3, errors=30,
    ...                      trials=100, subjects=40, effective=40.0, erring=20)
    >>> score = at_alpha(known, 0.1)
    >>> round(score.low, 4), round(score.high, 4)
    (0.204, 0.4175)
    """
    if ruled.subjects < 2:
        return Score(low=0.0, high=1.0, n_eff=ruled.n_eff)
    return wilson_score(ruled.rate, ruled.n_eff, _critical(alpha, degrees_of_freedom(ruled.effective)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Lender:
    """The threshold from which a tag borrows its design effect.

    ``threshold``: the nearest with enough errors and erring subjects; where ``whole`` is false the tail ended
    before there were enough, and it is the tail's floor; None: there is none among all scores.
    """

    threshold: float | None
    whole: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class WilsonRule:
    """FORMULAS 8.1, prepared for one system: sums at every threshold asked for, and each tag's lender.

    Make it with :func:`prepare`; then :meth:`fmr` and :meth:`fnmr` cost O(K) each. ``lenders_fmr``,
    ``lenders_fnmr``: G+1 each.
    """

    spread: Spread
    non_mated: NonMatedSums
    mated: MatedSums
    lenders_fmr: tuple[Lender, ...]
    lenders_fnmr: tuple[Lender, ...]

    def fmr(self, threshold: float, tag: int, alpha: float, weighting: Weighting) -> RuleInterval:
        """Interval of FMR (pooled) or FAR (identity) of ``tag`` at a prepared threshold, two-sided."""
        lender = self.lenders_fmr[tag]
        own = self.fmr_residuals(threshold, tag, weighting)
        lent = None
        if lender.threshold is not None:
            lent = self.fmr_residuals(lender.threshold, tag, weighting)
        return _rule(own, lent, lender, alpha, ends=2)

    def fnmr(self, threshold: float, tag: int, alpha: float, weighting: Weighting) -> RuleInterval:
        """Interval of FNMR (pooled) or FRR (identity) of ``tag`` at a prepared threshold, two-sided."""
        lender = self.lenders_fnmr[tag]
        own = self.fnmr_residuals(threshold, tag, weighting)
        lent = None
        if lender.threshold is not None:
            lent = self.fnmr_residuals(lender.threshold, tag, weighting)
        return _rule(own, lent, lender, alpha, ends=1)

    def fmr_residuals(self, threshold: float, tag: int, weighting: Weighting) -> Residuals:
        """Residual sums of FMR or FAR at a prepared threshold."""
        row = _row(self.non_mated.thresholds, threshold)
        return non_mated_residuals(self.non_mated, row, tag, self.spread, weighting)

    def fnmr_residuals(self, threshold: float, tag: int, weighting: Weighting) -> Residuals:
        """Residual sums of FNMR or FRR at a prepared threshold."""
        row = _row(self.mated.thresholds, threshold)
        return mated_residuals(self.mated, row, self.spread.member[tag], weighting)


def prepare(tail: ScoreTail, groups: Groups, thresholds: Iterable[float]) -> WilsonRule:
    """Prepare the rule of FORMULAS 8.1 for all tags at ``thresholds`` (score units, score > threshold matches).

    A threshold at or below the tail's floor must be one of those declared to the scoring pass, else
    ``ValueError``.

    >>> from frtaudit.stats.tail import from_matrix, no_groups
    >>> tail = from_matrix(np.eye(6), ["a", "a", "b", "b", "c", "c"])
    >>> found = prepare(tail, no_groups(tail), [0.5]).fmr(0.5, 0, 0.05, Weighting.POOLED)
    >>> found.errors, found.trials, found.deff
    (0, 12, 8.0)
    """
    member = members(groups, tail.n_samples.size)
    lenders_fmr = tuple(fmr_lender(tail, chosen) for chosen in member)
    lenders_fnmr = tuple(fnmr_lender(tail, chosen) for chosen in member)
    return WilsonRule(
        spread=spread(tail, groups),
        non_mated=non_mated_sums(tail, groups, _with_lenders(thresholds, lenders_fmr)),
        mated=mated_sums(tail, groups, _with_lenders(thresholds, lenders_fnmr)),
        lenders_fmr=lenders_fmr,
        lenders_fnmr=lenders_fnmr,
    )


def prepare_mated(tail: ScoreTail, groups: Groups, thresholds: Iterable[float]) -> WilsonRule:
    """The same for FNMR alone, at any thresholds, also below the tail's floor; it has no :meth:`WilsonRule.fmr`.

    >>> from frtaudit.stats.tail import from_matrix, no_groups
    >>> tail = from_matrix(np.eye(6), ["a", "a", "b", "b", "c", "c"])
    >>> prepare_mated(tail, no_groups(tail), [0.5]).fnmr(0.5, 0, 0.05, Weighting.POOLED).errors
    3
    """
    member = members(groups, tail.n_samples.size)
    lenders = tuple(fnmr_lender(tail, chosen) for chosen in member)
    return WilsonRule(
        spread=spread(tail, groups),
        non_mated=non_mated_sums(tail, groups, []),
        mated=mated_sums(tail, groups, _with_lenders(thresholds, lenders)),
        lenders_fmr=(),
        lenders_fnmr=lenders,
    )


def fmr_lender(tail: ScoreTail, member: Flags) -> Lender:
    """Return the nearest threshold, down the tail, with enough false matches and erring subjects.

    ``member``: shape (K,), bool; a comparison counts when both its subjects do. Errors only rise as the
    threshold falls, so that the nearest one serves every higher threshold.
    """
    whole = math.isinf(tail.floor)
    size = 0
    while size < tail.tail_score.size:
        size = min(max(4 * size, _CHUNK), tail.tail_score.size)
        first, second = tail.subject_of[tail.tail_i[:size]], tail.subject_of[tail.tail_j[:size]]
        inside = np.flatnonzero(member[first] & member[second])
        last = _reach(np.stack([first[inside], second[inside]], axis=1), member.size)
        if last is not None:
            below = _next_below(tail.tail_score, tail.tail_score[inside[last]])
            return Lender(threshold=(None if whole else tail.floor) if below is None else below)
    return Lender(threshold=None) if whole else Lender(threshold=tail.floor, whole=False)


def fnmr_lender(tail: ScoreTail, member: Flags) -> Lender:
    """Return the nearest threshold, up the mated scores, with enough errors and erring subjects.

    ``member``: shape (K,), bool. Every mated score is kept, so that the search is whole.
    """
    subject = tail.subject_of[tail.mated_i]
    inside = np.flatnonzero(member[subject])
    last = _reach(subject[inside][:, None], member.size)
    return Lender(threshold=None if last is None else float(tail.mated_score[inside[last]]))


def _reach(subjects: Index, n_subjects: int) -> int | None:
    """Position at which both counts suffice; the subjects of each error in order, shape (m, 1 or 2)."""
    if subjects.shape[0] < ENOUGH_ERRORS:
        return None
    flat = subjects.ravel()
    first = np.full(n_subjects, flat.size, dtype=np.int64)
    backwards = np.arange(flat.size)[::-1]
    first[flat[backwards]] = backwards  # the last assignment stands: the first position of each subject
    seen: npt.NDArray[np.int64] = np.sort(first[first < flat.size])
    if seen.size < ENOUGH_SUBJECTS:
        return None
    return max(ENOUGH_ERRORS - 1, int(seen[ENOUGH_SUBJECTS - 1]) // int(subjects.shape[1]))


def _next_below(descending: Scores, score: np.floating) -> float | None:
    """Largest score below ``score``: the threshold at which it and all above are false matches."""
    count = int(np.searchsorted(descending[::-1], score, side="left"))
    return float(descending[-count]) if count else None


def _with_lenders(thresholds: Iterable[float], lenders: Iterable[Lender]) -> npt.NDArray[np.float64]:
    lent = [lender.threshold for lender in lenders if lender.threshold is not None]
    return np.unique(np.array([*thresholds, *lent], dtype=np.float64))


def _row(thresholds: npt.NDArray[np.float64], threshold: float) -> int:
    row = int(np.searchsorted(thresholds, threshold))
    if row == thresholds.size or thresholds[row] != threshold:
        raise ValueError(f"threshold {threshold} was not prepared")
    return row


def _rule(own: Residuals, lent: Residuals | None, lender: Lender, alpha: float, *, ends: int) -> RuleInterval:
    """FORMULAS 8.1; ``ends``: subjects in one comparison, 2 for FMR and 1 for FNMR."""
    if own.trials == 0 or own.subjects < 2:
        return _vacuous(own)
    deff, borrowed, note = _design_effect(own, ends), None, None
    if own.errors < ENOUGH_ERRORS or own.erring < ENOUGH_SUBJECTS:
        offer, note = _offer(own, lent, lender, ends=ends)
        if offer > deff:
            deff, borrowed = offer, lender.threshold
    score = wilson_score(own.rate, own.trials / deff, _critical(alpha, degrees_of_freedom(own.effective)))
    return _interval(own, (score.low, score.high), deff, borrowed, note)


def _design_effect(residuals: Residuals, ends: int) -> float:
    """max(1, V n/(p(1-p))); with no error, or nothing but errors, the limit at one: ``ends``."""
    p = residuals.rate
    if residuals.errors in {0, residuals.trials} or not 0 < p < 1:
        return float(ends)
    return max(1.0, inflated_variance(residuals) * residuals.trials / (p * (1 - p)))


def _offer(own: Residuals, lent: Residuals | None, lender: Lender, *, ends: int) -> tuple[float, str | None]:
    """Design effect of the lender, else comparisons per subject (2M/K, n/K2)."""
    if lent is not None and 0 < lent.errors < lent.trials:
        note = (
            None if lender.whole else "too few errors in the kept tail: design effect at its lowest threshold"
        )
        return _design_effect(lent, ends), note
    return ends * own.trials / own.subjects, "no threshold has enough errors: comparisons per subject"


def _interval(
    own: Residuals,
    bounds: tuple[float, float] | None,
    deff: float,
    borrowed: float | None = None,
    note: str | None = None,
) -> RuleInterval:
    return RuleInterval(
        low=bounds[0] if bounds else None,
        high=bounds[1] if bounds else None,
        n_eff=own.trials / deff,
        deff=deff,
        borrowed_from=borrowed,
        rate=own.rate,
        errors=own.errors,
        trials=own.trials,
        subjects=own.subjects,
        effective=own.effective,
        erring=own.erring,
        note=note,
    )


def _vacuous(own: Residuals) -> RuleInterval:
    """Nothing was compared: no bounds; one subject: all of [0, 1], for it says nothing of others."""
    if own.trials == 0:
        return _interval(own, None, math.inf, note="no comparisons")
    return _interval(own, (0.0, 1.0), math.inf, note="one subject only")


@lru_cache(maxsize=1024)
def _critical(alpha: float, degrees: float | None) -> float:
    """Two-sided critical value of the normal (degrees None) or of Student's t."""
    return float(stats.norm.isf(alpha / 2) if degrees is None else stats.t.isf(alpha / 2, degrees))
