"""Slow twins of bands and fairness metrics: plain Python, one number at a time, from the formulas."""

import math
from collections.abc import Sequence
from statistics import mean, stdev

NAN = math.nan


def quantile(values: Sequence[float], probability: float) -> float:
    """Type 7 quantile of finite and infinite values."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * probability
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    if ordered[low] == ordered[high] or place == low:
        return ordered[low]
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def simultaneous(
    replicates: Sequence[Sequence[float]],
    stat: Sequence[float],
    vstat: Sequence[float],
    usable: Sequence[bool],
    alpha: float,
) -> list[tuple[float, float] | None]:
    """FORMULAS 8.10, point by point: (low, high), None outside the set of points."""
    columns = [[one[t] - vstat[t] for one in replicates] if usable[t] else [] for t in range(len(stat))]
    inside = [t for t, column in enumerate(columns) if _varied(column)]
    rows = [b for b in range(len(replicates)) if not any(math.isnan(columns[t][b]) for t in inside)]
    if not inside or len(replicates) - len(rows) > 0.02 * len(replicates):
        return [None] * len(stat)
    centre = {t: mean(columns[t][b] for b in rows) for t in inside}
    sd = {t: stdev(columns[t][b] for b in rows) for t in inside}
    c = quantile([max(abs(columns[t][b] - centre[t]) / sd[t] for t in inside) for b in rows], 1 - alpha)
    return [
        (stat[t] + centre[t] - c * sd[t], stat[t] + centre[t] + c * sd[t]) if t in inside else None
        for t in range(len(stat))
    ]


def _varied(column: Sequence[float]) -> bool:
    known = [gap for gap in column if not math.isnan(gap)]
    few = len(column) - len(known) > 0.02 * len(column)
    return bool(known) and not few and all(map(math.isfinite, known)) and min(known) < max(known)


def band_at(
    at: float, x: Sequence[float], low: Sequence[float], high: Sequence[float]
) -> tuple[float, float] | None:
    """The band of a falling curve at any place: low of the nearest point not left of it, high of the nearest not right.

    None outside the points that have bounds.
    """
    known = [k for k in range(len(x)) if math.isfinite(low[k]) and math.isfinite(high[k])]
    right = [k for k in known if x[k] >= at]
    left = [k for k in known if x[k] <= at]
    return (low[min(right)], high[max(left)]) if right and left else None


def index(kind: str, rates: Sequence[float]) -> float:
    """One of 002's four fairness metrics of the rates of G groups (FORMULAS 1)."""
    if any(math.isnan(rate) for rate in rates) or max(rates) == 0:
        return NAN
    G = len(rates)
    if kind == "gini":
        mu = sum(rates) / G
        total = sum(abs(a - b) for a in rates for b in rates)
        return NAN if G == 1 else G / (G - 1) * total / (2 * G**2 * mu)
    if min(rates) == 0:
        return math.inf
    g = math.exp(sum(math.log(rate) for rate in rates) / G)
    if kind == "max_min":
        return max(rates) / min(rates)
    if kind == "max_geomean":
        return max(rates) / g
    return sum(abs(math.log10(rate / g)) for rate in rates)


def interval(
    method: str, replicates: Sequence[float], stat: float, vstat: float, alpha: float
) -> tuple[float, float]:
    """Naive, recentered or Gaussian interval of FORMULAS 1, from replicates that are all defined."""
    gaps = [one - vstat for one in replicates]
    if method == "gaussian":
        z = 1.959963984540054 if alpha == 0.05 else NAN
        return stat + mean(gaps) - z * stdev(gaps), stat + mean(gaps) + z * stdev(gaps)
    shift = vstat if method == "naive" else stat
    return shift + quantile(gaps, alpha / 2), shift + quantile(gaps, 1 - alpha / 2)
