"""Two systems as Conti and Clemencon draw them (002): two models with bands, two splits of the data, zones of a metric.

Curves over FMR of everybody, in the primary weighting. Bands are recentred bootstrap intervals of target
fixed_identities: same subjects, new images.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np

from frtaudit.core import Curve, Method, ScoreTail, Target
from frtaudit.core.arrays import Ints
from frtaudit.core.canonical import seed_of
from frtaudit.core.curves import spans
from frtaudit.core.spec import IntervalSpec, Plan
from frtaudit.evaluation.over_fmr import Drawn, classes_along, index_along, read_along, without_value
from frtaudit.evaluation.system import WEIGHTINGS, SystemData, replicates_of
from frtaudit.stats.groups.differentials import RateIndex
from frtaudit.stats.intervals import bootstrap_intervals
from frtaudit.stats.rates import rates as rates_of
from frtaudit.stats.rates.resolution import unresolved
from frtaudit.stats.rates.targets import thresholds_at
from frtaudit.stats.systems import support

TWO_MODELS, TWO_SPLITS, ZONES, CODES = "two_models", "two_splits", "zones", "zone_codes"
RECENTERED = IntervalSpec(method=Method.RECENTERED, target=Target.FIXED_IDENTITIES)
SPLITS = ("split 1", "split 2")


def two_models(systems: Sequence[SystemData], alpha: float) -> Iterator[Curve]:
    """FNMR over FMR of each of two systems with its band (002, its comparison of two models)."""
    for system in systems:
        along = read_along(system, "fnmr", system.spec.weighting, 0)
        named = Drawn(system=system, kind=TWO_MODELS, schema=None, group="all", metric="roc", rate="fnmr")
        yield named.banded(along, RECENTERED, alpha, (None,) * along.x.size)


def halves(subject_of: Ints, rng: "np.random.Generator") -> Ints:
    """The part of each sample, 0 or 1, -1 = left out (002, A.3): half the images of every subject in each part.

    Subjects with one image are left out; the odd image of one subject goes to one part, that of the next to the other.

    >>> halves(np.array([0, 0, 1, 1, 1, 2]), np.random.default_rng(0)).tolist()[-1]
    -1
    """
    part = np.full(subject_of.size, -1, dtype=np.int64)
    extra = 0
    for subject in np.unique(subject_of):
        permutation = rng.permutation(np.flatnonzero(subject_of == subject))
        if permutation.size < 2:
            continue
        first = permutation.size // 2 + (permutation.size % 2 if extra == 0 else 0)
        extra = 1 - extra if permutation.size % 2 else extra
        part[permutation[:first]], part[permutation[first:]] = 0, 1
    return part


def two_splits(systems: Sequence[SystemData], alpha: float) -> Iterator[Curve]:
    """FNMR over FMR of each system on both halves of every subject's images; the first has a band on the first half.

    Nothing where comparisons were listed: half the images have no list of their own.
    """
    first = systems[0]
    if any(system.table is not None for system in systems):
        return
    rng = np.random.default_rng(seed_of(first.spec.seed, TWO_SPLITS))
    part = halves(first.cohort.subject_of.astype(np.int64), rng)
    for place, system in enumerate(systems):
        for split, name in enumerate(SPLITS):
            tail = support.restricted(system.tail, part == split)
            yield _on_split(system, tail, name, alpha if place == split == 0 else None)


def _on_split(system: SystemData, tail: ScoreTail, name: str, alpha: float | None) -> Curve:
    """The curve of one half; with a band where ``alpha`` is given."""
    w = WEIGHTINGS.index(system.spec.weighting)
    points = system.operating_points.targets
    pairs = int(rates_of.trials(tail, system.groups).non_mated[0])
    reasons = [unresolved(target, pairs) for target in points]
    at = thresholds_at(tail, system.groups, points, reasons, (system.spec.weighting,))[0]
    usable = np.flatnonzero(np.isfinite(at))
    targets = [points[a] for a in usable]
    rates = rates_of.rates(tail, system.groups, at[usable])
    value = (rates.frr if w else rates.fnmr)[:, 0]
    vstat = (rates.frr_bar if w else rates.fnmr_bar)[:, 0]
    refused = [None if np.isfinite(cut) else "too few false matches are expected, or too deep" for cut in at]
    make = partial(Curve.of, weighting=system.spec.weighting.value, metric="roc", rate="fnmr")
    curve = make(system.provider, TWO_SPLITS, targets, value, (None, name), notes=spans(points, refused))
    if alpha is None or not tail.mated_complete or not targets:
        return curve
    drawn = replicates_of(system.spec, Plan.IMAGES, tail, system.groups, targets).fnmr[w, ..., 0]
    bounds = [
        bootstrap_intervals.recentered(drawn[:, a], float(value[a]), float(vstat[a]), alpha)
        for a in range(len(targets))
    ]
    low, high = (tuple(np.nan if bound is None else bound[end] for bound in bounds) for end in (0, 1))
    return replace(
        curve, low=low, high=high, method=Method.RECENTERED, target=Target.FIXED_IDENTITIES, level=1 - alpha
    )


def zones(
    systems: Sequence[SystemData], kinds: Mapping[str, Sequence[RateIndex]], alpha: float
) -> Iterator[Curve]:
    """Fairness metrics of two systems with bands, and where estimate and upper bound agree on the fairer one (002).

    ``kinds``: the metrics of each rate. For each schema, rate and metric the curves of the systems, then one of zone
    codes whose ``group`` is the second system: 1 where the first system is fairer by estimate and by upper bound
    (zone A), -1 where the second is (zone C), 0 where the two disagree (zone B).
    """
    asked = [(rate, kind) for rate, metrics in kinds.items() for kind in metrics]
    for schema, (rate, kind) in product(systems[0].groups.schemas, asked):
        curves = (_fairness(system, schema, rate, kind, alpha) for system in systems)
        pair = [curve for curve in curves if curve is not None]
        if len(pair) == len(systems):
            yield from pair
            yield _zoned(pair[0], pair[1])


def _fairness(system: SystemData, schema: str, rate: str, kind: RateIndex, alpha: float) -> Curve | None:
    groups = classes_along(system, schema, rate)
    if len(groups) < 2 or not groups[0][1].x.size:
        return None
    named = Drawn(system=system, kind=ZONES, schema=schema, group="all", metric=kind.value, rate=rate)
    return named.banded(index_along(kind, groups), RECENTERED, alpha, without_value(kind, groups))


def _zoned(curve: Curve, other: Curve) -> Curve:
    """Zone codes at the targets that both curves have a value and an upper bound at."""
    second = {x: (y, high) for x, y, high in zip(other.x, other.y, other.high or (), strict=True)}
    points: list[tuple[float, float]] = []
    for x, y, high in zip(curve.x, curve.y, curve.high or (), strict=True):
        if x not in second:
            continue
        sides = np.sign([second[x][0] - y, second[x][1] - high])
        if np.isfinite(sides).all():
            points.append((x, float(sides[0]) if sides[0] == sides[1] else 0.0))
    x_of, codes = zip(*points, strict=True) if points else ((), ())
    return Curve.of(
        curve.provider,
        CODES,
        x_of,
        codes,
        (curve.schema, other.provider),
        weighting=curve.weighting,
        metric=curve.metric,
        rate=curve.rate,
        notes=() if points else ("no target at which both have an estimate and an upper bound",),
    )
