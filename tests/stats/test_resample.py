from fractions import Fraction
from itertools import product

import numpy as np
import oracles_resample as slow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frtaudit.core.spec import Plan
from frtaudit.stats import rates, resample, walks, weights
from frtaudit.stats.resample import Replicates, replicate
from frtaudit.stats.tail import from_listed, from_matrix, no_groups

PLANS = (Plan.IMAGES, Plan.SUBJECTS, Plan.DOUBLE_OR_NOTHING, Plan.TWO_LEVEL)
TARGETS = ("1/9", 0.0, 0.5, "2/3", 1)
THRESHOLDS = (0.35, 0.6, -0.1)


def drawn_people(world: slow.World, plan: Plan, seed: int, n: int) -> list[list[slow.Person]]:
    """The people of each replicate, from the weights that the plan says it draws."""
    counts, k = world.tail.n_samples, world.tail.n_samples.size
    if plan is Plan.IMAGES:
        drawn = weights.draw_within(counts, seed=seed, first=0, count=n)
        return [slow.people_of_images(world, drawn[:, b]) for b in range(n)]
    if plan is Plan.DOUBLE_OR_NOTHING:
        copies = weights.draw_coins(k, seed=seed, first=0, count=n)
    else:
        copies = weights.draw_between(np.zeros(k, dtype=np.int64), seed=seed, first=0, count=n)
    if plan is not Plan.TWO_LEVEL:
        return [slow.people_of_subjects(world, copies[:, b]) for b in range(n)]
    within = weights.draw_copies(counts, copies, seed=seed, first=0)
    return [slow.people_of_copies(world, copies[:, b], within[:, :, b]) for b in range(n)]


def assert_same(found: Replicates, world: slow.World, people: list[list[slow.Person]]) -> None:
    """Every number of ``found`` is the slow twin's."""
    for b, persons in enumerate(people):
        everybody = slow.blocks(world, persons, world.tags()[0])
        for w, weighted in enumerate((False, True)):
            for a, target in enumerate(Fraction(str(t)) for t in TARGETS):
                t_star = slow.threshold_of(everybody, target, weighted=weighted)
                np.testing.assert_array_equal(found.t_star[w, b, a], t_star)
                check_rates(found.fmr[w, b, a], found.fnmr[w, b, a], world, persons, t_star, weighted)
                for s in range(len(world.groups.schemas)):
                    t_max = slow.max_threshold_of(world, persons, s, target, weighted=weighted)
                    np.testing.assert_array_equal(found.t_star_max[w, s, b, a], t_max)
                    at_max = found.fmr_max[w, s, b, a], found.fnmr_max[w, s, b, a]
                    check_rates(*at_max, world, persons, t_max, weighted)
            for point, fixed in enumerate(THRESHOLDS, start=len(TARGETS)):
                check_rates(found.fmr[w, b, point], found.fnmr[w, b, point], world, persons, fixed, weighted)


def check_rates(fmr, fnmr, world, persons, threshold, weighted) -> None:
    """FMR and FNMR of all tags at one threshold are the slow twin's."""
    want = slow.rates_at(world, persons, threshold, above=True, weighted=weighted)
    np.testing.assert_allclose(fmr, want, rtol=0, atol=1e-12)
    want = slow.rates_at(world, persons, threshold, above=False, weighted=weighted)
    np.testing.assert_allclose(fnmr, want, rtol=0, atol=1e-12)


@pytest.mark.parametrize("plan", PLANS)
@given(world=slow.worlds(), seed=st.integers(0, 2**64), chunk=st.sampled_from([1, 2, 7, 2048]))
@settings(max_examples=40)
def test_replicates_are_those_of_literal_resampling(plan, world, seed, chunk) -> None:
    """Every plan gives the rates and thresholds of resampled, sorted scores, with ties, groups and cells."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walks, "CHUNK", chunk)
        patch.setattr(walks, "MATED_CHUNK", chunk)
        found = replicate(
            world.tail, world.groups, plan=plan, n=2, seed=seed, targets=TARGETS, thresholds=THRESHOLDS
        )
    assert_same(found, world, drawn_people(world, plan, seed, 2))
