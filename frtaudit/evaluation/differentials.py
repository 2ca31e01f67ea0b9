"""From the rates of groups to an index of their difference: its value, its intervals, its test (FORMULAS 8.5, 8.6)."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from frtaudit.core import Interval, Method, Test, TestMethod
from frtaudit.core.arrays import Floats
from frtaudit.core.methods import ENOUGH, GROUPS_NEED, MIN_ERROR_SUBJECTS, MIN_ERRORS
from frtaudit.core.metrics import METRICS
from frtaudit.core.spec import IntervalSpec, Plan
from frtaudit.core.text.formatting import counted
from frtaudit.evaluation.intervals import PLAN_OF, RateSummary, empty, finite, intervals_of
from frtaudit.stats.groups import differentials, equality_test, group_contrasts
from frtaudit.stats.groups.differentials import RateIndex
from frtaudit.stats.groups.equality_test import Direction

Rates = Mapping[str, Floats]
Bounds = tuple[float, float]
Boxes = Mapping[str, group_contrasts.Box]
BOTH = ("fmr", "fnmr")
PARTS = 10
MIN_GROUPS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRates:
    """Rates of the ranked groups of one schema at one threshold.

    ``labels``: what the groups are called in print; ``summaries``: rate to one for each group; ``common``: rate
    to the pooled within-group rate; ``all_pairs``: whether every pair of samples is compared.
    """

    labels: tuple[str, ...]
    summaries: Mapping[str, tuple[RateSummary, ...]]
    common: Mapping[str, float]
    all_pairs: bool = True

    def values(self, rates: tuple[str, ...]) -> dict[str, Floats]:
        """Rates of the groups, shape (G,) each."""
        return {rate: np.array([summary.value for summary in self.summaries[rate]]) for rate in rates}

    def centred(self, rates: tuple[str, ...]) -> dict[str, Floats]:
        """V-statistic versions, shape (G,) each."""
        return {rate: np.array([summary.vstat for summary in self.summaries[rate]]) for rate in rates}

    def drawn(self, rates: tuple[str, ...], plan: Plan) -> dict[str, Floats] | None:
        """Replicates of the groups' rates, shape (B, G) each, or None where the plan was not drawn."""
        replicates: dict[str, Floats] = {}
        for rate in rates:
            parts = [summary.replicates.get(plan) for summary in self.summaries[rate]]
            known = [part for part in parts if part is not None]
            if not known or len(known) < len(parts):
                return None
            replicates[rate] = np.stack(known, axis=1)
        return replicates

    def too_few_errors(self, rates: tuple[str, ...]) -> str | None:
        """Why the groups cannot be compared (FORMULAS 8.5), of which it names the one that lacks the most; or None."""
        if len(self.labels) < MIN_GROUPS:
            return f"a comparison of groups needs {MIN_GROUPS} groups"
        few = [
            (self._times_enough(rate, summary), rate, label, summary)
            for rate in rates
            for label, summary in zip(self.labels, self.summaries[rate], strict=True)
            if summary.too_few_errors
        ]
        if not few:
            return None
        times, rate, label, summary = max(few, key=lambda group: group[0])
        errors = counted(summary.errors, f"{rate.upper()} error")
        subjects = counted(summary.subjects_with_errors, "subject")
        enough = f"about {times:.2g} {ENOUGH}; " if math.isfinite(times) else ""
        return f"{label} has {errors} of {subjects}; {enough}{GROUPS_NEED}"

    def _times_enough(self, rate: str, summary: RateSummary) -> float:
        """How many times the subjects of a group would give enough errors at its rate; infinite where it has none.

        Errors of FMR grow with the pairs of subjects where every pair is compared, others with subjects.
        """
        if not summary.errors:
            return math.inf
        times = max(MIN_ERRORS / summary.errors, MIN_ERROR_SUBJECTS / summary.subjects_with_errors)
        times = math.sqrt(times) if rate == "fmr" and self.all_pairs else times
        scale = 10.0 ** (1 - math.floor(math.log10(times)))  # two digits, rounded up: as many or more
        return math.ceil(times * scale) / scale


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """An index: what it is called, which rates it reads, what it gives.

    ``value``: from rates of shape (..., G); ``extremes``: over the simultaneous rectangle of the rates; ``paired``: its
    interval comes from all pairwise log ratios instead.
    """

    metric: str
    rates: tuple[str, ...]
    value: Callable[[Rates], Floats]
    extremes: Callable[[Boxes], Bounds | None]
    paired: bool = False

    @property
    def direction(self) -> Direction:
        """Which of its values are worse."""
        return Direction.SMALLER if METRICS[self.metric].higher_is_better else Direction.LARGER


def forms(weight: float) -> tuple[Form, ...]:
    """Every index: of FMR, of FNMR, of both with FMR weighing ``weight``.

    >>> [form.metric for form in forms(0.5)][-3:]
    ['fdr', 'inequity_rate', 'garbe']
    """
    simple = (_simple(kind, rate) for rate in BOTH for kind in RateIndex)
    inequity = _mixed(
        "inequity_rate",
        RateIndex.MAX_MIN,
        lambda rates: differentials.inequity_rate(rates["fmr"], rates["fnmr"], weight),
        lambda fmr, fnmr: fmr**weight * fnmr ** (1 - weight),
    )
    garbe = _mixed(
        "garbe",
        RateIndex.GINI,
        lambda rates: differentials.garbe(rates["fmr"], rates["fnmr"], weight),
        lambda fmr, fnmr: weight * fmr + (1 - weight) * fnmr,
    )
    return (*simple, _fdr(weight), inequity, garbe)


def _simple(kind: RateIndex, rate: str) -> Form:
    return Form(
        metric=kind.value,
        rates=(rate,),
        value=lambda rates: differentials.rate_index(kind, rates[rate]),
        extremes=lambda boxes: _range(kind, boxes[rate]),
        paired=kind is RateIndex.MAX_MIN,
    )


def _range(kind: RateIndex, box: group_contrasts.Box) -> Bounds | None:
    return group_contrasts.index_range(lambda rates: differentials.rate_index(kind, rates), box)


def _fdr(weight: float) -> Form:
    def extremes(boxes: Boxes) -> Bounds:
        fmr, fnmr = group_contrasts.gap_range(boxes["fmr"]), group_contrasts.gap_range(boxes["fnmr"])
        low, high = (1 - weight * fmr[end] - (1 - weight) * fnmr[end] for end in (1, 0))
        return low, high

    def value(rates: Rates) -> Floats:
        return differentials.fdr(rates["fmr"], rates["fnmr"], weight)

    return Form(metric="fdr", rates=BOTH, value=value, extremes=extremes)


def _mixed(
    metric: str, kind: RateIndex, value: Callable[[Rates], Floats], mix: Callable[[float, float], float]
) -> Form:
    """An index that mixes those of ``kind`` of both rates."""

    def extremes(boxes: Boxes) -> Bounds | None:
        fmr, fnmr = (_range(kind, boxes[rate]) for rate in BOTH)
        return None if fmr is None or fnmr is None else (mix(fmr[0], fnmr[0]), mix(fmr[1], fnmr[1]))

    return Form(metric=metric, rates=BOTH, value=value, extremes=extremes)


def fixed_interval(form: Form, rates: GroupRates, spec: IntervalSpec, alpha: float) -> Interval:
    """Naive, recentered or Gaussian interval of an index: gap = F(FRR*) - F(FRRbar) (002 A.1, FORMULAS 1)."""
    plan = PLAN_OF[spec.method]
    drawn, reason = rates.drawn(form.rates, plan), rates.too_few_errors(form.rates)
    if reason or drawn is None:
        return empty(spec.method, alpha, reason or "no replicates at this point")
    read = [summary for rate in form.rates for summary in rates.summaries[rate]]
    summary = RateSummary(
        value=float(form.value(rates.values(form.rates))),
        vstat=float(form.value(rates.centred(form.rates))),
        errors=min(rate.errors for rate in read),
        trials=min(rate.trials for rate in read),
        subjects_with_errors=min(rate.subjects_with_errors for rate in read),
        replicates={plan: np.asarray(form.value(drawn), dtype=np.float64)},
    )
    return intervals_of(summary, [spec], alpha)[0]


def population_interval(form: Form, rates: GroupRates, alpha: float) -> Interval:
    """FORMULAS 8.6: all pairwise log ratios at once for max/min, else extremes over the rectangle of the rates."""
    drawn, reason = rates.drawn(form.rates, Plan.SUBJECTS), rates.too_few_errors(form.rates)
    if reason or drawn is None:
        return empty(Method.MAX_T, alpha, reason or "needs subject replicates")
    return _max_t(form, rates.values(form.rates), drawn, alpha)


def _max_t(form: Form, values: Rates, drawn: Rates, alpha: float) -> Interval:
    """At any alpha from the same replicates.

    An index folds both directions of a difference into one, so that each of its bounds errs as often as the rectangle:
    its one-sided bound at error a is that of the interval at alpha = a.
    """
    bounds = _bounds(form, values, drawn, alpha)
    if bounds is None:
        return empty(Method.MAX_T, alpha, "a group's rate is zero or undefined in too many replicates")
    return Interval.of(
        bounds[0],
        bounds[1],
        alpha,
        Method.MAX_T,
        n_resamples=len(next(iter(drawn.values()))),
        mc_error=_mc_error(form, values, drawn, alpha),
        one_sided=lambda error: _max_t(form, values, drawn, error),
    )


def _bounds(form: Form, values: Rates, drawn: Rates, alpha: float) -> Bounds | None:
    if form.paired:
        (rate,) = form.rates
        return group_contrasts.log_ratios(values[rate], drawn[rate], alpha)
    stacked = [np.concatenate([part[rate] for rate in form.rates], axis=-1) for part in (values, drawn)]
    box = group_contrasts.log_box(stacked[0], stacked[1], alpha)
    if box is None:
        return None
    count = values[form.rates[0]].size
    parts = group_contrasts.split(box, count) if len(form.rates) == len(BOTH) else (box,)
    return form.extremes(dict(zip(form.rates, parts, strict=True)))


def _mc_error(form: Form, values: Rates, drawn: Rates, alpha: float) -> float | None:
    """Monte Carlo standard error of the bounds, the larger of both: delete-a-tenth jackknife of the replicates."""
    part = np.arange(len(next(iter(drawn.values())))) % PARTS
    left = [
        _bounds(form, values, {rate: draws[part != number] for rate, draws in drawn.items()}, alpha)
        for number in range(PARTS)
    ]
    known = np.array([bounds for bounds in left if bounds is not None])
    if len(known) < PARTS:
        return None
    return finite(float(np.sqrt((PARTS - 1) * known.var(axis=0)).max()))


def difference(form: Form, rates: GroupRates, alpha: float, note: str | None = None) -> Test:
    """Whether there is a difference at all, by the null distribution of the index (FORMULAS 8.5)."""
    make = partial(
        Test,
        alpha=alpha,
        method=TestMethod.CENTRED_RATES,
        detectable_unit=f"largest {' and '.join(map(str.upper, form.rates))} over smallest",
        power=equality_test.POWER,
    )
    drawn, reason = rates.drawn(form.rates, Plan.SUBJECTS), rates.too_few_errors(form.rates)
    if reason or drawn is None:
        return make(p=None, note=reason or "needs subject replicates")
    values = rates.values(form.rates)
    null = {
        rate: equality_test.as_if_equal(values[rate], drawn[rate], rates.common[rate]) for rate in form.rates
    }
    equality = equality_test.equality(form.value, values, null, alpha=alpha, worse=form.direction)
    if equality is None:
        return make(p=None, note="undefined in too many replicates")
    return make(
        p=equality.p,
        null_median=equality.median,
        null_edge=equality.edge,
        n_resamples=equality.n_resamples,
        detectable=equality_test.detectable_ratio(form.value, null, equality.edge, form.direction),
        note=note,
    )
