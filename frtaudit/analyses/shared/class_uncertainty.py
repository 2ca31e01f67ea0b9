"""What is not known of people's classes, for one system and schema: bounds, another mix, rates behind the labels.

Long because the three ask the same sums.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from frtaudit.analyses.shared.failure_counts import attempts_of
from frtaudit.analyses.shared.influence import BELOW, make_estimate
from frtaudit.analyses.shared.label_bounds import (
    Boxes,
    Missing,
    SchemaCounts,
    curve_range,
    failure_boxes,
    mislabelled_boxes,
    pair_box,
    unknown_boxes,
)
from frtaudit.core import Estimate, Interval, Method
from frtaudit.core.arrays import Floats, Ints
from frtaudit.core.comparisons import FOLDS
from frtaudit.core.methods import MIN_ERROR_SUBJECTS, MIN_ERRORS
from frtaudit.core.spec import FailureScore, Plan, Weighting
from frtaudit.evaluation.differentials import BOTH, Form, forms
from frtaudit.evaluation.intervals import (
    PLAN_OF,
    SHARE,
    AtKey,
    OperatingPoint,
    RateSummary,
    empty,
    finite,
    from_bounds,
    from_variance,
    intervals_of,
    read,
)
from frtaudit.evaluation.system import WEIGHTINGS, SystemData
from frtaudit.stats.folds import kfold_accuracy
from frtaudit.stats.groups import class_mix
from frtaudit.stats.groups.class_counts import ClassSums, ClassTrials, class_sums, class_trials
from frtaudit.stats.groups.differentials import RateIndex
from frtaudit.stats.groups.equality_test import Direction
from frtaudit.stats.groups.group_contrasts import Box
from frtaudit.stats.groups.index_bounds import composite_range, index_range
from frtaudit.stats.intervals import dependence, wilson
from frtaudit.stats.intervals.bootstrap_intervals import variance_error
from frtaudit.stats.intervals.rate_bounds import pair_weight
from frtaudit.stats.rates.sums import BelowFloorError, mated_sums

GRID = 400  # thresholds at which curves of classes are bounded
UNCOMPARED = "classes that were not compared with each other are left out of the mix"


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubts:
    """One system and one schema: bounds of its differentials, the declared mix, what mislabelling hides."""

    system: SystemData
    schema: str
    alpha: float
    mix: Mapping[str, float] | None = None
    mislabelled: Mapping[str, float] = field(default_factory=dict)

    def estimates(self) -> Iterator[Estimate]:
        """Bounds first, then the mix, then the rates behind the labels."""
        held = self._held()
        causes = self._causes()
        for w, weighting in enumerate(WEIGHTINGS):
            for a in self.system.operating_points.declared:
                threshold = float(self.system.operating_points.at_target[w, a])
                if not np.isfinite(threshold):
                    continue
                if not causes and self.mix is None:
                    continue
                counts = self._schema_counts(threshold, weighting, held)
                at: AtKey = {"fmr": self.system.operating_points.targets[a]}
                yield from self._bounds(counts, threshold, at, causes)
                if Missing.MISLABELLED in causes:
                    yield from self._behind_labels(counts, at)
                if self.mix is not None:
                    yield from self._mix(counts, threshold, at, a, held)
        for cause in causes:
            yield from self._curves(cause)
        if Missing.UNKNOWN in causes:
            yield from self._accuracies()

    def _held(self) -> ClassTrials:
        return class_trials(self.system.tail, self._code(), self._count() + 1)

    def _code(self) -> Ints:
        codes = self.system.cohort.classifications[self.schema].codes.astype(np.int64)
        return np.where(codes < 0, self._count(), codes)

    def _count(self) -> int:
        return len(self.system.cohort.classifications[self.schema].classes)

    def _causes(self) -> list[Missing]:
        """Why rates of these classes could be others: none where everybody has a class, nothing failed, labels hold."""
        found = []
        if bool(np.any(self.system.cohort.classifications[self.schema].codes < 0)):
            found.append(Missing.UNKNOWN)
        if any(int(lost.sum()) for lost in self._lost().values()):
            found.append(Missing.FAILURES)
        if any(self._wrong()):
            found.append(Missing.MISLABELLED)
        return found

    def _lost(self) -> dict[str, Ints]:
        """Failed comparisons of each class; none where the spec scores them."""
        group_indices = [group_index for group_index, _ in self.system.classes(self.schema)]
        counts = attempts_of(self.system)
        if self.system.spec.failures is not FailureScore.APART:
            counts = counts.scored()
        return {"fmr": counts.non_mated[group_indices], "fnmr": counts.mated[group_indices]}

    def _wrong(self) -> Floats:
        """The declared share of wrong labels of each class."""
        declared = self.mislabelled
        names = self.system.cohort.classifications[self.schema].classes
        return np.array([declared.get(name, declared.get("each", 0.0)) for name in names])

    def _schema_counts(self, threshold: float, weighting: Weighting, held: ClassTrials) -> SchemaCounts:
        tail, rule = self.system.tail, self.system.rule
        row = int(np.searchsorted(rule.mated.thresholds, threshold))
        return SchemaCounts(
            code=self._code(),
            n_classes=self._count(),
            weighting=weighting,
            mated_errors=rule.mated.subject_errors[row],
            mated_trials=rule.mated.subject_pairs,
            sums=class_sums(tail, threshold, held) if threshold >= tail.cutoff else None,
            n_samples=tail.n_samples,
            complete=tail.blocks is None,
        )

    def _bounds(
        self, counts: SchemaCounts, threshold: float, at: AtKey, causes: list[Missing]
    ) -> Iterator[Estimate]:
        weight = float(getattr(self.system.spec.analyses.get("differentials"), "weight", 0.5))
        for cause in causes:
            if cause is Missing.FAILURES and counts.weighting is not Weighting.POOLED:
                continue  # as the bounds of rates: of comparisons, each alike
            boxes = self._boxes(cause, counts, threshold)
            for form in forms(weight):
                own: AtKey = {"weight": weight} if form.rates == BOTH else {"rate": form.rates[0]}
                where: AtKey = {**at, "index": form.metric, **own, "missing": cause.value}
                yield from self._cases(
                    _range(form, boxes, weight), form.direction, where, "all", counts.weighting
                )

    def _boxes(self, cause: Missing, counts: SchemaCounts, threshold: float) -> Boxes:
        if cause is Missing.UNKNOWN:
            return unknown_boxes(counts)
        if cause is Missing.MISLABELLED:
            return mislabelled_boxes(counts, self._wrong())
        rule, lost = self.system.rule, self._lost()
        group_indices = [group_index for group_index, _ in self.system.classes(self.schema)]
        trials = {
            "fmr": self.system.trials.non_mated[group_indices],
            "fnmr": self.system.trials.mated[group_indices],
        }
        first, second = (
            int(np.searchsorted(sums, threshold))
            for sums in (rule.non_mated.thresholds, rule.mated.thresholds)
        )
        errors = {
            "fmr": rule.non_mated.errors[first, group_indices],
            "fnmr": rule.mated.errors[second, group_indices],
        }
        return failure_boxes({rate: (errors[rate], trials[rate], lost[rate]) for rate in BOTH})

    def _cases(
        self,
        found: tuple[float, float] | None,
        worse: Direction,
        at: AtKey,
        group: str,
        weighting: Weighting | None,
    ) -> Iterator[Estimate]:
        best, worst = (None, None) if found is None else found if worse is Direction.LARGER else found[::-1]
        note = None if found else "not bounded: a class without comparisons, or no such rate was kept"
        for case, value in (("best", best), ("worst", worst)):
            yield make_estimate(
                self.system.provider, f"index_{case}_case", at, value, None, "index", note,
                schema=self.schema, group=group, weighting=weighting,
            )  # fmt: skip

    def _curves(self, cause: Missing) -> Iterator[Estimate]:
        """Bounds of the largest d_l2 in both spaces, from bounds of FNMR at many thresholds."""
        tail = self.system.tail
        if not tail.mated_score.size or self._count() < 2:
            return
        places = np.unique(np.linspace(0, tail.mated_score.size - 1, GRID).astype(np.int64))
        grid = np.unique(tail.mated_score[places].astype(np.float64))
        sums = mated_sums(tail, self.system.groups, grid)
        group_indices = [group_index for group_index, _ in self.system.classes(self.schema)]
        trials, lost = self.system.trials.mated[group_indices], self._lost()["fnmr"]
        base = self._standing_mated(np.zeros(tail.n_samples.size, dtype=np.int64))

        def rates(place: int) -> Box:
            if cause is Missing.FAILURES:
                return failure_boxes({"fnmr": (sums.errors[place, group_indices], trials, lost)})["fnmr"]
            here = replace(base, mated_errors=sums.subject_errors[place])
            if cause is Missing.UNKNOWN:
                return unknown_boxes(here)["fnmr"]
            return mislabelled_boxes(here, self._wrong())["fnmr"]

        bounds = curve_range(rates, grid, tail.score_range)
        for space in ("quantile", "tar"):
            at: AtKey = {"index": "d_l2", "space": space, "missing": cause.value}
            yield from self._cases(
                None if bounds is None else bounds[space], Direction.LARGER, at, "max", None
            )

    def _accuracies(self) -> Iterator[Estimate]:
        """Bounds of the skewed error ratio of every set of pairs in folds, for people without a class."""
        fold_pairs = {} if self.system.fold_pairs is None else {FOLDS: self.system.fold_pairs}
        for name, pairs in {**fold_pairs, **self.system.test_sets}.items():
            if kfold_accuracy.empty_folds(pairs.folds, pairs.k):
                continue
            accuracy = kfold_accuracy.k_fold_accuracy(pairs.score, pairs.mated, pairs.folds, pairs.k)
            used = pairs.folds >= 0
            ends = pairs.first[used], pairs.second[used]
            box = pair_box(*ends, ~accuracy.is_correct[used], self._code(), self._count())
            at: AtKey = {"index": "skewed_error_ratio", "pairs": name, "missing": Missing.UNKNOWN.value}
            bounds = index_range(RateIndex.MAX_MIN, box.low, box.high)
            yield from self._cases(bounds, Direction.LARGER, at, "all", None)

    def _standing_mated(self, errors: Ints) -> SchemaCounts:
        tail = self.system.tail
        return SchemaCounts(
            code=self._code(),
            n_classes=self._count(),
            weighting=Weighting.POOLED,
            mated_errors=errors,
            mated_trials=self.system.rule.mated.subject_pairs,
            sums=None,
            n_samples=tail.n_samples,
            complete=tail.blocks is None,
        )

    def _behind_labels(self, counts: SchemaCounts, at: AtKey) -> Iterator[Estimate]:
        """Indices of the rates that these labels hide, if wrong labels fall on people regardless of their errors."""
        weight = float(getattr(self.system.spec.analyses.get("differentials"), "weight", 0.5))
        matrix = class_mix.mislabelling(self._wrong())
        single, fmr = self._fnmr(counts), np.full((self._count(),) * 2, np.nan)
        if counts.sums is not None:
            fmr = class_mix.class_rates(counts.sums, counts.weighting)[:-1, :-1]
        both = zip(("fnmr", "fmr"), class_mix.unmixed(single, fmr, matrix) or (), strict=False)
        rates = {name: rate for name, rate in both if rate is not None}
        for form in forms(weight):
            own: AtKey = {"weight": weight} if form.rates == BOTH else {"rate": form.rates[0]}
            value = float(form.value(rates)) if all(rate in rates for rate in form.rates) else None
            note = (
                None
                if value is not None
                else "needs comparisons of all classes with each other, and mostly right labels"
            )
            yield make_estimate(
                self.system.provider, "index_behind_labels", {**at, "index": form.metric, **own}, value, None,
                "index", note, schema=self.schema, weighting=counts.weighting,
            )  # fmt: skip

    def _fnmr(self, counts: SchemaCounts) -> Floats:
        over, under = (
            np.bincount(counts.code, weights=part, minlength=counts.n_classes + 1)[:-1]
            for part in counts.single()
        )
        return np.asarray(np.divide(over, under, out=np.full(over.shape, np.nan), where=under > 0))

    def _mix(
        self, counts: SchemaCounts, threshold: float, at: AtKey, a: int, held: ClassTrials
    ) -> Iterator[Estimate]:
        """FMR and FNMR of everybody under the mix at the global threshold; the threshold that it needs, FNMR there."""
        declared = self.mix or {}
        names = self.system.cohort.classifications[self.schema].classes
        shares = np.array([declared.get(name, 0.0) for name in names])
        weighting = counts.weighting
        single = self._mixed_fnmr(shares, weighting, threshold, at, a)
        yield single
        under = class_mix.between(held.trials, held.code)[:-1, :-1]
        weights = class_mix.pair_weights(shares, under > 0)
        if counts.sums is None or weights is None:
            note = BELOW if counts.sums is None else "a class of the mix has no comparison of two people"
            yield self._mix_estimate("fmr_mix", at, weighting, None, note)
            return
        part = bool(np.any((under == 0) & (np.outer(shares, shares) > 0)))
        said = UNCOMPARED if part else None
        whole = np.pad(weights, (0, 1))
        match_rate = 1.0 if single.value is None else 1 - single.value
        pairs = class_mix.pairs_by_weight(self.system.tail, held, whole, weighting)
        pair = float(pair_weight(match_rate, pairs))
        yield self._mixed_fmr(counts.sums, whole, weighting, at, said, pair)
        try:
            moved = class_mix.mixed_threshold(self.system.tail, held, whole, float(at["fmr"]), weighting)
        except BelowFloorError:
            yield self._mix_estimate("threshold_mix", at, weighting, None, BELOW)
            return
        known = finite(moved)
        missing = "every threshold meets the target"
        yield self._mix_estimate(
            "threshold_mix", at, weighting, known, said if known is not None else missing
        )
        if known is not None:
            there: AtKey = {**at, "threshold_of": "mix"}
            value = self._fnmr_at(known, shares, weighting)
            yield self._mix_estimate(
                "fnmr_mix", there, weighting, value, "no interval: the threshold was found here"
            )

    def _mix_estimate(
        self, metric: str, at: AtKey, weighting: Weighting, value: float | None, note: str | None
    ) -> Estimate:
        unit = "score" if metric == "threshold_mix" else SHARE
        return make_estimate(
            self.system.provider, metric, at, value, None, unit, note, schema=self.schema, weighting=weighting
        )

    def _fnmr_at(self, threshold: float, shares: Floats, weighting: Weighting) -> float:
        sums = mated_sums(self.system.tail, self.system.groups, [threshold])
        rates = self._fnmr(replace(self._standing_mated(sums.subject_errors[0]), weighting=weighting))
        return float((shares * rates)[shares > 0].sum())

    def _mixed_fmr(
        self,
        sums: ClassSums,
        weights: Floats,
        weighting: Weighting,
        at: AtKey,
        note: str | None,
        pair: float,
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
        made = empty(Method.WILSON, self.alpha, needed)
        enough = errors >= MIN_ERRORS and subjects_with_errors >= MIN_ERROR_SUBJECTS
        if enough and 0 < value < 1 and variance > 0:
            degrees = dependence.degrees_of_freedom(float(subjects))
            known = wilson.bounds_from_variance(value, variance, trials, degrees)
            person = float(np.abs(residual).max())
            made = from_bounds(replace(known, pair=pair, person=person), self.alpha)
        return make_estimate(
            self.system.provider, "fmr_mix", at, value, None, SHARE, note, schema=self.schema,
            weighting=weighting, intervals=(made,),
        )  # fmt: skip

    def _mixed_fnmr(
        self, shares: Floats, weighting: Weighting, threshold: float, at: AtKey, a: int
    ) -> Estimate:
        """Intervals from the replicates of the classes, which share their draws; Wilson's on their variance."""
        place = OperatingPoint(rate="fnmr", weighting=weighting, group_index=0, threshold=threshold, point=a)
        used = [
            (share, read(self.system, replace(place, group_index=group_index)))
            for share, (group_index, _) in zip(shares, self.system.classes(self.schema), strict=True)
            if share > 0
        ]  # fmt: skip
        plans = set.intersection(*(set(rate.replicates) for _, rate in used))
        value = float(sum(share * rate.value for share, rate in used))
        summary = RateSummary(
            value=value,
            vstat=float(sum(share * rate.vstat for share, rate in used)),
            errors=sum(rate.errors for _, rate in used),
            trials=sum(rate.trials for _, rate in used),
            subjects_with_errors=sum(rate.subjects_with_errors for _, rate in used),
            replicates={
                plan: np.sum([share * rate.replicates[plan] for share, rate in used], axis=0)
                for plan in plans
            },
        )
        wanted = [
            interval
            for interval in self.system.intervals
            if interval.method in PLAN_OF and interval.method is not Method.WILSON
        ]
        made = intervals_of(summary, wanted, self.alpha)
        drawn = summary.replicates.get(Plan.SUBJECTS)
        if drawn is not None and not summary.too_few_errors and 0 < value < 1:
            images = [share * rate.bounds().image for share, rate in used if rate.bounds is not None]
            people = 1 / sum(share**2 / (rate.effective_subjects or 1.0) for share, rate in used)
            degrees = dependence.degrees_of_freedom(people)
            made = (*_by_variance(summary, drawn, degrees, max(images, default=0.0), self.alpha), *made)
        return make_estimate(
            self.system.provider, "fnmr_mix", at, value, None, SHARE, schema=self.schema, weighting=weighting,
            intervals=made)  # fmt: skip


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


def _range(form: Form, boxes: Boxes, weight: float) -> tuple[float, float] | None:
    is_both = form.rates == BOTH
    if any(rate not in boxes or (is_both and np.isnan(boxes[rate].low).any()) for rate in form.rates):
        return None
    if is_both:
        return composite_range(form.metric, boxes["fmr"], boxes["fnmr"], weight)
    box = boxes[form.rates[0]]
    return index_range(RateIndex(form.metric), box.low, box.high)
