"""Which pairs of faces services are asked: all within a query, and between queries of one group (Knott et al., 5)."""

from enum import StrEnum
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from frtaudit.core.labelling import Faces

Index = npt.NDArray[np.int32]


class Between(StrEnum):
    """Pairs of faces of different queries of one group: as many as within queries, drawn; or all."""

    MATCHED = "matched"
    ALL = "all"


def pairs_of(
    faces: Faces, group: npt.NDArray[np.int64], between: Between, rng: np.random.Generator
) -> tuple[Index, Index]:
    """Indices of the two faces of each pair, the first below the second, shape (P,) int32 each, in ascending order.

    ``group``: shape (Q,), the group of each query, -1: paired with nobody. Fewer are drawn where fewer there are.

    >>> faces = Faces(names=("a", "b", "c"), query_of=[0, 0, 1], queries=("p", "q"), annotated=[1, 1, 1])
    >>> pairs_of(faces, np.zeros(2, dtype=np.int64), Between.ALL, np.random.default_rng(0))[1].tolist()
    [1, 2, 2]
    """
    size = len(faces.names)
    starts = faces.starts
    inside = [np.stack(np.triu_indices(stop - start, 1)) + start for start, stop in pairwise(starts)]
    within = np.concatenate(inside, axis=1)
    of_face = group[faces.query_of]
    wanted = within.shape[1] if between is Between.MATCHED else None
    keys = np.sort(np.concatenate([within[0] * size + within[1], _between(faces, of_face, wanted, rng)]))
    return (keys // size).astype(np.int32), (keys % size).astype(np.int32)


def _between(
    faces: Faces, of_face: npt.NDArray[np.int64], wanted: int | None, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Keys first * F + second of pairs between queries of one group: all, or as many as are wanted, each once.

    Drawn at random with repetitions left out, or, where more than a third is wanted, from the list of all.
    """
    size = len(faces.names)
    most = _count(faces, of_face)
    if wanted is None or wanted * 3 > most:
        found = _all(faces, of_face)
        return found if wanted is None or wanted >= most else rng.choice(found, wanted, replace=False)
    drawn = np.zeros(0, dtype=np.int64)
    while drawn.size < wanted:
        ends = np.sort(rng.integers(0, size, (2, 2 * (wanted - drawn.size) + 1000)), axis=0)
        fine = (faces.query_of[ends[0]] != faces.query_of[ends[1]]) & (of_face[ends[0]] == of_face[ends[1]])
        fine &= of_face[ends[0]] >= 0
        keys = np.concatenate([drawn, ends[0, fine] * size + ends[1, fine]])
        drawn = keys[np.sort(np.unique(keys, return_index=True)[1])]
    return drawn[:wanted]


def _count(faces: Faces, of_face: npt.NDArray[np.int64]) -> int:
    """How many pairs there are between queries of one group."""
    kept = of_face >= 0
    both = np.bincount(of_face[kept]).astype(np.int64)
    own = np.bincount(faces.query_of[kept]).astype(np.int64)
    return int(((both**2).sum() - (own**2).sum()) // 2)


def _all(faces: Faces, of_face: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Keys of every pair between queries of one group."""
    found = [np.zeros(0, dtype=np.int64)]
    for code in np.unique(of_face[of_face >= 0]).tolist():
        rows = np.flatnonzero(of_face == code)
        first, second = (rows[side] for side in np.triu_indices(rows.size, 1))
        apart = faces.query_of[first] != faces.query_of[second]
        found.append(first[apart] * len(faces.names) + second[apart])
    return np.concatenate(found)
