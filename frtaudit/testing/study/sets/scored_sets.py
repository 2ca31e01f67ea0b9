"""Sets of people that cohorts are drawn from, each scored once: real ones, made ones, and either with look-alikes.

A set is the population: its own rates are the truth. What is kept of it are the errors that a cohort can show, sorted
by score: false matches down to ``DEPTH``, so that cohorts of few errors find from where to borrow (FORMULAS 8.1), and
mated comparisons.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from frtaudit.core import CohortData
from frtaudit.core.arrays import Floats, Index, Ints
from frtaudit.core.freeze import FrozenArrays
from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.core.spec import Weighting
from frtaudit.datasets.cohorts.templates import TemplateFolder
from frtaudit.datasets.protocols.all_pairs import AllPairs
from frtaudit.datasets.providers.cosine import Cosine
from frtaudit.stats.similarity.allpairs import TailRequest
from frtaudit.testing.populations import Population, Sampled, sizes_of
from frtaudit.testing.study.systems import SYSTEM, cohort_of

DEPTH = 0.02  # FMR down to which false matches are kept
IMAGES = 10  # of a real person, the first ones: one of thousands of images would be most of a pooled rate


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredSet(FrozenArrays):
    """One system's errors on S people, ``n_samples`` (S,) images each.

    ``first``, ``second`` (Q,) int32, ``score`` (Q,) descending: non-mated comparisons of two people; ``mated`` (P,)
    int32: whose, ``mated_score`` (P,) ascending. ``templates``: what was scored, None where errors were planted.
    """

    name: str
    n_samples: Ints
    first: Index
    second: Index
    score: Floats
    mated: Index
    mated_score: Floats
    templates: Sampled | None = None

    @property
    def mated_pairs(self) -> Ints:
        """Mated comparisons of each person (S,)."""
        return np.asarray(self.n_samples * (self.n_samples - 1) // 2)

    def shares(self, weighting: Weighting) -> tuple[Floats, float]:
        """What each non-mated comparison adds to the rate's numerator (Q,), and its denominator over the set."""
        n = self.n_samples.astype(np.float64)
        if weighting is Weighting.POOLED:
            return np.ones(self.score.size), float((n.sum() ** 2 - np.square(n).sum()) / 2)
        return 1 / (n[self.first] * n[self.second]), n.size * (n.size - 1) / 2

    def mated_shares(self, weighting: Weighting) -> tuple[Floats, float]:
        """The same for mated comparisons (P,)."""
        pairs = self.mated_pairs
        if weighting is Weighting.POOLED:
            return np.ones(self.mated.size), float(pairs.sum())
        return 1 / pairs[self.mated], float(np.count_nonzero(pairs))

    def threshold(self, fmr: float, weighting: Weighting) -> float:
        """The smallest score that at most a share ``fmr`` of the non-mated comparisons is above."""
        share, total = self.shares(weighting)
        return float(self.score[np.searchsorted(share.cumsum() / total, fmr, side="right")])


def all_pairs(cohort_data: CohortData, system: str) -> ScoreTail:
    """All pairs of a system's templates, scored, with the tail down to ``DEPTH``."""
    groups = Groups(
        schemas=(), names=(), of=np.empty((0, cohort_data.cohort.n_subjects), dtype=np.int32), ranked=()
    )
    comparisons = AllPairs().comparisons(cohort_data)
    request = TailRequest(fmr=DEPTH, threads=1)
    return Cosine(name=system).score_tail(cohort_data, comparisons, groups, request, 0).tail


def tail_of(sampled: Sampled) -> ScoreTail:
    """All pairs of templates, scored."""
    return all_pairs(cohort_of(sampled, {}), SYSTEM)


def errors_of(name: str, tail: ScoreTail, templates: Sampled | None = None) -> ScoredSet:
    """A set as its scored pairs show it."""
    return ScoredSet(
        name=name,
        n_samples=tail.n_samples.astype(np.int64),
        first=tail.subject_of[tail.tail_i],
        second=tail.subject_of[tail.tail_j],
        score=tail.tail_score.astype(np.float64),
        mated=tail.subject_of[tail.mated_i],
        mated_score=tail.mated_score.astype(np.float64),
        templates=templates,
    )


def scored(name: str, sampled: Sampled) -> ScoredSet:
    """Score all pairs of a set's templates."""
    return errors_of(name, tail_of(sampled), sampled)


def real(folder: Path, system: str, name: str, images: int = IMAGES) -> ScoredSet:
    """A folder of real templates as one of its systems made them, at most ``images`` of each person."""
    cohort_data = TemplateFolder(root=str(folder)).load({}, 0)
    templates = cohort_data.templates[system]()
    owner = cohort_data.cohort.subject_of[templates.rows]
    order = np.argsort(owner, kind="stable")
    _, start, person = np.unique(owner[order], return_index=True, return_inverse=True)
    few = np.arange(order.size) - start[person] < images
    return scored(name, Sampled(vectors=templates.vectors[order][few], subject_of=person[few]))


def made(population: Population, sizes: Sequence[int], people: int, seed: int) -> ScoredSet:
    """``people`` drawn from a synthetic population, samples by the repeated pattern ``sizes``."""
    rng = np.random.default_rng(seed)
    subjects = population.subjects(rng, people)
    return scored(population.name, subjects.samples(rng, sizes_of(sizes, people, rng)))


def without_heavy_pairs(of: ScoredSet, rng: np.random.Generator) -> ScoredSet:
    """A generator fitted to the set: each person keeps as many false matches, with partners dealt anew."""
    second = rng.permutation(of.second)
    two = of.first != second
    return replace(of, first=of.first[two], second=second[two], score=of.score[two], templates=None)


def with_look_alikes(of: ScoredSet, pairs: Ints, rng: np.random.Generator) -> ScoredSet:
    """The people of ``pairs`` (L, 2) are indistinguishable: their scores are drawn from the mated ones."""
    low, high = pairs.min(axis=1), pairs.max(axis=1)
    people = of.n_samples.size
    pair_key = np.minimum(of.first, of.second) * people + np.maximum(of.first, of.second)
    stays = ~np.isin(pair_key, low * people + high)
    count = of.n_samples[low] * of.n_samples[high]
    drawn = rng.choice(of.mated_score, int(count.sum()))
    seen = drawn > of.score[-1]
    first, second, score = (
        np.concatenate([old[stays], new[seen]])
        for old, new in (
            (of.first, np.repeat(low, count).astype(np.int32)),
            (of.second, np.repeat(high, count).astype(np.int32)),
            (of.score, drawn),
        )
    )
    order = np.argsort(-score, kind="stable")
    return replace(of, first=first[order], second=second[order], score=score[order], templates=None)


def twins(of: ScoredSet, share: float, rng: np.random.Generator) -> Ints:
    """Pairs (L, 2) of people, each in one pair at most, ``share`` of all people among them."""
    people = of.n_samples.size
    count = max(1, round(share * people / 2))
    return rng.permutation(people)[: 2 * count].reshape(-1, 2)


def random_pairs(of: ScoredSet, share: float, rng: np.random.Generator) -> Ints:
    """Pairs (L, 2) of people, a ``share`` of all pairs, whoever is in them."""
    people = of.n_samples.size
    count = rng.poisson(share * people * (people - 1) / 2)
    pairs = rng.integers(0, people, (count, 2))
    pairs = np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1)
    return np.unique(pairs, axis=0)
