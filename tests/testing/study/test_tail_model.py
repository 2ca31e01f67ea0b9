"""Tests of frtaudit.testing.study.tail_model."""

from pathlib import Path

import numpy as np
import pytest

from frtaudit.testing.populations import ISOTROPIC
from frtaudit.testing.study.pages import between
from frtaudit.testing.study.tail_model import PLACE, Read, table, tops, worlds

PAGE = Path(__file__).parents[3] / "docs" / "methods" / "tail_model.md"


def test_known_truth_counts_all_comparisons() -> None:
    """Of one crowd, the highest scores are those of all pairs, descending."""
    scores, total = tops(ISOTROPIC, 1, np.random.default_rng(1))
    assert total == 4473 * 4472 // 2
    assert scores.size >= 4e-4 * total
    assert (np.diff(scores) <= 0).all()


@pytest.mark.slow
def test_look_alikes_raise_the_threshold_of_a_rate() -> None:
    """Two decades beyond the data they are the rate: its threshold is far higher than without them."""
    (plain,), (alike,) = (list(worlds(1e7, (), (name,))) for name in ("isotropic", "look-alikes"))
    assert alike.truth[1][1] > plain.truth[1][1] + 0.02
    assert alike.draw(np.random.default_rng(1)).shape == plain.draw(np.random.default_rng(1)).shape


@pytest.mark.parametrize(("low", "mark"), [(0.0, "1.000"), (2e-5, "**0.000**")])
def test_a_row_says_what_is_missed(low: float, mark: str) -> None:
    """Intervals that contain the true value, and ones above it, in bold."""
    read = Read(fmr=1e-5, value=2e-5, low=low, high=4e-5, deciding=8e-5, alone=1e-3)
    rows = list(table("people", 20, [(read, read)] * 20))
    assert len(rows) == 2
    assert f"| {mark} |" in rows[0]
    assert "| 20 of 20 | 2.00 | 2.00 |" in rows[0]
    assert "| 4.0 | 100.0 | 0.000 |" in rows[0]


def test_the_page_has_every_population_at_both_rates() -> None:
    """Two estimators, two rates, four populations and two systems of a real set; no false pass beyond 0.05."""
    rows = [line.split(" | ") for line in between(PAGE.read_text("utf-8"), PLACE).splitlines()[2:]]
    assert len(rows) == 24
    assert all(float(row[-1].strip(" |")) <= 0.05 for row in rows)
