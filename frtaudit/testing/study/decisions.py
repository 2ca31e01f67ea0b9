"""Bounds of FAR, FRR and k-fold accuracy in cohorts of large sets.

``python -m frtaudit.testing.study.decisions``: people are drawn without replacement from a scored set, whose own rates
are the truth. Transactions: a person's first image is the reference, the others attempts, two to a transaction, against
everybody's reference, at the threshold of an FAR over the set (FORMULAS 8.1, 8.18). Accuracy: all mated pairs of the
cohort and as many others, its truth that of the set at the cohort's fold thresholds (8.11).
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Ints
from frtaudit.core.canonical import seed_of
from frtaudit.core.spec import Weighting
from frtaudit.core.transactions import Transactions
from frtaudit.stats.folds.fold_assignment import disjoint_folds
from frtaudit.stats.folds.kfold_accuracy import accuracy_bounds, k_fold_accuracy
from frtaudit.stats.intervals.rate_bounds import RateBounds
from frtaudit.stats.intervals.wilson import prepare
from frtaudit.stats.similarity.tail import no_groups
from frtaudit.stats.similarity.transactions import transaction_tail
from frtaudit.testing.populations import Sampled
from frtaudit.testing.study.misses import Misses, missed, totals
from frtaudit.testing.study.pages import into, markdown, parser_of, verdict
from frtaudit.testing.study.sets.one_sided import ERRORS, shares
from frtaudit.testing.study.sets.scored_sets import ScoredSet
from frtaudit.testing.study.sets.sources import LIKE_PEOPLE, ready, sources

DESIGNS = ((60, 1e-2), (150, 1e-3))  # people and FAR of the set
COHORTS, FOLDS, ATTEMPTS = 2000, 10, 2
OTHERS, CHUNK = 2_000_000, 100_000  # pairs of the set that FMR at a fold's threshold is read from, at a time
RANGE = (-1.0, 1.0)  # of cosines
PLACE = "decisions"

Drawn = Iterator[tuple[str, RateBounds, float]]  # name of a rate, its bounds in a cohort, the truth


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided(Misses):
    """One rate of one design."""

    set: str
    people: int
    rate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tries:
    """Transactions of a set's people with two images and more: ``score`` (T, S, A) against each one's reference.

    ``owner`` (T,): whose, 0 to S-1 in order; ``made`` (T,): attempts, of at most A; NaN where there is none.
    """

    owner: Ints
    made: Ints
    score: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """FAR and FRR of a set's ``people`` at a ``threshold``."""

    people: int
    threshold: float
    far: dict[Weighting, float]
    frr: dict[Weighting, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """A set's images, ``subject`` (N,) and unit ``vectors`` (N, d); sorted scores: all ``mated``, some ``others``."""

    subject: Ints
    vectors: Floats
    mated: Floats
    others: Floats

    def score(self, first: Ints, second: Ints) -> Floats:
        """Cosines of pairs of images (P,)."""
        return np.asarray(np.einsum("ij,ij->i", self.vectors[first], self.vectors[second]), dtype=np.float64)

    def fnmr(self, thresholds: Floats) -> Floats:
        """Share of the mated pairs that does not match."""
        return np.searchsorted(self.mated, thresholds, side="right") / self.mated.size

    def fmr(self, thresholds: Floats) -> Floats:
        """Share of the others that matches."""
        return 1 - np.searchsorted(self.others, thresholds, side="right") / self.others.size


def tries(sampled: Sampled) -> Tries:
    """Every transaction of every person with two images and more."""
    vectors = _unit(sampled)
    order = np.argsort(sampled.subject_of, kind="stable")
    sizes = np.bincount(sampled.subject_of)
    rank = np.arange(order.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    person = sampled.subject_of[order]
    several = sizes[person] > 1
    references, attempts = (order[several & chosen] for chosen in (rank == 0, rank > 0))
    owner = np.searchsorted(sampled.subject_of[references], sampled.subject_of[attempts])
    number = (rank[several & (rank > 0)] - 1) // ATTEMPTS
    _, at, counts = np.unique(owner * order.size + number, return_inverse=True, return_counts=True)
    place = (rank[several & (rank > 0)] - 1) % ATTEMPTS
    score = np.full((counts.size, references.size, ATTEMPTS), np.nan, dtype=np.float32)
    score[at, :, place] = vectors[attempts] @ vectors[references].T
    of = np.empty(counts.size, dtype=np.int64)
    of[at] = owner
    return Tries(owner=of, made=counts, score=score)


def _unit(sampled: Sampled) -> Floats:
    vectors = np.asarray(sampled.vectors, dtype=np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def truth_of(of: Tries, target: float) -> Truth:
    """What is true of all people at the threshold of a pooled FAR."""
    best = np.nanmax(of.score, axis=2)
    genuine = of.owner[:, None] == np.arange(best.shape[1])
    threshold = float(np.sort(best[~genuine])[-int(target * (~genuine).sum()) - 1])
    accepted = best > threshold
    starts = np.flatnonzero(np.diff(of.owner, prepend=-1))
    by_pair = np.add.reduceat(accepted, starts, axis=0, dtype=np.int64)
    count = np.bincount(of.owner)
    low = np.tril_indices(count.size, -1)
    far = {
        Weighting.POOLED: float(accepted[~genuine].mean()),
        Weighting.IDENTITY: float(((by_pair + by_pair.T) / (count[:, None] + count))[low].mean()),
    }
    frr = {
        Weighting.POOLED: float(1 - accepted[genuine].mean()),
        Weighting.IDENTITY: float(1 - (np.diag(by_pair) / count).mean()),
    }
    return Truth(people=count.size, threshold=threshold, far=far, frr=frr)


def of_transactions(of: Tries, truth: Truth, chosen: Ints) -> Drawn:
    """FAR and FRR of one cohort, people ``chosen`` (K,) ascending."""
    rows = np.flatnonzero(np.isin(of.owner, chosen))
    subject = np.searchsorted(chosen, of.owner[rows]).astype(np.int32)
    score = of.score[np.ix_(rows, chosen)].astype(np.float64)
    transactions = Transactions(
        subject=np.repeat(subject, chosen.size),
        claimed=np.tile(np.arange(chosen.size, dtype=np.int32), rows.size),
        made=np.repeat(of.made[rows], chosen.size).astype(np.int32),
        score=score.reshape(-1, ATTEMPTS),
    )
    tail = transaction_tail(transactions, ATTEMPTS, np.zeros(chosen.size, dtype=np.int32), RANGE)
    rule = prepare(tail, no_groups(tail), [truth.threshold])
    for weighting in Weighting:
        far, frr = (find(truth.threshold, 0, 0.05, weighting).bounds for find in (rule.fmr, rule.fnmr))
        yield f"FAR, {weighting.value}", far, truth.far[weighting]
        yield f"FRR, {weighting.value}", frr, truth.frr[weighting]


def of_accuracy(of: Scores, chosen: Ints, rng: np.random.Generator) -> Drawn:
    """k-fold accuracy of one cohort, people ``chosen`` (K,); none where fewer than ten of them have mated pairs."""
    images = np.flatnonzero(np.isin(of.subject, chosen))
    _, subject = np.unique(of.subject[images], return_inverse=True)
    first, second = np.triu_indices(images.size, 1)
    alike: Flags = subject[first] == subject[second]
    dealt = rng.choice(np.flatnonzero(~alike), int(alike.sum()), replace=False)
    pairs = np.concatenate([np.flatnonzero(alike), dealt])
    first, second, mated = first[pairs], second[pairs], alike[pairs]
    score = of.score(images[first], images[second])
    folds = disjoint_folds(subject[first], mated, FOLDS).folds
    if np.bincount(folds[mated], minlength=FOLDS).min() == 0:
        return
    accuracy = k_fold_accuracy(score, mated, folds)
    share = np.bincount(folds[mated], minlength=FOLDS) / accuracy.total
    wrong = share * of.fnmr(accuracy.thresholds) + (1 - share) * of.fmr(accuracy.thresholds)
    bounds = accuracy_bounds(accuracy, folds, subject[first], subject[second])
    yield "accuracy", bounds, float(1 - wrong.mean())


def scores_of(sampled: Sampled, mated: Floats, rng: np.random.Generator) -> Scores:
    """A set's images, with pairs of two people drawn at random."""
    known = Scores(subject=sampled.subject_of, vectors=_unit(sampled), mated=mated, others=np.empty(0))
    scores = []
    for _ in range(0, OTHERS, CHUNK):
        first, second = rng.integers(0, known.subject.size, (2, CHUNK))
        scores.append(known.score(first, second)[known.subject[first] != known.subject[second]])
    return replace(known, others=np.sort(np.concatenate(scores)))


def design(of: ScoredSet, people: int, target: float, cohorts: int) -> list[Decided]:
    """Every rate of cohorts of one size."""
    if of.templates is None:
        raise ValueError(f"{of.name}: no templates to score")
    rng = np.random.default_rng(seed_of(0, PLACE, of.name, str(people)))
    attempts, scores = tries(of.templates), scores_of(of.templates, of.mated_score, rng)
    truth = truth_of(attempts, target)
    counted: dict[str, list[Floats]] = {}
    for _ in range(cohorts):
        drawn = [
            *of_transactions(attempts, truth, np.sort(rng.choice(truth.people, people, replace=False))),
            *of_accuracy(scores, rng.choice(of.n_samples.size, people, replace=False), rng),
        ]
        for name, bounds, true in drawn:
            counted.setdefault(name, []).append(missed(bounds, true))
    results = []
    for name, rows in counted.items():
        lower, upper = totals(rows)
        results.append(
            Decided(set=of.name, people=people, rate=name, cohorts=len(rows), lower=lower, upper=upper)
        )
    return results


def table(results: Sequence[Decided]) -> str:
    """The designs in Markdown."""
    times = " / ".join(f"{error:g}" for error in ERRORS)
    head = ("cohorts of", "people", "rate", f"lower misses at {times}", "upper misses", "of", "")
    rows = (
        (
            row.set,
            f"{row.people}",
            row.rate,
            *shares(row.lower, row.upper, row.cohorts),
            f"{row.cohorts}",
            verdict(row.broken),
        )
        for row in results
    )
    return markdown(head, rows)


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 0; 1 where a claim does not hold."""
    parser = parser_of("decisions", __doc__)
    parser.add_argument("--part", action="append", choices=("real", "made"), help="real without")
    parser.add_argument("--set", action="append", default=[], help="letter of a real set, or a population")
    parser.add_argument("--people", type=int, action="append", default=[])
    parser.add_argument("--cohorts", type=int, default=COHORTS)
    parser.add_argument("--made-people", type=int, default=LIKE_PEOPLE)
    options = parser.parse_args(argv)
    parts = options.part or ("real",)
    ready(parser, parts)
    results: list[Decided] = []
    for source in sources(parts, options.set, (), options.made_people):
        for people, target in DESIGNS:
            if not options.people or people in options.people:
                results += design(source.drawn, people, target, options.cohorts)
    text = table(results)
    sys.stdout.write(text + "\n")
    into(options.docs, PLACE, text)
    return int(any(row.broken for row in results))


if __name__ == "__main__":
    sys.exit(main())
