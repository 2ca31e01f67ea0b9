"""What was tried and failed: samples not acquired, comparisons without a score, by subject and by group."""

from dataclasses import dataclass, replace

import numpy as np

from frtaudit.core import ScoreTable
from frtaudit.core.arrays import Flags, Ints
from frtaudit.evaluation.system import SystemData
from frtaudit.labelling import tried
from frtaudit.stats.rates.trials import complete_pairs, members

SAMPLES, COMPARISONS = "share of samples", "share of attempted comparisons"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempts:
    """Of each tag by subject: ``failed``, ``tried`` (G+1, K); lost comparisons: ``mated``, ``non_mated`` (G+1,); int64.

    In a search for names K counts queries, with a person or without.
    ``known``: that none stands apart is so by the spec, and no estimate.
    """

    failed: Ints
    tried: Ints
    mated: Ints
    non_mated: Ints
    unit: str
    known: bool = False

    def scored(self) -> "Attempts":
        """The same attempts with the failed ones scored: they are in FNMR already, so none stands apart."""
        none = {name: np.zeros_like(getattr(self, name)) for name in ("failed", "mated", "non_mated")}
        return replace(self, known=True, **none)


def attempts_of(trial: SystemData) -> Attempts:
    """What one system was given and did not answer.

    Lists tell of failed comparisons; elsewhere samples fail, whichever of their comparisons are made.
    """
    if trial.attempts is None:
        return _of_samples(trial)
    lost = _of_comparisons(trial, trial.attempts)
    if trial.material.labelling is not None and was_listed(trial):
        failed, asked = tried.tried(trial.material.labelling, trial.provider, trial.groups.names)
        return replace(lost, failed=failed, tried=asked)
    if was_listed(trial):
        return lost
    samples = _of_samples(trial)
    return replace(lost, failed=samples.failed, tried=samples.tried, unit=samples.unit)


def was_listed(trial: SystemData) -> bool:
    """Whether the scores came with the cohort, as lists."""
    return trial.provider in trial.material.tables


def _of_samples(trial: SystemData) -> Attempts:
    cohort = trial.cohort
    given = np.bincount(cohort.subject_of, minlength=cohort.n_subjects).astype(np.int64)
    failed = cohort.subject_of[list(trial.failed)]
    got = given - np.bincount(failed, minlength=cohort.n_subjects)
    mated = _by_tag(trial, given * (given - 1) // 2 - got * (got - 1) // 2)
    planned = np.array([_pairs(trial, tag, given) for tag, _, _ in trial.tags()])
    made = np.array([_pairs(trial, tag, got) for tag, _, _ in trial.tags()])
    lost, asked = _each(trial, given - got), _each(trial, given)
    return Attempts(failed=lost, tried=asked, mated=mated, non_mated=planned - made, unit=SAMPLES)


def members_of(trial: SystemData, tag: int) -> Flags:
    """Which subjects belong to a tag, (K,) bool."""
    return np.asarray(members(trial.groups, trial.cohort.n_subjects)[tag])


def _each(trial: SystemData, values: Ints) -> Ints:
    """Values by subject, (K,), for each tag: 0 where the subject does not belong to it."""
    return np.asarray(members(trial.groups, trial.cohort.n_subjects) * values)


def _by_tag(trial: SystemData, values: Ints) -> Ints:
    return np.array([int(values[members_of(trial, tag)].sum()) for tag, _, _ in trial.tags()], dtype=np.int64)


def _pairs(trial: SystemData, tag: int, samples: Ints) -> int:
    """Non-mated comparisons within the cells among the tag's subjects."""
    if not trial.comparisons.all_pairs:
        return 0
    return complete_pairs(samples, np.where(members_of(trial, tag), trial.comparisons.cells, -1))


def _of_comparisons(trial: SystemData, attempts: ScoreTable) -> Attempts:
    """A failed comparison counts for the probe's subject."""
    pairs = trial.comparisons
    probe, reference = trial.cohort.subject_of[pairs.probe], trial.cohort.subject_of[pairs.reference]
    failed = attempts.failure >= 0
    size = trial.cohort.n_subjects
    mated, non_mated = [], []
    for tag, _, _ in trial.tags():
        member = members_of(trial, tag)
        inside = failed & member[probe] & member[reference]
        mated.append(int(np.count_nonzero(inside & pairs.mated)))
        non_mated.append(int(np.count_nonzero(inside & ~pairs.mated)))
    return Attempts(
        failed=_each(trial, np.bincount(probe[failed], minlength=size).astype(np.int64)),
        tried=_each(trial, np.bincount(probe, minlength=size).astype(np.int64)),
        mated=np.array(mated, dtype=np.int64),
        non_mated=np.array(non_mated, dtype=np.int64),
        unit=COMPARISONS,
    )
