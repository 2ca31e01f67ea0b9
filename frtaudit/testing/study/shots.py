"""What an audit would print of one cohort: every interval of every quantity, by the product's own functions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from frtaudit.analyses.accuracy import Accuracy
from frtaudit.core import Interval, Method, Target
from frtaudit.core.arrays import Floats
from frtaudit.core.spec import Plan, Weighting
from frtaudit.evaluation.intervals import intervals_of
from frtaudit.evaluation.operating_points import OperatingPoint, read
from frtaudit.evaluation.system import WEIGHTINGS, FoldPairs, SystemData
from frtaudit.stats.groups import differentials, equality_test, group_contrasts
from frtaudit.stats.interclass import d_l2, iid_bootstrap
from frtaudit.testing.study.cells import INDICES, NOMINAL, Cell
from frtaudit.testing.study.systems import ALIKE, UNLIKE
from frtaudit.testing.study.truths import QuantityPoint as AtKey
from frtaudit.testing.study.truths import group_point, quantities
from frtaudit.testing.truth import Scores

ALPHA = 1 - NOMINAL
D_L2_B = 99  # these bounds need a standard deviation only, and its noise at B = 99 costs 0.003 of coverage


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """Which interval: of what, where, in which weighting, by which method, for whom."""

    quantity: str
    point: str
    method: Method
    weighting: str = Weighting.POOLED.value
    target: Target = Target.POPULATION
    nominal: float = NOMINAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """One interval of one cohort and what it should have held; bounds are NaN where it was withheld."""

    low: float
    high: float
    value: float
    truth: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A p-value of a test whose null hypothesis is true: which test, and where."""

    test: str
    point: str
    p_value: float


CohortShots = tuple[dict[Key, Shot], list[Verdict]]


def read_cohort(system: SystemData, cell: Cell, truth: Scores, names: Mapping[str, float]) -> CohortShots:
    """Every interval and every test of one cohort; ``names``: the fixed thresholds by name."""
    true = quantities(cell, names, truth)
    shots = dict(_rates(system, cell, true, names))
    tests: list[Verdict] = []
    for schema in (UNLIKE, ALIKE):
        for part in (_indices(system, cell, true, schema), _distances(system, true, schema)):
            shots |= part[0]
            tests += part[1]
    shots |= dict(_accuracy(system, cell, truth))
    return shots, tests


def _rates(
    system: SystemData, cell: Cell, true: Mapping[AtKey, float], names: Mapping[str, float]
) -> Iterator[tuple[Key, Shot]]:
    """FNMR at FMR targets, FMR and FNMR at fixed thresholds."""
    for weighting in cell.weightings:
        for target in cell.targets:
            place = _at_target(system, "fnmr", weighting, target)
            yield from _shots(system, place, ("FNMR at FMR", f"FMR {target:g}"), true)
        for name, threshold in names.items():
            point = len(system.operating_points.targets) + system.operating_points.thresholds.index(threshold)
            for rate in ("fmr", "fnmr"):
                place = OperatingPoint(rate, weighting, 0, threshold, point)
                yield from _shots(system, place, (rate.upper(), name), true)


def _at_target(
    system: SystemData, rate: str, weighting: Weighting, target: float, group_index: int = 0
) -> OperatingPoint:
    a = system.operating_points.targets.index(target)
    threshold = float(system.operating_points.at_target[WEIGHTINGS.index(weighting), a])
    return OperatingPoint(rate, weighting, group_index, threshold, a)


def _shots(
    system: SystemData, place: OperatingPoint, at: AtKey, true: Mapping[AtKey, float]
) -> Iterator[tuple[Key, Shot]]:
    summary, wanted = read(system, place), system.intervals
    make = partial(Key, quantity=at[0], point=at[1], weighting=place.weighting.value)
    for interval in intervals_of(summary, wanted, ALPHA)[: len(wanted)]:
        key = make(method=interval.method, target=interval.target)
        yield key, shot_of(interval, summary.value, true[at])


def shot_of(interval: Interval, value: float, truth: float) -> Shot:
    """An interval of the audit beside what it should hold."""
    low = np.nan if interval.low is None else interval.low
    high = np.nan if interval.high is None else interval.high
    return Shot(low=low, high=high, value=value, truth=truth)


def _indices(system: SystemData, cell: Cell, true: Mapping[AtKey, float], schema: str) -> CohortShots:
    """Differentials: the max-t interval of FORMULAS 8.6, and under equal groups the test of 8.5."""
    shots: dict[Key, Shot] = {}
    tests: list[Verdict] = []
    for target in cell.targets:
        for rate in ("fmr", "fnmr"):
            places = [
                _at_target(system, rate, Weighting.POOLED, target, group_index)
                for group_index, _ in system.classes(schema)
            ]
            summaries = [read(system, place) for place in places]
            rates = np.array([summary.value for summary in summaries])
            drawn = np.stack([summary.replicates[Plan.SUBJECTS] for summary in summaries], axis=1)
            thin = any(summary.too_few_errors for summary in summaries)
            point = group_point(rate, target, unlike=schema == UNLIKE)
            for kind in INDICES:
                value = float(differentials.rate_index(kind, rates))
                low, high = (None if thin else _bounds(kind, rates, drawn)) or (np.nan, np.nan)
                key = Key(quantity=kind, point=point, method=Method.MAX_T)
                shots[key] = Shot(low=low, high=high, value=value, truth=true[kind, point])
                if schema == ALIKE and not thin:
                    p_value = _null_p_value(kind, rates, drawn)
                    tests.append(Verdict(test=f"8.5 {kind}", point=point, p_value=p_value))
    return shots, tests


def _bounds(kind: str, rates: Floats, drawn: Floats) -> tuple[float, float] | None:
    if kind == "max_min":
        return group_contrasts.log_ratios(rates, drawn, ALPHA)
    box = group_contrasts.log_box(rates, drawn, ALPHA)
    if box is None:
        return None
    return group_contrasts.index_range(lambda values: differentials.rate_index(kind, values), box)


def _null_p_value(kind: str, rates: Floats, drawn: Floats) -> float:
    """The audit's own test (FORMULAS 8.5); 1 where too many replicates are undefined."""
    null = {"rate": equality_test.as_if_equal(rates, drawn, common=1.0)}
    equality = equality_test.equality(
        lambda of: differentials.rate_index(kind, of["rate"]), {"rate": rates}, null, alpha=ALPHA
    )
    return 1.0 if equality is None else equality.p


def _distances(system: SystemData, true: Mapping[AtKey, float], schema: str) -> CohortShots:
    """d_l2 of the first class (of two: the other's is the same), and the test of "all classes alike" (8.7)."""
    tail = system.tail
    subject = tail.subject_of[tail.mated_i].astype(np.int64)
    code = system.cohort.classifications[schema].codes[subject]
    scores = [tail.mated_score[code == number].astype(np.float64) for number in (0, 1)]
    subjects = [subject[code == number] for number in (0, 1)]
    rng = np.random.default_rng(system.spec.seed)
    table = d_l2.population_bootstrap(scores, subjects, tail.score_range, alpha=ALPHA, n=D_L2_B, rng=rng)
    iid = iid_bootstrap.thesis_bootstrap(
        scores, tail.score_range, alpha=ALPHA, n=D_L2_B, seed=system.spec.seed
    )
    point = f"classes {schema}"
    bounds = {
        (Method.VERTEX_GAUSSIAN, Target.POPULATION): (table.low[0], table.high[0]),
        (Method.T_BOOTSTRAP, Target.COMPARISONS_IID): (iid.lower[0], iid.upper[0]),
    }
    shots = {}
    for (method, target), (low, high) in bounds.items():
        key = Key(quantity="d_l2", point=point, method=method, target=target)
        given = low < high  # else it is degenerate, and the audit prints none
        shots[key] = Shot(
            low=float(low) if given else np.nan,
            high=float(high) if given else np.nan,
            value=float(table.point[0]),
            truth=true["d_l2", point],
        )
    alike = [Verdict(test="8.7 all classes alike", point="d_l2", p_value=table.p_value)]
    return shots, alike if schema == ALIKE else []


def _accuracy(system: SystemData, cell: Cell, truth: Scores) -> Iterator[tuple[Key, Shot]]:
    """k-fold accuracy; the truth is the population's accuracy at the fold thresholds, which are held fixed (8.11)."""
    pairs = system.fold_pairs
    if pairs is None:
        return
    estimates = Accuracy().estimates(system, ALPHA).estimates
    value = next(estimate for estimate in estimates if estimate.metric == "accuracy")
    thresholds = [
        float(estimate.at["threshold"]) for estimate in estimates if estimate.metric == "fold_accuracy"
    ]
    true = float(np.mean([_right(truth, cell, pairs, fold, t) for fold, t in enumerate(thresholds)]))
    for interval in value.intervals:
        key = Key(
            quantity="accuracy", point=f"{pairs.k} folds", method=interval.method, target=interval.target
        )
        yield key, shot_of(interval, float(value.value or 0.0), true)


def _right(truth: Scores, cell: Cell, pairs: FoldPairs, fold: int, threshold: float) -> float:
    """The true share of right decisions at a threshold, in the fold's mix of mated and non-mated pairs."""
    mated = float(pairs.mated[pairs.folds == fold].mean())
    wrong = mated * truth.fnmr(threshold) + (1 - mated) * truth.fmr(threshold, cell.subjects)
    return 1 - wrong
