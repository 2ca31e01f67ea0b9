"""From the bounds of many cohorts to rows of the study: coverage, misses, widths, each with its Monte Carlo error."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import scipy

from frtaudit.core import Method
from frtaudit.core.arrays import Floats
from frtaudit.core.canonical import Json
from frtaudit.stats.intervals.closed_form import wilson_score
from frtaudit.testing.checks import ALARM, Coverage, tally
from frtaudit.testing.study.claims import DEFAULT, PERCENTILE, RATES, WIDEST, floor_of, width_is_held
from frtaudit.testing.study.cohorts import Bounds, Collected
from frtaudit.testing.study.shots import Key

SIZE = 0.05
MIN_AT_EQUALITY = ("max_min", "gini", "d_l2")  # 0 for groups alike, the first on the log scale
DIGITS = 4


def rows(collected: Collected) -> list[dict[str, Json]]:
    """One row per interval: quantity, point, method, counts of hits and misses, widths, and whether the claim holds."""
    return [_row(key, bounds, collected.shots) for key, bounds in collected.shots.items()]


def null_rows(collected: Collected) -> list[dict[str, Json]]:
    """One row per test: how often it rejected a true null at 0.05, among the cohorts where it could be made."""
    return [_test_row(test, point, p_values) for (test, point), p_values in collected.tests.items()]


def _row(key: Key, bounds: Bounds, shots: Mapping[Key, Bounds]) -> dict[str, Json]:
    floor = floor_of(key) if np.isfinite(bounds.low).any() else None
    printed = _printed(key, bounds, shots)
    coverage = tally(printed.low, printed.high, printed.truth, floor=floor or DEFAULT)
    direct = tally(bounds.low, bounds.high, bounds.truth, floor=floor or DEFAULT)
    width, error, oracle = _widths(key, bounds)
    values = _finite(bounds.value)
    ratio = width / oracle if oracle else float("nan")
    return {
        "quantity": key.quantity,
        "point": key.point,
        "weighting": key.weighting,
        "method": key.method.value,
        "target": key.target.value,
        "nominal": key.nominal,
        "truth": _short(float(np.nanmean(bounds.truth))),
        "mean_estimate": _short(float(values.mean()) if values.size else float("nan")),
        "cohorts": coverage.runs,
        "printed": coverage.given,
        "own": direct.given,
        "own_covered": direct.covered,
        "lower_misses": coverage.lower_misses,
        "upper_misses": coverage.upper_misses,
        "coverage": _short(coverage.share),
        "mc_error": _short(coverage.error),
        "width": _short(width),
        "width_ratio": _short(ratio),
        "width_ratio_error": _short(error / oracle if oracle else float("nan")),
        "floor": floor,
        "p_value": None if floor is None else _short(coverage.p_value),
        "holds": None if floor is None else coverage.holds,
        "narrow": bool(ratio <= WIDEST) if width_is_held(key) and np.isfinite(ratio) else None,
    }


def _printed(key: Key, bounds: Bounds, shots: Mapping[Key, Bounds]) -> Bounds:
    """What the audit prints: the rule of 8.1 where a percentile interval is withheld (8.3)."""
    rule = shots.get(replace(key, method=Method.WILSON))
    if key.method not in PERCENTILE or rule is None:
        return bounds
    withheld = np.isnan(bounds.low)
    return replace(
        bounds, low=np.where(withheld, rule.low, bounds.low), high=np.where(withheld, rule.high, bounds.high)
    )


def _widths(key: Key, bounds: Bounds) -> tuple[float, float, float]:
    """Mean width, its Monte Carlo error, and the oracle's width.

    The oracle knows how far the estimate strays over the cohorts, sd. Of a rate it prints Wilson's interval on the
    n_eff = p(1-p)/sd^2 that gives that sd; of anything else, estimate -+ z sd. A ratio of groups is measured on the log
    scale. Of an index whose truth lies within one such sd of its least value (groups alike, or nearly) estimate and
    interval are folded: it has no oracle (0).
    """
    low, high, value, truth = bounds.low, bounds.high, bounds.value, bounds.truth
    if key.quantity == "max_min":
        with np.errstate(divide="ignore"):
            low, high, value, truth = (np.log(part) for part in (low, high, value, truth))
    widths = _finite(high - low)
    if widths.size < 2:
        return float("nan"), float("nan"), 0.0
    away = _finite(value - truth)
    spread = float(away.std(ddof=1)) if away.size > 1 else 0.0
    folded = key.quantity in MIN_AT_EQUALITY and float(truth.mean()) < spread
    z = float(scipy.stats.norm.isf((1 - key.nominal) / 2))
    oracle = 0.0 if folded else 2 * z * spread
    if key.quantity in RATES and spread:
        mean = float(truth.mean())
        scores = [wilson_score(float(rate), mean * (1 - mean) / spread**2, z) for rate in _finite(value)]
        oracle = float(np.mean([score.high - score.low for score in scores]))
    return float(widths.mean()), float(widths.std(ddof=1) / np.sqrt(widths.size)), oracle


def _test_row(test: str, point: str, p_values: Floats) -> dict[str, Json]:
    rejected = int(np.count_nonzero(p_values <= SIZE))
    coverage = Coverage(
        runs=p_values.size,
        given=p_values.size,
        lower_misses=rejected,
        upper_misses=0,
        floor=1 - SIZE,
        alarm=ALARM,
    )
    return {
        "test": test,
        "point": point,
        "made": int(p_values.size),
        "rejected": rejected,
        "size": _short(rejected / p_values.size),
        "mc_error": _short(coverage.error),
        "p_value": _short(coverage.p_value),
        "holds": coverage.holds,
    }


def _finite(values: Floats) -> Floats:
    return values[np.isfinite(values)]


def _short(value: float) -> float:
    """Four significant digits: more would be noise. Not finite: as canonical JSON writes it."""
    return float(f"{value:.{DIGITS}g}")
