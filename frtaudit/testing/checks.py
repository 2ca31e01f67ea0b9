"""Checks to hold an estimator to: coverage, invariance, monotonicity. Each says what it found; the caller asserts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import scipy

from frtaudit.core.arrays import Floats, Ints, Names
from frtaudit.core.freeze import freeze, require

ALARM = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How often an interval contained the true value.

    ``runs``; ``given``: runs in which it had bounds; ``lower_misses``: the truth lay below ``low``, ``upper_misses``:
    above ``high``; ``floor``: the coverage claimed; ``alarm``: how often the verdict may be wrong at that coverage.
    """

    runs: int
    given: int
    lower_misses: int
    upper_misses: int
    floor: float
    alarm: float

    @property
    def covered(self) -> int:
        """Runs whose interval contained the true value."""
        return self.given - self.lower_misses - self.upper_misses

    @property
    def share(self) -> float:
        """Realised coverage among the intervals given; NaN where none was."""
        return self.covered / self.given if self.given else float("nan")

    @property
    def error(self) -> float:
        """Monte Carlo standard error of :attr:`share`."""
        return float(np.sqrt(self.share * (1 - self.share) / self.given)) if self.given else float("nan")

    @property
    def p_value(self) -> float:
        """One-sided exact binomial test of "coverage is ``floor`` or more"; 1 where no interval was given."""
        if not self.given:
            return 1.0
        return float(scipy.stats.binomtest(self.covered, self.given, self.floor, alternative="less").pvalue)

    @property
    def holds(self) -> bool:
        """Whether the runs agree with the claim: some interval was given, and p >= ``alarm``."""
        return self.given > 0 and self.p_value >= self.alarm


def coverage(
    interval: Callable[[int], npt.ArrayLike | None],
    truth: float,
    *,
    runs: int,
    floor: float,
    alarm: float = ALARM,
) -> Coverage:
    """Call ``interval`` with 0, 1, .. ``runs`` - 1 and count how often it holds ``truth``.

    ``interval`` draws its own data from the run's number and returns (low, high), or None where it gives no interval.
    If the true coverage is ``floor`` the verdict is false with probability ``alarm`` at most; above it, more rarely.

    >>> def half_normal(run):
    ...     x = np.random.default_rng(run).standard_normal()
    ...     return x - 1.96, x + 1.96
    >>> found = coverage(half_normal, 0.0, runs=400, floor=0.95)
    >>> found.holds, found.lower_misses + found.upper_misses + found.covered
    (True, 400)
    """
    low, high = np.array([_bounds(run, interval(run)) for run in range(runs)]).reshape(-1, 2).T
    return tally(low, high, truth, floor=floor, alarm=alarm)


def _bounds(run: int, found: npt.ArrayLike | None) -> Floats:
    """The two bounds of a run, NaN where it gives no interval."""
    bounds = np.array([np.nan, np.nan]) if found is None else np.asarray(found, dtype=np.float64)
    if bounds.shape != (2,):
        raise ValueError(f"run {run}: the interval has shape {bounds.shape}, not (2,): (low, high), or None")
    return bounds


def tally(
    low: npt.ArrayLike, high: npt.ArrayLike, truth: npt.ArrayLike, *, floor: float, alarm: float = ALARM
) -> Coverage:
    """The same from bounds at hand, each (runs,), NaN where no interval was given; ``truth`` one or one for each.

    >>> found = tally([0.1, 0.6, np.nan], [0.9, 0.9, np.nan], 0.5, floor=0.9)
    >>> found.given, found.lower_misses, found.share
    (2, 1, 0.5)

    Raises ``ValueError`` for a truth that is NaN, other shapes, and bounds of which ``low`` is above ``high``.
    """
    lows, highs = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    if lows.ndim != 1 or lows.shape != highs.shape:
        raise ValueError(f"low and high have shapes {lows.shape} and {highs.shape}, not one shape (runs,)")
    true = np.broadcast_to(np.asarray(truth, dtype=np.float64), lows.shape)
    given = ~(np.isnan(lows) | np.isnan(highs))
    if np.isnan(true[given]).any():
        raise ValueError("the truth is NaN: no interval contains it or misses it")
    reversed_at = np.flatnonzero((lows > highs) & ~np.isclose(lows, highs, rtol=1e-12, atol=0))
    if reversed_at.size:
        run = int(reversed_at[0])
        raise ValueError(f"run {run}: low {float(lows[run])!r} is above high {float(highs[run])!r}")
    return Coverage(
        runs=lows.size,
        given=int(given.sum()),
        lower_misses=int(np.count_nonzero(true[given] < lows[given])),
        upper_misses=int(np.count_nonzero(true[given] > highs[given])),
        floor=floor,
        alarm=alarm,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredCohort:
    """All scores of a small cohort: ``scores`` (N, N) symmetric; ``subjects``, ``groups`` (N,) names by sample."""

    scores: Floats
    subjects: Names
    groups: Names

    def __post_init__(self) -> None:
        freeze(self, "scores", "subjects", "groups")
        n = self.subjects.size
        require(self.scores.shape == (n, n), "one row and one column per sample")
        require(self.groups.shape == (n,), "one group per sample")


Statistic = Callable[[ScoredCohort], Mapping[str, float]]


def invariance(
    statistic: Statistic, cohort: ScoredCohort, rng: np.random.Generator, *, tolerance: float = 1e-12
) -> tuple[str, ...]:
    """Which harmless changes moved a number: none should.

    ``statistic`` returns numbers by name; a name that is a group's is that group's number. Tried: samples in another
    order, subjects renamed, groups renamed (their numbers must go along), both orders of each pair exchanged.

    >>> two = ScoredCohort(scores=np.array([[1.0, 0.2], [0.2, 1.0]]), subjects=np.array(["s", "t"]),
    ...                    groups=np.array(["a", "b"]))
    >>> rng = np.random.default_rng(0)
    >>> invariance(lambda c: {"all": float(c.scores.sum())}, two, rng)
    ()
    >>> invariance(lambda c: {"all": float(c.subjects[0] == "s")}, two, np.random.default_rng(1))
    ('samples in another order', 'subjects renamed')
    """
    plain = dict(statistic(cohort))
    order = _moved(rng, len(cohort.subjects))
    ordered = ScoredCohort(
        scores=cohort.scores[np.ix_(order, order)],
        subjects=cohort.subjects[order],
        groups=cohort.groups[order],
    )
    renamed, names = _renamed(cohort.groups, rng)
    changes = {
        "samples in another order": (ordered, {}),
        "subjects renamed": (replace(cohort, subjects=_renamed(cohort.subjects, rng)[0]), {}),
        "groups renamed": (replace(cohort, groups=renamed), names),
        "both orders of each pair exchanged": (replace(cohort, scores=cohort.scores.T.copy()), {}),
    }
    return tuple(
        name
        for name, (changed, new) in changes.items()
        if not _same(
            {new.get(key, key): value for key, value in plain.items()}, statistic(changed), tolerance
        )
    )


def monotonicity(
    bound: Callable[[float], float], at: Sequence[float], *, rising: bool = True
) -> tuple[float, float] | None:
    """The first two neighbours of ``at`` between which ``bound`` moves the wrong way or is NaN, or None.

    >>> monotonicity(lambda errors: errors / 10, range(10)) is None
    True
    >>> monotonicity(abs, [-1.0, 0.0, 1.0])
    (-1.0, 0.0)
    """
    values = [bound(place) for place in at]
    for left, right, first, second in zip(at, at[1:], values, values[1:], strict=False):
        if not ((second >= first) if rising else (second <= first)):
            return left, right
    return None


def _moved(rng: np.random.Generator, n: int) -> Ints:
    """A permutation that is not the identity (of two or more)."""
    order = rng.permutation(n)
    return order if n < 2 or np.any(order != np.arange(n)) else np.roll(order, 1)


def _renamed(names: Names, rng: np.random.Generator) -> tuple[Names, dict[str, str]]:
    """New names whose alphabetical order is another one."""
    known = np.unique(names)
    fresh = [f"x{place:04d}" for place in _moved(rng, known.size)]
    table = dict(zip(known.tolist(), fresh, strict=True))
    return np.array([table[name] for name in names.tolist()]), table


def _same(expected: Mapping[str, float], actual: Mapping[str, float], tolerance: float) -> bool:
    if set(expected) != set(actual):
        return False
    pairs = [(expected[key], actual[key]) for key in expected]
    return all(np.isclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True) for a, b in pairs)
