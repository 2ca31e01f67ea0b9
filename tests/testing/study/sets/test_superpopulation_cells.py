"""Tests of frtaudit.testing.study.sets.superpopulation_cells.

tests/testing/study/test_superpopulations.py tests one_sided, sources and superpopulation_table.
"""

from dataclasses import replace

import pytest

from frtaudit.core.spec import Weighting
from frtaudit.testing.populations import ISOTROPIC
from frtaudit.testing.study.sets import scored_sets
from frtaudit.testing.study.sets.sources import Source
from frtaudit.testing.study.sets.superpopulation_cells import Cell, cells


@pytest.fixture(scope="module")
def few_errors() -> Cell:
    """FNMR of 60 people where an error or two are due."""
    made = scored_sets.made(ISOTROPIC, (2,), 1200, seed=1)
    source = Source(part="made", name="isotropic", drawn=made, base=made)
    (found,) = (cell for cell in cells(source, 60, 1e-2, Weighting.POOLED, 4000) if cell.rate == "fnmr")
    return found


def test_the_rule_keeps_its_errors_where_wilson_alone_does_not(few_errors: Cell) -> None:
    """Few errors: no claim breaks by FORMULAS 8.1; with Wilson's bounds alone false fails break theirs."""
    assert few_errors.truth * 60 < 3
    assert not few_errors.broken
    lower, upper, false_fails = few_errors.before
    plain = replace(few_errors, lower=lower, upper=upper, false_fails=false_fails)
    assert {"lower 0.05", "any false fail of 1", "any false fail of 30"} <= set(plain.broken)


@pytest.mark.parametrize(
    ("name", "misses", "broken"),
    [("real set A", 1150, True), ("real set A", 800, False), ("wolves", 1150, True), ("wolves", 800, False)],
)
def test_a_cell_is_held_to_exact_tests(few_errors: Cell, name: str, misses: int, broken: bool) -> None:
    """Misses beyond 1.2 times the error break a claim; false passes of sets of rare heavy people may be .10."""
    cell = replace(
        few_errors, set=name, cohorts=16_000, upper=(misses, 0, 0, 0), lower=(0,) * 4, false_fails=(0,) * 4
    )
    assert ("upper 0.05" in cell.broken) is broken
    assert ("false pass" in cell.broken) is (broken and name != "wolves")
