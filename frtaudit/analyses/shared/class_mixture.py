"""A declared mix of classes: error rates of everybody under it, and the threshold that it needs, for one system."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from frtaudit.analyses.shared.influence import make_estimate
from frtaudit.analyses.shared.label_bounds import SchemaCounts
from frtaudit.core import Estimate, Interval, Method, Target
from frtaudit.core.arrays import Floats
from frtaudit.core.methods import MIN_ERROR_SUBJECTS, MIN_ERRORS
from frtaudit.core.spec import Plan, Weighting
from frtaudit.core.text.formatting import counted
from frtaudit.evaluation.intervals import (
    PLAN_OF,
    AtKey,
    RateSummary,
    empty,
    finite,
    from_bounds,
    from_variance,
    intervals_of,
)
from frtaudit.evaluation.operating_points import OperatingPoint, read
from frtaudit.evaluation.system import BELOW_FLOOR, SystemData
from frtaudit.stats.groups import class_mix
from frtaudit.stats.groups.class_counts import ClassSums, ClassTrials
from frtaudit.stats.intervals import dependence, wilson
from frtaudit.stats.intervals.bootstrap_intervals import variance_error
from frtaudit.stats.intervals.rate_bounds import pair_weight
from frtaudit.stats.rates.sums import BelowFloorError, mated_sums

UNCOMPARED = "classes that were not compared with each other are left out of the mix"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassMix:
    """One system, one schema, and the share of everybody that each class is declared to have; 0 where none is."""

    system: SystemData
    schema: str
    alpha: float
    declared: Mapping[str, float]

    def estimates(
        self, counts: SchemaCounts, threshold: float, at: AtKey, a: int, class_trials: ClassTrials
    ) -> Iterator[Estimate]:
        """FMR and FNMR of everybody under the mix at the global threshold; the threshold that it needs, FNMR there."""
        names = self.system.cohort.classifications[self.schema].classes
        shares = np.array([self.declared.get(name, 0.0) for name in names])
        weighting = counts.weighting
        single = self._mixed_fnmr(shares, weighting, threshold, at, a)
        yield single
        under = class_mix.between(class_trials.trials, class_trials.code)[:-1, :-1]
        weights = class_mix.pair_weights(shares, under > 0)
        if counts.sums is None or weights is None:
            note = (
                BELOW_FLOOR if counts.sums is None else "a class of the mix has no comparison of two subjects"
            )
            yield self._estimate("fmr_mix", at, weighting, None, note)
            return
        caveat = UNCOMPARED if np.any((under == 0) & (np.outer(shares, shares) > 0)) else None
        whole = np.pad(weights, (0, 1))
        match_rate = 1.0 if single.value is None else 1 - single.value
        pairs = class_mix.pairs_by_weight(self.system.tail, class_trials, whole, weighting)
        pair = float(pair_weight(match_rate, pairs))
        yield self._mixed_fmr(counts.sums, whole, weighting, at, caveat, pair)
        try:
            moved = class_mix.mixed_threshold(
                self.system.tail, class_trials, whole, float(at["fmr"]), weighting
            )
        except BelowFloorError:
            yield self._estimate("threshold_mix", at, weighting, None, BELOW_FLOOR)
            return
        known = finite(moved)
        missing = "every threshold meets the target"
        yield self._estimate("threshold_mix", at, weighting, known, caveat if known is not None else missing)
        if known is not None:
            there: AtKey = {**at, "threshold_of": "mix"}
            sums = mated_sums(self.system.tail, self.system.groups, [known])
            rates = replace(counts, mated_errors=sums.subject_errors[0], sums=None).fnmr()
            value = float((shares * rates)[shares > 0].sum())
            yield self._estimate(
                "fnmr_mix", there, weighting, value, "no interval: the threshold was found here"
            )

    def _estimate(
        self, metric: str, at: AtKey, weighting: Weighting, value: float | None, note: str | None
    ) -> Estimate:
        return make_estimate(
            self.system.provider, metric, at, value, None, note, schema=self.schema, weighting=weighting
        )

    def _mixed_fmr(
        self, sums: ClassSums, weights: Floats, weighting: Weighting, at: AtKey, note: str | None, pair: float
    ) -> Estimate:
        value = class_mix.mixed(class_mix.class_rates(sums, weighting), weights)
        residual = class_mix.mixture_residuals(sums, weights, weighting)
        used = weights.sum(axis=1) > 0
        errors = int(class_mix.between(sums.errors, sums.code)[weights > 0].sum())
        subjects_with_errors = int(np.count_nonzero(sums.errors[used[sums.code]][:, used].sum(axis=1)))
        trials = int(np.triu(class_mix.between(sums.trials, sums.code))[weights > 0].sum())
        subjects = int(np.count_nonzero((sums.trials[:, used].sum(axis=1) > 0) & used[sums.code]))
        variance = subjects / max(subjects - 1, 1) * float(np.square(residual).sum())
        needed = f"needs {MIN_ERRORS} false matches of {MIN_ERROR_SUBJECTS} subjects"
        interval = empty(Method.WILSON, self.alpha, needed)
        enough = errors >= MIN_ERRORS and subjects_with_errors >= MIN_ERROR_SUBJECTS
        if enough and 0 < value < 1 and variance > 0:
            degrees = dependence.degrees_of_freedom(float(subjects))
            known = wilson.bounds_from_variance(value, variance, trials, degrees)
            person = float(np.abs(residual).max())
            interval = from_bounds(replace(known, pair=pair, person=person), self.alpha)
        return make_estimate(
            self.system.provider, "fmr_mix", at, value, None, note, schema=self.schema,
            weighting=weighting, intervals=(interval,),
        )  # fmt: skip

    def _mixed_fnmr(
        self, shares: Floats, weighting: Weighting, threshold: float, at: AtKey, a: int
    ) -> Estimate:
        """Intervals from the replicates of the classes, which share their draws; Wilson's on their variance.

        None where a class of the mix has too few errors, or too few that are right: its variance would be unknown.
        """
        place = OperatingPoint("fnmr", weighting, 0, threshold, a)
        of_class = {
            name: (share, read(self.system, replace(place, group_index=group_index)))
            for share, (group_index, name) in zip(shares, self.system.classes(self.schema), strict=True)
            if share > 0
        }  # fmt: skip
        used = list(of_class.values())
        summary = _summed(used)
        wanted = [
            interval
            for interval in self.system.intervals
            if interval.method in PLAN_OF and interval.method is not Method.WILSON
        ]
        few = _too_few({name: rate for name, (_, rate) in of_class.items()})
        intervals = intervals_of(summary, wanted, self.alpha)
        if few:
            others = (empty(spec.method, self.alpha, few, spec.target) for spec in wanted)
            intervals = (empty(Method.WILSON, self.alpha, few, Target.POPULATION), *others)
        drawn = None if few else summary.replicates.get(Plan.SUBJECTS)
        if drawn is not None and not summary.too_few_errors and 0 < summary.value < 1:
            images = [share * rate.bounds().image for share, rate in used if rate.bounds is not None]
            people = 1 / sum(share**2 / (rate.effective_subjects or 1.0) for share, rate in used)
            degrees = dependence.degrees_of_freedom(people)
            intervals = (
                *_by_variance(summary, drawn, degrees, max(images, default=0.0), self.alpha),
                *intervals,
            )
        return make_estimate(
            self.system.provider, "fnmr_mix", at, summary.value, None, schema=self.schema,
            weighting=weighting, intervals=intervals)  # fmt: skip


def _summed(used: Sequence[tuple[float, RateSummary]]) -> RateSummary:
    """The rate of everybody under shares of classes, with its replicates."""
    plans = set.intersection(*(set(rate.replicates) for _, rate in used))
    return RateSummary(
        value=float(sum(share * rate.value for share, rate in used)),
        vstat=float(sum(share * rate.vstat for share, rate in used)),
        errors=sum(rate.errors for _, rate in used),
        trials=sum(rate.trials for _, rate in used),
        subjects_with_errors=sum(rate.subjects_with_errors for _, rate in used),
        replicates={
            plan: np.sum([share * rate.replicates[plan] for share, rate in used], axis=0) for plan in plans
        },
    )


def _too_few(rates: Mapping[str, RateSummary]) -> str | None:
    """Which class has too few errors, or right ones, to tell how far its rate varies; None where none has."""
    for name, rate in rates.items():
        if rate.too_few_errors or rate.trials - rate.errors < MIN_ERRORS:
            seen = f"{counted(rate.errors, 'error')} of {counted(rate.subjects_with_errors, 'subject')}"
            needed = (
                f"each class of the mix needs {MIN_ERRORS} of {MIN_ERROR_SUBJECTS}, and as many right ones"
            )
            return f"{name} has {seen} in {counted(rate.trials, 'comparison')}: {needed}"
    return None


def _by_variance(
    summary: RateSummary, drawn: Floats, degrees: float, image: float, alpha: float
) -> tuple[Interval, ...]:
    known = drawn[np.isfinite(drawn)]
    if known.size < 2 or not known.var() > 0:
        return ()
    variance = float(known.var(ddof=1))
    bounds, wider = (
        wilson.bounds_from_variance(summary.value, spread, summary.trials, degrees, image)
        for spread in (variance, variance + variance_error(known))
    )
    return (from_variance(bounds, wider, int(known.size), alpha),)
