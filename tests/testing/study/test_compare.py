import json
from pathlib import Path

import numpy as np
import pytest

from frtaudit.testing.checks import ALARM
from frtaudit.testing.study import compare
from frtaudit.testing.study.misses import of_share, table
from frtaudit.testing.study.pages import between


def test_the_claims_can_fail() -> None:
    """Finding differences in every second pair, and pairing that does not help, break their claims."""
    half = np.arange(60) % 2 == 0
    assert of_share("s", "differ significantly", half, compare.ALPHA, "greater").p < ALARM
    assert of_share("s", "found", half, compare.POWER, "less").p < ALARM
    assert compare._mean("s", "width", np.linspace(0.9, 1.0, 20), compare.WIDTH).p < ALARM
    assert compare._mean("s", "width", np.linspace(0.4, 0.6, 20), compare.WIDTH).p > ALARM


def test_a_cohort_is_its_number() -> None:
    """The same number draws the same cohort, and the systems see it differently."""
    one, again = (compare.systems_of(compare.SCENES[0], 3, 1, 19) for _ in range(2))
    assert one[0].tail.mated_score.tolist() == again[0].tail.mated_score.tolist()
    assert one[0].tail.mated_score.tolist() != one[1].tail.mated_score.tolist()


def test_a_planted_difference_has_the_wanted_size() -> None:
    """Moving mated scores by the shift that was found gives that difference on average; no room gives None."""
    pilots = [compare.systems_of(compare.SCENES[0], -1 - number, 1, 2) for number in range(3)]
    shift = compare._shift(pilots, 2, 0.05)
    assert shift is not None
    gaps = [compare._rate(second, 2, shift) - compare._rate(first, 2, 0.0) for first, second in pilots]
    assert float(np.mean(gaps)) == pytest.approx(0.05, abs=0.01)
    assert compare._shift(pilots, 2, 2.0) is None


def test_the_page_has_the_committed_numbers() -> None:
    """docs/methods/guarantees.md holds the table of the committed JSON, of 300 cohorts, in which every claim holds."""
    root = Path(__file__).parents[3]
    rows = json.loads((root / "reports" / "guarantees" / "vendors.json").read_text())
    page = (root / "docs" / "methods" / "guarantees.md").read_text()
    assert between(page, compare.PLACE) == table(rows, compare.HEAD)
    assert all(row["p"] > ALARM for row in rows)
    assert {
        row["cohorts"] for row in rows if "differ significantly" in row["claim"] or "planted" in row["claim"]
    } == {300}
