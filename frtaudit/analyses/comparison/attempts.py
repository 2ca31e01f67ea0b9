"""Comparisons of systems that need more than shared scores: accuracy on folds, failures, what these could hide."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from frtaudit.analyses.comparison.measures import ACCURACY, FTA, Measure, discordant
from frtaudit.analyses.comparison.support import CommonSupport
from frtaudit.core import ScoreTail
from frtaudit.core.arrays import Flags, Floats, Ints
from frtaudit.core.metrics import MEAN_SHARE
from frtaudit.core.spec import FailureScore
from frtaudit.evaluation.system import POOLED, FoldPairs, SystemData
from frtaudit.stats.folds import fold_assignment, kfold_accuracy

FOLDS = "folds"  # what the pairs of spec.folds are called


def accuracy(common: CommonSupport) -> Iterator[Measure]:
    """Accuracy on the folds' pairs and on every test set, of the pairs that every system scored, thresholds held fixed.

    The part of subject k in the error of the mean fold accuracy is the sum of the residuals of its pairs, each weighing
    1/(k n_fold) (FORMULAS 8.11); a replicate counts subject k as often as it is drawn. Residuals are from the mean of
    all folds: the accuracy of a disjoint fold is that of its own few subjects, who would differ from it by little.
    There is no test where a few subjects have most of the mated pairs.
    """
    for name in (FOLDS, *common.first_system.test_sets):
        sets = [
            system.system.fold_pairs if name == FOLDS else system.system.test_sets.get(name)
            for system in common.systems
        ]
        present = [pairs for pairs in sets if pairs is not None]
        if present and len(present) == len(sets):
            yield _accuracy(common, name, present)


def _accuracy(common: CommonSupport, name: str, sets: Sequence[FoldPairs]) -> Measure:
    rows = [fold_pairs.at for fold_pairs in sets]
    places = [np.searchsorted(indices, reduce(np.intersect1d, rows)) for indices in rows]
    fold = fold_assignment.common_folds(
        [fold_pairs.folds[at] for fold_pairs, at in zip(sets, places, strict=True)]
    )
    k = sets[0].k
    empty = kfold_accuracy.empty_folds(fold, k)
    copies = common.copies() - 1.0
    values, drawn = np.full(len(sets), np.nan), np.full((len(copies), len(sets)), np.nan)
    wrong: list[Flags] = []
    for v, (pairs, at) in enumerate(zip(sets, places, strict=True)) if not empty else ():
        values[v], parts, missed = _fold_accuracy(pairs, at, fold, copies.shape[1])
        drawn[:, v] = values[v] + copies @ parts
        wrong.append(missed)
    who = sets[0].first[places[0]]
    decided, thin = discordant(wrong, who, fold >= 0, who[sets[0].mated[places[0]] & (fold >= 0)])
    return Measure(
        of=ACCURACY,
        values=values,
        drawn=drawn,
        unit=MEAN_SHARE,
        at={"pairs": name},
        decided=decided,
        untested=thin,
        refused=f"{empty} of {k} folds hold no pair that every system scored" if empty else None,
        subjects=int(np.unique(who).size),
    )


def _fold_accuracy(pairs: FoldPairs, at: Ints, fold: Ints, subjects: int) -> tuple[float, Floats, Flags]:
    """Accuracy on the pairs ``at``, each subject's part in its error (K,), and which pairs are decided wrong."""
    mated = pairs.mated[at]
    fold_accuracy = kfold_accuracy.k_fold_accuracy(pairs.score[at], mated, fold, pairs.k)
    used = fold >= 0
    weight = np.where(used, 1 / (pairs.k * fold_accuracy.total[fold]), 0.0)
    residual = weight * (fold_accuracy.is_correct - fold_accuracy.mean)
    parts: Floats = np.bincount(pairs.first[at], weights=residual, minlength=subjects).astype(np.float64)
    parts += np.bincount(pairs.second[at][~mated], weights=residual[~mated], minlength=subjects)
    return fold_accuracy.mean, parts, np.asarray(used & ~fold_accuracy.is_correct)


def failures(common: CommonSupport) -> Iterator[Measure]:
    """Failure to acquire: the share of all attempts, not of the common support; no test where a few have most."""
    failed, who, unit = failed_attempts([system.system for system in common.systems])
    copies = common.copies().astype(np.float64)
    tried = np.bincount(who, minlength=copies.shape[1])
    sums = np.stack([np.bincount(who[flags], minlength=tried.size) for flags in failed])
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = (copies @ sums.T) / (copies @ tried)[:, None]
    decided, thin = discordant(list(failed), who, np.ones(who.size, dtype=np.bool_), who)
    yield Measure(
        of=FTA,
        values=sums.sum(axis=1) / max(who.size, 1),
        drawn=drawn,
        unit=f"share of {unit}",
        decided=decided,
        untested=thin,
        refused=None if who.size else "nothing was tried",
        subjects=int(np.unique(who).size),
    )


def failed_attempts(systems: Sequence[SystemData]) -> tuple[list[Flags], Ints, str]:
    """Which attempts of each system failed, whose each attempt is, and what an attempt is.

    Listed comparisons where only these tell of failures; else the cohort's samples.
    """
    attempts = [system.attempts for system in systems]
    if any(system.provider in system.cohort_data.tables for system in systems) and None not in attempts:
        who = systems[0].cohort.subject_of[systems[0].comparisons.probe].astype(np.int64)
        return (
            [np.asarray(attempt.failure >= 0) for attempt in attempts if attempt is not None],
            who,
            "attempted comparisons",
        )
    size = systems[0].cohort.n_samples
    flags = [np.isin(np.arange(size), list(system.failed)) for system in systems]
    return flags, systems[0].cohort.subject_of.astype(np.int64), "samples"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extremes:
    """Mated comparisons of one system at its threshold: ``errors`` among those it scored, ``lost`` without a score.

    ``drawn`` (2, B): replicates of the share of ``planned`` that is wrong if all that is lost is right, and if it is
    wrong.
    """

    errors: int
    lost: int
    planned: int
    drawn: Floats


def extremes(common: CommonSupport, a: int) -> list[Extremes] | None:
    """What the failures of each system could hide at target ``a``, everybody, pooled; None where nothing was lost.

    The thresholds are those of the common support: a failed non-mated comparison moves none. A replicate finds them
    anew for the comparisons that all systems scored, as :attr:`SystemOnSupport.drawn_fnmr` has it; what only some
    scored is decided at the system's own threshold, and counted with its subject, as what is lost is.
    """
    if common.first_system.spec.failures is FailureScore.SCORE_ZERO:
        return None
    copies = common.copies().astype(np.float64)
    planned = _planned(common.first_system)
    tried = copies @ planned
    per_system = []
    for system in common.systems:
        threshold = float(system.thresholds[POOLED, a])
        errors, scored = _by_subject(system.system.tail, threshold, planned.size)
        shared_errors, shared = _by_subject(system.tail, threshold, planned.size)
        lost = planned - scored
        wrong = system.drawn_fnmr[POOLED, :, a, 0] * (copies @ shared) + copies @ (errors - shared_errors)
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn = np.stack([wrong, wrong + copies @ lost]) / tried
        per_system.append(
            Extremes(errors=int(errors.sum()), lost=int(lost.sum()), planned=int(planned.sum()), drawn=drawn)
        )
    return per_system if any(counts.lost for counts in per_system) else None


def _by_subject(tail: ScoreTail, threshold: float, subjects: int) -> tuple[Ints, Ints]:
    """Mated comparisons of each subject at or below a threshold, and all of them, (K,) each."""
    whose = tail.subject_of[tail.mated_i]
    wrong = whose[tail.mated_score <= threshold]
    return np.bincount(wrong, minlength=subjects), np.bincount(whose, minlength=subjects)


def _planned(system: SystemData) -> Ints:
    """Mated comparisons of each subject that the protocol asks for, (K,)."""
    subject_of, subjects = system.cohort.subject_of, system.cohort.n_subjects
    if not system.comparisons.all_pairs:
        probes = system.comparisons.probe[system.comparisons.mated]
        return np.bincount(subject_of[probes], minlength=subjects)
    samples = np.bincount(subject_of, minlength=subjects).astype(np.int64)
    return np.asarray(samples * (samples - 1) // 2)
