"""One system read along the grid of FMR targets: what curves over FMR, their bands and their gaps are made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from frtaudit.core import Curve, Method, Target
from frtaudit.core.arrays import Floats
from frtaudit.core.curves import spans
from frtaudit.core.freeze import FrozenArrays
from frtaudit.core.methods import MAX_UNDEFINED, MIN_ERROR_SUBJECTS, MIN_ERRORS
from frtaudit.core.spec import IntervalSpec, Plan, Weighting
from frtaudit.evaluation.intervals import PLAN_OF, bounds_of
from frtaudit.evaluation.operating_points import OperatingPoint, read
from frtaudit.evaluation.system import BELOW_FLOOR, WEIGHTINGS, SystemData
from frtaudit.stats.groups.differentials import RateIndex, rate_index
from frtaudit.stats.intervals import bootstrap_intervals

Reasons = tuple[str | None, ...]
KIND = "normalized_uncertainty"
TOO_FEW = f"fewer than {MIN_ERRORS} errors or {MIN_ERROR_SUBJECTS} subjects with errors"
UNDEFINED = f"undefined in more than {MAX_UNDEFINED:.0%} of the replicates"


@dataclass(frozen=True, slots=True, kw_only=True)
class OverFmr(FrozenArrays):
    """A statistic at X of the FMR targets, those with a threshold on these data.

    ``x`` (X,): the targets, ascending; ``value`` (X,): the estimate (U-statistic); ``vstat`` (X,): its V-statistic at
    the same thresholds; ``replicates``: plan to (B, X), t* recomputed in each; all float64. ``too_few_errors``: for
    each target None, or why its replicates carry no bounds (FORMULAS 8.3). ``refused``: targets without a threshold,
    in words.
    """

    x: Floats
    value: Floats
    vstat: Floats
    replicates: Mapping[Plan, Floats]
    too_few_errors: Reasons
    refused: tuple[str, ...]


def read_along(system: SystemData, rate: str, weighting: Weighting, group_index: int) -> OverFmr:
    """A rate ("fmr" or "fnmr") of one group at every target that has a threshold."""
    thresholds = system.operating_points.at_target[WEIGHTINGS.index(weighting)]
    places = np.flatnonzero(np.isfinite(thresholds))
    summaries = [
        read(system, OperatingPoint(rate, weighting, group_index, float(thresholds[a]), int(a)))
        for a in places
    ]
    targets, w = system.operating_points.targets, WEIGHTINGS.index(weighting)
    return OverFmr(
        x=np.asarray(targets, dtype=np.float64)[places],
        value=np.array([summary.value for summary in summaries], dtype=np.float64),
        vstat=np.array([summary.vstat for summary in summaries], dtype=np.float64),
        replicates={
            plan: np.stack([summary.replicates[plan] for summary in summaries], axis=1)
            for plan in system.replicates
            if summaries
        },
        too_few_errors=tuple(TOO_FEW if summary.too_few_errors else None for summary in summaries),
        refused=spans(targets, [_why(system, w, a) for a in range(len(targets))]),
    )


def _why(system: SystemData, w: int, a: int) -> str | None:
    """In few words, alike for neighbouring targets."""
    if system.refused(w, a) is None:
        return None
    if system.resolved[a]:
        return "too few false matches are expected"
    return "the scores are cut off or step there" if (w, a) in system.hidden else BELOW_FLOOR


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """What every curve of one analysis shares: the system, the kind, schema and group, the metric and its rate."""

    system: SystemData
    kind: str
    schema: str | None
    group: str
    metric: str
    rate: str

    def curve(self, along: OverFmr, y: Floats, notes: Sequence[str] = ()) -> Curve:
        """A curve without a band."""
        return Curve.of(
            self.system.provider,
            self.kind,
            along.x,
            y,
            (self.schema, self.group),
            weighting=self.system.spec.weighting.value,
            metric=self.metric,
            rate=self.rate,
            notes=(*along.refused, *notes),
        )

    def banded(self, along: OverFmr, spec: IntervalSpec, alpha: float, unseen: Reasons) -> Curve:
        """The statistic with the pointwise band of one method of target fixed_identities (002, FORMULAS 1).

        ``unseen``: for each target None, or why the statistic itself is not drawn there.
        """
        drawn = along.replicates.get(PLAN_OF[spec.method])
        bounds: list[bootstrap_intervals.Bounds | None] = [None] * along.x.size
        if drawn is not None:
            bounds = [
                None if few else _bounds(spec.method, drawn[:, at], along.value[at], along.vstat[at], alpha)
                for at, few in enumerate(along.too_few_errors)
            ]
        undrawn = "no replicates of images" if drawn is None else UNDEFINED
        reasons = [
            unseen[at] or (None if bound else f"no band: {along.too_few_errors[at] or undrawn}")
            for at, bound in enumerate(bounds)
        ]
        low, high = ([np.nan if bound is None else bound[end] for bound in bounds] for end in (0, 1))
        return replace(
            self.curve(along, along.value, spans(along.x.tolist(), reasons)),
            low=tuple(map(float, low)),
            high=tuple(map(float, high)),
            method=spec.method,
            target=spec.target,
            level=1 - alpha,
        )

    def uncertainty(self, along: OverFmr) -> Curve | None:
        """002's normalized uncertainty sd(gap)/value over FMR; None without replicates of images."""
        drawn = along.replicates.get(Plan.IMAGES)
        if drawn is None:
            return None
        values = np.array(
            [
                np.nan
                if few
                else bootstrap_intervals.normalized_uncertainty(
                    drawn[:, at], along.value[at], along.vstat[at]
                )
                for at, few in enumerate(along.too_few_errors)
            ],
            dtype=np.float64,
        )
        reasons = [
            None if np.isfinite(value) else (few or "a replicate is infinite, or too many are undefined")
            for value, few in zip(values, along.too_few_errors, strict=True)
        ]
        curve = replace(self, kind=KIND).curve(along, values, spans(along.x.tolist(), reasons))
        return replace(curve, method=Method.RECENTERED, target=Target.FIXED_IDENTITIES)


def _bounds(
    method: Method, drawn: Floats, stat: float, vstat: float, alpha: float
) -> bootstrap_intervals.Bounds | None:
    """The interval of one point; None also where all replicates agree: it would claim certainty."""
    bounds = bounds_of(stat, vstat, method, drawn, alpha)
    return None if bounds is None or bounds[0] == bounds[1] else bounds


def classes_along(system: SystemData, schema: str, rate: str) -> list[tuple[str, OverFmr]]:
    """The ranked classes of a schema, in its order, as they are called in print; each read along the targets."""
    labels = system.cohort.classifications[schema].labels
    return [
        (label, read_along(system, rate, system.spec.weighting, group_index))
        for (group_index, _), label in zip(system.classes(schema), labels, strict=True)
    ]


def index_along(kind: RateIndex, groups: Sequence[tuple[str, OverFmr]]) -> OverFmr:
    """F(FRR_A) with F(FRRbar_A) and F(FRR*_A(t*_a)) at every target (FORMULAS 1, fairness)."""
    parts = [along for _, along in groups]
    return OverFmr(
        x=parts[0].x,
        value=rate_index(kind, np.stack([part.value for part in parts], axis=-1)),
        vstat=rate_index(kind, np.stack([part.vstat for part in parts], axis=-1)),
        replicates={
            plan: rate_index(kind, np.stack([part.replicates[plan] for part in parts], axis=-1))
            for plan in parts[0].replicates
        },
        too_few_errors=tuple(
            next(
                (f"{name} has {reason}" for (name, _), reason in zip(groups, at, strict=True) if reason), None
            )
            for at in zip(*(part.too_few_errors for part in parts), strict=True)
        ),  # the first class that has too few errors at each target
        refused=parts[0].refused,
    )


def without_value(kind: RateIndex, groups: Sequence[tuple[str, OverFmr]]) -> Reasons:
    """Why the index has no finite value at a target: a class was not compared, or some or all have no error."""
    rates = np.stack([along.value for _, along in groups], axis=-1)
    return tuple(_no_value(kind, at) for at in rates)


def _no_value(kind: RateIndex, rates: Floats) -> str | None:
    if np.isnan(rates).any():
        return "no value: a class has no comparison"
    if not rates.any():
        return "no value: no class has an error"
    if kind is not RateIndex.GINI and not rates.all():
        return "infinite: a class has no error"
    return None
