"""k-fold accuracy on listed pairs, folds from a file or identity-disjoint, and the EER of the same pairs."""

from collections.abc import Iterator
from dataclasses import dataclass

from frtaudit.core import Estimate, Interval, Method, Target
from frtaudit.core.spec import Weighting
from frtaudit.inference import SHARE, from_score
from frtaudit.registry import register
from frtaudit.stats import folds, rates, wilson
from frtaudit.trial import FoldPairs, Outcome, Trial

NAME = "accuracy"
AT: dict[str, float | str] = {"pairs": "folds"}


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """Accuracy of each fold at the threshold fitted on the others."""

    def estimates(self, trial: Trial, alpha: float) -> Outcome:
        """Nothing without folds: the spec's ``folds.source`` says where they come from."""
        pairs = trial.fold_pairs
        if pairs is None:
            return Outcome(notes=(f"{trial.provider}: no folds were declared, so no accuracy",))
        notes = [f"{trial.provider}: folds {pairs.origin}"]
        if pairs.failed:
            notes.append(
                f"{trial.provider}: {pairs.failed} pairs of the folds have no score and are left out"
            )
        if pairs.dropped:
            notes.append(f"{trial.provider}: {pairs.dropped} non-mated pairs across folds are left out")
        return Outcome(estimates=tuple(_estimates(trial, pairs, alpha)), notes=tuple(notes))


def _estimates(trial: Trial, pairs: FoldPairs, alpha: float) -> Iterator[Estimate]:
    empty = folds.empty_folds(pairs.folds, pairs.k)
    if empty:
        note = f"{empty} of {pairs.k} folds hold no pair with a score"
        yield _estimate(
            trial, "accuracy", None, None, "mean of the folds' shares of correct pairs", note=note
        )
        return
    found = folds.k_fold_accuracy(pairs.score, pairs.mated, pairs.folds, pairs.k)
    correct, total = int(found.correct.sum()), int(found.total.sum())
    made = tuple(_intervals(found, pairs, alpha))
    yield _estimate(
        trial, "accuracy", found.mean, (correct, total), "mean of the folds' shares of correct pairs", made
    )
    yield _estimate(
        trial, "accuracy_fold_sd", found.sd_ddof1, None, "standard deviation of the folds, divisor k - 1"
    )
    for fold, (threshold, accuracy) in enumerate(zip(found.thresholds, found.accuracies, strict=True)):
        counts = (int(found.correct[fold]), int(found.total[fold]))
        at = {"fold": float(fold), "threshold": float(threshold)}
        yield _estimate(trial, "fold_accuracy", float(accuracy), counts, "share of correct pairs", at=at)
    yield _eer(trial, pairs)


def _eer(trial: Trial, pairs: FoldPairs) -> Estimate:
    has_both = bool(pairs.mated.any() and not pairs.mated.all())
    eer = rates.eer(pairs.tail, trial.groups) if has_both else None
    note = "needs mated and non-mated pairs" if eer is None else f"at threshold {eer.threshold:.6g}"
    value = None if eer is None else eer.value
    return _estimate(trial, "eer", value, None, SHARE, weighting=Weighting.POOLED.value, note=note)


def _intervals(found: folds.FoldAccuracy, pairs: FoldPairs, alpha: float) -> Iterator[Interval]:
    """FORMULAS 8.11: Wilson over subjects; t over the folds where they are disjoint; i.i.d. as an extreme."""
    yield from_score(
        lambda at: folds.accuracy_interval(found, pairs.folds, pairs.first, pairs.second, at),
        alpha,
        "fold thresholds held fixed",
    )
    if pairs.disjoint:
        yield _over_folds(found, alpha)
    iid = wilson.wilson_iid(int(found.correct.sum()), int(found.total.sum()), alpha)
    yield Interval(
        low=iid.low,
        high=iid.high,
        level=1 - alpha,
        method=Method.WILSON_IID,
        target=Target.COMPARISONS_IID,
        n_eff=iid.n_eff,
    )


def _over_folds(found: folds.FoldAccuracy, alpha: float) -> Interval:
    low, high = folds.t_interval(found, alpha)
    return Interval(
        low=low if found.sem > 0 else None,
        high=high if found.sem > 0 else None,
        level=1 - alpha,
        method=Method.T,
        target=Target.POPULATION,
        note="mean and spread of disjoint folds" if found.sem > 0 else "degenerate: all folds alike",
        one_sided=lambda error: _over_folds(found, 2 * error),
    )


def _estimate(
    trial: Trial,
    metric: str,
    value: float | None,
    counts: tuple[int, int] | None,
    unit: str,
    intervals: tuple[Interval, ...] = (),
    *,
    at: dict[str, float] | None = None,
    weighting: str | None = None,
    note: str | None = None,
) -> Estimate:
    return Estimate(
        provider=trial.provider,
        analysis=NAME,
        metric=metric,
        schema=None,
        group="all",
        weighting=weighting,
        at={**AT, **(at or {})},
        value=value,
        numerator=counts[0] if counts else None,
        denominator=counts[1] if counts else None,
        unit=unit,
        intervals=intervals,
        note=note,
    )
