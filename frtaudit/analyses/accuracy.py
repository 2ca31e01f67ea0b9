"""k-fold accuracy on listed pairs and on every declared test set: intervals, folds, and what disjoint folds change."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from frtaudit.analyses.comparison.measures import no_test_by_weight
from frtaudit.analyses.shared.pair_files import fold_files
from frtaudit.core import CohortData, Estimate, Interval, Method, Target
from frtaudit.core.arrays import Ints
from frtaudit.core.canonical import seed_of
from frtaudit.core.cohort import LedgerEntry
from frtaudit.core.comparisons import UNSCORED_PAIR
from frtaudit.core.methods import MIN_ERRORS
from frtaudit.core.registry import register
from frtaudit.core.spec import ADDED, AuditSpec, FoldSource, PairSetSpec, Weighting
from frtaudit.core.spec_values import FOLDS
from frtaudit.datasets.pair_rules import Order, Rules
from frtaudit.errors import SpecError
from frtaudit.evaluation.intervals import from_bounds
from frtaudit.evaluation.system import AnalysisOutput, FoldPairs, SystemData, on_panel
from frtaudit.stats.folds import fold_assignment, fold_differences, kfold_accuracy
from frtaudit.stats.intervals import closed_form
from frtaudit.stats.rates import rates
from frtaudit.stats.rates.trials import members

NAME = "accuracy"
HELD = "fold thresholds held fixed"
SELECTED = (
    f"{HELD}; pairs were selected by a system's scores: how many there were to select from is not counted"
)
ALIKE = "pairs were chosen hardest first, which makes folds alike: their spread is too small for an interval"


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """Accuracy of each fold at the threshold fitted on the others, on the folds' pairs and on every test set.

    ``deals``: how often disjoint and overlapping folds are dealt anew, where a set has both. ``against``: system to the
    system whose accuracy on the same pairs is taken from its own, such as one method trained with and without the
    people of a test set (004, tables 1 and 2).
    """

    deals: int = 200
    against: Mapping[str, str] = field(default_factory=dict, metadata=ADDED)

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for fewer than two deals, which have no spread."""
        if self.deals < 2:
            raise SpecError("analyses.accuracy.deals", f"found {self.deals}", "2 or more")
        for name, other in self.against.items():
            if name == other:
                raise SpecError("analyses.accuracy.against", f"{name!r} against itself", "another system")

    def survey(self, spec: AuditSpec, cohort_data: CohortData) -> None:
        """Refuse, before anything is scored, to compare a system that there is none of."""
        named = [*self.against, *self.against.values()]
        known = on_panel(spec, cohort_data) if named else ()
        for name in named:
            if name not in known:
                raise SpecError("analyses.accuracy.against", f"no system is named {name!r}", ", ".join(known))

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """Nothing without folds: ``folds.source`` and ``test_sets`` say where they come from."""
        sets = system.pair_sets
        if not sets:
            return AnalysisOutput(notes=(f"{system.provider}: no folds were declared, so no accuracy",))
        estimates: list[Estimate] = []
        failures: list[LedgerEntry] = []
        notes: list[str] = []
        files: dict[str, bytes] = {}
        for name, pairs in sets.items():
            place = _SystemOnTestSet(system=system, pairs=pairs, name=name, alpha=alpha)
            estimates += place.estimates(self.deals)
            failures += place.failures()
            notes += place.notes()
            files |= fold_files(system, name, pairs)
        state = sets if system.provider in {*self.against, *self.against.values()} else None
        return AnalysisOutput(
            estimates=tuple(estimates),
            failures=tuple(failures),
            notes=tuple(notes),
            files=files,
            per_system_state=state,
        )

    def across(self, states: Mapping[str, object], spec: AuditSpec, alpha: float) -> AnalysisOutput:  # noqa: ARG002  as others
        """Accuracy of a system minus that of another, on every test set, on the pairs that both scored."""
        by_system = {name: cast("Mapping[str, FoldPairs]", sets) for name, sets in states.items()}
        estimates = [
            _between(fold_pairs, by_system[other][pairs], name, {"pairs": pairs, "against": other}, alpha)
            for name, other in self.against.items()
            if name in by_system and other in by_system
            for pairs, fold_pairs in by_system[name].items()
        ]
        return AnalysisOutput(estimates=tuple(estimates))


def _between(
    fold_pairs: FoldPairs, other: FoldPairs, provider: str, at: Mapping[str, float | str], alpha: float
) -> Estimate:
    """The difference on common pairs in one folding, each system at thresholds of its own."""
    common, left, right = np.intersect1d(fold_pairs.at, other.at, return_indices=True)
    of = fold_assignment.common_folds([fold_pairs.folds[left], other.folds[right]])
    first, second = other.first[right], other.second[right]
    value: float | None = None
    interval: tuple[Interval, ...] = ()
    note = "a fold holds no pair that both scored"
    if not kfold_accuracy.empty_folds(of, other.k):
        a, b = (
            kfold_accuracy.k_fold_accuracy(pairs.score[rows], pairs.mated[rows], of, other.k)
            for pairs, rows in ((fold_pairs, left), (other, right))
        )
        delta = fold_differences.systems_difference(a, b, of, first, second)
        subjects = kfold_accuracy.subjects_by_weight(first[of >= 0], second[of >= 0])
        heavy = no_test_by_weight(first[other.mated[right] & (of >= 0)])
        value, interval = delta.value, (_of_systems(delta, subjects, heavy, alpha),)
        note = f"{delta.discordant} of {int(a.total.sum())} pairs"
    unit = f"difference of two systems on {common.size} common pairs"
    return Estimate.of(
        provider, NAME, "delta_accuracy_systems", value, unit, at=at, intervals=interval, note=note
    )


def _of_systems(
    delta: fold_differences.Difference, subjects: float, heavy: str | None, alpha: float
) -> Interval:
    """None where few pairs are discordant, or few subjects have most of the mated pairs: ``heavy`` says so."""
    bounds = fold_differences.difference_interval(delta, 0.0, subjects, alpha)
    few = f"fewer than {MIN_ERRORS} pairs are discordant" if delta.discordant < MIN_ERRORS else heavy
    low, high = (None, None) if few or bounds is None else bounds
    return Interval.of(low, high, alpha, Method.DYADIC, note=few or HELD)


@dataclass(frozen=True, slots=True, kw_only=True)
class _SystemOnTestSet:
    """One system on one test set."""

    system: SystemData
    pairs: FoldPairs
    name: str
    alpha: float

    def notes(self) -> Iterator[str]:
        """Where the folds come from, and what they leave out."""
        provider = (
            self.system.provider if self.name == FOLDS else f"{self.system.provider}, test set {self.name}"
        )
        shared = "share no subject" if self.pairs.strict else "share subjects in non-mated pairs only"
        shared = shared if self.pairs.disjoint else "share subjects in mated pairs"
        yield f"{provider}: folds {self.pairs.origin}; they {shared}"
        if self.pairs.failed:
            yield f"{provider}: {self.pairs.failed} pairs of the folds have no score and are left out"
        if self.pairs.dropped:
            yield f"{provider}: {self.pairs.dropped} non-mated pairs across folds are left out"

    def failures(self) -> Iterator[LedgerEntry]:
        """The pairs of the folds that have no score, as one entry."""
        of = "fold" if self.name == FOLDS else f"test_set_{self.name}"
        code, count = f"{of}_{UNSCORED_PAIR}", self.pairs.failed
        if count:
            yield LedgerEntry(
                code=code, count=count, unit="pairs", provider=self.system.provider, group="all"
            )

    def estimates(self, deals: int) -> Iterator[Estimate]:
        """Mean, spread, folds, the EER of the same pairs, and the difference to overlapping folds."""
        pairs = self.pairs
        empty = kfold_accuracy.empty_folds(pairs.folds, pairs.k)
        if empty:
            note = f"{empty} of {pairs.k} folds hold no pair with a score"
            yield self.estimate("accuracy", None, None, note=note)
            return
        k_fold_accuracy = kfold_accuracy.k_fold_accuracy(pairs.score, pairs.mated, pairs.folds, pairs.k)
        intervals = tuple(self._intervals(k_fold_accuracy, pairs.folds, disjoint=pairs.disjoint))
        yield self.estimate("accuracy", k_fold_accuracy.mean, _counts(k_fold_accuracy), intervals)
        yield self.estimate("accuracy_fold_sd", k_fold_accuracy.sd_ddof1, None)
        spread = ALIKE if self._is_hardest() else None
        yield self.estimate("accuracy_sem", k_fold_accuracy.sem, None, note=spread)
        for fold, (threshold, accuracy) in enumerate(
            zip(k_fold_accuracy.thresholds, k_fold_accuracy.accuracies, strict=True)
        ):
            counts = (int(k_fold_accuracy.correct[fold]), int(k_fold_accuracy.total[fold]))
            at = {"fold": float(fold), "threshold": float(threshold)}
            yield self.estimate("fold_accuracy", float(accuracy), counts, at=at)
        has_both = bool(pairs.mated.any() and not pairs.mated.all())
        eer = rates.eer(pairs.tail, self.system.groups) if has_both else None
        note = "needs mated and non-mated pairs" if eer is None else f"at threshold {eer.threshold:.6g}"
        value = None if eer is None else eer.value
        yield self.estimate("eer", value, None, weighting=Weighting.POOLED.value, note=note)
        for schema in self.system.groups.schemas:
            yield from self._by_class(k_fold_accuracy, schema)
        if (
            pairs.overlap is not None
            and pairs.disjoint
            and not kfold_accuracy.empty_folds(pairs.overlap, pairs.k)
        ):
            yield from self._against_overlap(k_fold_accuracy, pairs.overlap, deals)

    def _by_class(self, accuracy: kfold_accuracy.FoldAccuracy, schema: str) -> Iterator[Estimate]:
        """Accuracy of the pairs within each class; the skewed error ratio, max/min of 1 - accuracy (FORMULAS 8.15)."""
        shares: dict[str, float] = {}
        member = members(self.system.groups, self.system.cohort.n_subjects)
        for group_index, name in self.system.classes(schema):
            inside = member[group_index][self.pairs.first] & member[group_index][self.pairs.second]
            part = kfold_accuracy.within(accuracy, self.pairs.folds, inside)
            if part is None:
                note = "no pair within this class"
                yield self.estimate("class_accuracy", None, None, of=(schema, name), note=note)
                continue
            shares[name] = part.accuracy.mean
            bounds = kfold_accuracy.accuracy_bounds(
                part.accuracy, part.folds, self.pairs.first, self.pairs.second
            )
            interval = from_bounds(bounds, self.alpha, SELECTED if self._is_hardest() else HELD)
            counts = _counts(part.accuracy)
            yield self.estimate("class_accuracy", shares[name], counts, (interval,), of=(schema, name))
        wrong = [1 - share for share in shares.values()]
        ratio = max(wrong) / min(wrong) if len(wrong) > 1 and min(wrong) > 0 else None
        missing = None if ratio else "needs two classes, and a wrong pair in each"
        yield self.estimate("skewed_error_ratio", ratio, None, of=(schema, "all"), note=missing)

    def _against_overlap(
        self, accuracy: kfold_accuracy.FoldAccuracy, overlap: Ints, deals: int
    ) -> Iterator[Estimate]:
        """Accuracy of the same pairs in overlapping folds, and disjoint minus overlap (004, table 6)."""
        pairs = self.pairs
        other = kfold_accuracy.k_fold_accuracy(pairs.score, pairs.mated, overlap, pairs.k)
        intervals = tuple(self._intervals(other, overlap, disjoint=False))
        yield self.estimate("accuracy_overlap", other.mean, _counts(other), intervals)
        yield self.estimate("accuracy_overlap_fold_sd", other.sd_ddof1, None)
        both = (pairs.folds, overlap)
        delta = fold_differences.accuracy_difference(accuracy, other, both, pairs.first, pairs.second)
        rng = np.random.default_rng(seed_of(self.system.spec.seed, NAME, "deals", self.name))
        drawn = fold_differences.redealt_differences(
            pairs.score, pairs.mated, pairs.first, both, pairs.k, deals, rng
        )
        bounds = (_of_difference(delta, float(drawn.var(ddof=1)), pairs.n_subjects, self.alpha),)
        yield self.estimate("delta_accuracy", delta.value, None, bounds)
        counts = delta.discordant, int(accuracy.total.sum())
        yield self.estimate("delta_accuracy_otherwise", counts[0] / counts[1], counts)
        text = f"{deals} random deals of the same pairs"
        yield self.estimate("delta_accuracy_deal_mean", float(drawn.mean()), None, note=text)
        yield self.estimate("delta_accuracy_deal_sd", float(drawn.std(ddof=1)), None, note=text)

    def _intervals(
        self, accuracy: kfold_accuracy.FoldAccuracy, of: Ints, *, disjoint: bool
    ) -> Iterator[Interval]:
        """FORMULAS 8.11: Wilson over subjects; t over the folds where they are disjoint; i.i.d. as an extreme.

        A set whose pairs were chosen hardest first has no t: folds dealt in that order are more alike than chance.
        """
        hardest = self._is_hardest()
        bounds = kfold_accuracy.accuracy_bounds(accuracy, of, self.pairs.first, self.pairs.second)
        yield from_bounds(bounds, self.alpha, SELECTED if hardest else HELD)
        if disjoint and hardest:
            yield Interval.of(None, None, self.alpha, Method.T, Target.POPULATION, note=ALIKE)
        elif disjoint:
            yield _over_folds(accuracy, self.alpha)
        iid = closed_form.wilson_iid(*_counts(accuracy), self.alpha)
        yield Interval.of(iid.low, iid.high, self.alpha, Method.WILSON_IID, n_eff=iid.n_eff)

    def _is_hardest(self) -> bool:
        """Whether the protocol of this set took the pairs with the most difficult scores first."""
        spec = self.system.spec
        declared = spec.test_sets.get(self.name, PairSetSpec(folds=spec.folds))
        if declared.pairs is None and declared.folds.source is FoldSource.FILE:
            return False
        rules = getattr(declared.pairs or spec.protocol, "rules", None)
        return isinstance(rules, Rules) and rules.order is Order.HARDEST

    def estimate(
        self,
        metric: str,
        value: float | None,
        counts: tuple[int, int] | None,
        intervals: tuple[Interval, ...] = (),
        *,
        at: dict[str, float] | None = None,
        of: tuple[str | None, str] = (None, "all"),
        weighting: str | None = None,
        note: str | None = None,
    ) -> Estimate:
        """An estimate on this set's pairs; ``of``: schema and group."""
        return Estimate.of(
            self.system.provider,
            NAME,
            metric,
            value,
            of=of,
            counts=counts,
            at={"pairs": self.name, **(at or {})},
            weighting=weighting,
            intervals=intervals,
            note=note,
        )


def _counts(accuracy: kfold_accuracy.FoldAccuracy) -> tuple[int, int]:
    return int(accuracy.correct.sum()), int(accuracy.total.sum())


def _over_folds(accuracy: kfold_accuracy.FoldAccuracy, alpha: float) -> Interval:
    low, high = kfold_accuracy.t_interval(accuracy, alpha)
    return Interval.of(
        low if accuracy.sem > 0 else None,
        high if accuracy.sem > 0 else None,
        alpha,
        Method.T,
        Target.POPULATION,
        note="mean and spread of disjoint folds"
        if accuracy.sem > 0
        else "degenerate: all folds have the same accuracy",
        one_sided=lambda error: _over_folds(accuracy, 2 * error),
    )


def _of_difference(
    difference: fold_differences.Difference, dealt: float, subjects: int, alpha: float
) -> Interval:
    bounds = fold_differences.difference_interval(difference, dealt, subjects, alpha)
    low, high = bounds or (None, None)
    return Interval.of(
        low,
        high,
        alpha,
        Method.DEALT,
        note=None if bounds else "degenerate: no pair is discordant in any deal",
        one_sided=lambda error: _of_difference(difference, dealt, subjects, 2 * error),
    )
