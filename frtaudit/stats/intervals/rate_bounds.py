"""One-sided bounds and p values of an error rate on an effective number of comparisons (FORMULAS 8.1, 8.18).

Wilson's bound alone is too narrow on the side of few errors: one error in 100 independent comparisons has a lower bound
of 0.27 % at 95 %, although a true rate of 0.1 % shows an error in 9.5 % of such audits. Clopper and Pearson's bound
alone is too narrow where the variance is estimated from few subjects. The rule takes the outer of the two, both on the
same effective number: for x = p n_eff errors and y = (1-p) n_eff others, one-sided error a < 1/2, t the 1-a quantile of
Student's t and a' = 1 - Phi(t),

    W-, W+ = (p + t^2/(2 n_eff) -+ t sqrt(p(1-p)/n_eff + t^2/(4 n_eff^2))) / (1 + t^2/n_eff)
    C- = B(a'; x, y+1),  C+ = 1 - B(a'; y, x+1),        B(q; u, v) the q quantile of the beta distribution
    lower = min(W-, C-),  upper = max(W+, C+).

The upper bound of FMR (8.18) also allows for people that the cohort happened not to hold, that of a pooled FNMR for one
more bad image where people weigh unequally.

Everything here is a function of arrays that broadcast; ``rate`` is p in the weighting used, ``n_eff`` > 0 the effective
number of comparisons, ``degrees`` >= 1 those of Student's t (K - 1), ``error`` in (0, 1/2) the one-sided error a.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Numbers
from frtaudit.stats._scipy import scipy
from frtaudit.stats.systems.multiplicity import claim_p

UNDERFLOW = 1e-290  # below it SciPy's quantiles are nan or 2e-308
FAR = 1e-100  # below it SciPy finds some quantiles of the beta distribution wrongly, its probabilities are right
HALVINGS = 80  # of the interval in which such a quantile is searched
MAX_SPREAD = 11.0  # of the variance of 8.18, in squared means: the quantile of a Gamma falls beyond it


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """An interval of a rate, within [0, 1], and the effective number of comparisons behind it."""

    low: float
    high: float
    n_eff: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RateBounds:
    """One rate with what its bounds at any level are made of (FORMULAS 8.1, and 8.18 where there is a ``pair``).

    ``n_eff`` 0: nothing is known, as of one subject, and every interval is [0, 1]; ``pair``, ``person``: of
    :func:`unseen_bound`, None and 0 for rates of mated comparisons. A ``pair`` of 0 is one of FMR where every mated
    comparison errs. ``image``: of :func:`fnmr_upper_bound`, 0 for FMR; where ``of_right`` the rate is a share of right
    decisions, and its lower bound allows for the image.
    """

    rate: float
    n_eff: float
    degrees: float
    pair: float | None = None
    person: float = 0.0
    image: float = 0.0
    of_right: bool = False

    @property
    def _heavy(self) -> bool:
        """Whether one more bad image is more than one comparison of the effective number."""
        return self.image * self.n_eff > 1

    def allowing(self, known: "RateBounds") -> "RateBounds":
        """The same with what ``known`` allows for that the cohort does not hold: a pair, a person, an image."""
        return replace(self, pair=known.pair, person=known.person, image=known.image)

    def moving(self, drawn: Floats) -> "RateBounds":
        """The same on the variance of replicates in which the threshold moved too (R,), where that is larger (8.21).

        Without an error, or without anything else, the mean of the replicates stands for the rate in p(1-p)/Var.

        >>> round(RateBounds(rate=0.0, n_eff=50, degrees=9).moving(np.array([0.0, 0.0, 0.0, 0.2])).n_eff, 8)
        4.75
        """
        variance = float(drawn.var(ddof=1)) if drawn.size > 1 else 0.0
        p = self.rate if 0 < self.rate < 1 or not drawn.size else float(drawn.mean())
        if not (variance > 0 and 0 < p < 1):
            return self
        return replace(self, n_eff=min(self.n_eff, p * (1 - p) / variance))

    def low(self, error: float) -> float:
        """Lower bound, one-sided.

        >>> round(RateBounds(rate=0.02, n_eff=240, degrees=59).low(0.05), 8)
        0.00759932
        """
        if not self.n_eff:
            return 0.0
        if self.of_right and self._heavy:
            return 1 - float(fnmr_upper_bound(1 - self.rate, self.n_eff, self.degrees, self.image, error))
        return float(lower_bound(self.rate, self.n_eff, self.degrees, error))

    def high(self, error: float) -> float:
        """Upper bound, one-sided."""
        if not self.n_eff:
            return 1.0
        known = self.rate, self.n_eff, self.degrees
        if self.pair is None:
            heavy = self._heavy and not self.of_right
            return float(fnmr_upper_bound(*known, self.image, error) if heavy else upper_bound(*known, error))
        return float(fmr_upper_bound(*known, self.pair, self.person, error))

    def interval(self, alpha: float) -> Score:
        """Both bounds, each at ``alpha``/2."""
        return Score(low=self.low(alpha / 2), high=self.high(alpha / 2), n_eff=self.n_eff)

    def p_above(self, limit: float) -> float:
        """The p value of "the rate is above ``limit``": at most a exactly where the lower bound at a reaches it."""
        if not self.n_eff or not 0 <= limit < 1:
            return 1.0
        if self.of_right and self._heavy:
            return claim_p(lambda error: self.low(error) > limit)
        return float(p_above(self.rate, self.n_eff, self.degrees, limit))

    def p_below(self, limit: float) -> float:
        """The p value of "the rate is below ``limit``", by the upper bound."""
        if not self.n_eff or not 0 < limit <= 1:
            return 1.0
        if self.pair is not None or (self._heavy and not self.of_right):
            return claim_p(lambda error: self.high(error) < limit)
        return float(p_below(self.rate, self.n_eff, self.degrees, limit))

    def people_for(self, limit: float, error: float, pairs: float) -> int | None:
        """How many people a cohort needs to keep ``limit`` without a false match; None where these are enough.

        ``pairs``: pairs of people by weight in this one, so that TMR is ``pair`` times them (FORMULAS 8.18).

        >>> RateBounds(rate=0, n_eff=1e4, degrees=99, pair=1 / 4950).people_for(1e-4, 0.05, 4950)
        246
        """
        if self.pair is None or not self.n_eff or limit <= 0 or -math.log(error) * self.pair <= limit:
            return None
        return people_for(limit, error, self.pair * pairs)


def student(degrees: Numbers, error: Numbers) -> Floats:
    """Critical value of Student's t: exceeded with probability ``error``.

    >>> round(float(student(99, 0.05)), 4)
    1.6604
    """
    return np.asarray(-scipy.special.stdtrit(degrees, error))


def lower_bound(rate: Numbers, n_eff: Numbers, degrees: Numbers, error: Numbers) -> Floats:
    """Lower bound of a rate, FORMULAS 8.1: 0 at no error.

    The smaller root of the score equation is computed as p^2 over the larger one, free of cancellation.

    >>> round(float(lower_bound(1 / 200, 199, 199, 0.05)), 9)
    0.000249122
    """
    p, n, t = _of_one_shape(rate, n_eff, student(degrees, error))
    larger = p + t**2 / (2 * n) + t * np.sqrt(p * (1 - p) / n + t**2 / (4 * n**2))
    wilson = np.divide(p * p, larger, out=np.zeros(p.shape), where=p > 0)
    return np.asarray(np.minimum(wilson, _beta_quantile(scipy.special.ndtr(-t), p * n, (1 - p) * n)))


def upper_bound(rate: Numbers, n_eff: Numbers, degrees: Numbers, error: Numbers) -> Floats:
    """Upper bound of a rate, FORMULAS 8.1: 1 at nothing but errors.

    >>> round(float(upper_bound(1 / 200, 199, 199, 0.05)), 7), round(float(upper_bound(0, 2475, 99, 0.05)), 8)
    (0.0236698, 0.00122264)
    """
    p, n, t = _of_one_shape(rate, n_eff, student(degrees, error))
    root = t * np.sqrt(p * (1 - p) / n + t**2 / (4 * n**2))
    wilson = (p + t**2 / (2 * n) + root) / (1 + t**2 / n)
    tail, x, y = scipy.special.ndtr(-t), p * n, (1 - p) * n
    exact = np.ones(p.shape)
    some, far = (y > 0) & (tail >= FAR), (y > 0) & (tail >= UNDERFLOW) & (tail < FAR)
    exact[some] = scipy.special.betainccinv(x[some] + 1, y[some], tail[some])  # 1 - B(a'; y, x+1)
    if far.any():
        exact[far] = _far_quantile(
            lambda q: scipy.special.betaincc(x[far] + 1, y[far], q) > tail[far], np.zeros(int(far.sum())), 1.0
        )
    above = np.minimum(np.maximum(exact, wilson), 1.0)
    return np.asarray(np.where(np.isnan(exact), 1.0, above))  # nan: no double below 1


def _beta_quantile(tail: Floats, x: Floats, y: Floats) -> Floats:
    """B(tail; x, y+1), 0 where the tail or the quantile is below what SciPy can tell from 0."""
    values = np.zeros(x.shape)
    some, far = (x > 0) & (tail >= FAR), (x > 0) & (tail >= UNDERFLOW) & (tail < FAR)
    values[some] = scipy.special.betaincinv(x[some], y[some] + 1, tail[some])
    if far.any():
        least = np.full(int(far.sum()), math.log(UNDERFLOW / 2))
        values[far] = np.exp(
            _far_quantile(
                lambda q: scipy.special.betainc(x[far], y[far] + 1, np.exp(q)) <= tail[far], least, 0.0
            )
        )
    return np.where(values >= UNDERFLOW, values, 0.0)


def _far_quantile(below: Callable[[Floats], Flags], low: Floats, high: float) -> Floats:
    """The place between ``low`` and ``high`` up to which ``below`` holds, by halving."""
    upper = np.full_like(low, high)
    for _ in range(HALVINGS):
        middle = (low + upper) / 2
        lies_below = below(middle)
        low, upper = np.where(lies_below, middle, low), np.where(lies_below, upper, middle)
    return low


def p_above(rate: Numbers, n_eff: Numbers, degrees: Numbers, limit: Numbers) -> Floats:
    """The p value of "the rate is above ``limit``", a limit in [0, 1): at most a exactly where the lower bound at a
    reaches the limit; 1 where the rate is not above it, or p would pass 1/2.

    >>> round(float(p_above(1 / 200, 199, 199, 0.001)), 6), float(p_above(1 / 200, 199, 199, 0.02))
    (0.182974, 1.0)
    """  # noqa: D205  one sentence
    p, n, df, bar = _of_one_shape(rate, n_eff, degrees, limit)
    with np.errstate(divide="ignore", invalid="ignore"):  # a limit of 0: any rate is infinitely far above it
        score = (p - bar) / np.sqrt(bar * (1 - bar) / n)
    tail = np.ones(p.shape)
    some = p > bar
    tail[some] = scipy.special.betainc((p * n)[some], ((1 - p) * n)[some] + 1, bar[some])
    exact = -scipy.special.ndtri(np.clip(tail, UNDERFLOW, 1.0))
    stdtr = scipy.special.stdtr(df, -np.minimum(score, exact))
    return np.where(some & (stdtr <= 0.5), stdtr, 1.0)


def p_below(rate: Numbers, n_eff: Numbers, degrees: Numbers, limit: Numbers) -> Floats:
    """The p value of "the rate is below ``limit``": :func:`p_above` of what does not err.

    >>> round(float(p_below(0, 2475, 99, 0.002)), 7)
    0.0141033
    """
    return p_above(1 - _floats(rate), n_eff, degrees, 1 - _floats(limit))


def unseen_bound(
    rate: Numbers, n_eff: Numbers, degrees: Numbers, pair: Numbers, person: Numbers, error: Numbers
) -> Floats:
    """Upper bound of FMR that allows for one more pair of people and one more person like the heaviest (FORMULAS 8.18).

    ``pair``: what a pair of indistinguishable people adds to the rate, TMR * sum_{k<l} n_kl^2/M^2 (pooled) or
    TMR/P (identity), see :func:`pair_weight`; ``person``: what the heaviest person adds, max_k |R_k|/M or /P. With
    V = p(1-p)/n_eff, c = t/z, m = p + pair + person and v = min(c^2 V + pair^2 + person^2, 11 m^2) it is the (1-a)
    quantile of the Gamma distribution with mean m and variance v: at no error -ln(a) pair, the rule of three on pairs
    of people. It is never below that, so that it does not fall as errors rise (at a = .0005 the quantile would, by up
    to 8 %), and at most 1.

    >>> round(float(unseen_bound(8e-5, 8e-5 * (1 - 8e-5) / 1e-9, 99, 0.75 / 4950, 2e-5, 0.05)), 7)
    0.0005507
    >>> round(float(unseen_bound(0, 2475, 99, 0.75 / 4950, 0, 0.05)), 7)
    0.0004539
    """
    p, n, w, r, a, t = _of_one_shape(rate, n_eff, pair, person, error, student(degrees, error))
    inflation = t / -scipy.special.ndtri(a)
    mean = p + w + r
    variance = np.minimum(inflation**2 * p * (1 - p) / n + w**2 + r**2, MAX_SPREAD * mean**2)
    some = variance > 0
    shape = np.divide(mean**2, variance, out=np.ones(p.shape), where=some)
    scale = np.divide(variance, mean, out=np.zeros(p.shape), where=some)
    quantile = np.where(some, scale * scipy.special.gammainccinv(shape, a), mean)
    return np.asarray(np.minimum(np.maximum(quantile, -np.log(a) * w), 1.0))


def fmr_upper_bound(
    rate: Numbers, n_eff: Numbers, degrees: Numbers, pair: Numbers, person: Numbers, error: Numbers
) -> Floats:
    """Upper bound of FMR: the larger of :func:`upper_bound` and :func:`unseen_bound` (FORMULAS 8.18).

    >>> round(float(fmr_upper_bound(0, 2475, 99, 0.75 / 4950, 0, 0.05)), 7)
    0.0012226
    """
    return np.maximum(
        upper_bound(rate, n_eff, degrees, error), unseen_bound(rate, n_eff, degrees, pair, person, error)
    )


def fnmr_upper_bound(
    rate: Numbers, n_eff: Numbers, degrees: Numbers, image: Numbers, error: Numbers
) -> Floats:
    """Upper bound of FNMR: of :func:`upper_bound`, and of one that allows for one more bad image, the larger.

    ``image``: what such an image would add to the rate (:func:`~.dependence.image_weight`). With V = p(1-p)/n_eff,
    m = p + image and v = V + image^2 the second is the (1-a) quantile of the Gamma distribution with mean m and
    variance v, at least -ln(a) image. It counts where the image weighs more than one effective comparison, image >
    1/n_eff: one more of those is allowed for already.

    >>> round(float(fnmr_upper_bound(0.02, 240, 59, 0.01125, 0.05)), 7)
    0.0581328
    >>> round(float(fnmr_upper_bound(0.02, 240, 59, 0.004, 0.05)), 7)
    0.0425717
    """
    known = upper_bound(rate, n_eff, degrees, error)
    heavier = _floats(image) * _floats(n_eff) > 1
    return np.where(heavier, np.maximum(known, unseen_bound(rate, n_eff, np.inf, image, 0.0, error)), known)


def pair_weight(match_rate: Numbers, blocks: Numbers) -> Floats:
    """What one pair of indistinguishable people adds to FMR (``w`` of FORMULAS 8.18).

    ``match_rate``: TMR = 1 - FNMR at the same threshold and weighting, 1 without mated comparisons; ``blocks``: the
    number of pairs of people by weight, M^2 / sum_{k<l} n_kl^2 (pooled) or P (identity).

    >>> round(float(pair_weight(0.75, 4950)), 8)
    0.00015152
    """
    return _floats(match_rate) / _floats(blocks)


def people_for(limit: float, error: float, match_rate: float = 1.0) -> int:
    """The fewest people whose cohort without any false match can be shown to keep ``limit`` (FORMULAS 8.18).

    The bound at no error is -ln(error) match_rate/P with P = K(K-1)/2 pairs of people: K is the smallest with that at
    most ``limit``, about sqrt(2 (-ln error) match_rate/limit).

    >>> [people_for(limit, 0.05) for limit in (1e-2, 1e-3, 1e-4, 1e-5)]
    [25, 78, 246, 775]
    """
    pairs = math.ceil(-math.log(error) * match_rate / limit * (1 - 1e-12))
    return (1 + math.isqrt(8 * pairs - 7)) // 2 + 1  # the smallest K with K(K-1)/2 >= pairs


def _floats(value: Numbers) -> Floats:
    return np.asarray(value, dtype=np.float64)


def _of_one_shape(*values: Numbers) -> Sequence[Floats]:
    """The values as arrays of one shape; single numbers, which most are, as they are."""
    arrays = [_floats(value) for value in values]
    return np.broadcast_arrays(*arrays) if any(array.ndim for array in arrays) else arrays
