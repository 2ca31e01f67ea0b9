"""Suspected duplicates: two people as alike as one, images that match another person and not their own (FORMULAS 8.20).

The cut is the 25 % quantile of the within-person medians, over people with two samples and more. A pair of people is
suspected where the median of all their cross scores reaches the cut. Where they have 25 comparisons or more the cut is
the 5 % quantile: the median of so many scores says more of two people than a single score does, and hardly any two
people who are not one reach it.

An image is suspected where the median of its scores against one other person reaches the cut of 25 %, as three of four
people do against themselves, while the median against its own person does not exceed the score that 1 % of all
non-mated comparisons exceed: it does not match its own person even at an FMR of 1 %. That level comes from the
non-mated scores, not from the images, so that wrong labels do not move it. Both medians are needed: a duplicate of a
person matches both, a poor image neither.

A median reaches the cut only where half of its scores do. So the candidates are those with half of their scores in the
tail at or above the cut; nothing else is looked up, and no array is as long as the number of pairs of people.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from frtaudit.core.arrays import Flags, Floats, Index, Ints
from frtaudit.core.freeze import FrozenRows
from frtaudit.core.scores import ScoreTail
from frtaudit.stats.rates.histogram import above_edges
from frtaudit.stats.rates.sums import first_not_above
from frtaudit.stats.rates.trials import block_sizes
from frtaudit.stats.similarity.scorers import BlockScorer

Keyed = Callable[[int, int], tuple[Ints, Ints]]  # of a slice of the tail: keys, and the place of each

QUANTILE = 0.25  # of the within-person medians: the cut
MANY = 25  # comparisons of a pair of people
QUANTILE_OF_MANY = (
    0.05  # the cut of such pairs: a departure from FORMULAS 8.20, see docs/methods/duplicates.md
)
MAX_PAIRS = 0.001  # of the compared pairs of people: above it the system is too weak to tell
MAX_PEOPLE = 0.05  # pairs per person, where these are more: below 101 people 0.1 % of the pairs is hardly one in twenty
MAX_IMAGES = 0.05  # of the images that have others of their person: above it, too
FAR = (
    0.01  # of the non-mated scores: an image whose median against its own person is no better is far from it
)
CHUNK = 1 << 22  # comparisons of the tail looked at together
SIEVE = 1 << 22  # of two keys that differ by a multiple of it both are looked up
ROUNDING = 2.0**-20  # of a score: more than what scoring again can move it by


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspects(FrozenRows):
    """Pairs, sorted: of two subjects, or of an acquired sample and a subject.

    ``first``, ``second`` (n,) int64; ``median`` (n,) float64 of their ``comparisons`` (n,) int64; ``best`` (n,) int64:
    the place in the tail of the highest of these scores.
    """

    first: Ints
    second: Ints
    median: Floats
    comparisons: Ints
    best: Ints


def within_medians(tail: ScoreTail) -> Floats:
    """The median of each subject's mated scores, shape (K,) float64, NaN where it has none.

    >>> from frtaudit.stats.similarity.tail import from_matrix
    >>> within_medians(from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["a", "a", "b"])).tolist()
    [0.9, nan]
    """
    return _medians(tail.subject_of[tail.mated_i], tail.mated_score, tail.n_samples.size)


def own_medians(tail: ScoreTail) -> Floats:
    """The median of each acquired sample's scores against the others of its subject, shape (N,), NaN without others.

    >>> from frtaudit.stats.similarity.tail import from_matrix
    >>> own_medians(from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["a", "a", "b"])).tolist()
    [0.9, 0.9, nan]
    """
    ends = np.stack([tail.mated_i, tail.mated_j], axis=1).ravel()
    return _medians(ends, np.repeat(tail.mated_score, 2), tail.subject_of.size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuts:
    """What the median of a pair of people has to reach: of fewer than 25 comparisons, and of ``many``."""

    few: float
    many: float

    def of(self, comparisons: Ints) -> Floats:
        """The cut of pairs with so many comparisons.

        >>> Cuts(few=0.6, many=0.5).of(np.array([24, 25])).tolist()
        [0.6, 0.5]
        """
        return np.where(comparisons >= MANY, self.many, self.few)


def cuts_of(medians: Floats, cutoff: float) -> Cuts | None:
    """The 25 % and the 5 % quantile (type 7) of the within-person medians; None where nobody has two samples.

    Scores at or below ``cutoff`` are not kept: where the lower quantile lies there, the higher one stands for all.

    >>> cuts_of(np.array([0.5, np.nan, 0.7, 0.9]), cutoff=0.1)
    Cuts(few=0.6, many=0.52)
    >>> cuts_of(np.array([0.5, np.nan, 0.7, 0.9]), cutoff=0.55)
    Cuts(few=0.6, many=0.6)
    """
    known = medians[~np.isnan(medians)]
    if not known.size:
        return None
    few, many = np.quantile(known, (QUANTILE, QUANTILE_OF_MANY)).tolist()
    return Cuts(few=few, many=many if many > cutoff else few)


def too_many(suspected: int, compared: int, subjects: int) -> bool:
    """Whether so many pairs of people tell of the system, not of the labels.

    More than 0.1 % of the compared pairs and more than one pair to twenty subjects: duplicates come by the person, and
    two of them among 50 people would else be too many.

    >>> too_many(5, 4950, 100), too_many(6, 4950, 100)
    (False, True)
    """
    return suspected > max(MAX_PAIRS * compared, MAX_PEOPLE * subjects)


def far_level(tail: ScoreTail) -> float:
    """The lowest edge of the histogram that at most 1 % of the non-mated scores exceed.

    >>> from frtaudit.stats.similarity.tail import from_matrix
    >>> round(far_level(from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["a", "a", "b"])), 2)
    0.3
    """
    above = above_edges(tail.histogram)
    return float(tail.edges[int(np.argmax(above <= FAR * above[0]))])


def suspected_pairs(tail: ScoreTail, cuts: Cuts, block: BlockScorer | None) -> Suspects:
    """Pairs of subjects, k < l, whose cross scores have a median of their cut or more; ``cuts`` > the tail's cut-off.

    ``block`` scores slices of the acquired samples again: needed where just half of an even number of scores reach the
    cut and the next one lies below the floor; without it such a pair is not suspected.

    >>> from frtaudit.stats.similarity.tail import from_matrix
    >>> tail = from_matrix([[1, .9, .2], [.9, 1, .8], [.2, .8, 1]], ["a", "a", "b"])
    >>> found = suspected_pairs(tail, Cuts(few=0.5, many=0.5), None)
    >>> found.first.tolist(), found.second.tolist(), found.median.tolist()
    ([0], [1], [0.5])
    """
    subjects = tail.n_samples.size

    def keyed(start: int, end: int) -> tuple[Ints, Ints]:
        first, second = (tail.subject_of[side[start:end]] for side in (tail.tail_i, tail.tail_j))
        key = np.minimum(first, second).astype(np.int64) * subjects + np.maximum(first, second)
        return key, np.arange(start, end)

    def sizes(key: Ints) -> Ints:
        return block_sizes(tail, (key // subjects).astype(np.int32), (key % subjects).astype(np.int32))

    def block_scores(first: int, second: int) -> Floats:
        return _scored(block, _samples(tail, first), _samples(tail, second))

    return _suspects(tail, cuts, keyed, sizes, None if block is None else block_scores)


def suspected_images(tail: ScoreTail, cut: float, far: Flags, block: BlockScorer | None) -> Suspects:
    """Images among the ``far`` (N,) ones whose scores against one other subject have a median of ``cut`` or more.

    ``first``: acquired sample, ``second``: the other subject; of several others the one with the highest median stands.
    ``block`` as in :func:`suspected_pairs`.

    >>> from frtaudit.stats.similarity.tail import from_matrix
    >>> tail = from_matrix([[1, .1, .2], [.1, 1, .8], [.2, .8, 1]], ["a", "a", "b"])
    >>> found = suspected_images(tail, 0.5, np.array([True, True, False]), None)
    >>> found.first.tolist(), found.second.tolist()
    ([1], [1])
    """
    subjects = tail.n_samples.size

    def keyed(start: int, end: int) -> tuple[Ints, Ints]:
        keys, places = [], []
        for side, other in ((tail.tail_i, tail.tail_j), (tail.tail_j, tail.tail_i)):
            rows = np.flatnonzero(far[side[start:end]]) + start
            keys.append(side[rows].astype(np.int64) * subjects + tail.subject_of[other[rows]])
            places.append(rows)
        return np.concatenate(keys), np.concatenate(places)

    def sizes(key: Ints) -> Ints:
        if tail.blocks is None:
            return tail.n_samples[key % subjects]
        known_keys, count = _counted(keyed, tail.tail_score.size)  # listed: the tail holds every comparison
        return np.asarray(count[np.searchsorted(known_keys, key)])

    def block_scores(first: int, second: int) -> Floats:
        return _scored(block, slice(first, first + 1), _samples(tail, second))

    suspects = _suspects(tail, Cuts(few=cut, many=cut), keyed, sizes, None if block is None else block_scores)
    order = np.lexsort((suspects.second, -suspects.median, suspects.first))
    highest = order[np.unique(suspects.first[order], return_index=True)[1]]
    return suspects.at_rows(highest)


def _suspects(
    tail: ScoreTail,
    cuts: Cuts,
    keyed: Keyed,
    sizes: Callable[[Ints], Ints],
    block_scores: Callable[[int, int], Floats] | None,
) -> Suspects:
    """The keys (first times K plus second) whose scores have a median of their cut or more."""
    subjects, score = tail.n_samples.size, tail.tail_score
    lowest = min(cuts.few, cuts.many)
    key, count = _counted(keyed, first_not_above(score, float(np.nextafter(lowest, -np.inf))))
    size = sizes(key)
    key, size = key[2 * count >= size], size[2 * count >= size]
    start, places = _places(tail, keyed, key)
    median = np.full(key.size, -np.inf)
    whole = np.diff(start) > size // 2
    low, high = start[:-1] + (size - 1) // 2, start[:-1] + size // 2
    sides = (score[places[side[whole]]].astype(np.float64) for side in (low, high))
    median[whole] = sum(sides) / 2
    cut = cuts.of(size)
    if block_scores is not None:
        highest = (
            score[places[low]].astype(np.float64) + tail.cutoff
        ) / 2  # the next score lies below the floor
        slack = ROUNDING * max(abs(lowest), abs(tail.cutoff))
        for row in np.flatnonzero(~whole & (highest >= cut - slack)):
            median[row] = np.median(block_scores(*divmod(int(key[row]), subjects)))
    reached = median >= cut
    return Suspects(
        first=key[reached] // subjects,
        second=key[reached] % subjects,
        median=median[reached],
        comparisons=size[reached],
        best=places[start[:-1][reached]],
    )


def _counted(keyed: Keyed, end: int) -> tuple[Ints, Ints]:
    """The distinct keys of the first ``end`` comparisons of the tail, and how many each has."""
    key, count = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    for start, stop in _chunks(end):
        keys, many = np.unique(keyed(start, stop)[0], return_counts=True)
        key, place = np.unique(np.concatenate([key, keys]), return_inverse=True)
        count = np.bincount(place, np.concatenate([count, many]), key.size).astype(np.int64)
    return key, count


def _places(tail: ScoreTail, keyed: Keyed, wanted: Ints) -> tuple[Ints, Ints]:
    """Where the places of each of the ``wanted`` keys (sorted) start, and the end; the places, best score first."""
    slots, places = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    sieve = np.zeros(SIEVE, dtype=np.bool_)
    sieve[wanted % SIEVE] = True
    for start, stop in _chunks(tail.tail_score.size if wanted.size else 0):
        key, place = keyed(start, stop)
        likely = np.flatnonzero(sieve[key % SIEVE])
        slot = np.minimum(np.searchsorted(wanted, key[likely]), wanted.size - 1)
        hit = wanted[slot] == key[likely]
        slots.append(slot[hit])
        places.append(place[likely[hit]])
    slot, place = np.concatenate(slots), np.concatenate(places)
    starts = np.concatenate([[0], np.bincount(slot, minlength=wanted.size).cumsum()])
    return starts, place[np.lexsort((place, slot))]


def _chunks(end: int) -> Iterator[tuple[int, int]]:
    for start in range(0, end, CHUNK):
        yield start, min(start + CHUNK, end)


def _samples(tail: ScoreTail, subject: int) -> slice:
    """The acquired samples of a subject: they are sorted by subject."""
    start = int(np.searchsorted(tail.subject_of, subject))
    return slice(start, start + int(tail.n_samples[subject]))


def _scored(block: BlockScorer | None, rows: slice, columns: slice) -> Floats:
    """Scores as the scan keeps them: rounded to float32."""
    if block is None:
        raise ValueError("no scorer is given to score these samples again")
    return np.asarray(block(rows, columns) + 0.0).astype(np.float32).astype(np.float64)


def _medians(group: Index, ascending: npt.NDArray[np.floating], size: int) -> Floats:
    """The median of each group's scores, shape (size,), NaN for an empty one."""
    order = np.argsort(group, kind="stable")
    count = np.bincount(group, minlength=size)
    start, some = np.cumsum(count) - count, count > 0
    low, high = (start + (count - 1) // 2)[some], (start + count // 2)[some]
    values = np.full(size, np.nan)
    sorted_scores = ascending[order].astype(np.float64)
    values[some] = (sorted_scores[low] + sorted_scores[high]) / 2
    return values
