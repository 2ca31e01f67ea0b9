"""Comparisons of systems that need more than shared scores: accuracy on folds, failures, what these could hide."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from frtaudit.analyses.comparison.measures import ACCURACY, FTA, Measure, discordant
from frtaudit.analyses.comparison.support import CommonSupport
from frtaudit.core.arrays import Flags, Floats, Ints
from frtaudit.core.metrics import MEAN_SHARE
from frtaudit.core.spec import FailureScore
from frtaudit.evaluation.system import POOLED, FoldPairs, SystemData
from frtaudit.stats.folds import kfold_accuracy

FOLDS = "folds"  # what the pairs of spec.folds are called


def accuracy(common: CommonSupport) -> Iterator[Measure]:
    """Accuracy on the folds' pairs and on every test set, of the pairs that every system scored, thresholds held fixed.

    The part of subject k in the error of the mean fold accuracy is the sum of the residuals of its pairs, each weighing
    1/(k n_fold) (FORMULAS 8.11); a replicate counts subject k as often as it is drawn.
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
    # folds dealt to each system's own pairs may differ; the first in order of their numbers serves whatever the names
    fold = np.array(
        min(fold_pairs.folds[at].tolist() for fold_pairs, at in zip(sets, places, strict=True)),
        dtype=np.int64,
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
    decided, thin = discordant(wrong, sets[0].first[places[0]], fold >= 0)
    return Measure(
        of=ACCURACY,
        values=values,
        drawn=drawn,
        unit=MEAN_SHARE,
        at={"pairs": name},
        decided=decided,
        untested=thin,
        refused=f"{empty} of {k} folds hold no pair that every system scored" if empty else None,
        subjects=int(np.unique(sets[0].first[places[0]]).size),
    )


def _fold_accuracy(pairs: FoldPairs, at: Ints, fold: Ints, subjects: int) -> tuple[float, Floats, Flags]:
    """Accuracy on the pairs ``at``, each subject's part in its error (K,), and which pairs are decided wrong."""
    mated = pairs.mated[at]
    fold_accuracy = kfold_accuracy.k_fold_accuracy(pairs.score[at], mated, fold, pairs.k)
    used = fold >= 0
    weight = np.where(used, 1 / (pairs.k * fold_accuracy.total[fold]), 0.0)
    residual = weight * (fold_accuracy.is_correct - fold_accuracy.accuracies[fold])
    parts: Floats = np.bincount(pairs.first[at], weights=residual, minlength=subjects).astype(np.float64)
    parts += np.bincount(pairs.second[at][~mated], weights=residual[~mated], minlength=subjects)
    return fold_accuracy.mean, parts, np.asarray(used & ~fold_accuracy.is_correct)


def failures(common: CommonSupport) -> Iterator[Measure]:
    """Failure to acquire: the share of all attempts, not of the common support."""
    failed, who, unit = failed_attempts([system.system for system in common.systems])
    copies = common.copies().astype(np.float64)
    tried = np.bincount(who, minlength=copies.shape[1])
    sums = np.stack([np.bincount(who[flags], minlength=tried.size) for flags in failed])
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = (copies @ sums.T) / (copies @ tried)[:, None]
    decided, thin = discordant(list(failed), who, np.ones(who.size, dtype=np.bool_))
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
    """Mated comparisons of one system at its threshold: ``errors`` among those it scored, ``lost`` without a score."""

    errors: int
    lost: int
    planned: int


def extremes(common: CommonSupport, a: int) -> list[Extremes] | None:
    """What the failures of each system could hide at target ``a``, everybody, pooled; None where nothing was lost.

    The thresholds are those of the common support: a failed non-mated comparison moves none.
    """
    if common.first_system.spec.failures is FailureScore.SCORE_ZERO:
        return None
    planned = _planned(common.first_system)
    per_system = []
    for system in common.systems:
        score = system.system.tail.mated_score
        errors = int(np.count_nonzero(score <= system.thresholds[POOLED, a]))
        per_system.append(Extremes(errors=errors, lost=planned - score.size, planned=planned))
    return per_system if any(counts.lost for counts in per_system) else None


def _planned(system: SystemData) -> int:
    """Mated comparisons that the protocol asks for."""
    if not system.comparisons.all_pairs:
        return int(np.count_nonzero(system.comparisons.mated))
    samples = np.bincount(system.cohort.subject_of).astype(np.int64)
    return int((samples * (samples - 1) // 2).sum())
