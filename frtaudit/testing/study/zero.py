"""Coverage as the errors run out: what each method says of FMR where few or no false matches are due (FORMULAS 8.3)."""

import numpy as np

from frtaudit.core.arrays import Floats
from frtaudit.core.canonical import Json, seed_of
from frtaudit.core.machine.progress import Progress
from frtaudit.core.spec import Plan, Weighting
from frtaudit.stats.bootstrap.resample import replicate
from frtaudit.stats.intervals import bootstrap_intervals, closed_form, wilson
from frtaudit.stats.similarity.tail import no_groups
from frtaudit.testing.checks import tally
from frtaudit.testing.populations import HUBS
from frtaudit.testing.study.cells import Cell
from frtaudit.testing.study.claims import DEFAULT
from frtaudit.testing.study.systems import cohort_of, spec_of, system_of
from frtaudit.testing.truth import Scores, simulate

CELL = Cell(population=HUBS, subjects=100, pattern=(4,))
EXPECTED = (100.0, 50.0, 20.0, 10.0, 5.0, 2.0, 1.0, 0.5, 0.2)  # false matches due in a cohort
METHODS = ("vertex", "wilson_iid", "wilson")
ALPHA = 0.05


def running_out(*, seed: int, cohorts: int, n: int, progress: Progress) -> list[dict[str, Json]]:
    """Coverage of FMR in hub cohorts at thresholds where 100, 50, .. 0.2 false matches are due.

    ``vertex``: the percentile interval of ``n`` subject resamples, which an audit withholds below ten errors; here it
    stands as it would be. ``wilson_iid``: comparisons taken for independent. ``wilson``: the rule of 8.1.
    ``at_no_error``: mean upper bound over the cohorts without any false match.
    """
    scores = simulate(CELL.population).mean
    thresholds = [scores.threshold(due / CELL.non_mated, CELL.subjects) for due in EXPECTED]
    numbers = range(cohorts)
    cohort_rows = np.stack(
        [_cohort(seed_of(seed, "zero", str(k)), thresholds, n) for k in progress(numbers, "few errors")]
    )
    return [
        _row(cohort_rows[:, place], place, scores, threshold) for place, threshold in enumerate(thresholds)
    ]


def _cohort(seed: int, thresholds: list[float], n: int) -> Floats:
    """Errors, then low and high of each method, at each threshold: shape (T, 1 + 2 methods)."""
    rng = np.random.default_rng(seed)
    sampled = CELL.population.subjects(rng, CELL.subjects).samples(rng, list(CELL.pattern) * CELL.subjects)
    spec = spec_of(targets=(), thresholds=thresholds, intervals=(), n=2, seed=seed, folds=False)
    tail = system_of(cohort_of(sampled, {}), spec).tail
    everybody = no_groups(tail)
    drawn = replicate(
        tail, everybody, plan=Plan.SUBJECTS, n=n, seed=seed, targets=[], thresholds=thresholds, threads=1
    )
    rule = wilson.prepare(tail, everybody, thresholds)
    rows = []
    for place, threshold in enumerate(thresholds):
        ruled = rule.fmr(threshold, 0, ALPHA, Weighting.POOLED)
        iid = closed_form.wilson_iid(ruled.errors, ruled.trials, ALPHA)
        vertex = bootstrap_intervals.percentile(drawn.fmr[0, :, place, 0], ALPHA) or (np.nan, np.nan)
        rows.append([ruled.errors, *vertex, iid.low, iid.high, ruled.low, ruled.high])
    return np.array(rows, dtype=np.float64)


def _row(cohort_rows: Floats, place: int, scores: Scores, threshold: float) -> dict[str, Json]:
    true = scores.fmr(threshold, CELL.subjects)
    none = cohort_rows[:, 0] == 0
    row: dict[str, Json] = {
        "expected": EXPECTED[place],
        "truth": true,
        "cohorts": len(cohort_rows),
        "without_errors": int(none.sum()),
    }
    for index, method in enumerate(METHODS):
        low, high = cohort_rows[:, 1 + 2 * index], cohort_rows[:, 2 + 2 * index]
        counted = tally(low, high, true, floor=DEFAULT)
        row[method] = {
            "coverage": counted.share,
            "mc_error": counted.error,
            "lower_misses": counted.lower_misses,
            "upper_misses": counted.upper_misses,
            "at_no_error": float(high[none].mean()) if none.any() else None,
        }
    return row
