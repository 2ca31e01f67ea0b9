"""The report's intervals on simulated cohorts, all cohorts at once, and how often they miss the true rate."""

from dataclasses import dataclass, replace

import numpy as np

from frtaudit.core.arrays import Bytes, Flags, Floats, Numbers
from frtaudit.core.methods import MAX_UNDEFINED
from frtaudit.stats._scipy import scipy
from frtaudit.stats.intervals import rate_bounds
from frtaudit.stats.intervals.borrowing import ENOUGH_ERRORS, ENOUGH_SUBJECTS
from frtaudit.stats.intervals.simulated_counts import Tally

GRAIN = 2.0**30  # shares of errors are rounded to this part, so that weighted sums are exact in any order


@dataclass(frozen=True, slots=True, kw_only=True)
class Denominators:
    """What the sums of a tally are divided by: the same in every cohort, or an array (C,) with that of each.

    ``trials``: comparisons; ``total``: what counts are divided by (comparisons, subjects or pairs of subjects);
    ``subjects``; ``square``: sum over subjects of the squared weight; ``ends``: subjects in one comparison, 1 or 2;
    ``pairs``: compared pairs of subjects; ``pair``: what a pair of indistinguishable people adds to the rate
    (FORMULAS 8.18); both 0 for mated comparisons; ``image``: what one more bad image adds, 0 for non-mated ones.
    """

    trials: Numbers
    total: Numbers
    subjects: Numbers
    square: Numbers
    ends: int
    pairs: int = 0
    pair: Numbers = 0.0
    image: Numbers = 0.0

    @property
    def effective_subjects(self) -> Numbers:
        """Subjects by weight (FORMULAS 8.1): of non-mated comparisons, as many as there are."""
        return self.total**2 / self.square if self.ends == 1 else self.subjects

    @property
    def degrees(self) -> Numbers:
        """Of freedom of Student's t: :func:`frtaudit.stats.intervals.dependence.degrees_of_freedom` on arrays."""
        return np.maximum(self.effective_subjects - 1.0, 1.0)


def with_match_rate(over: Denominators, match_rate: Numbers) -> Denominators:
    """The same with look-alikes whose images match in ``match_rate`` of their comparisons (TMR of FORMULAS 8.18).

    >>> over = Denominators(trials=6, total=6, subjects=4, square=36.0, ends=2, pairs=6, pair=1 / 6)
    >>> with_match_rate(over, 0.75).pair
    0.125
    """
    return replace(over, pair=over.pair * match_rate)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Intervals of C cohorts, ``low`` and ``high`` (C,) float64; NaN where the report would print none."""

    low: Floats
    high: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Misses:
    """Intervals wholly above the truth (``lower``) and wholly below it (``upper``), of the ``given`` ones."""

    lower: int
    upper: int
    given: int

    @property
    def covered(self) -> int:
        """Intervals that contain the true value."""
        return self.given - self.lower - self.upper

    def __add__(self, other: "Misses") -> "Misses":
        return Misses(
            lower=self.lower + other.lower, upper=self.upper + other.upper, given=self.given + other.given
        )


def misses(bounds: Bounds, truth: float) -> Misses:
    """Count the intervals that miss, each side apart.

    >>> misses(Bounds(low=np.array([0.1, 0.3, np.nan]), high=np.array([0.2, 0.4, np.nan])), 0.15)
    Misses(lower=1, upper=0, given=2)
    """
    return Misses(
        lower=int(np.count_nonzero(bounds.low > truth)),
        upper=int(np.count_nonzero(bounds.high < truth)),
        given=int(np.count_nonzero(~np.isnan(bounds.low))),
    )


def rates(tally: Tally, over: Denominators) -> Floats:
    """Rate of each cohort, exactly 0 without errors, 1 with nothing else; cut to [0, 1], which drawn sums can pass."""
    clip = np.clip(tally.count / over.total, 0.0, 1.0)
    clip = np.where(tally.errors == 0, 0.0, clip)
    return np.asarray(np.where(tally.errors >= over.trials, 1.0, clip))


def wilson(tally: Tally, lent: Tally, over: Denominators, alpha: float) -> Bounds:
    """FORMULAS 8.1, of FMR 8.18 too, for every cohort: ``prepare``'s rule, on arrays."""
    p, n_eff = rates(tally, over), effective_trials(tally, lent, over)
    bounds = _outer(p, n_eff, over, alpha)
    if over.ends == 1:
        return bounds
    person = tally.heaviest / over.total
    unseen = rate_bounds.unseen_bound(p, n_eff, over.degrees, over.pair, person, alpha / 2)
    return Bounds(low=bounds.low, high=np.maximum(bounds.high, unseen))


def effective_trials(tally: Tally, lent: Tally, over: Denominators) -> Floats:
    """Comparisons over the design effect of FORMULAS 8.1, borrowed where errors are few."""
    deff = _design_effect(tally, over)
    rarer = np.minimum(tally.errors, over.trials - tally.errors)
    few = (rarer < ENOUGH_ERRORS) | (tally.subjects_with_errors < ENOUGH_SUBJECTS)
    offer = np.full(deff.shape, over.ends * over.trials / over.subjects)
    # else what does not err is too rare
    has = (lent.errors > 0) & (lent.errors <= over.trials - ENOUGH_ERRORS)
    offer[has] = _design_effect(lent, over)[has]
    return np.asarray(over.trials / np.where(few, np.maximum(deff, offer), deff))


def wilson_iid(tally: Tally, over: Denominators, alpha: float) -> Bounds:
    """Wilson's interval as if comparisons were independent (pooled rates only).

    It is :func:`frtaudit.stats.intervals.closed_form.wilson_score` on arrays.
    """
    p, n_eff, critical = rates(tally, over), float(over.trials), float(-scipy.special.ndtri(alpha / 2))
    square = critical**2
    scale = 1 + square / n_eff
    centre = (p + square / (2 * n_eff)) / scale
    half = critical * np.sqrt(p * (1 - p) / n_eff + square / (4 * n_eff**2)) / scale
    low = np.where(p == 0, 0.0, np.maximum(centre - half, 0.0))
    high = np.where(p == 1, 1.0, np.minimum(centre + half, 1.0))
    return Bounds(low=low, high=high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """Bootstrap copies of subjects, the same for every cohort: ``weight`` (K2, B) uint8; ``unit`` (K2,): comparisons.

    ``unit`` is 1 for each subject under identity weighting. A replicate is sum v_k count_k / sum v_k unit_k.
    """

    weight: Bytes
    unit: Floats

    def replicates(self, counts: Floats) -> Floats:
        """Replicates (C, B) of the rates of ``counts`` (C, K2) errors or shares of errors; NaN where nothing is drawn.

        Shares are rounded to 2^-30, so that no sum depends on its order, nor on the number of threads.
        """
        copies = self.weight.astype(np.float64)
        drawn = (np.round(counts * GRAIN) @ copies) / GRAIN
        below = self.unit @ copies
        return np.asarray(np.divide(drawn, below, out=np.full(drawn.shape, np.nan), where=below > 0))


def wilson_moving(
    tally: Tally, lent: Tally, replicates: Floats, over: Denominators, alpha: float, least: tuple[int, int]
) -> Bounds:
    """FNMR at an FMR target (FORMULAS 8.2): n_eff from the variance of each cohort's ``replicates`` (C, B).

    ``least``: errors and subjects with errors below which, as where more than 2 % of the replicates are undefined, that
    variance counts only where it is larger than by 8.1 (FORMULAS 8.21).
    """
    n_eff, p = effective_trials(tally, lent, over), rates(tally, over)
    known = replicates[:, ~np.isnan(replicates[0])]
    if known.shape[1] > 1:
        variance, some = known.var(axis=1, ddof=1), (p > 0) & (p < 1)
        independent = np.where(some, p * (1 - p), (mean := known.mean(axis=1)) * (1 - mean))
        whole = replicates.shape[1] - known.shape[1] <= MAX_UNDEFINED * replicates.shape[1]
        alone = _enough(tally, least) & some & whole & (variance > 0)
        moved = np.divide(
            independent, variance, out=np.full(p.shape, np.inf), where=(variance > 0) & (independent > 0)
        )
        n_eff = np.minimum(moved, np.where(alone, float(over.trials), n_eff))
    return _outer(p, n_eff, over, alpha)


def percentile(tally: Tally, replicates: Floats, alpha: float, least: tuple[int, int]) -> Bounds:
    """Percentile intervals of each cohort's replicates (C, B), NaN where FORMULAS 8.3 withholds them.

    A cohort whose replicates are all alike has none either: the report prints no degenerate interval.
    """
    known = replicates[:, ~np.isnan(replicates[0])]
    given = _enough(tally, least)
    if known.shape[1] < (1 - MAX_UNDEFINED) * replicates.shape[1] or known.shape[1] == 0:
        given = np.zeros_like(given)
        known = np.zeros((len(replicates), 1))
    low, high = np.quantile(known, [alpha / 2, 1 - alpha / 2], axis=1)
    given &= low < high
    return Bounds(low=np.where(given, low, np.nan), high=np.where(given, high, np.nan))


def _enough(tally: Tally, least: tuple[int, int]) -> Flags:
    return np.asarray((tally.errors >= least[0]) & (tally.subjects_with_errors >= least[1]))


def _design_effect(tally: Tally, over: Denominators) -> Floats:
    """max(1, V n/(p(1-p))), V = K/(K-1) * sum of squared residual sums / total^2; at no error ``ends``."""
    p = rates(tally, over)
    residual = np.maximum(tally.square - 2 * p * tally.cross + p * p * over.square, 0.0)
    variance = over.effective_subjects / (over.effective_subjects - 1) * residual / over.total**2
    values = np.full(p.shape, float(over.ends))
    np.divide(variance * over.trials, p * (1 - p), out=values, where=(p > 0) & (p < 1))
    return np.asarray(np.maximum(values, 1.0))


def _outer(p: Floats, n_eff: Floats, over: Denominators, alpha: float) -> Bounds:
    """:class:`frtaudit.stats.intervals.rate_bounds.RateBounds` on arrays, without 8.18."""
    known, error = (p, n_eff, over.degrees), alpha / 2
    return Bounds(
        low=rate_bounds.lower_bound(*known, error),
        high=rate_bounds.fnmr_upper_bound(*known, over.image, error),
    )
