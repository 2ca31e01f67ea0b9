"""What many cohorts of a scored set show of a rate, compiled: tallies, and the denominators that go with them."""

from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Floats, Index, Ints
from frtaudit.core.freeze import FrozenArrays
from frtaudit.core.spec import Weighting
from frtaudit.stats._numba import kernel
from frtaudit.stats.intervals.borrowing import ENOUGH_ERRORS, ENOUGH_SUBJECTS
from frtaudit.stats.intervals.coverage import Denominators
from frtaudit.stats.intervals.simulated_counts import COLUMNS, Tally, sum_up, tally_of
from frtaudit.testing.study.sets.scored_sets import ScoredSet

FURTHER = 4  # times as many of the set's comparisons are looked at until a cohort has enough to borrow from


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """C cohorts: errors at the threshold and at that of the design effect, each (C,), their divisors, the truth."""

    own: Tally
    lent: Tally
    over: Denominators
    truth: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ByPerson(FrozenArrays):
    """Errors in the order of their scores, person by person: those of k stand at ``start[k]`` to ``start[k+1]``.

    ``place`` (Q,): where each stands among all; ``partner`` (Q,): the other person, k itself when mated; ``share``
    (Q,): what it adds.
    """

    start: Ints
    place: Ints
    partner: Index
    share: Floats


def draw(of: ScoredSet, subjects: int, cohorts: int, rng: np.random.Generator) -> Ints:
    """People of each cohort (C, K), without replacement."""
    people = of.n_samples.size
    return np.stack([rng.choice(people, subjects, replace=False, shuffle=False) for _ in range(cohorts)])


def non_mated(of: ScoredSet, chosen: Ints, threshold: float, weighting: Weighting) -> Shown:
    """FMR of each cohort at a threshold; ``over.pair`` (FORMULAS 8.18) is that of TMR 1."""
    share, total = of.shares(weighting)
    end = int(np.searchsorted(-of.score, -threshold, side="left"))
    n, k = of.n_samples[chosen].astype(np.float64), chosen.shape[1]
    images = n.sum(axis=1)
    identity = weighting is Weighting.IDENTITY
    weight = np.full(n.shape, k - 1.0) if identity else n * (images[:, None] - n)
    trials = (np.square(images) - np.square(n).sum(axis=1)) / 2
    blocks = k * (k - 1) / 2
    squares = (np.square(np.square(n).sum(axis=1)) - (n**4).sum(axis=1)) / 2
    tally, lent = _tallies(_by_person(of.first, of.second, share, of.n_samples.size), end, chosen, weight, 2)
    over = Denominators(
        trials=trials,
        total=np.full(trials.shape, blocks) if identity else trials,
        subjects=np.full(trials.shape, float(k)),
        square=np.square(weight).sum(axis=1),
        ends=2,
        pairs=int(blocks),
        pair=np.full(trials.shape, 1 / blocks) if identity else squares / np.square(trials),
    )
    return Shown(own=tally, lent=lent, over=over, truth=float(share[:end].sum() / total))


def mated(of: ScoredSet, chosen: Ints, threshold: float, weighting: Weighting) -> Shown:
    """FNMR of each cohort at a threshold; people with one image take no part."""
    share, total = of.mated_shares(weighting)
    end = int(np.searchsorted(of.mated_score, threshold, side="right"))
    pairs = of.mated_pairs[chosen].astype(np.float64)
    identity = weighting is Weighting.IDENTITY
    weight = (pairs > 0).astype(np.float64) if identity else pairs
    subjects, compared = (pairs > 0).sum(axis=1).astype(np.float64), weight.sum(axis=1)
    square = np.square(weight).sum(axis=1)
    most = np.maximum(of.n_samples[chosen] - 1, 0).max(axis=1)
    alike = np.square(compared) / np.maximum(square * subjects, 1)  # subjects by weight, of all
    tally, lent = _tallies(_by_person(of.mated, of.mated, share, of.n_samples.size), end, chosen, weight, 1)
    trials, image = pairs.sum(axis=1), np.maximum(1 - alike, 0.0) * most / np.maximum(compared, 1)
    over = Denominators(trials=trials, total=compared, subjects=subjects, square=square, ends=1, image=image)
    return Shown(own=tally, lent=lent, over=over, truth=float(share[:end].sum() / total))


def _by_person(first: Index, second: Index, share: Floats, people: int) -> ByPerson:
    order = np.argsort(first, kind="stable")
    start = np.concatenate([[0], np.bincount(first, minlength=people).cumsum()])
    return ByPerson(start=start, place=order, partner=second[order], share=share[order])


def _tallies(of: ByPerson, end: int, chosen: Ints, weight: Floats, ends: int) -> tuple[Tally, Tally]:
    observed, lent = _count(of.start, of.place, of.partner, of.share, end, chosen, weight, ends)
    return tally_of(observed), tally_of(lent)


@kernel
def _count(
    start: Ints, place: Ints, partner: Index, share: Floats, end: int, chosen: Ints, weight: Floats, ends: int
) -> tuple[Floats, Floats]:  # fmt: skip
    """Tallies (C, 6) of own errors, the first ``end`` of all, and of those at the nearest threshold with enough."""
    values, lent = np.zeros((len(chosen), COLUMNS)), np.full((len(chosen), COLUMNS), np.nan)
    seat = np.full(start.size - 1, -1)
    errors = np.empty((1024, 2), dtype=np.int64)
    for c in range(len(chosen)):
        for k in range(chosen.shape[1]):
            seat[chosen[c, k]] = k
        size, errors = _gather(start, place, partner, chosen[c], seat, end, errors)
        total = np.zeros(chosen.shape[1])
        count, subjects_with_errors = _add(place, partner, share, seat, errors[:size], end, total, ends)
        sum_up(values[c], count, total, weight[c])
        values[c, 1] /= ends
        limit, few = end, count < ENOUGH_ERRORS or subjects_with_errors < ENOUGH_SUBJECTS
        while few and limit < place.size:
            limit = min(place.size, max(FURTHER * limit, 1024))
            size, errors = _gather(start, place, partner, chosen[c], seat, limit, errors)
            total[:] = 0
            count, subjects_with_errors = _add(place, partner, share, seat, errors[:size], end, total, ends)
            few = count < ENOUGH_ERRORS or subjects_with_errors < ENOUGH_SUBJECTS
        if limit > end and not few:
            sum_up(lent[c], count, total, weight[c])
            lent[c, 1] /= ends
        for k in range(chosen.shape[1]):
            seat[chosen[c, k]] = -1
    return values, lent


@kernel
def _gather(
    start: Ints, place: Ints, partner: Index, people: Ints, seat: Ints, limit: int, errors: Ints
) -> tuple[int, Ints]:
    """Errors of a cohort among the first ``limit`` of all, in order: number, and rows (which one, whose seat)."""
    size = 0
    for k in range(people.size):
        for q in range(start[people[k]], start[people[k] + 1]):
            if place[q] >= limit:
                break
            if seat[partner[q]] >= 0:
                if size == len(errors):
                    errors = np.concatenate((errors, np.empty_like(errors)))
                errors[size, 0], errors[size, 1] = q, k
                size += 1
    errors[:size] = errors[:size][np.argsort(place[errors[:size, 0]])]
    return size, errors


@kernel
def _add(
    place: Ints, partner: Index, share: Floats, seat: Ints, errors: Ints, end: int, total: Floats,
    ends: int,
) -> tuple[int, int]:  # fmt: skip
    """Add errors to ``total``, own ones all, further ones until there are enough; errors and subjects with errors."""
    count, subjects_with_errors = 0, 0
    for m in range(len(errors)):
        q, a = errors[m, 0], errors[m, 1]
        if place[q] >= end and count >= ENOUGH_ERRORS and subjects_with_errors >= ENOUGH_SUBJECTS:
            break
        count += 1
        subjects_with_errors += total[a] == 0
        total[a] += share[q]
        if ends == 2:
            b = seat[partner[q]]
            subjects_with_errors += total[b] == 0
            total[b] += share[q]
    return count, subjects_with_errors
