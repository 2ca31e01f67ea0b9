"""What each interval of a cell should hold: functionals of the population's score distributions."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import numpy.typing as npt

from frtaudit.stats.groups import differentials
from frtaudit.testing.study.cells import INDICES, Cell
from frtaudit.testing.truth import Scores, Truth, Value

QuantityPoint = tuple[str, str]  # quantity, point
Functional = Callable[[Scores], float]


def functionals(cell: Cell, thresholds: Mapping[str, float]) -> dict[QuantityPoint, Functional]:
    """By quantity and point; ``thresholds``: fixed ones by name. Not accuracy: there each cohort has its own truth."""
    by_point: dict[QuantityPoint, Functional] = {}
    for target in cell.targets:
        by_point["FNMR at FMR", f"FMR {target:g}"] = partial(_fnmr_at_fmr, fmr=target, subjects=cell.subjects)
        for rate in ("fmr", "fnmr"):
            for index in INDICES:
                by_point[index, group_point(rate, target, unlike=True)] = partial(
                    _index, kind=index, rate=rate, fmr=target, subjects=cell.subjects
                )
                by_point[index, group_point(rate, target, unlike=False)] = partial(_equal, kind=index)
    for name, threshold in thresholds.items():
        by_point["FMR", name] = partial(_fmr, threshold=threshold, subjects=cell.subjects)
        by_point["FNMR", name] = partial(_fnmr, threshold=threshold)
    by_point["d_l2", "classes unlike"] = _d_l2
    by_point["d_l2", "classes alike"] = _nothing
    return by_point


def group_point(rate: str, target: float, *, unlike: bool) -> str:
    """How the study names a comparison of groups."""
    return f"{rate.upper()} at FMR {target:g}, groups {'unlike' if unlike else 'alike'}"


def values(truth: Truth, wanted: Mapping[QuantityPoint, Functional]) -> dict[QuantityPoint, Value]:
    """The true values with their Monte Carlo errors."""
    return {place: truth.of(functional) for place, functional in wanted.items()}


def _fnmr_at_fmr(scores: Scores, *, fmr: float, subjects: int) -> float:
    return scores.fnmr(scores.threshold(fmr, subjects))


def _fmr(scores: Scores, *, threshold: float, subjects: int) -> float:
    return scores.fmr(threshold, subjects)


def _fnmr(scores: Scores, *, threshold: float) -> float:
    return scores.fnmr(threshold)


def _index(scores: Scores, *, kind: str, rate: str, fmr: float, subjects: int) -> float:
    threshold = scores.threshold(fmr, subjects)
    codes = range(len(scores.mated))
    if rate == "fmr":
        return _of_rates(kind, [scores.fmr(threshold, subjects, code) for code in codes])
    return _of_rates(kind, [scores.fnmr(threshold, code) for code in codes])


def _equal(_: Scores, *, kind: str) -> float:
    return _of_rates(kind, [1.0, 1.0])


def _of_rates(kind: str, rates: npt.ArrayLike) -> float:
    return float(differentials.rate_index(kind, np.asarray(rates)))


def _d_l2(scores: Scores) -> float:
    return float(scores.d_l2()[0])


def _nothing(_: Scores) -> float:
    return 0.0
