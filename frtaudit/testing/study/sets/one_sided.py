"""How often the audit's one-sided bounds miss the truth of the set, at several errors, and what verdicts follow."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from frtaudit.core.arrays import Flags, Floats
from frtaudit.stats.intervals import coverage, rate_bounds
from frtaudit.stats.intervals.simulated_counts import Tally
from frtaudit.testing.study.sets.shown import Shown

ERRORS = (0.05, 0.025, 0.005, 0.0005)
FAMILIES = (1, 6, 10, 30)
ALPHA = 0.05
MIN_SUBJECTS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """Of ``cohorts``: bounds that miss the truth at each of ``ERRORS``; false fails at alpha/m for ``FAMILIES``."""

    cohorts: int
    lower: tuple[int, ...]
    upper: tuple[int, ...]
    false_fails: tuple[int, ...]


def shares(lower: Sequence[int], upper: Sequence[int], cohorts: int, between: str = " / ") -> tuple[str, str]:
    """Lower and upper misses as shares of the cohorts, for a line of a table."""
    low, high = (between.join(f"{count / cohorts:.4f}" for count in counts) for counts in (lower, upper))
    return low, high


def given(shown: Shown) -> Shown:
    """The cohorts with two subjects and more by weight that take part: of fewer the interval is [0, 1]."""
    of = shown.over
    some = np.asarray(of.subjects) >= MIN_SUBJECTS
    trials, total, subjects, square, pair, image = (
        np.broadcast_to(np.asarray(part, dtype=np.float64), some.shape)[some]
        for part in (of.trials, of.total, of.subjects, of.square, of.pair, of.image)
    )
    over = replace(of, trials=trials, total=total, subjects=subjects, square=square, pair=pair, image=image)
    observed, lent = (
        Tally(**{name: getattr(tally, name)[some] for name in Tally.__slots__})
        for tally in (shown.own, shown.lent)
    )
    return replace(shown, own=observed, lent=lent, over=over)


def with_match_rates(fmr: Shown, fnmr: Shown) -> Shown:
    """FMR with the look-alikes of FORMULAS 8.18 matching as often as the cohort's own people do."""
    trials, total = np.asarray(fnmr.over.trials), np.asarray(fnmr.over.total)
    some = trials > 0
    over = replace(fnmr.over, trials=np.where(some, trials, 1), total=np.where(some, total, 1))
    match_rate = np.where(some, 1 - coverage.rates(fnmr.own, over), 1.0)
    return replace(fmr, over=coverage.with_match_rate(fmr.over, match_rate))


def missed(shown: Shown) -> Missed:
    """FORMULAS 8.1, of FMR 8.18 too: a bound at error a misses where the p value of the truth is at most a."""
    above = rate_bounds.p_above(*_known(shown), shown.truth)
    return _missed(above, [_upper_bounds(shown, error) < shown.truth for error in ERRORS])


def missed_before(shown: Shown) -> Missed:
    """Wilson's bounds alone with Student's t on the same effective number, as they were before FORMULAS 8.1."""
    rate, n_eff, degrees = _known(shown)
    truth = shown.truth
    above = np.asarray(stats.t.sf((rate - truth) / np.sqrt(truth * (1 - truth) / n_eff), degrees))
    return _missed(above, [np.asarray(1 - above <= error) for error in ERRORS])


def widths(shown: Shown, cohorts: int) -> tuple[float, float, float]:
    """Median width at 95 % of the first ``cohorts``: now, before, and of an oracle.

    The oracle prints Wilson's interval and knows the spread of the rate over cohorts.
    """
    rate, n_eff, degrees = (part[:cohorts] for part in _known(shown))
    error = ALPHA / 2
    spread = float(np.var(_known(shown)[0], ddof=1))
    known = shown.truth * (1 - shown.truth) / spread if spread > 0 else np.inf
    now = _upper_bounds(shown, error)[:cohorts] - rate_bounds.lower_bound(rate, n_eff, degrees, error)
    before = _wilson_width(rate, n_eff, rate_bounds.student(degrees, error))
    oracle = _wilson_width(rate, np.full(rate.shape, known), np.full(rate.shape, stats.norm.isf(error)))
    return float(np.median(now)), float(np.median(before)), float(np.median(oracle))


def _known(shown: Shown) -> tuple[Floats, Floats, Floats]:
    return (
        coverage.rates(shown.own, shown.over),
        coverage.effective_trials(shown.own, shown.lent, shown.over),
        np.asarray(shown.over.degrees, dtype=np.float64),
    )


def unseen(shown: Shown) -> tuple[Floats, Floats]:
    """``pair`` and ``person`` of FORMULAS 8.18."""
    return np.asarray(shown.over.pair, dtype=np.float64), shown.own.heaviest / shown.over.total


def _upper_bounds(shown: Shown, error: float) -> Floats:
    """What the audit prints, one-sided."""
    known = _known(shown)
    if shown.over.ends == 1:
        return rate_bounds.fnmr_upper_bound(*known, shown.over.image, error)
    return rate_bounds.fmr_upper_bound(*known, *unseen(shown), error)


def _missed(above: Floats, upper: list[Flags]) -> Missed:
    return Missed(
        cohorts=above.size,
        lower=tuple(int(np.count_nonzero(above <= error)) for error in ERRORS),
        upper=tuple(int(np.count_nonzero(flags)) for flags in upper),
        false_fails=tuple(int(np.count_nonzero(above <= ALPHA / m)) for m in FAMILIES),
    )


def _wilson_width(rate: Floats, n_eff: Floats, critical: Floats) -> Floats:
    square = critical**2
    root = np.sqrt(rate * (1 - rate) / n_eff + square / (4 * n_eff**2))
    return np.asarray(2 * critical * root / (1 + square / n_eff))
