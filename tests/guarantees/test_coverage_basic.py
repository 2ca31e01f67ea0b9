"""Intervals cover what their target names (FORMULAS 7, 8.1, 8.2), on isotropic subjects of known truth.

Seeds are fixed. With each, a claim "covers at least FLOOR" would alarm falsely with probability ALARM at most, if the
true coverage were FLOOR; at the nominal 0.95 it is smaller by orders of magnitude.
"""

from functools import cache

import numpy as np
import numpy.typing as npt
import pytest
from noisy_people import DIMENSION, images, people
from scipy import stats

from frtaudit.core.scores import ScoreTail
from frtaudit.core.spec import Plan, Weighting
from frtaudit.stats.bootstrap.resample import replicate
from frtaudit.stats.intervals import bootstrap_intervals
from frtaudit.stats.intervals.wilson import prepare
from frtaudit.stats.rates.rates import rates
from frtaudit.stats.similarity.tail import from_matrix, no_groups

pytestmark = pytest.mark.slow

Floats = npt.NDArray[np.float64]

SUBJECTS, SAMPLES = 40, 3
KNOWN, IMAGES = 30, 8  # of the same subjects: recentering mends the bias of few images, not their spread
COHORTS, B, ALPHA = 200, 199, 0.05
FLOOR, ALARM = 0.90, 1e-3
SPREAD = (0.5, 0.9)  # noise of a subject's samples, uniform between
THRESHOLD = 0.65
FEW = 6.0  # false matches expected in a cohort
NON_MATED = SUBJECTS * (SUBJECTS - 1) // 2 * SAMPLES**2


def tail_of(drawn: Floats) -> ScoreTail:
    """All pairs of the templates."""
    flat = drawn.reshape(-1, DIMENSION)
    return from_matrix(flat @ flat.T, np.repeat(np.arange(len(drawn)), drawn.shape[1]).tolist())


def share(drawn: Floats) -> float:
    """FNMR at THRESHOLD of disjoint pairs of images of the same subjects: unbiased for any number of them."""
    return float(np.mean((drawn[:, ::2] * drawn[:, 1::2]).sum(axis=-1) <= THRESHOLD))


def covers(hits: int, cohorts: int = COHORTS) -> bool:
    """Whether the count agrees with a coverage of FLOOR or more."""
    return bool(stats.binomtest(hits, cohorts, FLOOR, alternative="less").pvalue >= ALARM)


def inside(bounds: tuple[float | None, float | None] | None, truth: float) -> bool:
    """Whether the bounds are there and contain the true value."""
    return (
        bounds is not None
        and bounds[0] is not None
        and bounds[1] is not None
        and bounds[0] <= truth <= bounds[1]
    )


def drawn_fnmr(tail: ScoreTail, plan: Plan, seed: int) -> Floats:
    """Replicates of the pooled FNMR at THRESHOLD."""
    found = replicate(
        tail, no_groups(tail), plan=plan, n=B, seed=seed, targets=[], thresholds=[THRESHOLD], threads=1
    )
    return np.asarray(found.fnmr[0, :, 0, 0])


def test_recentered_covers_these_people_and_naive_collapses() -> None:
    """The same subjects, new images: recentered holds their FNMR; naive, biased by 1/m, in far fewer than 0.6."""
    rng = np.random.default_rng(71)
    who = people(rng, KNOWN, SPREAD)
    truth = share(images(rng, who, 20_000))
    kept, naive = 0, 0
    for seed in range(COHORTS):
        tail = tail_of(images(rng, who, IMAGES))
        found = rates(tail, no_groups(tail), [THRESHOLD])
        replicates = drawn_fnmr(tail, Plan.IMAGES, seed)
        stat, vstat = float(found.fnmr[0, 0]), float(found.fnmr_bar[0, 0])
        kept += inside(bootstrap_intervals.recentered(replicates, stat, vstat, ALPHA), truth)
        naive += inside(bootstrap_intervals.percentile(replicates, ALPHA), truth)
    assert covers(kept), f"recentered covered {kept} of {COHORTS}"
    assert stats.binomtest(naive, COHORTS, 0.6, alternative="less").pvalue < ALARM, f"naive covered {naive}"


@cache
def of_population() -> tuple[int, int, int, int]:
    """Cohorts of the population: how often vertex and Wilson hold FNMR, Wilson FMR of few errors; the most errors."""
    rng = np.random.default_rng(72)
    truth = share(images(rng, people(rng, 400_000, SPREAD), 2))
    half = (DIMENSION - 1) / 2  # (cosine + 1)/2 of two uniform directions is Beta(half, half)
    rate = FEW / NON_MATED
    high = float(2 * stats.beta.isf(rate, half, half) - 1)
    vertex, wilson, few, most = 0, 0, 0, 0
    for seed in range(COHORTS):
        tail = tail_of(images(rng, people(rng, SUBJECTS, SPREAD), SAMPLES))
        groups = no_groups(tail)
        vertex += inside(bootstrap_intervals.percentile(drawn_fnmr(tail, Plan.SUBJECTS, seed), ALPHA), truth)
        rule = prepare(tail, groups, [THRESHOLD]).fnmr(THRESHOLD, 0, ALPHA, Weighting.POOLED)
        wilson += inside((rule.low, rule.high), truth)
        rule = prepare(tail, groups, [high]).fmr(high, 0, ALPHA, Weighting.POOLED)
        few += inside((rule.low, rule.high), rate)
        most = max(most, rule.errors)
    return vertex, wilson, few, most


def test_vertex_and_wilson_cover_new_people() -> None:
    """FNMR at a fixed threshold of cohorts drawn anew: the vertex percentile and the rule of 8.1 both cover."""
    vertex, wilson, _, _ = of_population()
    assert covers(vertex), f"vertex covered {vertex} of {COHORTS}"
    assert covers(wilson), f"wilson covered {wilson} of {COHORTS}"


def test_wilson_covers_few_false_matches() -> None:
    """FMR with about six errors in a cohort, and sometimes none: the rule of 8.1 covers."""
    _, _, few, most = of_population()
    assert covers(few), f"wilson covered {few} of {COHORTS}"
    assert most < 30
