"""The test of fit: its statistic by a loop, its dependence by brute force, its size and its power."""

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binomtest

from frtaudit.stats.tails.anderson_darling import a_squared, alike, p_value
from frtaudit.stats.tails.generalised_pareto import ParetoFit

TAIL = ParetoFit(shape=np.array([-0.15]), scale=np.array([0.05]))
RUNS = 60


def pairs(rng: np.random.Generator, n: int, people: int) -> tuple[np.ndarray, np.ndarray]:
    """Comparisons of two different people each."""
    first = rng.integers(0, people, n).astype(np.int32)
    return first, ((first + 1 + rng.integers(0, people - 1, n)) % people).astype(np.int32)


def test_the_statistic_is_the_sum_of_its_definition() -> None:
    """A squared, term by term."""
    excess = TAIL.excess(np.random.default_rng(1).random(40))
    u, n = np.sort(1 - TAIL.survival(excess)), 40
    total = sum((2 * i - 1) * (np.log(u[i - 1]) + np.log(1 - u[n - i])) for i in range(1, n + 1))
    assert a_squared(excess, TAIL) == pytest.approx(-n - total / n)


def test_dependence_is_counted_over_pairs_of_comparisons() -> None:
    """Mean products of scores of comparisons that share one person, and both, by going through all of them."""
    rng = np.random.default_rng(2)
    first, second = pairs(rng, 80, 12)
    score = rng.normal(0.5, 1, 80)
    products: dict[int, list[float]] = {1: [], 2: []}
    for a in range(80):
        for b in range(80):
            shared = len({first[a], second[a]} & {first[b], second[b]})
            if a != b and shared:
                products[shared].append(score[a] * score[b])
    found = alike(score, first, second)
    one = np.mean(products[1])
    assert found.one == pytest.approx(one)
    assert found.both == pytest.approx(max(np.mean(products[2]), 2 * one))


def rejections(dependence: float, n: int, seed: int) -> int:
    """How often a true tail is rejected at 0.1, its comparisons alike by a factor of each person."""
    rng = np.random.default_rng(seed)
    count = 0
    for _ in range(RUNS):
        first, second = pairs(rng, n, 40)
        own = rng.normal(size=40)
        score = np.sqrt(dependence) * (own[first] + own[second])
        score += np.sqrt(1 - 2 * dependence) * rng.normal(size=n)
        excess = TAIL.excess(np.clip(ndtr(-score), 1e-9, 1))
        count += p_value(excess, first, second, 19, rng) <= 0.1
    return count


def test_a_true_tail_is_seldom_rejected() -> None:
    """At 0.1, of independent excesses and of dependent ones: not above 0.2 by an exact test at 0.001."""
    for dependence in (0.0, 0.2):
        count = rejections(dependence, 150, 3)
        assert binomtest(count, RUNS, 0.2, alternative="greater").pvalue > 0.001


def test_another_distribution_is_rejected() -> None:
    """Excesses with a gap in their middle are no such tail: p at its least."""
    rng = np.random.default_rng(4)
    excess = np.concatenate([rng.uniform(0, 0.01, 150), rng.uniform(0.2, 0.21, 150)])
    first, second = pairs(rng, 300, 100)
    assert p_value(excess, first, second, 19, rng) == 1 / 20
