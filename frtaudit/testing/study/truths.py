"""What each interval of a cell should hold, from the population's score distributions."""

from collections.abc import Mapping

import numpy as np

from frtaudit.stats.groups import differentials
from frtaudit.testing.study.cells import INDICES, Cell
from frtaudit.testing.truth import Scores, Truth, Value

QuantityPoint = tuple[str, str]  # quantity, point


def quantities(cell: Cell, thresholds: Mapping[str, float], scores: Scores) -> dict[QuantityPoint, float]:
    """By quantity and point; ``thresholds``: fixed ones by name. Not accuracy: there each cohort has its own truth."""
    by_point: dict[QuantityPoint, float] = {}
    for target in cell.targets:
        threshold = scores.threshold(target, cell.subjects)
        by_point["FNMR at FMR", f"FMR {target:g}"] = scores.fnmr(threshold)
        codes = range(len(scores.mated))
        by_group = {
            "fmr": np.array([scores.fmr(threshold, cell.subjects, code) for code in codes]),
            "fnmr": np.array([scores.fnmr(threshold, code) for code in codes]),
        }
        for rate, rates in by_group.items():
            for index in INDICES:
                unlike, alike = (group_point(rate, target, unlike=differ) for differ in (True, False))
                by_point[index, unlike] = float(differentials.rate_index(index, rates))
                by_point[index, alike] = float(differentials.rate_index(index, np.ones(2)))
    for name, threshold in thresholds.items():
        by_point["FMR", name] = scores.fmr(threshold, cell.subjects)
        by_point["FNMR", name] = scores.fnmr(threshold)
    by_point["d_l2", "classes unlike"] = float(scores.d_l2()[0])
    by_point["d_l2", "classes alike"] = 0.0
    return by_point


def group_point(rate: str, target: float, *, unlike: bool) -> str:
    """How the study names a comparison of groups."""
    return f"{rate.upper()} at FMR {target:g}, groups {'unlike' if unlike else 'alike'}"


def values(cell: Cell, thresholds: Mapping[str, float], truth: Truth) -> dict[QuantityPoint, Value]:
    """The true values with their Monte Carlo errors."""
    batches = [quantities(cell, thresholds, scores) for scores in truth.batches]
    return {
        place: Value.of(value, [by_point[place] for by_point in batches])
        for place, value in quantities(cell, thresholds, truth.mean).items()
    }
