"""Many cohorts of one cell, each drawn and read by itself: a cohort's numbers depend on its own seed alone."""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context

import numpy as np

from frtaudit.core.arrays import Floats
from frtaudit.core.canonical import seed_of
from frtaudit.core.freeze import FrozenArrays
from frtaudit.core.machine.progress import Progress
from frtaudit.core.spec import Weighting
from frtaudit.evaluation.intervals import intervals_of
from frtaudit.evaluation.operating_points import OperatingPoint, read
from frtaudit.evaluation.system import SystemData
from frtaudit.testing.populations import Subjects, sizes_of
from frtaudit.testing.study.cells import Cell, LevelsCell
from frtaudit.testing.study.shots import CohortShots, Key, Shot, read_cohort, shot_of
from frtaudit.testing.study.systems import ALIKE, UNLIKE, cohort_of, spec_of, system_of
from frtaudit.testing.truth import BINS, EDGES, Scores, Value, bins_of, simulate

CHUNK = 10
LEVELS = tuple(float(level) for level in np.round(np.linspace(0.05, 0.95, 19), 2))
FIXED_TRUTH = 300  # fresh sets of samples of the same subjects that the truth is made from


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds(FrozenArrays):
    """One interval over N cohorts: each (N,) float64, NaN where it was withheld."""

    low: Floats
    high: Floats
    value: Floats
    truth: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What a cell gave: intervals by key, and p-values of tests (of true nulls) by (test, point)."""

    shots: dict[Key, Bounds]
    tests: dict[tuple[str, str], Floats]


def of_population(cell: Cell, number: int, *, truth: Scores, seed: int, n: int) -> CohortShots:
    """Cohort ``number`` of a cell: new subjects, new samples, ``n`` replicates of each plan."""
    cohort_seed = seed_of(seed, cell.name, str(number))
    rng = np.random.default_rng(cohort_seed)
    names = cell.thresholds(truth)
    subjects = cell.population.subjects(rng, cell.subjects)
    sampled = subjects.samples(rng, sizes_of(cell.pattern, cell.subjects, rng))
    codes = {UNLIKE: subjects.code, ALIKE: rng.permutation(cell.subjects) % 2}
    fixed = tuple(names.values())
    spec = spec_of(
        targets=cell.targets, thresholds=fixed, intervals=cell.intervals, n=n, seed=cohort_seed, folds=True
    )
    return read_cohort(system_of(cohort_of(sampled, codes), spec), cell, truth, names)


def of_levels(cell: LevelsCell, number: int, *, truth: float, seed: int, n: int) -> CohortShots:
    """Cohort ``number`` of a study over nominal levels: FNMR at one FMR."""
    system = levels_system(cell, number, (cell.fmr,), seed=seed, n=n)
    threshold = float(system.operating_points.at_target[0, 0])
    summary = read(system, OperatingPoint("fnmr", Weighting.POOLED, 0, threshold, 0))
    shots, make = {}, partial(Key, quantity="FNMR at FMR", point=f"FMR {cell.fmr:g}")
    for level in LEVELS:
        for interval in intervals_of(summary, cell.intervals, 1 - level)[: len(cell.intervals)]:
            key = make(method=interval.method, target=interval.target, nominal=level)
            shots[key] = shot_of(interval, summary.value, truth)
    return shots, []


def levels_system(
    cell: LevelsCell, number: int, targets: tuple[float, ...], *, seed: int, n: int
) -> SystemData:
    """The system of cohort ``number``, with thresholds at these FMR targets."""
    cohort_seed = seed_of(seed, cell.name, str(number))
    rng = np.random.default_rng(cohort_seed)
    people = fixed_subjects(cell, seed) if cell.same else cell.population.subjects(rng, cell.subjects)
    sampled = people.samples(rng, [cell.samples] * cell.subjects)
    spec = spec_of(
        targets=targets, thresholds=(), intervals=cell.intervals, n=n, seed=cohort_seed, folds=False
    )
    return system_of(cohort_of(sampled, {}), spec)


def levels_truth(cell: LevelsCell, seed: int) -> Value:
    """FNMR at the FMR target: of these subjects, or of the population."""
    if cell.same:
        return fixed_truth(cell, seed)
    return simulate(cell.population).of(lambda scores: scores.fnmr(scores.threshold(cell.fmr, cell.subjects)))


def fixed_subjects(cell: LevelsCell, seed: int) -> Subjects:
    """The subjects of the fixed-identities study."""
    return cell.population.subjects(
        np.random.default_rng(seed_of(seed, cell.name, "subjects")), cell.subjects
    )


def fixed_truth(cell: LevelsCell, seed: int, sets: int = FIXED_TRUTH) -> Value:
    """FNMR at the FMR target for these subjects, from ``sets`` fresh sets of samples; the error from their spread."""
    counts = _fixed_counts(cell, seed, sets)
    return Value.of(_fnmr_at(counts.sum(axis=0), cell.fmr), [_fnmr_at(part, cell.fmr) for part in counts])


def fixed_roc(
    cell: LevelsCell, targets: Sequence[float], seed: int, sets: int = FIXED_TRUTH
) -> tuple[float, ...]:
    """FNMR of these subjects at each FMR target, from the same samples as :func:`fixed_truth`."""
    counts = _fixed_counts(cell, seed, sets).sum(axis=0)
    return tuple(_fnmr_at(counts, target) for target in targets)


@cache
def _fixed_counts(cell: LevelsCell, seed: int, sets: int) -> Floats:
    """Mated and non-mated scores in each bin of ``sets`` fresh sets of samples of these subjects, (sets, 2, bins).

    002 takes the studied samples themselves for its truth; fresh ones keep truth and intervals independent.
    """
    subjects = fixed_subjects(cell, seed)
    rng = np.random.default_rng(seed_of(seed, cell.name, "truth"))
    counts = np.zeros((sets, 2, BINS))
    for number in range(sets):
        sampled = subjects.samples(rng, [cell.samples] * cell.subjects)
        i, j = np.triu_indices(cell.samples, k=1)
        place = bins_of(sampled.vectors @ sampled.vectors.T)
        blocks = place.reshape(cell.subjects, cell.samples, cell.subjects, cell.samples)
        block = blocks[np.arange(cell.subjects), :, np.arange(cell.subjects), :]
        mated = np.bincount(block[:, i, j].ravel(), minlength=BINS)
        everything = np.bincount(place.ravel(), minlength=BINS)
        counts[number] = mated, (everything - np.bincount(block.ravel(), minlength=BINS)) / 2
    return counts


def _fnmr_at(counts: Floats, fmr: float) -> float:
    """FNMR where the non-mated counts leave a share ``fmr`` above."""
    below = np.concatenate([np.zeros((2, 1)), counts.cumsum(axis=1)], axis=1)
    share = below / below[:, -1:]
    threshold = np.interp(1 - fmr, share[1], EDGES)
    return float(np.interp(threshold, EDGES, share[0]))


Reader = Callable[[int], CohortShots]


def collect(
    cell: Cell | LevelsCell, cohorts: int, *, seed: int, n: int, workers: int, progress: Progress
) -> Collected:
    """Read ``cohorts`` cohorts of a cell; the result does not depend on ``workers``."""
    reader: Reader
    if isinstance(cell, LevelsCell):
        reader = partial(of_levels, cell, truth=levels_truth(cell, seed).value, seed=seed, n=n)
    else:
        reader = partial(of_population, cell, truth=simulate(cell.population).mean, seed=seed, n=n)
    chunks = [range(first, min(first + CHUNK, cohorts)) for first in range(0, cohorts, CHUNK)]
    if workers == 1:
        return _joined([reader(number) for chunk in progress(chunks, cell.name) for number in chunk])
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        jobs = [pool.submit(_chunk, reader, chunk) for chunk in chunks]
        return _joined([cohort_shots for job in progress(jobs, cell.name) for cohort_shots in job.result()])


def _chunk(reader: Reader, numbers: Sequence[int]) -> list[CohortShots]:
    return [reader(number) for number in numbers]


def _joined(cohorts: list[CohortShots]) -> Collected:
    keys = list(dict.fromkeys(key for shots, _ in cohorts for key in shots))
    nothing = Shot(low=np.nan, high=np.nan, value=np.nan, truth=np.nan)
    shots = {}
    for key in keys:
        rows = [cohort_shots.get(key, nothing) for cohort_shots, _ in cohorts]
        table = np.array([(row.low, row.high, row.value, row.truth) for row in rows]).T
        shots[key] = Bounds(low=table[0], high=table[1], value=table[2], truth=table[3])
    verdicts = [verdict for _, tests in cohorts for verdict in tests]
    places = dict.fromkeys((verdict.test, verdict.point) for verdict in verdicts)
    tests = {
        place: np.array([verdict.p_value for verdict in verdicts if (verdict.test, verdict.point) == place])
        for place in places
    }
    return Collected(shots=shots, tests=tests)
