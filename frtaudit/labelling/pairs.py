"""Which pairs of faces services are asked: all within a query, and between queries of one group (Knott et al., 5)."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from frtaudit.core.arrays import Index, Ints, Longs, Texts
from frtaudit.core.canonical import seed_of
from frtaudit.core.cohort import LedgerEntry, ledger_of
from frtaudit.core.labelling import Faces, Service
from frtaudit.inputs.pairing import pair_keys
from frtaudit.labelling.settings import Between

OTHER_GROUP, NOT_DRAWN = "comparison_between_groups", "comparison_between_queries_not_drawn"


def pairs_of(faces: Faces, group: Ints, between: Between, rng: "np.random.Generator") -> tuple[Index, Index]:
    """Indices of the two faces of each pair, the first below the second, shape (P,) int32 each, in ascending order.

    ``group``: shape (Q,), the group of each query, -1: paired with nobody. Fewer are drawn where fewer there are.

    >>> faces = Faces(names=("a", "b", "c"), query_of=[0, 0, 1], queries=("p", "q"), annotated=[1, 1, 1])
    >>> pairs_of(faces, np.zeros(2, dtype=np.int64), Between.ALL, np.random.default_rng(0))[1].tolist()
    [1, 2, 2]
    """
    size = len(faces.names)
    inside = [np.stack(np.triu_indices(stop - start, 1)) + start for start, stop in pairwise(faces.starts)]
    within = np.concatenate(inside, axis=1)
    of_face = group[faces.query_of]
    wanted = within.shape[1] if between is Between.MATCHED else None
    keys = np.sort(np.concatenate([within[0] * size + within[1], _between(faces, of_face, wanted, rng)]))
    return (keys // size).astype(np.int32), (keys % size).astype(np.int32)


def _between(faces: Faces, of_face: Ints, wanted: int | None, rng: "np.random.Generator") -> Ints:
    """Keys first * F + second of pairs between queries of one group: all, or as many as are wanted, each once.

    Drawn at random with repetitions left out, or, where more than a third is wanted, from the list of all.
    """
    size = len(faces.names)
    grouped = of_face >= 0
    counts = (np.bincount(code[grouped]).astype(np.int64) for code in (of_face, faces.query_of))
    in_groups, in_queries = (int((count**2).sum()) for count in counts)
    most = (in_groups - in_queries) // 2  # pairs between queries of one group
    if wanted is None or wanted * 3 > most:
        every = _all(faces, of_face)
        return every if wanted is None or wanted >= most else rng.choice(every, wanted, replace=False)
    drawn = np.zeros(0, dtype=np.int64)
    while drawn.size < wanted:
        ends = np.sort(rng.integers(0, size, (2, 2 * (wanted - drawn.size) + 1000)), axis=0)
        fine = (faces.query_of[ends[0]] != faces.query_of[ends[1]]) & (of_face[ends[0]] == of_face[ends[1]])
        fine &= of_face[ends[0]] >= 0
        keys = np.concatenate([drawn, ends[0, fine] * size + ends[1, fine]])
        drawn = keys[np.sort(np.unique(keys, return_index=True)[1])]
    return drawn[:wanted]


def _all(faces: Faces, of_face: Ints) -> Ints:
    """Keys of every pair between queries of one group."""
    keys = [np.zeros(0, dtype=np.int64)]
    for code in np.unique(of_face[of_face >= 0]).tolist():
        rows = np.flatnonzero(of_face == code)
        first, second = (rows[side] for side in np.triu_indices(rows.size, 1))
        apart = faces.query_of[first] != faces.query_of[second]
        keys.append(first[apart] * len(faces.names) + second[apart])
    return np.concatenate(keys)


def kept_between(
    faces: Faces, services: Sequence[Service], group: Texts, between: Between, seed: int
) -> tuple[tuple[Service, ...], tuple[LedgerEntry, ...]]:
    """The services with those pairs between queries that are wanted, and how many of each were left out and why.

    ``group``: the group of each face, texts (F,); an empty one is of no group. ``matched``: of the pairs of one group
    that any service lists, in either order, as many as there are listed pairs within queries are drawn, each once and
    for all services; ``all``: all of them. What is drawn depends on ``seed`` and on the names of the faces alone: the
    pairs with the lowest of numbers that these give. Pairs within queries stay, whatever their groups.

    >>> faces = Faces(names=("a", "b", "c", "d"), query_of=[0, 0, 1, 1], queries=("p", "q"), annotated=[1, 1, 1, 1])
    >>> one = Service(name="s", first=[0, 0, 0, 1], second=[1, 2, 3, 2], score=[0.9, 0.1, 0.2, 0.3],
    ...               failure=[-1, -1, -1, -1], codes=())
    >>> same = np.array(["x", "x", "x", "x"], dtype=object)
    >>> (kept,), ledger = kept_between(faces, [one], same, Between.MATCHED, 1)
    >>> kept.first.size, [(entry.code, entry.count) for entry in ledger]
    (2, [('comparison_between_queries_not_drawn', 2)])
    """
    if between is Between.LISTED:
        return tuple(services), ()
    codes = (
        np.unique(group.astype(str), return_inverse=True)[1] if group.size else np.zeros(0, dtype=np.int64)
    )
    codes = np.where(group == "", -1, codes)
    keys = [pair_keys(system.first, system.second, ordered=False) for system in services]
    every = np.unique(np.concatenate(keys))
    first, second = every >> 31, every & ((1 << 31) - 1)
    within = faces.query_of[first] == faces.query_of[second]
    alike = ~within & (codes[first] == codes[second]) & (codes[first] >= 0)
    drawn = every[alike]
    if between is Between.MATCHED:
        wanted = int(np.count_nonzero(within))
        drawn = drawn[np.lexsort((drawn, _numbers(faces, drawn, seed)))[:wanted]]
    chosen = np.sort(np.concatenate([every[within], drawn]))
    apart = every[~within & ~alike]
    reduced, ledger = [], []
    for service, key in zip(services, keys, strict=True):
        stays = np.isin(key, chosen)
        reduced.append(service.at_rows(stays))
        other = int(np.count_nonzero(np.isin(key, apart)))
        counts = {OTHER_GROUP: other, NOT_DRAWN: int(np.count_nonzero(~stays)) - other}
        ledger += ledger_of(counts, "comparisons", service.name)
    return tuple(reduced), tuple(ledger)


def _numbers(faces: Faces, keys: Ints, seed: int) -> Longs:
    """A 64-bit number for each pair, from the seed and both names: other faces and other pairs change none."""
    of_face = np.array([seed_of(seed, "cohort", "pairs", name) for name in faces.names], dtype=np.uint64)
    hashes = of_face[keys >> 31] ^ (of_face[keys & ((1 << 31) - 1)] * np.uint64(0x9E3779B97F4A7C15))
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):  # SplitMix64's finalizer
        hashes = (hashes ^ (hashes >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(hashes ^ (hashes >> np.uint64(31)))
