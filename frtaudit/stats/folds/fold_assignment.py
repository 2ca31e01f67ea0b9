"""Which fold each pair lies in: disjoint, overlapping and strict folds, caps, leaks, checks (FORMULAS 4)."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Flags, Ints
from frtaudit.core.freeze import FrozenArrays
from frtaudit.stats.folds.kfold_accuracy import DROPPED
from frtaudit.stats.similarity.pairs import components


def capped(subject: Ints, mated: Flags, most: int, rng: "np.random.Generator") -> Flags:
    """Which pairs stay when each subject keeps at most ``most`` mated pairs, drawn without replacement, shape (n,).

    ``subject``: shape (n,), the subject of each mated pair (of others: anything); non-mated pairs all stay.

    >>> capped(np.array([0, 0, 0, 1]), np.array([True, True, True, True]), 1, np.random.default_rng(0)).sum()
    np.int64(2)
    """
    indices = np.flatnonzero(mated)
    shuffled = indices[rng.permutation(indices.size)]
    order = shuffled[np.argsort(subject[shuffled], kind="stable")]
    starts = np.searchsorted(subject[order], subject[order])
    keep = ~mated
    keep[order[np.arange(order.size) - starts < most]] = True
    return keep


def common_folds(dealt: Sequence[Ints]) -> Ints:
    """The folds in which several systems are compared on the same pairs: of those dealt to each, (n,) int64.

    Folds dealt to each system's own pairs may differ; the first in order of their numbers serves, whatever the names.

    >>> common_folds([np.array([1, 0, 1]), np.array([0, 1, 0])]).tolist()
    [0, 1, 0]
    """
    return np.array(min(folds.tolist() for folds in dealt), dtype=np.int64)


def of_one_mix(mated: Flags, folds: Ints, chosen: Flags, rng: "np.random.Generator") -> Flags:
    """Which ``chosen`` pairs stay so that every fold has mated and non-mated ones in the ratio of all its pairs, (n,).

    Accuracy depends on that ratio: parts of a test set compare only where they share it. What one kind has too many
    is dropped at random.

    >>> mated, chosen = np.array([True, True, False, False]), np.array([True, True, True, False])
    >>> of_one_mix(mated, np.zeros(4, dtype=np.int64), chosen, np.random.default_rng(0)).sum()
    np.int64(2)
    """
    keep = np.zeros(mated.size, dtype=bool)
    for fold in np.unique(folds[folds >= 0]):
        kinds = [np.flatnonzero((folds == fold) & (mated == kind)) for kind in (True, False)]
        whole = [of.size for of in kinds]
        part = [of[chosen[of]] for of in kinds]
        for number, other, total, rest in ((0, 1, whole[0], whole[1]), (1, 0, whole[1], whole[0])):
            most = part[other].size * total // rest if rest else part[number].size
            keep[rng.permutation(part[number])[:most]] = True
    return keep


def leaking(first: Ints, second: Ints, mated: Flags, folds: Ints) -> tuple[int, int]:
    """How many subjects have mated pairs, and how many have any pairs, in more than one fold.

    ``first``, ``second``: shape (n,), subject codes; pairs with a negative fold are left out.

    >>> leaking(np.array([0, 0, 1]), np.array([0, 0, 2]), np.array([True, True, False]), np.array([0, 1, 0]))
    (1, 1)
    """
    used = folds >= 0
    ends = np.concatenate([first[used], second[used]]), np.concatenate([folds[used], folds[used]])
    return _in_several(first[used & mated], folds[used & mated]), _in_several(*ends)


def _in_several(subjects: Ints, folds: Ints) -> int:
    pairs = np.unique(np.stack([subjects, folds]), axis=1)
    return int(np.count_nonzero(np.unique(pairs[0], return_counts=True)[1] > 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldCheck(FrozenArrays):
    """What an assignment to folds satisfies; counts per fold, shape (k,), int64."""

    mated_disjoint: bool
    fully_disjoint: bool
    mated_counts: Ints
    non_mated_counts: Ints


def check_folds(first: Ints, second: Ints, mated: Flags, folds: Ints, k: int) -> FoldCheck:
    """Say whether the mated pairs, and whether all pairs, of each subject lie in one fold.

    ``first``, ``second``: shape (n,), subject codes; pairs with a negative fold are left out.

    >>> two = np.array([0, 1])
    >>> check_folds(two, two, np.array([True, True]), two, 2).fully_disjoint
    True
    """
    used = folds >= 0
    of_mated, of_any = leaking(first, second, mated, folds)
    return FoldCheck(
        mated_disjoint=not of_mated,
        fully_disjoint=not of_any,
        mated_counts=np.bincount(folds[used & mated], minlength=k),
        non_mated_counts=np.bincount(folds[used & ~mated], minlength=k),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment(FrozenArrays):
    """A fold of each pair, shape (n,), int64, :data:`DROPPED` where it is left out; ``dropped``: how many."""

    folds: Ints
    dropped: int = 0


def disjoint_folds(
    first: Ints, mated: Flags, k: int, names: Sequence[Hashable] | None = None, strata: Ints | None = None
) -> Assignment:
    """Identity-disjoint folds: all mated pairs of a subject in one fold, counts balanced (FORMULAS 4).

    Subjects by number of mated pairs, descending, ties by str(name), each into the least loaded fold;
    non-mated pairs are dealt evenly, in their order. ``first``: shape (n,), subject codes; ``names``: one for
    each code; ``strata``: shape (n,), the stratum of each pair (of a mated pair: of its subject), each of which
    is balanced by itself, and among equals with the others.

    >>> disjoint_folds(np.array([0, 0, 1, 2]), np.array([True, True, True, True]), 2).folds.tolist()
    [0, 0, 1, 1]
    """
    size = int(first.max()) + 1
    loads = np.bincount(first[mated], minlength=size)
    of = np.zeros(first.size, dtype=np.int64) if strata is None else strata
    values = np.zeros(size, dtype=np.int64)
    values[first[mated]] = of[mated]
    home = _balance(loads, _names(size, names), k, values)
    return Assignment(folds=_deal(mated, home[first], k, of))


def overlap_folds(
    first: Ints, mated: Flags, k: int, names: Sequence[Hashable] | None = None, strata: Ints | None = None
) -> Assignment:
    """Overlapping folds: mated pairs of a subject dealt to different folds; non-mated as in disjoint folds.

    >>> overlap_folds(np.array([0, 0, 1, 1]), np.array([True, True, True, True]), 2).folds.tolist()
    [0, 1, 0, 1]
    """
    label = np.array([str(name) for name in _names(int(first.max()) + 1, names)])
    of = np.zeros(first.size, dtype=np.int64) if strata is None else strata
    order = np.lexsort((np.arange(first.size), label[first], of))
    order = order[mated[order]]
    values = np.zeros(first.size, dtype=np.int64)
    values[order] = np.arange(order.size) % k
    return Assignment(folds=_deal(mated, values, k, of))


def strict_folds(
    first: Ints, second: Ints, mated: Flags, k: int, names: Sequence[Hashable] | None = None
) -> Assignment:
    """Folds that share no subject: each subject gets one, non-mated pairs across are dropped (FORMULAS 4).

    Whole components of the non-mated graph are dealt where the largest holds no more than its share of pairs,
    and nothing is dropped; else single subjects are, as in :func:`disjoint_folds`.

    >>> ends = np.array([0, 1, 2, 3, 0]), np.array([0, 1, 2, 3, 1])
    >>> strict_folds(*ends, ends[0] == ends[1], 2).dropped
    0
    """
    size = int(max(first.max(), second.max())) + 1
    labels = _names(size, names)
    unit = components(first, second, size)  # mated pairs are loops and join nothing
    loads = np.bincount(unit[first], minlength=int(unit.max()) + 1)
    if loads.max() > math.ceil(first.size / k):
        unit, loads = np.arange(size), np.bincount(first[mated], minlength=size)
    least: dict[int, str] = {}  # the first of its members' names, for each unit
    for member, unit_number in enumerate(unit.tolist()):
        least[unit_number] = min(least.get(unit_number, str(labels[member])), str(labels[member]))
    home = _balance(loads, [least[number] for number in range(len(least))], k)[unit]
    folds = np.where(home[first] == home[second], home[first], DROPPED)
    return Assignment(folds=folds, dropped=int(np.count_nonzero(folds == DROPPED)))


def _names(size: int, names: Sequence[Hashable] | None) -> Sequence[Hashable]:
    return range(size) if names is None else names


def _balance(loads: Ints, names: Sequence[Hashable], k: int, strata: Ints | None = None) -> Ints:
    """Units by load descending, ties by str(name), each into the fold that holds least of its stratum, then of all."""
    of = np.zeros(loads.size, dtype=np.int64) if strata is None else strata
    totals = np.zeros((k, 2), dtype=np.int64)  # pairs, units: units without pairs are spread too
    inside = np.zeros((k, int(of.max(initial=0)) + 1), dtype=np.int64)  # pairs of each stratum
    home = np.zeros(loads.size, dtype=np.int64)
    for unit in sorted(range(loads.size), key=lambda number: (-loads[number], str(names[number]))):
        fold = int(np.lexsort((totals[:, 1], totals[:, 0], inside[:, of[unit]]))[0])
        totals[fold] += (loads[unit], 1)
        inside[fold, of[unit]] += loads[unit]
        home[unit] = fold
    return home


def _deal(mated: Flags, mated_folds: Ints, k: int, strata: Ints) -> Ints:
    """Mated pairs keep ``mated_folds``; non-mated pairs are dealt evenly, in their order, stratum after stratum."""
    other = np.flatnonzero(~mated)
    other = other[np.argsort(strata[other], kind="stable")]
    folds = mated_folds.copy()
    folds[other] = np.arange(other.size)
    return np.asarray(folds % k)
