"""What the page's script reads: counts over thresholds, and the curves that are drawn, thinned to a size."""

import json
import math
from collections.abc import Sequence

from frtaudit.core import Curve
from frtaudit.core.canonical import Json
from frtaudit.report.direction import as_shown
from frtaudit.report.source import Source

POINTS = 40_000  # numbers over all error counts: half a megabyte of page
MAX_CURVE_POINTS, MIN_CURVE_POINTS = 400, 24
DIGITS = 6
DRAWN = ("roc", "det", "fmr", "fnmr")


def embedded(source: Source) -> str:
    """The data as JSON that may stand in a page: no ``<``.

    ``error_counts``: one for each system and group, thresholds ``t`` with false matches ``fm`` of ``n`` and false
    non-matches ``fnm`` of ``m`` (rates where counts are not known: ``n`` or ``m`` is null); ``curves``: pointer to
    ``x``, ``y`` and the band.
    """
    others = {
        (curve.provider, curve.schema, curve.group): curve
        for curve in (*source.curves("fnmr"), *source.curves("fnmr", grouped=True))
    }
    pairs = []
    for fmr in (*source.curves("fmr"), *source.curves("fmr", grouped=True)):  # everybody first
        fnmr = others.get((fmr.provider, fmr.schema, fmr.group))
        if fnmr is not None and fnmr.x == fmr.x:
            pairs.append((fmr, fnmr))
    step = max(MIN_CURVE_POINTS, min(MAX_CURVE_POINTS, POINTS // max(3 * len(pairs), 1)))
    value: dict[str, Json] = {
        "error_counts": [_pair_data(source, *pair, step) for pair in pairs],
        "curves": _curves(source),
    }
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False)
    return text.replace("<", "\\u003c")


def _pair_data(source: Source, fmr: Curve, fnmr: Curve, most: int) -> Json:
    """FMR and FNMR of one system and group over the thresholds of the result's grid."""
    indices = thinned(len(fmr.x), most)
    false_matches, n = _counts(source, fmr, indices)
    false_non_matches, m = _counts(source, fnmr, indices)
    return {
        "system": as_shown(fmr.provider),
        "schema": fmr.schema and as_shown(fmr.schema),
        "group": as_shown(source.label(fmr.schema, fmr.group)),
        "t": _short(fmr.x, indices),
        "fm": false_matches,
        "n": n,
        "fnm": false_non_matches,
        "m": m,
        "at": [source.place(fmr), source.place(fnmr)],
    }


def thinned(count: int, most: int) -> list[int]:
    """At most ``most`` indices, evenly, the first and the last among them.

    >>> thinned(5, 9), thinned(9, 3)
    ([0, 1, 2, 3, 4], [0, 4, 8])
    """
    if count <= most:
        return list(range(count))
    return [round(place * (count - 1) / (most - 1)) for place in range(most)]


def _counts(source: Source, curve: Curve, indices: Sequence[int]) -> tuple[list[Json], int | None]:
    """Errors at each kept point and trials; rates and None where the curve is no quotient of counts."""
    trials = _trials(source, curve)
    if trials:
        errors = [curve.y[index] * trials for index in indices]
        if all(abs(error - round(error)) < 1e-6 * max(1.0, error) for error in errors):
            return [round(error) for error in errors], trials
    return _short(curve.y, indices), None


def _trials(source: Source, curve: Curve) -> int | None:
    """How many comparisons stand behind a pooled curve: the denominator of any estimate of the same rate."""
    if curve.weighting == "identity":
        return None
    metrics = ("fmr",) if curve.analysis == "fmr" else ("fnmr", "fnmr_at_fmr")
    of = (curve.provider, curve.schema, curve.group)
    for record in source.select(*metrics):
        estimate = record.estimate
        same = (estimate.provider, estimate.schema, estimate.group) == of
        if same and estimate.denominator and "pairs" not in estimate.at:
            return estimate.denominator
    return None


def _curves(source: Source) -> dict[str, Json]:
    """Curves of everybody, as the figures draw them, by pointer."""
    curves = [*source.banded("roc"), *(drawable for kind in DRAWN[1:] for drawable in source.curves(kind))]
    most = max(MIN_CURVE_POINTS, min(MAX_CURVE_POINTS, POINTS // max(2 * len(curves), 1)))
    by_pointer: dict[str, Json] = {}
    for curve in curves:
        indices = thinned(len(curve.x), most)
        part: dict[str, Json] = {
            "x": _short(curve.x, indices),
            "y": _short(curve.y, indices),
            "name": as_shown(curve.provider),
        }
        if curve.low is not None and curve.high is not None:
            part |= {"low": _short(curve.low, indices), "high": _short(curve.high, indices)}
        by_pointer[source.place(curve)] = part
    return by_pointer


def _short(values: Sequence[float], indices: Sequence[int]) -> list[Json]:
    """Values to six digits; what is not finite is null."""
    rounded = [float(f"{values[index]:.{DIGITS}g}") for index in indices]
    return [None if not math.isfinite(value) else value for value in rounded]
