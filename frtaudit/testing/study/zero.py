"""One cohort at rising thresholds: what each method says of FMR as the errors run out (FORMULAS 8.1, 8.3)."""

import numpy as np

from frtaudit.canonical import Json, seed_of
from frtaudit.core.spec import Plan, Weighting
from frtaudit.stats import intervals, wilson
from frtaudit.stats.resample import replicate
from frtaudit.stats.tail import no_groups
from frtaudit.testing.populations import HUBS
from frtaudit.testing.study.cells import Cell
from frtaudit.testing.study.trials import material_of, spec_of, trial_of
from frtaudit.testing.truth import simulate

CELL = Cell(population=HUBS, subjects=100, pattern=(4,))
ERRORS = (60, 45, 30, 20, 15, 10, 7, 5, 4, 3, 2, 1, 0)
ALPHA = 0.05


def running_out(*, seed: int, n: int) -> list[Json]:
    """Bounds on FMR of one hub cohort at the thresholds with 60, 45, .. 1, 0 false matches.

    ``vertex``: the percentile interval of ``n`` subject resamples, which an audit withholds below ten errors; here it
    is shown as it would be. ``wilson``: the rule of 8.1. ``wilson_iid``: comparisons taken for independent.
    """
    own = seed_of(seed, "zero errors")
    rng = np.random.default_rng(own)
    sampled = CELL.population.subjects(rng, CELL.subjects).samples(rng, list(CELL.pattern) * CELL.subjects)
    spec = spec_of(targets=(0.01,), thresholds=(), intervals=(), n=1, seed=own, folds=False)
    tail = trial_of(material_of(sampled, {}), spec).tail
    thresholds = [float(tail.tail_score[errors]) for errors in ERRORS]
    drawn = replicate(
        tail, no_groups(tail), plan=Plan.SUBJECTS, n=n, seed=own, targets=[], thresholds=thresholds, threads=1
    )
    rule = wilson.prepare(tail, no_groups(tail), thresholds)
    true = simulate(CELL.population).mean
    found: list[Json] = []
    for place, threshold in enumerate(thresholds):
        ruled = rule.fmr(threshold, 0, ALPHA, Weighting.POOLED)
        iid = wilson.wilson_iid(ruled.errors, ruled.trials, ALPHA)
        vertex = intervals.percentile(drawn.fmr[0, :, place, 0], ALPHA) or (float("nan"), float("nan"))
        found.append(
            {
                "errors": ruled.errors,
                "trials": ruled.trials,
                "threshold": threshold,
                "estimate": ruled.rate,
                "truth": true.fmr(threshold, CELL.subjects),
                "design_effect": ruled.deff,
                "borrowed": ruled.borrowed_from is not None,
                "wilson": [ruled.low, ruled.high],
                "wilson_iid": [iid.low, iid.high],
                "vertex": list(vertex),
            }
        )
    return found
