"""How many subjects would decide a requirement or detect a difference, if estimate and variance stay as they are."""

import math
from statistics import NormalDist

DIGITS = 2  # of a number of subjects, which is a projection
# Times the subjects at hand; halvings of the interval in which their number is searched.
MAX_TIMES, HALVINGS = 2.0**40, 40


def subjects_needed(
    value: float, limit: float, *, upper: bool, alpha: float, family: int, n_eff: float, subjects: float
) -> float | None:
    """How many subjects put the deciding bound on the limit; None where no number does, or those there are.

    The bound is the outer of Wilson's and Clopper and Pearson's (FORMULAS 8.1), at ``alpha`` for a pass, at alpha over
    the ``family`` for a failure (Holm's first step). It moves with the effective sample size, which is taken to be
    proportional to subjects. What the bound of FMR allows for besides is left out.

    Parameters
    ----------
    value, limit : float
        The estimated rate p, and its limit L; ``upper``: whether that is an upper one.
    alpha, family : float, int
        One-sided error of the finding's bound, and how many findings are adjusted together.
    n_eff, subjects : float
        Effective sample size of the rate, and the subjects of its group.

    Examples
    --------
    >>> subjects_needed(0.01, 0.02, upper=True, alpha=0.05, family=1, n_eff=400.0, subjects=100)
    140.0
    """
    if value == limit or not (n_eff and subjects and 0.0 < limit < 1.0):
        return None
    beyond = value > limit if upper else value < limit
    error = alpha / family if beyond else alpha
    # A lower bound of errors is an upper one of right decisions.
    rate, end = (1.0 - value, 1.0 - limit) if upper == beyond else (value, limit)
    few, many = 1.0, 2.0
    while many < MAX_TIMES and not _below(rate, end, error, many * n_eff, many * subjects):
        few, many = many, 2.0 * many
    if _below(rate, end, error, few * n_eff, few * subjects):
        return None
    for _ in range(HALVINGS):
        middle = (few + many) / 2.0
        few, many = (
            (few, middle) if _below(rate, end, error, middle * n_eff, middle * subjects) else (middle, many)
        )
    return projected(subjects * many, subjects)


def _below(rate: float, limit: float, error: float, n: float, subjects: float) -> bool:
    """Whether the upper bound of a rate below the limit, on n comparisons of so many subjects, keeps it.

    Wilson's does where ``(L - p)^2 n >= t^2 L (1 - L)``, Clopper and Pearson's where the chance of so few errors at the
    limit, ``I(1 - L; (1 - p) n, p n + 1)``, is at most the normal tail beyond t.
    """
    from scipy.special import betainc, ndtr, stdtrit

    t = float(stdtrit(max(subjects - 1.0, 1.0), 1.0 - error))
    wilson = (limit - rate) ** 2 * n >= t**2 * limit * (1.0 - limit)
    return bool(wilson and betainc((1.0 - rate) * n, rate * n + 1.0, 1.0 - limit) <= ndtr(-t))


def subjects_for_distance(
    value: float,
    limit: float,
    interval: tuple[float, float],
    *,
    level: float,
    errors: tuple[float, float],
    subjects: float,
) -> float | None:
    """How many subjects put the deciding bound of a d_l2 on its upper limit; None as for a rate.

    The bounds are on the square v = d^2 (FORMULAS 8.7). With k times the subjects its variance, about b v, is b v / k.
    The lower bound then is ``v - z sqrt(b v / k)``, b from the lower bound at hand; the upper one is the largest w with
    ``(w - v)^2 <= z^2 b w / k``, b from the upper bound. A lower bound cut off at 0 gives no b, and so no number.

    Parameters
    ----------
    value, limit, interval : float, float, (2,) float
        The estimated d, its upper limit, and its two-sided interval at ``level``.
    errors : (2,) float
        One-sided errors of the bound that passes and of the bound that fails, adjusted for findings and classes.

    Examples
    --------
    >>> subjects_for_distance(1.2, 1.5, (0.0, 2.0), level=0.95, errors=(0.05, 0.001), subjects=442)
    1700.0
    """
    low, high = interval
    fails = value > limit
    if value == limit or limit <= 0.0 or (fails and low <= 0.0):
        return None
    bound, at, error = (low, value, errors[1]) if fails else (high, limit, errors[0])
    scale = at / (value if fails else high)  # the variance is that at the estimate, or that at the bound
    z = [NormalDist().inv_cdf(1.0 - tail) for tail in ((1.0 - level) / 2.0, error)]
    k = (z[1] / z[0] * (value**2 - bound**2) / (value**2 - limit**2) * scale) ** 2
    return projected(subjects * k, subjects)


def subjects_to_detect(size: float, detectable: float, subjects: float) -> float | None:
    """How many subjects make a difference of this size detectable; None where those there are do.

    The minimum detectable difference is a multiple of a standard error, which falls as one over the root of the number
    of subjects: K (detectable / size)^2. Of a ratio both are logarithms.

    Examples
    --------
    >>> subjects_to_detect(0.008, 0.03, 240)
    3400.0
    """
    return projected(subjects * (detectable / size) ** 2, subjects) if size > 0.0 else None


def projected(needed: float, subjects: float) -> float | None:
    """Rounded as a projection is, to more than there are; None where those would be enough."""
    if needed <= subjects:
        return None
    rounded = float(f"{needed:.{DIGITS}g}")
    return rounded if rounded > subjects else rounded + 10.0 ** (math.floor(math.log10(needed)) + 1 - DIGITS)
