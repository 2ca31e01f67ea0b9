"""How many errors it takes to show that a group's rate is at most so many times the overall one.

Of x errors in all a group with a share f of the comparisons has x f where the rates are equal, and the ratio is s/f, s
its share of the errors: a proportion on x (:mod:`~frtaudit.stats.intervals.overall_ratio`). With few people in the
group the overall rate is known, and log(s/f) has a variance of one over the group's errors, so that a limit R takes

    ((z_alpha + z_power) / log R)^2

of them: 54 at R = 1.25, 0.05 and even odds, 124 for a power of 0.8. The larger the group, the fewer, as the overall
rate moves with its own: a factor 1 - f.
"""

from frtaudit.stats._scipy import scipy
from frtaudit.stats.intervals.dependence import degrees_of_freedom
from frtaudit.stats.intervals.rate_bounds import RateBounds


def power_to_pass_ratio(errors: float, share: float, limit: float, alpha: float, subjects: float) -> float:
    """Probability that a group's ratio passes ``limit`` where it is 1, by the bounds that an audit uses.

    ``errors``: expected in all, effective ones; ``share``: of comparisons that are the group's; ``subjects``: in it or
    in the rest, whichever are fewer. Errors of the group are counted as in
    :func:`~frtaudit.stats.sample_size.power.power_to_pass`.

    >>> round(power_to_pass_ratio(13_500, 0.01, 1.25, 0.05, 1000), 2)
    0.85
    """
    if share * limit >= 1:
        return 1.0
    if errors <= 0 or share <= 0:
        return 0.0

    def beyond(seen: float) -> float:
        bounds = RateBounds(rate=seen, n_eff=errors, degrees=degrees_of_freedom(subjects))
        return bounds.high(alpha) - share * limit

    if beyond(0.0) > 0:
        return 0.0
    allowed = float(scipy.optimize.brentq(beyond, 0.0, share * limit, xtol=1e-9 * share))
    whole = errors * allowed - 1
    return 0.0 if whole <= -1 else float(scipy.special.betainc(errors - whole, whole + 1, 1 - share))
