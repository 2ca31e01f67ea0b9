"""How many subjects would decide a requirement, if rate and effective sample size per subject stay as estimated."""

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
    needed = subjects * n / n_eff
    return float(f"{needed:.{DIGITS}g}") if needed > subjects else None
