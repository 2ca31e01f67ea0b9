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
    """By group and subject: ``failed``, ``tried`` (G+1, K); lost comparisons: ``mated``, ``non_mated`` (G+1,); int64.

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


def attempts_of(system: SystemData) -> Attempts:
    """What one system was given and did not answer.

    Lists tell of failed comparisons; elsewhere samples fail, whichever of their comparisons are made.
    """
    if system.attempts is None:
        return _of_samples(system)
    lost = _of_comparisons(system, system.attempts)
    if system.cohort_data.labelling is not None and was_listed(system):
        failed, asked = tried.tried(system.cohort_data.labelling, system.provider, system.groups.names)
        return replace(lost, failed=failed, tried=asked)
    if was_listed(system):
        return lost
    samples = _of_samples(system)
    return replace(lost, failed=samples.failed, tried=samples.tried, unit=samples.unit)


def was_listed(system: SystemData) -> bool:
    """Whether the scores came with the cohort, as lists."""
    return system.provider in system.cohort_data.tables


def _of_samples(system: SystemData) -> Attempts:
    cohort = system.cohort
    given = np.bincount(cohort.subject_of, minlength=cohort.n_subjects).astype(np.int64)
    got = given - np.bincount(cohort.subject_of[list(system.failed)], minlength=cohort.n_subjects)
    mated = _each(system, given * (given - 1) // 2 - got * (got - 1) // 2).sum(axis=1)
    planned = np.array([_pairs(system, group_index, given) for group_index, _, _ in system.every_group()])
    compared = np.array([_pairs(system, group_index, got) for group_index, _, _ in system.every_group()])
    lost, asked = _each(system, given - got), _each(system, given)
    return Attempts(failed=lost, tried=asked, mated=mated, non_mated=planned - compared, unit=SAMPLES)


def members_of(system: SystemData, group_index: int) -> Flags:
    """Which subjects belong to a group, (K,) bool."""
    return np.asarray(members(system.groups, system.cohort.n_subjects)[group_index])


def _each(system: SystemData, values: Ints) -> Ints:
    """Values by subject, (K,), for each group: 0 where the subject does not belong to it."""
    return np.asarray(members(system.groups, system.cohort.n_subjects) * values)


def _pairs(system: SystemData, group_index: int, samples: Ints) -> int:
    """Non-mated comparisons within the cells among the group's subjects."""
    if not system.comparisons.all_pairs:
        return 0
    return complete_pairs(samples, np.where(members_of(system, group_index), system.comparisons.cells, -1))


def _of_comparisons(system: SystemData, attempts: ScoreTable) -> Attempts:
    """A failed comparison counts for the probe's subject."""
    pairs = system.comparisons
    probe, reference = system.cohort.subject_of[pairs.probe], system.cohort.subject_of[pairs.reference]
    failed = attempts.failure >= 0
    size = system.cohort.n_subjects
    mated, non_mated = [], []
    for group_index, _, _ in system.every_group():
        member = members_of(system, group_index)
        inside = failed & member[probe] & member[reference]
        mated.append(int(np.count_nonzero(inside & pairs.mated)))
        non_mated.append(int(np.count_nonzero(inside & ~pairs.mated)))
    return Attempts(
        failed=_each(system, np.bincount(probe[failed], minlength=size).astype(np.int64)),
        tried=_each(system, np.bincount(probe, minlength=size).astype(np.int64)),
        mated=np.array(mated, dtype=np.int64),
        non_mated=np.array(non_mated, dtype=np.int64),
        unit=COMPARISONS,
    )
