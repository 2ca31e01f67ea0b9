"""Cohorts drawn from a large real set, whose truth is known: the set is the population, a few per cent of it a cohort.

The set is scored once. What a cohort of it shows is then a walk down the set's sorted scores, past those of people who
were not drawn: errors at the threshold first, and on to the nearest threshold with enough for FORMULAS 8.1 to borrow.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from frtaudit.core.arrays import Floats, Index, Ints, Singles
from frtaudit.core.freeze import freeze
from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.core.spec import Weighting
from frtaudit.datasets.cohorts.templates import TemplateFolder
from frtaudit.datasets.protocols.all_pairs import AllPairs
from frtaudit.datasets.providers.cosine import Cosine
from frtaudit.stats._numba import kernel
from frtaudit.stats.intervals.borrowing import ENOUGH_ERRORS, ENOUGH_SUBJECTS
from frtaudit.stats.intervals.coverage import Denominators
from frtaudit.stats.intervals.dependence import image_weight
from frtaudit.stats.intervals.simulated_counts import COLUMNS, Tally, sum_up, tally_of
from frtaudit.stats.rates.rates import rates
from frtaudit.stats.rates.sums import first_not_above
from frtaudit.stats.rates.targets import threshold_at
from frtaudit.stats.similarity.allpairs import TailRequest
from frtaudit.testing.populations import Sampled

DEPTH = 0.02  # FMR down to which the tail of the set is kept: small cohorts take a design effect from there


@dataclass(frozen=True, slots=True, kw_only=True)
class RealSet:
    """One system's scores over a whole set, and the templates behind them (rows in the order of the tail's samples)."""

    name: str
    tail: ScoreTail
    groups: Groups
    vectors: Singles

    @property
    def people(self) -> Ints:
        """Subjects with a template, from whom cohorts are drawn."""
        return np.flatnonzero(self.tail.n_samples > 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """A threshold, and the rates of the whole set at it in one weighting."""

    threshold: float
    fmr: float
    fnmr: float
    weighting: Weighting


@dataclass(frozen=True, slots=True, kw_only=True)
class Cohorts:
    """C cohorts of K people, ``chosen`` (C, K): what each shows at the threshold, and at that of the design effect."""

    chosen: Ints
    own: Tally
    lent: Tally

    def __post_init__(self) -> None:
        freeze(self, "chosen")


def real_set(root: Path, system: str, threads: int = 1) -> RealSet:
    """Score all pairs of a folder of templates by one of its systems."""
    cohort_data = TemplateFolder(root=str(root)).load({}, 0)
    subjects = cohort_data.cohort.n_subjects
    groups = Groups(schemas=(), names=(), of=np.empty((0, subjects), dtype=np.int32), ranked=())
    request = TailRequest(fmr=DEPTH, threads=threads)
    tail = Cosine(name=system).scores(cohort_data, AllPairs().comparisons(cohort_data), groups, request, 0)
    if not isinstance(tail, ScoreTail):
        raise TypeError("all pairs give a tail")
    templates = cohort_data.templates[system]()
    vectors = templates.vectors[np.searchsorted(templates.rows, tail.rows)]
    return RealSet(name=system, tail=tail, groups=groups, vectors=vectors)


def truth_at(of: RealSet, fmr: float, weighting: Weighting) -> Truth:
    """The set's threshold at an FMR, and its rates there."""
    threshold = threshold_at(of.tail, of.groups, fmr, weighting)
    measured = rates(of.tail, of.groups, [threshold])
    pooled = weighting is Weighting.POOLED
    far, frr = (measured.fmr, measured.fnmr) if pooled else (measured.far, measured.frr)
    return Truth(threshold=threshold, fmr=float(far[0, 0]), fnmr=float(frr[0, 0]), weighting=weighting)


def draw(of: RealSet, subjects: int, cohorts: int, rng: np.random.Generator) -> Ints:
    """People of each cohort (C, K), without replacement, sorted."""
    people = of.people
    return np.stack([np.sort(rng.choice(people, subjects, replace=False)) for _ in range(cohorts)])


def non_mated(of: RealSet, chosen: Ints, truth: Truth) -> Cohorts:
    """False matches of each cohort."""
    tail, n = of.tail, of.tail.n_samples[chosen]
    identity = truth.weighting is Weighting.IDENTITY
    partners = np.full(n.shape, chosen.shape[1] - 1.0)
    weight = partners if identity else n * (n.sum(axis=1, keepdims=True) - n).astype(np.float64)
    first, second = tail.subject_of[tail.tail_i], tail.subject_of[tail.tail_j]
    size = (tail.n_samples[first] * tail.n_samples[second]).astype(np.float64)
    share = 1 / size if identity else np.ones(size.size)
    end = first_not_above(tail.tail_score, truth.threshold)
    observed, lent = tallies(first, second, share, end, chosen, weight, tail.n_samples.size, 2)
    return Cohorts(chosen=chosen, own=tally_of(observed), lent=tally_of(lent))


def mated(of: RealSet, chosen: Ints, truth: Truth) -> Cohorts:
    """False non-matches of each cohort; people with one sample take no part."""
    tail = of.tail
    pairs = np.bincount(tail.subject_of[tail.mated_i], minlength=tail.n_samples.size)
    identity = truth.weighting is Weighting.IDENTITY
    weight = (pairs[chosen] > 0).astype(np.float64) if identity else pairs[chosen].astype(np.float64)
    first = tail.subject_of[tail.mated_i]
    share = 1 / pairs[first] if identity else np.ones(first.size)
    end = int(np.searchsorted(tail.mated_score, np.float64(truth.threshold), side="right"))
    observed, lent = tallies(first, first, share, end, chosen, weight, tail.n_samples.size, 1)
    return Cohorts(chosen=chosen, own=tally_of(observed), lent=tally_of(lent))


def denominators(of: RealSet, chosen: Ints, truth: Truth, ends: int) -> Iterator[Denominators]:
    """What the sums of each cohort are divided by; of FMR without the pair of FORMULAS 8.18, which FNMR decides."""
    identity = truth.weighting is Weighting.IDENTITY
    for people in chosen:
        n = of.tail.n_samples[people]
        if ends == 1:
            pairs = (n * (n - 1) // 2)[n > 1]
            total, square = (pairs.size, pairs.size) if identity else (pairs.sum(), np.square(pairs).sum())
            effective_subjects = float(total) ** 2 / float(square) if square else 0.0
            yield Denominators(
                trials=int(pairs.sum()),
                total=int(total),
                subjects=pairs.size,
                square=float(square),
                ends=1,
                image=image_weight(float(n.max()) - 1, float(pairs.sum()), effective_subjects, pairs.size),
            )
            continue
        blocks, k = n.size * (n.size - 1) // 2, n.size
        weight = np.full(k, k - 1) if identity else n * (n.sum() - n)
        trials = int((n * (n.sum() - n)).sum()) // 2
        squares = (np.square(n).sum() ** 2 - (n.astype(np.float64) ** 4).sum()) / 2
        yield Denominators(
            trials=trials,
            total=blocks if identity else trials,
            subjects=k,
            square=float(np.square(weight.astype(np.float64)).sum()),
            ends=2,
            pairs=blocks,
            pair=1 / blocks if identity else float(squares) / trials**2,
        )


def one_of(tally: Tally, c: int) -> Tally:
    """The sums of one cohort, each of shape (1,)."""
    return Tally(**{name: getattr(tally, name)[c : c + 1] for name in Tally.__slots__})


def sampled(of: RealSet, people: Ints) -> Sampled:
    """The templates of a cohort, as the study's own audits take them."""
    inside = np.isin(of.tail.subject_of, people)
    return Sampled(vectors=of.vectors[inside], subject_of=np.searchsorted(people, of.tail.subject_of[inside]))


@kernel
def tallies(
    first: Index, second: Index, share: Floats, end: int, chosen: Ints, weight: Floats, subjects: int, ends: int
) -> tuple[Floats, Floats]:  # fmt: skip
    """Tallies (C, 6) of own and borrowed errors; errors stand sorted, those at the threshold first, ``end`` of them.

    ``first``, ``second`` (Q,): subjects of each, the same one when mated (``ends`` 1); ``share`` (Q,): what it adds.
    """
    values, lent = np.zeros((len(chosen), COLUMNS)), np.full((len(chosen), COLUMNS), np.nan)
    for c in range(len(chosen)):
        place = np.full(subjects, -1)
        for k in range(chosen.shape[1]):
            place[chosen[c, k]] = k
        total = np.zeros(chosen.shape[1])
        count, subjects_with_errors, closed = 0, 0, False
        for q in range(first.size + 1):
            if q == end:
                sum_up(values[c], count, total, weight[c])
                closed = True
            enough = count >= ENOUGH_ERRORS and subjects_with_errors >= ENOUGH_SUBJECTS
            if (closed and enough) or q == first.size:
                break
            a, b = place[first[q]], place[second[q]]
            if a < 0 or b < 0:
                continue
            count += 1
            subjects_with_errors += total[a] == 0
            total[a] += share[q]
            if ends == 2:
                subjects_with_errors += total[b] == 0
                total[b] += share[q]
        if count > values[c, 0] and count >= ENOUGH_ERRORS and subjects_with_errors >= ENOUGH_SUBJECTS:
            sum_up(lent[c], count, total, weight[c])
            lent[c, 1] /= ends
        values[c, 1] /= ends
    return values, lent
