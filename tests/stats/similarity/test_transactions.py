"""Transactions as comparisons: rates of independent attempts in closed form, a slow twin, coverage by subject."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import binomtest

from frtaudit.core.spec import Weighting
from frtaudit.core.transactions import Transactions
from frtaudit.stats.intervals.wilson import RuleInterval, prepare
from frtaudit.stats.similarity.tail import no_groups
from frtaudit.stats.similarity.transactions import best_scores, transaction_tail

FMR, FNMR, K, COHORTS = 0.05, 0.3, 3, 300


def independent(people: int, each: int, rng: np.random.Generator, sd: float = 0.0) -> Transactions:
    """Attempts of scores 0 and 1; ``each`` genuine transactions of a person, one against each other person.

    ``sd``: of people's logits of FNMR about the mean.
    """
    claims = [(a, b) for a in range(people) for b in range(people) for _ in range(each if a == b else 1)]
    subject, claimed = np.array(claims, dtype=np.int32).T
    logit = np.log(FNMR / (1 - FNMR)) + sd * rng.normal(size=people)
    match = np.where(subject == claimed, 1 - 1 / (1 + np.exp(-logit[subject])), FMR)
    score = (rng.random((subject.size, K)) < match[:, None]).astype(np.float64)
    return Transactions(
        subject=subject, claimed=claimed, score=score, made=np.full(subject.size, K, dtype=np.int32)
    )


def read(
    found: Transactions, people: int, k: int, threshold: float = 0.5
) -> tuple[RuleInterval, RuleInterval]:
    """FAR and FRR with their intervals."""
    tail = transaction_tail(found, k, np.zeros(people, dtype=np.int32), (0.0, 1.0))
    rule = prepare(tail, no_groups(tail), [threshold])
    return rule.fmr(threshold, 0, 0.05, Weighting.POOLED), rule.fnmr(threshold, 0, 0.05, Weighting.POOLED)


@pytest.mark.parametrize("k", range(1, K + 1))
def test_independent_attempts_in_closed_form(k: int) -> None:
    """FRR of k attempts is FNMR^k, FAR is 1 - (1 - FMR)^k, within chance."""
    far, frr = read(independent(120, 100, np.random.default_rng(1)), 120, k)
    for found, truth in ((far, 1 - (1 - FMR) ** k), (frr, FNMR**k)):
        assert binomtest(found.errors, found.trials, truth).pvalue > 0.001


def test_a_slow_twin() -> None:
    """Counts of every k by a loop over attempts, failures among them, in which a failed attempt never matches."""
    rng = np.random.default_rng(2)
    found = independent(12, 3, rng)
    score = np.where(rng.random(found.score.shape) < 0.4, np.nan, rng.random(found.score.shape))
    found = Transactions(subject=found.subject, claimed=found.claimed, score=score, made=found.made)
    for k in range(1, K + 1):
        wrong = {True: 0, False: 0}
        for t in range(score.shape[0]):
            genuine = bool(found.subject[t] == found.claimed[t])
            accepted = False
            for a in range(k):
                accepted = accepted or score[t, a] > 0.0
            wrong[genuine] += accepted != genuine
        far, frr = read(found, 12, k, threshold=0.0)
        assert (far.errors, frr.errors) == (wrong[False], wrong[True])


def test_more_attempts_accept_more() -> None:
    """The best score never falls as attempts are added."""
    score = np.where(np.random.default_rng(3).random((50, K)) < 0.5, np.nan, 0.5)
    best = [np.nan_to_num(best_scores(score, k), nan=-1) for k in range(1, K + 2)]
    assert all((after >= before).all() for before, after in pairwise(best))


@pytest.mark.slow
def test_intervals_cover_by_subject() -> None:
    """Of cohorts whose people differ, with 5 transactions each, the interval at 0.95 covers in .93 or more."""
    rng = np.random.default_rng(4)
    logit = np.log(FNMR / (1 - FNMR)) + np.linspace(-4, 4, 4001)
    weight = np.exp(-(np.linspace(-4, 4, 4001) ** 2) / 2)
    truth = float((weight * (1 / (1 + np.exp(-logit))) ** 2).sum() / weight.sum())
    covered = 0
    for _ in range(COHORTS):
        bounds = read(independent(40, 5, rng, sd=1.0), 40, 2)[1].bounds.interval(0.05)
        covered += bounds.low <= truth <= bounds.high
    assert binomtest(covered, COHORTS, 0.93, alternative="less").pvalue > 0.001
