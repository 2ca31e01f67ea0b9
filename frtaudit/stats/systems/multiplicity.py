"""Many claims at once: adjusted p values, and the p value that goes with a one-sided bound (FORMULAS 8.8, 8.9)."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

SMALLEST, LARGEST = 1e-12, 0.499999
STEPS = 36


def claim_p(breaks: Callable[[float], bool], n_resamples: int | None = None) -> float:
    """The p value of "the limit is broken": the smallest error a at which the one-sided 1 - a bound breaks it.

    ``breaks``: whether the bound of that error, in (0, 0.5), lies beyond the limit; bounds widen as a falls. So p and
    bound agree by construction: p <= a if and only if the 1 - a bound breaks the limit. For Wilson's interval this is
    the score test: (p - L)/sqrt(L(1-L)/n_eff) against t_{K-1}. ``n_resamples``: B where the bound is a quantile of
    replicates; a quantile of type 7 has (B-1) a replicates beyond it, and p = (1 + that, rounded up)/(B+1), where a
    replicate equal to the limit counts with them; never less than 1/(B+1). Above 0.5 it is given as 1, below 1e-12 as
    1e-12: neither claims anything more.

    >>> from scipy import stats
    >>> round(claim_p(lambda a: 2.0 - stats.norm.isf(a) > 0.0), 6), round(float(stats.norm.sf(2.0)), 6)
    (0.02275, 0.02275)
    >>> claim_p(lambda a: True, 99), claim_p(lambda a: False)
    (0.01, 1.0)
    """
    if not breaks(LARGEST):
        return 1.0
    low, high = math.log(SMALLEST), math.log(LARGEST)
    if breaks(SMALLEST):
        high = low
    for _ in range(STEPS if high > low else 0):
        middle = (low + high) / 2
        low, high = (low, middle) if breaks(math.exp(middle)) else (middle, high)
    exp = math.exp(high)
    if n_resamples is None:
        return exp
    beyond = 0 if high == math.log(SMALLEST) else math.floor((n_resamples - 1) * exp + 1e-6) + 1
    return (1 + beyond) / (n_resamples + 1)


def holm(p: Sequence[float]) -> tuple[float, ...]:
    """Holm's adjusted p values: at most alpha of the families with no true claim have one at or below alpha.

    The values of statsmodels' ``multipletests(p, method="holm")``, which walks all of memory for garbage at each call.

    >>> holm([0.01, 0.04, 0.03])
    (0.03, 0.06, 0.06)
    """
    if len(p) < 2:
        return tuple(p)
    import numpy as np  # a spec is checked without

    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values)
    adjusted = np.empty(values.size)
    adjusted[order] = np.minimum(np.maximum.accumulate(values[order] * np.arange(values.size, 0, -1)), 1.0)
    return tuple(adjusted.tolist())


def benjamini_yekutieli(p: Sequence[float]) -> tuple[float, ...]:
    """Benjamini and Yekutieli's adjusted p values: of what is flagged at alpha at most that share is false, however p
    values depend on each other. The values of statsmodels' ``multipletests(p, method="fdr_by")``, whose import takes a
    second.

    >>> [round(value, 4) for value in benjamini_yekutieli([0.01, 0.04, 0.03])]
    [0.055, 0.0733, 0.0733]
    """  # noqa: D205  one sentence
    if len(p) < 2:
        return tuple(p)
    import numpy as np  # a spec is checked without

    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values)
    ranks = np.arange(1, values.size + 1)
    raw = values[order] / (ranks / float(values.size) / np.sum(1.0 / ranks))
    adjusted = np.empty(values.size)
    adjusted[order] = np.minimum(np.minimum.accumulate(raw[::-1])[::-1], 1.0)
    return tuple(adjusted.tolist())


def step_errors(p: Sequence[float], alpha: float) -> tuple[float, ...]:
    """The error at which Holm's step-down judges each claim: alpha/m for the smallest p, alpha/(m-1) for the next.

    Equal p values share the smaller error; claims after the first that is not made keep the error of that first one, so
    that a bound at this error breaks its limit if and only if the adjusted p value is at most alpha.

    >>> step_errors([0.2, 0.001, 0.4], 0.06)
    (0.03, 0.02, 0.03)
    """
    import numpy as np  # a spec is checked without

    values = np.asarray(p, dtype=np.float64)
    errors = np.empty(values.size)
    stopped: float | None = None
    for value in np.unique(values):
        rank = int(np.count_nonzero(values < value))
        error = alpha / (values.size - rank) if stopped is None else stopped
        errors[values == value] = error
        if value > error:
            stopped = error
    return tuple(errors.tolist())


def enough_for_holm(alpha: float, claims: int) -> int:
    """The smallest B with 1/(B+1) <= alpha/m: with fewer replicates the first step could never be taken (8.9).

    >>> enough_for_holm(0.05, 10), enough_for_holm(0.05, 0)
    (199, 0)
    """
    return max(0, math.ceil(claims / Fraction(str(alpha)) - 1))


def enough_for_scan(alpha: float, tests: int) -> int:
    """The smallest B with 1/(B+1) <= alpha/(m H_m), H_m = 1 + 1/2 + ... + 1/m (8.9).

    >>> enough_for_scan(0.05, 3)
    109
    """
    harmonic = sum(Fraction(1, rank) for rank in range(1, tests + 1))
    return max(0, math.ceil(tests * harmonic / Fraction(str(alpha)) - 1))
