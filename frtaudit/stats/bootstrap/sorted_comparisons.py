"""Comparisons laid out for the kernels: by score, cut into chunks, within a chunk by what they add to."""

import numpy as np
import numpy.typing as npt

from frtaudit.core.arrays import Flags, Floats, Halves, Index, Ints, Positions, Scores
from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.stats._numba import kernel
from frtaudit.stats.bootstrap.kernel_arrays import SortedComparisons
from frtaudit.stats.rates.trials import block_sizes, schema_of
from frtaudit.stats.similarity.tiles import by_many

CHUNK, SHIFT = 512, 12  # a chunk has about so many comparisons, or this power of two of those above it
PIECE = 1 << 20  # comparisons that one thread classes at a time
NARROW = 1 << 16  # numbers of two bytes


def group_rules(groups: Groups) -> Index:
    """Rule that watches each group, shape (G+1,): 0 for everybody, s + 1 for a ranked group of schema s, else -1.

    >>> of = np.array([[0, 1]], dtype=np.int32)
    >>> names = (("s", "a"), ("s", "unknown"))
    >>> group_rules(Groups(schemas=("s",), names=names, of=of, ranked=(True, False)))
    array([ 0,  1, -1], dtype=int32)
    """
    watched = np.where(np.asarray(groups.ranked, dtype=bool), schema_of(groups) + 1, -1)
    return np.concatenate(([0], watched)).astype(np.int32)


def mated_comparisons(
    tail: ScoreTail, groups: Groups, cuts: Ints, rows: tuple[Index, Index]
) -> SortedComparisons:
    """Mated comparisons, upwards; as a rate each counts 1/(mated comparisons of its subject).

    ``cuts`` (T,) int64: positions before which the sums of every replicate will be wanted; ``rows`` two (N,) int32:
    row of weights of a sample as first and as second of a comparison.
    """
    counts, kind = np.unique(tail.n_mated, return_inverse=True)
    kinds = np.repeat(np.arange(counts.size, dtype=np.int32)[:, None], counts.size, axis=1)
    pairs = (tail.mated_i, tail.mated_j, tail.mated_score)
    return _sorted_comparisons(tail, groups, pairs, kind, kinds, 1.0 / np.maximum(counts, 1), cuts, rows)


def non_mated_comparisons(
    tail: ScoreTail,
    groups: Groups,
    cuts: Ints,
    rows: tuple[Index, Index],
    needed: int | None = None,
    threads: int = 1,
) -> SortedComparisons:
    """Non-mated comparisons of the tail, downwards; as a rate each counts 1/(comparisons of its pair of subjects).

    ``cuts``, ``rows``: as in :func:`mated_comparisons`; ``needed``: comparisons to lay out, which then are cut
    at ``cuts`` alone, because no threshold is sought. ``threads`` (0: one per core) change nothing but the time.
    """
    sought = needed is None
    pairs = (tail.tail_i[:needed], tail.tail_j[:needed], tail.tail_score[:needed])
    if tail.blocks is None:
        sizes, kind = np.unique(tail.n_samples, return_inverse=True)
        products, table = np.unique(np.outer(sizes, sizes), return_inverse=True)
        kinds = table.reshape(sizes.size, -1).astype(np.int32)
        return _sorted_comparisons(
            tail, groups, pairs, kind, kinds, 1.0 / np.maximum(products, 1), cuts, rows, sought=sought,
            threads=threads,
        )  # fmt: skip
    size = block_sizes(tail, tail.subject_of[pairs[0]], tail.subject_of[pairs[1]])
    counts, listed = np.unique(size, return_inverse=True)
    return _sorted_comparisons(
        tail, groups, pairs, listed, np.empty((0, 0), np.int32), 1.0 / counts, cuts, rows, sought=sought,
        threads=threads,
    )  # fmt: skip


def _combinations(groups: Groups) -> tuple[Index, Index, Index]:
    """Profile of each subject (K,), combination of two profiles (P, P), groups of each combination (M, 1+S)."""
    everybody = np.zeros((1, groups.of.shape[1]), dtype=np.int32)
    index_of = np.vstack((everybody, np.where(groups.of >= 0, groups.of + 1, -1))).T
    code = np.zeros(len(index_of), dtype=np.int64)  # of a row, in the order of rows
    for column in index_of.T:
        code = np.unique(code * (2 + len(groups.names)) + column + 1, return_inverse=True)[1]
    _, place, profile = np.unique(code, return_index=True, return_inverse=True)
    profiles = index_of[place]
    same = profiles[:, None, :] == profiles[None, :, :]
    common = np.where(same, profiles[:, None, :], -1).reshape(len(profiles) ** 2, -1)
    group_indices, combination = np.unique(common, axis=0, return_inverse=True)
    square = combination.reshape(len(profiles), len(profiles))
    return profile.reshape(-1).astype(np.int32), square.astype(np.int32), group_indices.astype(np.int32)


def _sorted_comparisons(
    tail: ScoreTail,
    groups: Groups,
    pairs: tuple[Index, Index, Scores],
    kind: Positions,
    kinds: Index,
    coef: Floats,
    cuts: Ints,
    rows: tuple[Index, Index],
    *,
    sought: bool = True,
    threads: int = 1,
) -> SortedComparisons:
    """``kind``: class of each subject, ``kinds``: of two classes; without ``kinds`` the class of each comparison.

    Where no threshold is ``sought`` no new scores are marked, and chunks end at cuts.
    """
    i, j, score = pairs
    profile, combination, group_indices = _combinations(groups)
    classes = max(coef.size, 1)
    listed = np.empty(0, dtype=np.int32) if kinds.size else kind.astype(np.int32)
    classed = profile.astype(np.int64) * classes + (kind if kinds.size else 0)
    pair, of = np.unique(classed, return_inverse=True)
    of_profile, of_kind = np.divmod(pair, classes)
    table = combination[of_profile[:, None], of_profile].astype(np.int32) * np.int32(classes)
    if kinds.size:
        table += kinds[of_kind[:, None], of_kind]
    occupied = np.zeros(len(group_indices) * classes, dtype=bool)
    bucket = np.empty(i.size, dtype=_narrow(occupied.size))
    of_sample = of.astype(_narrow(pair.size))[tail.subject_of]

    def fill(low: int) -> Flags:
        here = slice(low, low + PIECE)
        return _buckets(i[here], j[here], of_sample, table, listed[here], occupied.size, bucket[here])

    for holds in by_many(fill, range(0, i.size, PIECE), threads):
        occupied |= holds
    used = np.flatnonzero(occupied)
    if used.size < occupied.size:
        bucket = (np.cumsum(occupied) - 1).astype(_narrow(used.size))[bucket]
    fresh, chunk_start = np.zeros(0, dtype=bool), np.unique(np.concatenate(([0, score.size], cuts)))
    if sought:
        starts = np.zeros(score.size + 1, dtype=bool)
        starts[chunk_start] = True
        fresh = _cut(score, max(CHUNK, used.size), SHIFT, starts)
        chunk_start = np.flatnonzero(starts)
    places = group_indices[used // classes]
    comparisons = SortedComparisons(
        first=_rows(i, rows[0]), second=_rows(j, rows[1]), bucket=bucket, fresh=fresh,
        chunk_start=chunk_start.astype(np.int64),
        combination=(used // classes).astype(np.int32), coef=coef[used % classes], group_indices=group_indices,
        slot=np.where(places < 0, np.int32(1 + len(groups.names)), places),
    )  # fmt: skip
    for array in comparisons:
        array.flags.writeable = False
    return comparisons


def _narrow(count: int) -> npt.DTypeLike:
    """The type of so many numbers: two bytes where they suffice, because these arrays are read again and again."""
    return np.uint16 if count <= NARROW else np.int32


@kernel
def _buckets(
    i: Index, j: Index, of: Halves | Index, table: Index, kind: Index, n_buckets: int, bucket: Halves | Index
) -> Flags:
    """Write buckets of comparisons, by the classes ``of`` their samples, or their own ``kind``; which hold any."""
    width, occupied, flat = np.uint64(table.shape[1]), np.zeros(n_buckets, dtype=np.bool_), table.ravel()
    for q in range(i.size):
        key = flat[np.uint64(of[np.uint64(i[q])]) * width + np.uint64(of[np.uint64(j[q])])]
        if kind.size > 0:
            key += kind[q]
        bucket[q] = key
        occupied[np.uint64(key)] = True
    return occupied


def _rows(sample: Index, row: Index) -> Index:
    """Row of weights of each sample of a comparison."""
    return sample.view() if np.array_equal(row, np.arange(row.size)) else row[sample]


@kernel
def _cut(score: Scores, least: int, shift: int, starts: Flags) -> Flags:
    """Where a new score begins; marks the starts of chunks at new scores, at least ``least`` apart, and the ends."""
    fresh = np.ones(score.size, dtype=np.bool_)
    last = 0
    for q in range(1, score.size):
        fresh[q] = score[q] != score[q - 1]
        if starts[q] or (fresh[q] and q - last >= max(least, q >> shift)):
            starts[q] = True
            last = q
    return fresh
