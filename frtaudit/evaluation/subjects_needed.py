"""How many subjects would decide a requirement or detect a difference, if estimate and variance stay as they are."""

from statistics import NormalDist

DIGITS = 2  # of a number of subjects, which is a projection


def subjects_needed(
    value: float, limit: float, *, upper: bool, alpha: float, family: int, n_eff: float, subjects: float
) -> float | None:
    """How many subjects put the deciding Wilson bound on the limit; None where no number does, or those there are.

    Wilson's bound of a rate p on n comparisons equals a limit L exactly where ``|p - L| = z sqrt(L (1 - L) / n)``, so
    ``n = z^2 L (1 - L) / (p - L)^2``. n grows with subjects as the effective sample size does, which is taken to be
    proportional to them. z: of ``alpha`` for a pass, of alpha over the ``family`` for a failure (Holm's first step).

    Parameters
    ----------
    value, limit : float
        The estimated rate p, and its limit L; ``upper``: whether that is an upper one.
    alpha, family : float, int
        Level of the finding's one-sided bound, and how many findings are adjusted together.
    n_eff, subjects : float
        Effective sample size of the rate, and the subjects of its group.

    Examples
    --------
    >>> subjects_needed(0.01, 0.02, upper=True, alpha=0.05, family=1, n_eff=400.0, subjects=100)
    130.0
    """
    if value == limit or not (n_eff and subjects and 0.0 < limit < 1.0):
        return None
    beyond = value > limit if upper else value < limit
    z = NormalDist().inv_cdf(1.0 - (alpha / family if beyond else alpha))
    n = z**2 * limit * (1.0 - limit) / (value - limit) ** 2
    return projected(subjects * n / n_eff, subjects)


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
    """Rounded as a projection is; None where those there are would be enough."""
    return float(f"{needed:.{DIGITS}g}") if needed > subjects else None
