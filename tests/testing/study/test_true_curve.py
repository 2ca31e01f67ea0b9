from dataclasses import replace

import numpy as np

from frtaudit.core import Method
from frtaudit.testing.populations import HARD
from frtaudit.testing.study import true_curve
from frtaudit.testing.study.cells import LevelsCell
from frtaudit.testing.study.cohorts import fixed_truth

CELL = LevelsCell(same=True, population=HARD, subjects=40, samples=4, fmr=0.003)
B = 49


def test_the_true_curve_is_that_of_the_table() -> None:
    """At the studied FMR it has the table's true value; it falls; naive and recentered bands are apart by FNMR / m."""
    cell = replace(CELL, fmr=0.1)
    (naive, recentered), truth = true_curve.curves(cell, (Method.NAIVE, Method.RECENTERED), n=B, seed=3)
    assert truth.x[-1] == cell.fmr
    assert truth.y[-1] == fixed_truth(cell, 3).value
    assert np.all(np.diff(truth.y) < 0)
    assert naive.low is not None
    assert recentered.low is not None
    shift = np.subtract(recentered.low, naive.low)
    known = np.isfinite(shift)
    np.testing.assert_allclose(shift[known], np.array(naive.y)[known] / CELL.samples, rtol=1e-9)
