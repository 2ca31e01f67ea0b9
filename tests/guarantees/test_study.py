"""A small run of the study that `make guarantees` runs whole: every claim holds, and what is refused deserves it.

Seeds are fixed. Each claim "covers FLOOR or more" would be refused by chance with probability ALARM at most if the true
coverage were FLOOR; there are about sixty claims, so that all together alarm falsely with probability 0.006 at most.
"""

from functools import cache
from typing import Any

import pytest
from scipy import stats

from frtaudit.core.machine.progress import quiet
from frtaudit.testing import POPULATIONS, Population
from frtaudit.testing.study import tally
from frtaudit.testing.study.cells import Cell, LevelsCell
from frtaudit.testing.study.cohorts import collect

pytestmark = pytest.mark.slow

COHORTS, B, ALARM = 40, 99, 1e-4
FIXED = LevelsCell(same=True, subjects=120)
Row = dict[str, Any]


@cache
def rows(population: Population) -> tuple[list[Row], list[Row]]:
    """Intervals and tests of forty cohorts of forty subjects each, four samples each."""
    cell = Cell(population=population, subjects=40, pattern=(4,))
    found = collect(cell, COHORTS, seed=5, n=B, workers=1, progress=quiet)
    return tally.rows(found), tally.null_rows(found)


@pytest.mark.parametrize("population", POPULATIONS, ids=lambda one: one.name)
def test_every_claim_of_coverage_holds(population: Population) -> None:
    """Defaults cover 0.93, what stands beside them 0.90: isotropic people, hubs, wolves (FORMULAS 8.2, 8.17)."""
    claimed = [row for row in rows(population)[0] if row["floor"] and row["printed"]]
    broken = [
        f"{row['quantity']}, {row['point']}, {row['method']}: {row['coverage']} of {row['printed']}"
        for row in claimed
        if row["p_value"] < ALARM
    ]
    assert len(claimed) > 15
    assert not broken, "\n".join(["", *broken])


@pytest.mark.parametrize("population", POPULATIONS, ids=lambda one: one.name)
def test_true_nulls_are_not_rejected_too_often(population: Population) -> None:
    """Under equal groups the tests of 8.5 and 8.7 reject at most 5 %."""
    assert not [row for row in rows(population)[1] if row["p_value"] < ALARM]


def test_what_is_refused_for_new_people_deserves_it() -> None:
    """The recentered interval, and Wilson on independent comparisons, cover the population's rate in less than 0.85."""
    for quantity, point, method in (
        ("FNMR", "FMR 0.001", "recentered"),
        ("FMR", "FMR 0.01", "wilson_iid"),
    ):
        found = [
            row
            for population in POPULATIONS
            for row in rows(population)[0]
            if (row["quantity"], row["point"], row["method"]) == (quantity, point, method)
        ]
        printed = sum(row["printed"] for row in found)
        covered = printed - sum(row["lower_misses"] + row["upper_misses"] for row in found)
        assert stats.binomtest(covered, printed, 0.85, alternative="less").pvalue < 0.01, (
            method,
            covered,
            printed,
        )


def test_recentered_is_for_these_people() -> None:
    """Same subjects, new samples (002, B.1): it covers near its nominal level, 0.5 and 0.95; naive does not."""
    found = tally.rows(collect(FIXED, COHORTS, seed=5, n=199, workers=1, progress=quiet))
    covered = {(row["method"], row["nominal"]): row["printed"] * row["coverage"] for row in found}
    for level, floor in ((0.95, 0.85), (0.5, 0.35)):
        test = stats.binomtest(round(covered["recentered", level]), COHORTS, floor, alternative="less")
        assert test.pvalue >= ALARM
        naive = stats.binomtest(round(covered["naive", level]), COHORTS, floor, alternative="less")
        assert naive.pvalue < ALARM
