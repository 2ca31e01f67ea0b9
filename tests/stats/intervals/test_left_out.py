"""Tests of frtaudit.stats.intervals.left_out."""

from dataclasses import replace

import numpy as np
import pytest

from frtaudit.core.scores import Blocks, Groups
from frtaudit.core.spec import Weighting
from frtaudit.stats.intervals.left_out import rule_without
from frtaudit.stats.similarity.tail import from_matrix

THRESHOLD = 0.6


def cohort(seed: int) -> tuple[np.ndarray, np.ndarray, Groups]:
    """Scores of 7 people with 1 to 3 images; two classes, one person in neither."""
    rng = np.random.default_rng(seed)
    subject = np.repeat(np.arange(7), rng.integers(1, 4, 7))
    scores = rng.uniform(0, 1, (subject.size, subject.size))
    of = np.array([[0, 0, 1, 1, 0, 1, -1]], dtype=np.int32)
    return (
        (scores + scores.T) / 2,
        subject,
        Groups(schemas=("s",), names=(("s", "x"), ("s", "y")), of=of, ranked=(True, True)),
    )


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weighting", list(Weighting))
def test_rates_and_variances_are_those_of_the_pairs_that_are_left(seed: int, weighting: Weighting) -> None:
    """Errors, comparisons, rate and the sum of squared residuals by subject, from all blocks but those left out."""
    scores, subject, groups = cohort(seed)
    tail = from_matrix(scores, [str(k) for k in subject])
    gone = np.array([[0, 1], [2, 5], [3, 6]])
    _, rule = rule_without(tail, groups, gone[:, 0], gone[:, 1], [THRESHOLD])
    for group_index, inside in enumerate([range(7), (0, 1, 4), (2, 3, 5)]):
        blocks = {
            (a, b): scores[np.ix_(subject == a, subject == b)] > THRESHOLD
            for a in inside
            for b in inside
            if a < b and [a, b] not in gone.tolist()
        }
        errors, trials = sum(e.sum() for e in blocks.values()), sum(e.size for e in blocks.values())
        pooled = weighting is Weighting.POOLED
        rate = errors / trials if pooled else np.mean([e.mean() for e in blocks.values()])
        residual = {
            pair: (e.sum() - rate * e.size if pooled else e.mean() - rate) for pair, e in blocks.items()
        }
        by_subject = [sum(r for pair, r in residual.items() if k in pair) for k in inside]
        found = rule.fmr_residuals(THRESHOLD, group_index, weighting)
        assert (found.errors, found.trials) == (errors, trials)
        assert found.rate == pytest.approx(rate)
        assert found.by_subject == pytest.approx(np.square(by_subject).sum())
        assert found.total == (trials if pooled else len(blocks))


def test_listed_blocks_go_from_the_list() -> None:
    """Of a score list the block itself goes: nothing is subtracted twice."""
    tail = from_matrix(np.full((3, 3), 0.7), ["a", "b", "c"])
    listed = replace(
        tail, blocks=Blocks(k=np.int32([0, 0, 1]), l=np.int32([1, 2, 2]), count=np.array([1, 1, 1]))
    )
    nobody = Groups(schemas=(), names=(), of=np.empty((0, 3), np.int32), ranked=())
    _, rule = rule_without(listed, nobody, np.array([0]), np.array([1]), [0.5])
    found = rule.fmr_residuals(0.5, 0, Weighting.POOLED)
    assert (found.errors, found.trials, found.total) == (2, 2, 2)
