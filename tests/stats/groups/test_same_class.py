"""Comparisons within classes: what is kept, and what the interval of their ratio to all covers."""

import numpy as np
import pytest
from scipy.stats import binomtest

from frtaudit.core.scores import ScoreTail
from frtaudit.core.spec import Weighting
from frtaudit.stats.groups.same_class import joint, within_classes
from frtaudit.stats.intervals.overall_ratio import ratio_within_classes
from frtaudit.stats.intervals.wilson import prepare
from frtaudit.stats.similarity.tail import from_listed, from_matrix, no_groups

CLASSES, PEOPLE, AT, COHORTS = 3, 120, 0.62, 300


def scored(people: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Cosine scores of two images each of ``people``, those of one class nearer to each other; their classes."""
    code = np.arange(people) % CLASSES
    centre = 1.2 * np.eye(16)[code] + rng.normal(size=(people, 16)) / 2
    vectors = np.repeat(centre, 2, axis=0) + rng.normal(size=(2 * people, 16)) / 5
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors @ vectors.T, code


def tail_of(score: np.ndarray) -> ScoreTail:
    """The tail of such scores."""
    return from_matrix(score, [f"{k:04d}" for k in range(len(score) // 2) for _ in range(2)])


def test_what_is_within_a_class_is_kept() -> None:
    """By a loop over all pairs: scores above a threshold, comparisons, and nobody without a class."""
    score, code = scored(20, np.random.default_rng(1))
    code = np.where(np.arange(20) == 4, -1, code).astype(np.int32)
    made = within_classes(tail_of(score), code)
    want = [
        score[a, b]
        for a in range(40)
        for b in range(a)
        if a // 2 != b // 2 and code[a // 2] == code[b // 2] >= 0
    ]
    assert made.tail_score.tolist() == sorted(want, reverse=True)
    assert made.histogram.tolist() == [len(want)]
    read = prepare(made, no_groups(made), [AT]).fmr(AT, 0, 0.05, Weighting.POOLED)
    assert (read.errors, read.trials) == (sum(one > AT for one in want), len(want))


def test_listed_pairs_are_kept_by_class() -> None:
    """Of a list, the blocks whose subjects share a class."""
    tail = from_listed(
        [0.9, 0.8, 0.2, 0.1], [0, 0, 1, 2], [1, 2, 2, 3], subject_of=[0, 1, 2, 3], cells=[0, 0, 0, 0],
        score_range=(0.0, 1.0),
    )  # fmt: skip
    made = within_classes(tail, np.array([0, 0, 1, 1], dtype=np.int32))
    assert made.blocks is not None
    assert (made.blocks.k.tolist(), made.blocks.l.tolist()) == ([0, 2], [1, 3])
    assert made.tail_score.tolist() == pytest.approx([0.9, 0.1])


def test_classes_of_every_schema_at_once() -> None:
    """Two share a joint class if and only if they share each; one without a class in one schema is in none."""
    codes = np.array([[0, 0, 1, 1, -1], [0, 1, 1, 1, 0]], dtype=np.int32)
    made = joint(codes)
    for a in range(5):
        for b in range(5):
            alike = bool((codes[:, a] == codes[:, b]).all() and (codes[:, [a, b]] >= 0).all())
            assert (made[a] == made[b] and made[a] >= 0) == alike


def test_one_class_is_everybody() -> None:
    """The ratio is 1 and its interval one point where all share a class."""
    tail = tail_of(scored(20, np.random.default_rng(2))[0])
    made = within_classes(tail, np.zeros(20, dtype=np.int32))
    both = [prepare(one, no_groups(one), [AT]) for one in (made, tail)]
    ratio = ratio_within_classes(*both, AT, Weighting.POOLED)
    assert ratio is not None
    assert ratio.value == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.parametrize("weighting", list(Weighting))
def test_the_ratio_is_covered(weighting: Weighting) -> None:
    """Cohorts from 2,000 people whose ratio is known: the interval at 0.95 covers in .93 or more."""
    rng = np.random.default_rng(3)
    score, code = scored(2000, rng)
    truth = true_ratio(score, code)
    covered = 0
    for _ in range(COHORTS):
        chosen = np.concatenate(
            [rng.choice(np.flatnonzero(code == c), PEOPLE // CLASSES, replace=False) for c in range(CLASSES)]
        )
        images = np.stack([2 * chosen, 2 * chosen + 1], axis=1).ravel()
        tail = tail_of(score[np.ix_(images, images)])
        within = within_classes(tail, code[chosen].astype(np.int32))
        rules = [prepare(one, no_groups(one), [AT]) for one in (within, tail)]
        ratio = ratio_within_classes(*rules, AT, weighting)
        assert ratio is not None
        bounds = ratio.bounds.interval(0.05)
        covered += bounds.low / ratio.weight <= truth <= bounds.high / ratio.weight
    assert binomtest(covered, COHORTS, 0.93, alternative="less").pvalue > 0.001


def true_ratio(score: np.ndarray, code: np.ndarray) -> float:
    """FMR within classes over FMR of all, of cohorts with as many people of each class (a third of each)."""
    who = np.repeat(np.arange(len(code)), 2)
    other = who[:, None] != who[None, :]
    same = (code[who][:, None] == code[who][None, :]) & other
    within, across = score[same] > AT, score[other & ~same] > AT
    size = PEOPLE // CLASSES
    share = CLASSES * size * (size - 1) / (PEOPLE * (PEOPLE - 1))
    return float(within.mean() / (share * within.mean() + (1 - share) * across.mean()))
