"""Greedy choice among ordered candidate pairs: caps, equal numbers for each group, identity-disjoint equal folds."""

from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Ints
from frtaudit.core.freeze import FrozenArrays


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates(FrozenArrays):
    """Pairs in the order in which they are wanted.

    ``first``, ``second`` (P,) int64: samples; ``stratum`` (P,) int64, from 0: what ``wanted`` counts; ``subject`` (P,)
    int64: whose home fold a mated pair takes (for non-mated pairs: -1, no home).
    """

    first: Ints
    second: Ints
    stratum: Ints
    subject: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a choice keeps: ``wanted`` pairs of each stratum, in ``k`` folds of equal size; caps, None = no cap.

    ``per_image``: pairs that one sample may stand in; ``per_subject``: mated pairs of one subject. ``k`` divides each
    of ``wanted``.
    """

    wanted: tuple[int, ...]
    k: int
    per_image: int | None = None
    per_subject: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen(FrozenArrays):
    """``at`` (Q,) int64: places of the chosen candidates; ``fold`` (Q,) int64: their folds."""

    at: Ints
    fold: Ints


def choose(pairs: Candidates, limits: Limits) -> Chosen:
    """Take candidates in their order unless a cap is reached, the stratum is full, or its subject's fold is.

    A subject's first mated pair takes it home to the fold with the most room for that stratum (ties: the first); all
    its mated pairs lie there. A non-mated pair goes to the fold with the most room.

    >>> two = np.array([0, 1])
    >>> found = choose(Candidates(first=two, second=two + 2, stratum=two * 0, subject=two), Limits(wanted=(2,), k=2))
    >>> found.at.tolist(), found.fold.tolist()
    ([0, 1], [0, 1])
    """
    room = [[count // limits.k] * limits.k for count in limits.wanted]
    missing = list(limits.wanted)
    images: dict[int, int] = {}
    people: dict[int, int] = {}
    home: dict[int, int] = {}
    most_image = limits.per_image or len(pairs.first) + 1
    most_subject = limits.per_subject or len(pairs.first) + 1
    at, folds = [], []
    rows = zip(
        pairs.first.tolist(),
        pairs.second.tolist(),
        pairs.stratum.tolist(),
        pairs.subject.tolist(),
        strict=True,
    )
    for place, (first, second, stratum, subject) in enumerate(rows):
        fold_room = room[stratum]
        if not missing[stratum] or images.get(first, 0) >= most_image or images.get(second, 0) >= most_image:
            continue
        if subject >= 0 and people.get(subject, 0) >= most_subject:
            continue
        fold = home.get(subject, fold_room.index(max(fold_room)))
        if not fold_room[fold]:
            continue
        if subject >= 0:
            home[subject] = fold
            people[subject] = people.get(subject, 0) + 1
        images[first], images[second] = images.get(first, 0) + 1, images.get(second, 0) + 1
        fold_room[fold] -= 1
        missing[stratum] -= 1
        at.append(place)
        folds.append(fold)
        if not any(missing):
            break
    return Chosen(at=np.array(at, dtype=np.int64), fold=np.array(folds, dtype=np.int64))


def shortfall(pairs: Candidates, chosen: Chosen, limits: Limits) -> tuple[int, ...]:
    """How many pairs each stratum lacks.

    >>> one = np.zeros(1, dtype=np.int64)
    >>> pairs = Candidates(first=one, second=one + 1, stratum=one, subject=one)
    >>> shortfall(pairs, choose(pairs, Limits(wanted=(2,), k=2)), Limits(wanted=(2,), k=2))
    (1,)
    """
    bincount = np.bincount(pairs.stratum[chosen.at], minlength=len(limits.wanted))
    return tuple(int(want - have) for want, have in zip(limits.wanted, bincount, strict=True))
