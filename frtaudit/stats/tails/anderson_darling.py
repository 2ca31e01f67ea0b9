"""Does a generalised Pareto tail fit? Anderson and Darling's A squared by parametric bootstrap under dependence.

Comparisons that share a person are alike, so that A squared varies more than of independent ones. Normal scores
z = Phi^-1(F(y)) of the excesses give the dependence: their mean product over pairs of comparisons with one person in
common, and with both. Excesses of the same comparisons are drawn anew with normal scores

    sqrt(one) (a_k + a_l) + sqrt(both - 2 one) b_kl + sqrt(1 - both) e,

the fitted distribution as their margin, and fitted again, as the data were.
"""

from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Floats, Index, Ints
from frtaudit.stats._scipy import scipy
from frtaudit.stats.tails.generalised_pareto import ParetoFit, fit

MAX_CORRELATION = 0.98  # of a correlation of two comparisons
EDGE = 1e-12  # of a probability


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """Correlations of normal scores of comparisons with ``one`` person in common, and with ``both``."""

    one: float
    both: float


def a_squared(excess: Floats, fitted: ParetoFit) -> float:
    """A squared of ``excess`` (k,) under one fit (Anderson and Darling 1954).

    >>> uniform = ParetoFit(shape=np.array([-1.0]), scale=np.array([1.0]))
    >>> round(a_squared(np.array([0.5]), uniform), 4)
    0.3863
    """
    upper = np.clip(fitted.survival(np.sort(excess)), EDGE, 1 - EDGE)
    n = upper.size
    odd = 2 * np.arange(1, n + 1) - 1
    return float(-n - np.mean(odd * (np.log1p(-upper) + np.log(upper[::-1]))))


def alike(score: Floats, first: Index, second: Index) -> Alike:
    """Dependence of normal scores ``score`` (k,) of comparisons of the people ``first``, ``second`` (k,)."""
    people = int(max(first.max(), second.max())) + 1
    by_person = _products(np.concatenate([first, second]), np.tile(score, 2))
    by_pair = _products(
        np.minimum(first, second).astype(np.int64) * people + np.maximum(first, second), score
    )
    shared, pairs = by_person[0] - 2 * by_pair[0], by_person[1] - 2 * by_pair[1]
    correlation = min(max(shared / pairs, 0.0) if pairs > 0 else 0.0, MAX_CORRELATION / 2)
    return Alike(
        one=correlation,
        both=min(max(by_pair[0] / by_pair[1] if by_pair[1] else 0.0, 2 * correlation), MAX_CORRELATION),
    )


def _products(key: Index | Ints, score: Floats) -> tuple[float, float]:
    """Sum of products over ordered pairs of one key, and how many there are."""
    _, place, count = np.unique(key, return_inverse=True, return_counts=True)
    total = np.bincount(place, weights=score)
    return float((total**2).sum() - (score**2).sum()), float((count * (count - 1)).sum())


def p_value(excess: Floats, first: Index, second: Index, draws: int, rng: "np.random.Generator") -> float:
    """(1 + draws with at least the data's A squared) / (1 + ``draws``); small: the distribution does not fit.

    >>> rng = np.random.default_rng(1)
    >>> people = np.arange(400, dtype=np.int32)
    >>> 0.02 < p_value(rng.exponential(size=200), people[:200], people[200:], 99, rng)
    True
    """
    fitted = fit(excess)
    score = scipy.special.ndtri(np.clip(1 - fitted.survival(excess), EDGE, 1 - EDGE))
    known, statistic = alike(score, first, second), a_squared(excess, fitted)
    _, k = np.unique(np.concatenate([first, second]).astype(np.int64), return_inverse=True)
    _, pair = np.unique(np.sort(k.reshape(2, -1), axis=0), axis=1, return_inverse=True)
    higher = sum(_drawn(fitted, known, k, pair.ravel(), rng) >= statistic for _ in range(draws))
    return (1 + higher) / (1 + draws)


def _drawn(fitted: ParetoFit, known: Alike, k: Ints, pair: Ints, rng: "np.random.Generator") -> float:
    """A squared of one sample, fitted anew; ``k`` (2k,): both people's numbers, ``pair`` (k,): the pairs'."""
    person = rng.standard_normal(int(k.max()) + 1)[k].reshape(2, -1).sum(axis=0)
    both = rng.standard_normal(int(pair.max()) + 1)[pair]
    score = np.sqrt(known.one) * person + np.sqrt(known.both - 2 * known.one) * both
    score += np.sqrt(1 - known.both) * rng.standard_normal(pair.size)
    excess = fitted.excess(np.clip(scipy.special.ndtr(-score), EDGE, 1 - EDGE))
    return a_squared(excess, fit(excess))
