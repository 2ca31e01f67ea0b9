"""Comparisons laid out for the kernels: by score, cut into chunks, within a chunk by what they add to."""

import numpy as np
import numpy.typing as npt

from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.stats.kernels import sort_chunks
from frtaudit.stats.records import Walk
from frtaudit.stats.trials import mated_pairs, schema_of

Index = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

CHUNK = (
    2048  # comparisons: what is added for a whole tile at once, and at most walked again for one replicate
)
MATED_CHUNK = 256
LONGEST_RUN = 1 << 14  # LONGEST_RUN * HEAVIEST < 2**31: the sum of a run fits 31 bits
HEAVIEST = (1 << 17) - 1  # largest weight of a comparison in a replicate


def tag_rules(groups: Groups) -> Index:
    """Rule that watches each tag, shape (G+1,): 0 for everybody, s + 1 for a ranked group of schema s, else -1.

    >>> of = np.array([[0, 1]], dtype=np.int32)
    >>> names = (("s", "a"), ("s", "unknown"))
    >>> tag_rules(Groups(schemas=("s",), names=names, of=of, ranked=(True, False)))
    array([ 0,  1, -1], dtype=int32)
    """
    watched = np.where(np.asarray(groups.ranked, dtype=bool), schema_of(groups) + 1, -1)
    return np.concatenate(([0], watched)).astype(np.int32)


def mated_walk(tail: ScoreTail, groups: Groups, cuts: Ints) -> Walk:
    """Mated comparisons, upwards; as a rate each counts 1/(mated comparisons of its subject).

    ``cuts`` (T,) int64: positions before which the sums of every replicate will be wanted.
    """
    profile, combination, tags = _combinations(groups)
    subject = tail.subject_of[tail.mated_i]
    counts, kind = np.unique(mated_pairs(tail), return_inverse=True)
    bucket = combination[profile[subject], profile[subject]].astype(np.int64) * counts.size
    every = np.concatenate((cuts, np.arange(0, bucket.size, MATED_CHUNK)))
    pairs = (tail.mated_i, tail.mated_j, tail.mated_score)
    return _walk(pairs, bucket + kind[subject], every, tags, 1.0 / np.maximum(counts, 1))


def non_mated_walk(tail: ScoreTail, groups: Groups, cuts: Ints) -> Walk:
    """Non-mated comparisons of the tail, downwards; as a rate each counts 1/(comparisons of its pair of subjects).

    ``cuts`` (T,) int64: positions before which the sums of every replicate will be wanted.
    """
    profile, combination, tags = _combinations(groups)
    k, l = tail.subject_of[tail.tail_i], tail.subject_of[tail.tail_j]  # noqa: E741  the paper's letter
    counts, kind = _classes(tail, k, l)
    bucket = combination[profile[k], profile[l]].astype(np.int64) * counts.size + kind
    pairs = (tail.tail_i, tail.tail_j, tail.tail_score)
    return _walk(pairs, bucket, cuts, tags, 1.0 / counts)


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


def _classes(tail: ScoreTail, k: Index, l: Index) -> tuple[Ints, Ints]:  # noqa: E741  the paper's letter
    """Distinct numbers of comparisons of a pair of subjects, and which of them each comparison has."""
    if tail.blocks is None:
        sizes, size_of = np.unique(tail.n_samples, return_inverse=True)
        products, table = np.unique(np.outer(sizes, sizes), return_inverse=True)
        return np.maximum(products, 1), table.reshape(sizes.size, -1)[size_of[k], size_of[l]]
    n = tail.n_samples.size
    keys = tail.blocks.k.astype(np.int64) * n + tail.blocks.l
    by_key = np.argsort(keys)
    wanted = np.minimum(k, l).astype(np.int64) * n + np.maximum(k, l)
    counts, kind = np.unique(tail.blocks.count, return_inverse=True)
    return counts, kind[by_key][np.searchsorted(keys[by_key], wanted)]


def _walk(
    pairs: tuple[Index, Index, npt.NDArray[np.floating]],
    sparse_bucket: Ints,
    cuts: Ints,
    tags: Index,
    coef: Floats,
) -> Walk:
    first, second, score = pairs
    fresh = np.ones(score.size, dtype=bool)
    fresh[1:] = score[1:] != score[:-1]
    used, bucket = _present(sparse_bucket, len(tags) * coef.size)
    chunk_start = _chunks(fresh, cuts)
    order, run_start, chunk_run = _order(bucket, used.size, chunk_start)
    distinct = np.add.reduceat(fresh, chunk_start[:-1], dtype=np.int64) if score.size else chunk_start[:0]
    walk = Walk(
        first=first.astype(np.int32), second=second.astype(np.int32), bucket=bucket, fresh=fresh,
        chunk_start=chunk_start, single=distinct == 1, order=order, run_start=run_start, chunk_run=chunk_run,
        combination=(used // coef.size).astype(np.int32), coef=coef[used % coef.size], tags=tags,
    )  # fmt: skip
    for array in walk:
        array.flags.writeable = False
    return walk


def _present(sparse_bucket: Ints, size: int) -> tuple[Ints, Index]:
    """Buckets that hold a comparison, and the place of each comparison's bucket among them."""
    held = np.zeros(size, dtype=bool)
    held[sparse_bucket] = True
    return np.flatnonzero(held), (np.cumsum(held) - 1).astype(np.int32)[sparse_bucket]


def _chunks(fresh: Flags, cuts: Ints) -> Ints:
    """Starts of chunks, and the end: at a new score about CHUNK apart, a longer tie alone, and at ``cuts``."""
    starts = np.flatnonzero(fresh)
    size = np.diff(np.append(starts, fresh.size))
    long = size > CHUNK
    new = np.diff(starts // CHUNK, prepend=-1) > 0
    ends = np.array([0, fresh.size])
    return _marked(fresh.size, starts[new | long], (starts + size)[long], cuts, ends)


def _order(bucket: Index, buckets: int, chunk_start: Ints) -> tuple[Index, Ints, Ints]:
    """Sort by bucket within each chunk; return the order, the starts of its runs, and the first run of each chunk."""
    order = np.empty(bucket.size, dtype=np.int32)
    sort_chunks(bucket, buckets, chunk_start, order)
    changes = np.flatnonzero(np.diff(bucket[order])) + 1
    every = np.arange(0, bucket.size, LONGEST_RUN)
    run_start = _marked(bucket.size, changes, every, chunk_start)
    return order, run_start, np.searchsorted(run_start, chunk_start).astype(np.int64)


def _marked(last: int, *places: Ints) -> Ints:
    """The distinct places 0 .. ``last``, ascending."""
    mark = np.zeros(last + 1, dtype=bool)
    for part in places:
        mark[part] = True
    return np.flatnonzero(mark).astype(np.int64)
