"""Scores that fall with similarity."""

import numpy as np
import pytest

import frtaudit
from frtaudit.pipeline.score_direction import FALLING


@pytest.mark.parametrize("sign", [1, -1])
def test_distances_are_noted(sign: int) -> None:
    """Where mated comparisons score lower than non-mated ones, failures apart, the result says so, and only then."""
    mated = np.arange(40) < 20
    scores = sign * np.where(mated, 0.8, 0.1) + 0.001 * np.arange(40)
    scores[[0, 39]] = np.nan
    report = frtaudit.evaluate(scores, mated, fmr=[0.5], system="door")
    assert (f"door: {FALLING}" in report.result.notes) == (sign < 0)
