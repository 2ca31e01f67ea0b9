"""Comparisons laid out for the kernels: by score, cut into chunks, within a chunk by what they add to."""

import numpy as np
import numpy.typing as npt

from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.stats.compiled import kernel
from frtaudit.stats.records import Walk
from frtaudit.stats.trials import block_sizes, mated_pairs, schema_of

Index = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

CHUNK = 4096  # non-mated comparisons that are at most walked again for one replicate
MATED_CHUNK = 512


def tag_rules(groups: Groups) -> Index:
    """Rule that watches each tag, shape (G+1,): 0 for everybody, s + 1 for a ranked group of schema s, else -1.

    >>> of = np.array([[0, 1]], dtype=np.int32)
    >>> names = (("s", "a"), ("s", "unknown"))
    >>> tag_rules(Groups(schemas=("s",), names=names, of=of, ranked=(True, False)))
    array([ 0,  1, -1], dtype=int32)
    """
    watched = np.where(np.asarray(groups.ranked, dtype=bool), schema_of(groups) + 1, -1)
    return np.concatenate(([0], watched)).astype(np.int32)


def mated_walk(tail: ScoreTail, groups: Groups, cuts: Ints, rows: tuple[Index, Index]) -> Walk:
    """Mated comparisons, upwards; as a rate each counts 1/(mated comparisons of its subject).

    ``cuts`` (T,) int64: positions before which the sums of every replicate will be wanted; ``rows`` two (N,) int32:
    row of weights of a sample as first and as second of a comparison.
    """
    counts, kind = np.unique(mated_pairs(tail), return_inverse=True)
    kinds = np.repeat(np.arange(counts.size, dtype=np.int32)[:, None], counts.size, axis=1)
    every = np.concatenate((cuts, np.arange(0, tail.mated_i.size, MATED_CHUNK)))
    pairs = (tail.mated_i, tail.mated_j, tail.mated_score)
    return _walk(tail, groups, pairs, kind, kinds, 1.0 / np.maximum(counts, 1), every, rows)


def non_mated_walk(tail: ScoreTail, groups: Groups, cuts: Ints, rows: tuple[Index, Index]) -> Walk:
    """Non-mated comparisons of the tail, downwards; as a rate each counts 1/(comparisons of its pair of subjects).

    ``cuts``, ``rows``: as in :func:`mated_walk`.
    """
    pairs = (tail.tail_i, tail.tail_j, tail.tail_score)
    if tail.blocks is None:
        sizes, kind = np.unique(tail.n_samples, return_inverse=True)
        products, table = np.unique(np.outer(sizes, sizes), return_inverse=True)
        kinds = table.reshape(sizes.size, -1).astype(np.int32)
        return _walk(tail, groups, pairs, kind, kinds, 1.0 / np.maximum(products, 1), cuts, rows)
    size = block_sizes(tail, tail.subject_of[tail.tail_i], tail.subject_of[tail.tail_j])
    counts, listed = np.unique(size, return_inverse=True)
    return _walk(tail, groups, pairs, listed, np.empty((0, 0), np.int32), 1.0 / counts, cuts, rows)


def _combinations(groups: Groups) -> tuple[Index, Index, Index]:
    """Profile of each subject (K,), combination of two profiles (P, P), tags of each combination (M, 1+S)."""
    everybody = np.zeros((1, groups.of.shape[1]), dtype=np.int32)
    tag_of = np.vstack((everybody, np.where(groups.of >= 0, groups.of + 1, -1))).T
    profiles, profile = np.unique(tag_of, axis=0, return_inverse=True)
    same = profiles[:, None, :] == profiles[None, :, :]
    common = np.where(same, profiles[:, None, :], -1).reshape(len(profiles) ** 2, -1)
    tags, combination = np.unique(common, axis=0, return_inverse=True)
    square = combination.reshape(len(profiles), len(profiles))
    return profile.reshape(-1).astype(np.int32), square.astype(np.int32), tags.astype(np.int32)


def _walk(
    tail: ScoreTail,
    groups: Groups,
    pairs: tuple[Index, Index, npt.NDArray[np.floating]],
    kind: npt.NDArray[np.intp],
    kinds: Index,
    coef: Floats,
    cuts: Ints,
    rows: tuple[Index, Index],
) -> Walk:
    """``kind``: class of each subject, ``kinds``: of two classes; without ``kinds`` the class of each comparison."""
    i, j, score = pairs
    profile, combination, tags = _combinations(groups)
    bucket, held = _buckets(
        i, j, tail.subject_of, profile, combination, kind.astype(np.int32), kinds, len(tags), coef.size
    )
    used = np.flatnonzero(held)
    _rename(bucket, (np.cumsum(held) - 1).astype(np.int32))
    fresh = np.ones(score.size, dtype=bool)
    fresh[1:] = score[1:] != score[:-1]
    chunk_start = _chunks(fresh, cuts)
    order = np.empty(bucket.size, dtype=np.int32)
    sort_chunks(bucket, used.size, chunk_start, order)
    distinct = np.add.reduceat(fresh, chunk_start[:-1], dtype=np.int64) if score.size else chunk_start[:0]
    walk = Walk(
        first=rows[0][i], second=rows[1][j], bucket=bucket, fresh=fresh,
        chunk_start=chunk_start, single=distinct == 1, order=order,
        combination=(used // coef.size).astype(np.int32), coef=coef[used % coef.size], tags=tags,
    )  # fmt: skip
    for array in walk:
        array.flags.writeable = False
    return walk


@kernel
def _buckets(
    i: Index, j: Index, subject_of: Index, profile: Index, combination: Index, kind: Index, kinds: Index,
    n_tags: int, n_kinds: int,
) -> tuple[Index, Flags]:  # fmt: skip
    """Bucket of each comparison: its combination of profiles, then its class; and which buckets hold one."""
    bucket = np.empty(i.size, dtype=np.int32)
    held = np.zeros(n_tags * n_kinds, dtype=np.bool_)
    for q in range(i.size):
        k, l = subject_of[i[q]], subject_of[j[q]]  # noqa: E741  the paper's letter
        of = kinds[kind[k], kind[l]] if kinds.size > 0 else kind[q]
        key = combination[profile[k], profile[l]] * n_kinds + of
        bucket[q] = key
        held[key] = True
    return bucket, held


@kernel
def _rename(bucket: Index, place: Index) -> None:
    for q in range(bucket.size):
        bucket[q] = place[bucket[q]]


@kernel
def sort_chunks(bucket: Index, buckets: int, chunk_start: Ints, order: Index) -> None:
    """Counting sort by bucket within each chunk: fill ``order`` (Q,) with comparisons, stable."""
    place = np.zeros(buckets + 1, dtype=np.int64)
    for chunk in range(chunk_start.size - 1):
        low, high = chunk_start[chunk], chunk_start[chunk + 1]
        for key in range(buckets + 1):
            place[key] = 0
        for pair in range(low, high):
            place[bucket[pair] + 1] += 1
        for key in range(buckets):
            place[key + 1] += place[key]
        for pair in range(low, high):
            order[low + place[bucket[pair]]] = pair
            place[bucket[pair]] += 1


def _chunks(fresh: Flags, cuts: Ints) -> Ints:
    """Starts of chunks, and the end: at a new score about CHUNK apart, a longer tie alone, and at ``cuts``."""
    starts = np.flatnonzero(fresh)
    size = np.diff(np.append(starts, fresh.size))
    long = size > CHUNK
    new = np.diff(starts // CHUNK, prepend=-1) > 0
    mark = np.zeros(fresh.size + 1, dtype=bool)
    for part in (starts[new | long], (starts + size)[long], cuts, np.array([0, fresh.size])):
        mark[part] = True
    return np.flatnonzero(mark).astype(np.int64)
