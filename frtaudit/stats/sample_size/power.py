"""How many subjects an error rate needs: rule of 3, rule of 30, and the power to pass a limit (FORMULAS 8.1, 8.18).

A test of K subjects makes n comparisons, which are worth n_eff = n/deff independent ones. The design effect deff is
that of FORMULAS 8.1; between its least value and the comparisons of one subject it is planned by :class:`Dependence`.
The rule of 3: no error in n_eff trials shows, with 95 % confidence, a rate of at most 3/n_eff (0.95 = 1 - e^-3). The
rule of 30 (Doddington): with 30 errors the true rate lies within 30 % of the estimate with 90 % confidence, since
z_0.95/sqrt(30) = 0.30.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from frtaudit.stats._scipy import scipy
from frtaudit.stats.intervals.borrowing import ENOUGH_SUBJECTS
from frtaudit.stats.intervals.dependence import degrees_of_freedom
from frtaudit.stats.intervals.rate_bounds import RateBounds

RULE_OF_3 = 3.0
RULE_OF_30 = 30.0
MAX_SUBJECTS = 10**9
MIN_SUBJECTS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonDesign:
    """What comparisons the subjects of a test make.

    ``ends``: subjects in one comparison, 1 (mated, or an acquisition) or 2 (non-mated); ``each``: comparisons of one
    subject (1 end), or between two subjects (2 ends), on average over all; ``imbalance``: how unequal they are, the
    mean of c_k over comparisons, sum c_k^2 / sum c_k, over their mean over subjects (1: all subjects make as many).
    ``few_as_one``: below ten subjects with an error, all of a subject count as one, as for failures to acquire.
    """

    ends: int
    each: float
    imbalance: float = 1.0
    few_as_one: bool = False

    def trials(self, subjects: float) -> float:
        """Comparisons of ``subjects`` subjects: each K, or each K(K-1)/2.

        >>> ComparisonDesign(ends=2, each=16).trials(100)
        79200.0
        """
        return self.each * subjects * (1.0 if self.ends == 1 else (subjects - 1) / 2)

    def per_subject(self, subjects: float) -> float:
        """Comparisons of the subject of a comparison, on average over comparisons: sum c_k^2 / sum c_k."""
        return self.each * (1.0 if self.ends == 1 else subjects - 1) * self.imbalance


def mated(samples: float) -> ComparisonDesign:
    """All m(m-1)/2 mated comparisons of the ``samples`` of a subject.

    >>> mated(4).each
    6.0
    """
    return ComparisonDesign(ends=1, each=samples * (samples - 1) / 2)


def attempts(samples: float) -> ComparisonDesign:
    """The ``samples`` of a subject, each of which may fail to be acquired.

    >>> attempts(4).trials(150)
    600.0
    """
    return ComparisonDesign(ends=1, each=float(samples), few_as_one=True)


def non_mated(samples: float) -> ComparisonDesign:
    """All m^2 comparisons of the ``samples`` of two subjects.

    >>> non_mated(4).trials(2)
    16.0
    """
    return ComparisonDesign(ends=2, each=samples**2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependence:
    """How a design effect follows from the size: deff = max(1, base + share * (c - ends)), c comparisons per subject.

    FORMULAS 8.1 sums the products of residuals over the ordered pairs of comparisons that share a subject. With
    correlation rho between two comparisons of one subject that is n p(1-p) ends (1 + (c - 1) rho), c = sum c_k^2 / sum
    c_k: for independent comparisons deff = ends (non-mated: 2, as each comparison counts at both its subjects), and it
    grows along a line with c. ``share`` is the place on the line from there (0) to deff = c (1), which is the bound of
    8.1 where all subjects make as many comparisons. ``base``: deff at share 0, or a fixed design effect.
    """

    base: float
    share: float

    def deff(self, design: ComparisonDesign, subjects: float) -> float:
        """Design effect of a test of ``subjects``.

        >>> Dependence(base=1, share=0.2).deff(mated(4), 100)
        2.0
        """
        return max(1.0, self.base + self.share * max(design.per_subject(subjects) - design.ends, 0.0))

    def n_eff(self, design: ComparisonDesign, subjects: float) -> float:
        """Effective number of comparisons of a test of ``subjects``."""
        return design.trials(subjects) / self.deff(design, subjects)


INDEPENDENT = Dependence(base=1.0, share=0.0)


def least(design: ComparisonDesign) -> Dependence:
    """Independent comparisons as the rule of FORMULAS 8.1 counts them: deff 1 (mated) or 2 (non-mated)."""
    return Dependence(base=float(design.ends), share=0.0)


def worst(design: ComparisonDesign) -> Dependence:
    """All comparisons of one subject err together: deff = comparisons per subject, the bound of FORMULAS 8.1.

    >>> worst(non_mated(1)).n_eff(non_mated(1), 6000)
    3000.0
    """
    return Dependence(base=float(design.ends), share=1.0)


def measured(design: ComparisonDesign, subjects: float, deff: float) -> Dependence:
    """The dependence that a pilot of ``subjects`` with design effect ``deff`` (FORMULAS 8.1) shows.

    >>> round(measured(mated(4), 100, 2.0).share, 3)
    0.2
    """
    room = design.per_subject(subjects) - design.ends
    share = max((deff - design.ends) / room, 0.0) if room > 0 else 0.0
    return Dependence(base=float(design.ends), share=share)


def subjects_for(design: ComparisonDesign, dependence: Dependence, n_eff: float) -> int | None:
    """The fewest subjects worth ``n_eff`` independent comparisons; None where no number is.

    >>> subjects_for(non_mated(1), INDEPENDENT, 3 / 1e-3), subjects_for(mated(4), worst(mated(4)), 3 / 0.01)
    (78, 300)
    """
    return fewest(lambda subjects: dependence.n_eff(design, subjects) >= n_eff * (1 - 1e-12))


def fewest(enough: Callable[[int], bool]) -> int | None:
    """The fewest subjects, 2 or more, for which ``enough`` holds, a claim that stays true as subjects are added.

    None above 10^9.

    >>> fewest(lambda subjects: subjects**2 > 1000)
    32
    """
    high = MIN_SUBJECTS
    while not enough(high):
        high *= 2
        if high > MAX_SUBJECTS:
            return None
    low = high // 2
    while high - low > 1 and high > MIN_SUBJECTS:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def power_to_pass(
    design: ComparisonDesign, dependence: Dependence, subjects: int, rate: float, limit: float, alpha: float
) -> float:
    """Probability that a test passes ``limit`` (FORMULAS 8.1, 8.8, 8.18) when the true rate is ``rate``.

    Pass: the one-sided upper bound is at most L, which holds up to x effective errors (:func:`allowed_rate` times
    n_eff). They are counted as binomial with P(X <= y) = I_{1-rate}(n_eff - y, y + 1) at y = x - 1: at most the
    probability of the last whole count below x, so that the power does not fall back as subjects are added.
    ``dependence``: with fewer than 30 errors 8.1 takes the design effect of a laxer threshold.

    >>> design = mated(2)
    >>> round(power_to_pass(design, INDEPENDENT, 1000, 0.005, 0.01, 0.05), 2)
    0.37
    """
    if design.few_as_one:
        return _power_few_as_one(design, dependence, subjects, rate, limit, alpha)
    n_eff = dependence.n_eff(design, subjects)
    allowed = allowed_rate(design, dependence, subjects, limit, alpha)
    if allowed is None:
        return 0.0
    return 1.0 if rate <= 0 else _at_most(n_eff * allowed - 1, n_eff, rate)


def _at_most(count: float, n_eff: float, rate: float) -> float:
    """P(X <= count) of a binomial number out of ``n_eff``, between whole counts as the beta function goes on."""
    if count <= -1:
        return 0.0
    return 1.0 if count >= n_eff else float(scipy.special.betainc(n_eff - count, count + 1, 1 - rate))


def _power_few_as_one(
    design: ComparisonDesign, dependence: Dependence, subjects: int, rate: float, limit: float, alpha: float
) -> float:
    """:func:`power_to_pass` where the design effect is at least c, attempts per subject, below ten with a failure.

    A share r of the subjects, r = (deff - 1)/(c - 1), fails in all attempts or in none, and the others in each attempt
    by itself: that has the design effect. A subject with a failure then has c p / (r p + (1 - r)(1 - (1 - p)^c)) on
    average, at rate p; ten times that number are taken to be the failures of ten subjects.
    """
    deff, each = dependence.deff(design, subjects), design.each
    few = Dependence(base=max(deff, each), share=0.0)
    allowed_few = allowed_rate(design, few, subjects, limit, alpha)
    if rate <= 0:
        return 0.0 if allowed_few is None else 1.0
    together = min((deff - 1) / (each - 1), 1.0) if each > 1 else 1.0
    failing = together * rate - (1 - together) * math.expm1(each * math.log1p(-rate))
    n_eff = dependence.n_eff(design, subjects)
    ten = ENOUGH_SUBJECTS * each * rate / failing / deff - 1
    below = -1.0 if allowed_few is None else n_eff * allowed_few - 1
    allowed = allowed_rate(design, dependence, subjects, limit, alpha)
    above = -1.0 if allowed is None else n_eff * allowed - 1
    rest = _at_most(above, n_eff, rate) - _at_most(max(below, ten), n_eff, rate)
    return _at_most(below, n_eff, rate) + max(rest, 0.0)


def allowed_rate(
    design: ComparisonDesign, dependence: Dependence, subjects: int, limit: float, alpha: float
) -> float | None:
    """The largest observed rate whose upper bound is at most ``limit``; None where not even no error passes.

    >>> [allowed_rate(non_mated(2), least(non_mated(2)), subjects, 1e-4, 0.05) is None for subjects in (245, 246)]
    [True, False]
    """

    def beyond(rate: float) -> float:
        return _bounds(design, dependence, subjects, rate).high(alpha) - limit

    if design.each <= 0 or beyond(0.0) > 0:
        return None
    return float(scipy.optimize.brentq(beyond, 0.0, limit, xtol=1e-9 * limit)) if beyond(limit) > 0 else limit


def _bounds(design: ComparisonDesign, dependence: Dependence, subjects: int, rate: float) -> RateBounds:
    """What the bounds of a test's rate are made of; FMR: TMR 1, and the heaviest person as the dependence lets expect.

    With blocks n_kl as products of the subjects' samples sum n_kl^2/M^2 is imbalance^2 over the pairs compared.
    The heaviest person has as many errors as deff gives to each (deff/2), or as the largest of K Poisson numbers.
    """
    deff = dependence.deff(design, subjects)
    trials = design.trials(subjects)
    known = RateBounds(rate=rate, n_eff=trials / deff, degrees=degrees_of_freedom(subjects))
    if design.ends == 1:
        return known
    pairs = min(design.each, 1.0) * subjects * (subjects - 1) / 2
    errors = rate * trials
    largest = float(scipy.special.pdtrik(1 - 1 / subjects, 2 * errors / subjects)) if errors > 0 else 0.0
    heaviest = max(largest, deff / 2) * min(errors, 1.0)
    return replace(known, pair=design.imbalance**2 / pairs, person=min(heaviest / trials, rate))


def subjects_to_pass(
    design: ComparisonDesign, dependence: Dependence, rate: float, limit: float, alpha: float, power: float
) -> int | None:
    """The fewest subjects that pass ``limit`` with probability ``power`` when the true rate is ``rate`` < ``limit``.

    None for a rate at or above the limit: no size passes it with a power above alpha.

    >>> subjects_to_pass(mated(4), worst(mated(4)), 0.005, 0.01, 0.05, 0.8)
    2240
    """
    if rate >= limit or design.each <= 0:
        return None
    return fewest(
        lambda subjects: (
            power_to_pass(design, dependence, subjects, rate, limit, alpha) >= power * (1 - 1e-12)
        )
    )
