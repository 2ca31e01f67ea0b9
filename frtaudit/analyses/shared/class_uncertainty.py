"""What is not known of people's classes, for one system and schema: bounds, another mix, rates behind the labels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from frtaudit.analyses.shared.class_mixture import ClassMix
from frtaudit.analyses.shared.failure_counts import attempts_of
from frtaudit.analyses.shared.influence import make_estimate
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
from frtaudit.core import Estimate
from frtaudit.core.arrays import Floats, Ints
from frtaudit.core.spec import FailureScore, Weighting
from frtaudit.evaluation.differentials import BOTH, Form, forms
from frtaudit.evaluation.intervals import AtKey
from frtaudit.evaluation.system import WEIGHTINGS, SystemData
from frtaudit.stats.folds import kfold_accuracy
from frtaudit.stats.groups import class_mix
from frtaudit.stats.groups.class_counts import ClassSums, class_sums, class_trials
from frtaudit.stats.groups.differentials import RateIndex
from frtaudit.stats.groups.equality_test import Direction
from frtaudit.stats.groups.group_contrasts import Box
from frtaudit.stats.groups.index_bounds import composite_range, index_range
from frtaudit.stats.rates.sums import mated_errors

GRID = 400  # thresholds at which curves of classes are bounded


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassUncertainty:
    """One system and one schema: bounds of its differentials, the declared mix, what mislabelling hides."""

    system: SystemData
    schema: str
    alpha: float
    mix: Mapping[str, float] | None = None
    mislabelled: Mapping[str, float] = field(default_factory=dict)

    def estimates(self) -> Iterator[Estimate]:
        """Bounds first, then the mix, then the rates behind the labels."""
        tail, rule = self.system.tail, self.system.rule
        trials = class_trials(tail, self._code(), self._count() + 1)
        causes = self._causes()
        mix = None
        if self.mix is not None:
            mix = ClassMix(system=self.system, schema=self.schema, alpha=self.alpha, declared=self.mix)
        for w, weighting in enumerate(WEIGHTINGS):
            for a in self.system.operating_points.declared:
                threshold = float(self.system.operating_points.at_target[w, a])
                if not np.isfinite(threshold) or (not causes and mix is None):
                    continue
                row = int(np.searchsorted(rule.mated.thresholds, threshold))
                sums = class_sums(tail, threshold, trials) if threshold >= tail.cutoff else None
                counts = self._schema_counts(weighting, rule.mated.subject_errors[row], sums)
                at: AtKey = {"fmr": self.system.operating_points.targets[a]}
                yield from self._bounds(counts, threshold, at, causes)
                if Missing.MISLABELLED in causes:
                    yield from self._behind_labels(counts, at)
                if mix is not None:
                    yield from mix.estimates(counts, threshold, at, a, trials)
        yield from self._curves(causes)
        if Missing.UNKNOWN in causes:
            yield from self._accuracies()

    def _code(self) -> Ints:
        codes = self.system.cohort.classifications[self.schema].codes.astype(np.int64)
        return np.where(codes < 0, self._count(), codes)

    def _count(self) -> int:
        return len(self.system.cohort.classifications[self.schema].classes)

    def _causes(self) -> list[Missing]:
        """Why rates of these classes could be others: none where everybody has a class, nothing failed, labels hold."""
        causes = []
        if bool(np.any(self.system.cohort.classifications[self.schema].codes < 0)):
            causes.append(Missing.UNKNOWN)
        if any(int(lost.sum()) for lost in self._lost().values()):
            causes.append(Missing.FAILURES)
        if any(self._wrong()):
            causes.append(Missing.MISLABELLED)
        return causes

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

    def _schema_counts(
        self, weighting: Weighting, mated_errors: Ints, sums: ClassSums | None = None
    ) -> SchemaCounts:
        tail = self.system.tail
        return SchemaCounts(
            code=self._code(),
            n_classes=self._count(),
            weighting=weighting,
            mated_errors=mated_errors,
            mated_trials=self.system.rule.mated.subject_pairs,
            sums=sums,
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
                key: AtKey = {"weight": weight} if form.rates == BOTH else {"rate": form.rates[0]}
                where: AtKey = {**at, "index": form.metric, **key, "missing": cause.value}
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
        ends: tuple[float, float] | None,
        worse: Direction,
        at: AtKey,
        group: str,
        weighting: Weighting | None,
    ) -> Iterator[Estimate]:
        best, worst = (None, None) if ends is None else ends if worse is Direction.LARGER else ends[::-1]
        note = None if ends else "not bounded: a class without comparisons, or no such rate was kept"
        for case, value in (("best", best), ("worst", worst)):
            yield make_estimate(
                self.system.provider, f"index_{case}_case", at, value, None, note,
                schema=self.schema, group=group, weighting=weighting,
            )  # fmt: skip

    def _curves(self, causes: Sequence[Missing]) -> Iterator[Estimate]:
        """Bounds of the largest d_l2 in both spaces, from bounds of FNMR at many thresholds."""
        tail = self.system.tail
        if not (causes and tail.mated_score.size) or self._count() < 2:
            return
        places = np.unique(np.linspace(0, tail.mated_score.size - 1, GRID).astype(np.int64))
        grid = np.unique(tail.mated_score[places].astype(np.float64))
        errors, subject_errors = mated_errors(tail, self.system.groups, grid)
        group_indices = [group_index for group_index, _ in self.system.classes(self.schema)]
        trials, lost = self.system.trials.mated[group_indices], self._lost()["fnmr"]
        base = self._schema_counts(Weighting.POOLED, subject_errors[0])

        def rates(cause: Missing, place: int) -> Box:
            if cause is Missing.FAILURES:
                return failure_boxes({"fnmr": (errors[place, group_indices], trials, lost)})["fnmr"]
            here = replace(base, mated_errors=subject_errors[place])
            if cause is Missing.UNKNOWN:
                return unknown_boxes(here)["fnmr"]
            return mislabelled_boxes(here, self._wrong())["fnmr"]

        for cause in causes:
            bounds = curve_range(partial(rates, cause), grid, tail.score_range)
            for space in ("quantile", "tar"):
                at: AtKey = {"index": "d_l2", "space": space, "missing": cause.value}
                yield from self._cases(
                    None if bounds is None else bounds[space], Direction.LARGER, at, "max", None
                )

    def _accuracies(self) -> Iterator[Estimate]:
        """Bounds of the skewed error ratio of every set of pairs in folds, for people without a class."""
        for name, pairs in self.system.pair_sets.items():
            if kfold_accuracy.empty_folds(pairs.folds, pairs.k):
                continue
            accuracy = kfold_accuracy.k_fold_accuracy(pairs.score, pairs.mated, pairs.folds, pairs.k)
            used = pairs.folds >= 0
            ends = pairs.first[used], pairs.second[used]
            box = pair_box(*ends, ~accuracy.is_correct[used], self._code(), self._count())
            at: AtKey = {"index": "skewed_error_ratio", "pairs": name, "missing": Missing.UNKNOWN.value}
            bounds = index_range(RateIndex.MAX_MIN, box.low, box.high)
            yield from self._cases(bounds, Direction.LARGER, at, "all", None)

    def _behind_labels(self, counts: SchemaCounts, at: AtKey) -> Iterator[Estimate]:
        """Indices of the rates that these labels hide, if wrong labels fall on people regardless of their errors."""
        weight = float(getattr(self.system.spec.analyses.get("differentials"), "weight", 0.5))
        matrix = class_mix.mislabelling(self._wrong())
        single, fmr = counts.fnmr(), np.full((self._count(),) * 2, np.nan)
        if counts.sums is not None:
            fmr = class_mix.class_rates(counts.sums, counts.weighting)[:-1, :-1]
        both = zip(("fnmr", "fmr"), class_mix.unmixed(single, fmr, matrix) or (), strict=False)
        rates = {name: rate for name, rate in both if rate is not None}
        outside = [name for name, rate in rates.items() if bool(((rate < 0) | (rate > 1)).any())]
        for form in forms(weight):
            key: AtKey = {"weight": weight} if form.rates == BOTH else {"rate": form.rates[0]}
            value: float | None = None
            note: str | None = "needs comparisons of all classes with each other, and mostly right labels"
            if any(rate in outside for rate in form.rates):
                note = "a corrected rate lies outside 0 to 1, by chance or because fewer labels are wrong"
            elif all(rate in rates for rate in form.rates):
                value, note = float(form.value(rates)), None
            yield make_estimate(
                self.system.provider, "index_behind_labels", {**at, "index": form.metric, **key}, value, None,
                note, schema=self.schema, weighting=counts.weighting,
            )  # fmt: skip


def _range(form: Form, boxes: Boxes, weight: float) -> tuple[float, float] | None:
    is_both = form.rates == BOTH
    if any(rate not in boxes or (is_both and np.isnan(boxes[rate].low).any()) for rate in form.rates):
        return None
    if is_both:
        return composite_range(form.metric, boxes["fmr"], boxes["fnmr"], weight)
    box = boxes[form.rates[0]]
    return index_range(RateIndex(form.metric), box.low, box.high)
