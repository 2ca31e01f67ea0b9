"""Trials: how many comparisons, subjects and pairs of subjects stand behind a rate (FORMULAS 1)."""

from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Flags, Index, Ints
from frtaudit.core.freeze import FrozenArrays
from frtaudit.core.scores import Blocks, Groups, ScoreTail


@dataclass(frozen=True, slots=True, kw_only=True)
class Trials(FrozenArrays):
    """Denominators per group (0 = everybody, g + 1 = group g), each of shape (G+1,), int64.

    ``mated``, ``non_mated``: comparisons; ``subjects_mated``: K2, subjects with a mated comparison;
    ``subjects``: subjects with an acquired sample; ``subject_pairs``: unordered pairs of subjects with a
    non-mated comparison. Non-mated counts of a group are within the group.
    """

    mated: Ints
    non_mated: Ints
    subjects_mated: Ints
    subjects: Ints
    subject_pairs: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectTrials(FrozenArrays):
    """Non-mated trials of each subject, per scope (0 = everybody, s + 1 = within one group of schema s).

    ``comparisons`` (1+S, K) int64: sum over l of n_kl; ``partners`` (1+S, K) int64: subjects l with a
    comparison.
    """

    comparisons: Ints
    partners: Ints


def members(groups: Groups, n_subjects: int) -> Flags:
    """Which subjects belong to each group: shape (G+1, K), bool; row 0 is everybody."""
    values = np.zeros((len(groups.names) + 1, n_subjects), dtype=np.bool_)
    values[0] = True
    for row in groups.of:
        subjects = np.flatnonzero(row >= 0)
        values[row[subjects] + 1, subjects] = True
    return values


def schema_of(groups: Groups) -> Index:
    """Index into ``groups.schemas`` of each group, shape (G,), int32."""
    return np.asarray([groups.schemas.index(schema) for schema, _ in groups.names], dtype=np.int32)


def block_sizes(tail: ScoreTail, first: Index, second: Index) -> Ints:
    """Comparisons n_kl in the blocks of the subjects ``first``, ``second`` (either order): their shape, int64.

    n_k n_l when every pair was compared, else the listed count, 0 where a block was not listed.
    """
    if tail.blocks is None:
        return np.asarray(tail.n_samples[first] * tail.n_samples[second], dtype=np.int64)
    blocks, n_subjects = tail.blocks, tail.n_samples.size
    key = blocks.k.astype(np.int64) * n_subjects + blocks.l
    wanted = np.minimum(first, second).astype(np.int64) * n_subjects + np.maximum(first, second)
    if key.size == 0:
        return np.zeros(wanted.shape, dtype=np.int64)
    order = np.argsort(key, kind="stable")
    rows = order[np.minimum(np.searchsorted(key[order], wanted), key.size - 1)]
    return np.where(key[rows] == wanted, blocks.count[rows], 0)


def trials(tail: ScoreTail, groups: Groups) -> Trials:
    """Denominators of every rate, per group; in closed form when every pair was compared.

    >>> from frtaudit.stats.similarity.tail import from_matrix, no_groups
    >>> tail = from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["a", "a", "b"])
    >>> found = trials(tail, no_groups(tail))
    >>> found.mated.tolist(), found.non_mated.tolist(), found.subject_pairs.tolist()
    ([1], [2], [1])
    """
    membership = members(groups, tail.n_samples.size)
    pairs = tail.n_mated
    per_subject = subject_trials(tail, groups)
    scope = np.concatenate([[0], schema_of(groups) + 1])
    non_mated = (per_subject.comparisons[scope] * membership).sum(axis=1) // 2
    subject_pairs = (per_subject.partners[scope] * membership).sum(axis=1) // 2
    return Trials(
        mated=membership @ pairs,
        non_mated=non_mated,
        subjects_mated=(membership & (pairs > 0)).sum(axis=1, dtype=np.int64),
        subjects=(membership & (tail.n_samples > 0)).sum(axis=1, dtype=np.int64),
        subject_pairs=subject_pairs,
    )


def subject_trials(tail: ScoreTail, groups: Groups) -> SubjectTrials:
    """Non-mated comparisons and partners of each subject, per scope: the n_kl part of R_k (FORMULAS 2).

    >>> from frtaudit.stats.similarity.tail import from_matrix, no_groups
    >>> tail = from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["a", "a", "b"])
    >>> subject_trials(tail, no_groups(tail)).comparisons.tolist()
    [[2, 2]]
    """
    scopes = [np.zeros(tail.n_samples.size, dtype=np.int32), *groups.of]
    if tail.blocks is None:
        per_scope = [complete_trials(tail.n_samples, tail.cells, scope) for scope in scopes]
    else:
        per_scope = [_listed_trials(tail.blocks, scope) for scope in scopes]
    return SubjectTrials(
        comparisons=np.stack([each.comparisons for each in per_scope]),
        partners=np.stack([each.partners for each in per_scope]),
    )


def complete_trials(n_samples: Ints, cells: Index, scope: Index | None = None) -> SubjectTrials:
    """Trials of each subject when every pair within a cell (and within ``scope``) was compared, each shape (K,).

    >>> complete_trials(np.array([2, 1, 1]), np.array([0, 0, -1], dtype=np.int32)).comparisons.tolist()
    [2, 2, 0]
    """
    within = np.zeros(n_samples.size, dtype=np.int32) if scope is None else scope
    counts = (n_samples > 0) & (cells >= 0) & (within >= 0)
    room = cells.astype(np.int64) * (int(within.max(initial=0)) + 1) + within
    _, room = np.unique(np.where(counts, room, -1), return_inverse=True)
    samples = np.bincount(room, weights=n_samples).astype(np.int64)[room]
    subjects = np.bincount(room, weights=counts).astype(np.int64)[room]
    zero = np.zeros_like(n_samples)
    return SubjectTrials(
        comparisons=np.where(counts, n_samples * (samples - n_samples), zero),
        partners=np.where(counts, subjects - 1, zero),
    )


def complete_pairs(n_samples: Ints, cells: Index) -> int:
    """Unordered non-mated comparisons when every pair within a cell is compared.

    ``n_samples`` (K,) int64: samples of each subject; ``cells`` (K,) int32, -1 = in no cell.

    >>> complete_pairs(np.array([2, 1, 1]), np.array([0, 0, -1], dtype=np.int32))
    2
    """
    return int(complete_trials(n_samples, cells).comparisons.sum()) // 2


def _listed_trials(blocks: Blocks, scope: Index) -> SubjectTrials:
    inside = (scope[blocks.k] >= 0) & (scope[blocks.k] == scope[blocks.l])
    ends = np.concatenate([blocks.k[inside], blocks.l[inside]])
    comparisons = np.zeros(scope.size, dtype=np.int64)
    np.add.at(comparisons, ends, np.tile(blocks.count[inside], 2))
    return SubjectTrials(
        comparisons=comparisons, partners=np.bincount(ends, minlength=scope.size).astype(np.int64)
    )
