"""Simultaneous ROC bands hold for the whole curve at once, for whom they say (FORMULAS 8.10), on isotropic subjects.

Seeds are fixed. With each, a claim "holds in at least FLOOR of the cohorts" would alarm falsely with probability ALARM
at most, if the true coverage were FLOOR. "Holds" asks for every point of the grid, and for places between them.
"""

from functools import cache

import numpy as np
import numpy.typing as npt
import pytest
from noisy_people import DIMENSION, images, people
from scipy import stats

from frtaudit.core.curves import step_envelope
from frtaudit.core.spec import Plan, Weighting
from frtaudit.stats.bootstrap.resample import replicate
from frtaudit.stats.intervals import bands, bootstrap_intervals
from frtaudit.stats.rates.rates import rates
from frtaudit.stats.rates.targets import threshold_at
from frtaudit.stats.similarity.tail import from_matrix, no_groups

Floats = npt.NDArray[np.float64]
pytestmark = pytest.mark.slow

SPREAD = (0.9, 1.3)  # noise of a subject's samples, uniform between
KNOWN, IMAGES = 30, 8  # the same subjects in every cohort
SUBJECTS, SAMPLES = 60, 4  # new subjects in every cohort
COHORTS, B, ALPHA = 120, 199, 0.05
FLOOR, ALARM = 0.90, 1e-3
GRID = np.array([0.01, 0.02, 0.04, 0.08, 0.16])
BETWEEN = np.sqrt(GRID[1:] * GRID[:-1])
PLACES = np.sort(np.concatenate([GRID, BETWEEN]))


def truth(drawn: Floats) -> Floats:
    """ROC at PLACES from many images or many people: disjoint mated pairs, all non-mated pairs of first images."""
    mated = np.sort((drawn[:, ::2] * drawn[:, 1::2]).sum(axis=-1).ravel())
    some = drawn[:4000, : max(1, 4000 // len(drawn))]
    flat = some.reshape(-1, DIMENSION)
    owner = np.repeat(np.arange(len(some)), some.shape[1])
    apart = owner[:, None] < owner[None, :]
    non_mated = np.sort((flat @ flat.T)[apart])
    thresholds = np.quantile(non_mated, 1 - PLACES)
    return np.asarray(np.searchsorted(mated, thresholds, side="right") / mated.size)


def found(drawn: Floats, plan: Plan, seed: int) -> tuple[bands.Band, Floats]:
    """The simultaneous band of a cohort on GRID, and its pointwise intervals (T, 2)."""
    flat = drawn.reshape(-1, DIMENSION)
    tail = from_matrix(flat @ flat.T, np.repeat(np.arange(len(drawn)), drawn.shape[1]).tolist())
    groups = no_groups(tail)
    at = [threshold_at(tail, groups, target, Weighting.IDENTITY) for target in GRID.tolist()]
    here = rates(tail, groups, np.array(at))
    made = replicate(tail, groups, plan=plan, n=B, seed=seed, targets=GRID.tolist(), thresholds=[], threads=1)
    replicates, stat, vstat = made.fnmr[1, :, :, 0], here.frr[:, 0], here.frr_bar[:, 0]
    usable = here.false_non_matches[:, 0] >= 10
    if plan is Plan.IMAGES:
        ends = [
            bootstrap_intervals.recentered(*part, ALPHA)
            for part in zip(replicates.T, stat, vstat, strict=True)
        ]
        return bands.simultaneous(replicates, stat, vstat, usable, ALPHA), np.array(ends)
    ends = [bootstrap_intervals.percentile(column, ALPHA) for column in replicates.T]
    return bands.on_logit(replicates, stat, usable, ALPHA), np.array(ends)


def holds(band: bands.Band, true: Floats) -> bool:
    """Whether the band holds the true curve at every point and, as a step envelope, between them."""
    assert band.inside.all()
    x, low, high = step_envelope(GRID.tolist(), band.low.tolist(), band.high.tolist())
    on = np.isin(PLACES, GRID)
    between = np.searchsorted(x, BETWEEN)
    low_at, high_at = np.empty(PLACES.size), np.empty(PLACES.size)
    low_at[on], high_at[on] = band.low, band.high
    low_at[~on], high_at[~on] = low[between], high[between]
    return bool(np.all((low_at <= true) & (true <= high_at)))


@cache
def covered(plan: Plan) -> tuple[int, int]:
    """Of COHORTS, those whose simultaneous band holds, and those whose pointwise intervals all hold on GRID."""
    rng = np.random.default_rng(81)
    who = people(rng, KNOWN, SPREAD)
    fixed = plan is Plan.IMAGES
    true = truth(images(rng, who, 20_000) if fixed else images(rng, people(rng, 20_000, SPREAD), 2))
    at_grid = true[np.isin(PLACES, GRID)]
    band_holds = pointwise_holds = 0
    for cohort in range(COHORTS):
        drawn = images(rng, who, IMAGES) if fixed else images(rng, people(rng, SUBJECTS, SPREAD), SAMPLES)
        band, ends = found(drawn, plan, cohort)
        band_holds += holds(band, true)
        pointwise_holds += bool(np.all((ends[:, 0] <= at_grid) & (at_grid <= ends[:, 1])))
    return band_holds, pointwise_holds


def at_least(held: int, floor: float) -> bool:
    """Not fewer than binomtest at ALARM allows for a true coverage of ``floor``."""
    return stats.binomtest(held, COHORTS, floor, alternative="less").pvalue > ALARM


def test_the_band_for_these_people_holds_at_once() -> None:
    """Same subjects, new images: the recentred simultaneous band holds at every place of the curve together."""
    held, pointwise = covered(Plan.IMAGES)
    assert at_least(held, FLOOR)
    assert pointwise < held


def test_the_band_for_new_people_holds_at_once() -> None:
    """New subjects in every cohort: the logit band of subject replicates holds at every place together."""
    held, pointwise = covered(Plan.SUBJECTS)
    assert at_least(held, FLOOR)
    assert pointwise < held
