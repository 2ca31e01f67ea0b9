"""Small runs of the study. Tests also its parts: cells, cohorts, shots, systems, truths, claims and zero."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from frtaudit.core import Method, Target
from frtaudit.core.canonical import dumps
from frtaudit.core.machine.progress import quiet
from frtaudit.core.spec import Weighting
from frtaudit.errors import SpecError
from frtaudit.testing import HUBS, ISOTROPIC, simulate
from frtaudit.testing.study import claims, run, zero
from frtaudit.testing.study.cells import CELLS, INTERVALS, Cell, LevelsCell
from frtaudit.testing.study.cohorts import (
    Collected,
    collect,
    fixed_subjects,
    fixed_truth,
    levels_truth,
    of_population,
)
from frtaudit.testing.study.shots import Key
from frtaudit.testing.study.truths import values

TINY = Cell(population=HUBS, subjects=24, pattern=(3,), deep=True)
LEVELS = LevelsCell(same=True, population=HUBS, subjects=30, samples=3, fmr=0.01)
B = 39


@cache
def small(cell: Cell | LevelsCell, cohorts: int = 3) -> Collected:
    """A few cohorts of a cell."""
    return collect(cell, cohorts, seed=1, n=B, workers=1, progress=quiet)


@cache
def found() -> run.Study:
    """The JSON of a tiny study."""
    return run.assembled(
        run.Settings(cohorts=3, B=B, B_level=B, level_cohorts=6),
        [(LEVELS, small(LEVELS)), (TINY, small(TINY))],
    )


@pytest.mark.slow
def test_every_method_is_read_at_every_point() -> None:
    """FMR and FNMR at three thresholds and FNMR at one target, by all nine methods, then the other quantities."""
    keys = list(small(TINY).shots)
    rates = [key for key in keys if key.quantity in claims.RATES]
    assert len(rates) == (3 * 2 + 1) * len(INTERVALS)
    assert {key.quantity for key in keys} == {*claims.RATES, "max_min", "gini", "d_l2", "accuracy"}
    assert all(bounds.low.shape == (3,) for bounds in small(TINY).shots.values())


def test_two_weightings_where_sizes_differ() -> None:
    """With unequal numbers of samples both weightings are read, pooled first."""
    mixed = replace(TINY, pattern=(2, 4), deep=False)
    assert mixed.weightings == (Weighting.POOLED, Weighting.IDENTITY)
    assert Method.TWO_LEVEL not in {item.method for item in mixed.intervals}
    assert (mixed.mated, mixed.non_mated) == (12 * 7, 24 * 23 // 2 * 9 - 12)


@pytest.mark.slow
def test_a_cohort_depends_on_its_own_number_alone() -> None:
    """Cohort 2 read by itself is cohort 2 of the run, to the bit."""
    shots, _ = of_population(TINY, 2, truth=simulate(HUBS).mean, seed=1, n=B)
    for key, bounds in small(TINY).shots.items():
        one = shots[key]
        assert np.array_equal(
            [one.low, one.high, one.value], [bounds.low[2], bounds.high[2], bounds.value[2]], equal_nan=True
        )


@pytest.mark.slow
def test_workers_move_no_number() -> None:
    """Two processes give what one gives."""
    one, two = (collect(LEVELS, 12, seed=1, n=B, workers=workers, progress=quiet) for workers in (1, 2))
    assert list(one.shots) == list(two.shots)
    assert all(np.array_equal(one.shots[key].low, two.shots[key].low, equal_nan=True) for key in one.shots)


def test_fixed_truth_agrees_with_the_population_on_average() -> None:
    """The truth of thirty subjects and that of their population differ by less than five of a cohort's errors."""
    fixed, population = fixed_truth(LEVELS, 1, 40), levels_truth(replace(LEVELS, same=False), 1)
    spread = 5 * fixed.error * np.sqrt(40)
    assert abs(fixed.value - population.value) < max(spread, 0.1)
    assert np.array_equal(fixed_subjects(LEVELS, 1).means, fixed_subjects(LEVELS, 1).means)


@pytest.mark.slow
def test_thresholds_have_the_rates_of_their_names() -> None:
    """True FMR at the thresholds is the rate in their name; few errors are few."""
    scores = simulate(ISOTROPIC).mean
    cell = replace(TINY, population=ISOTROPIC)
    names = cell.thresholds(scores)
    assert scores.fmr(names["FMR 0.01"], cell.subjects) == pytest.approx(0.01, rel=1e-3)
    assert scores.fmr(names["few false matches"], cell.subjects) * cell.non_mated == pytest.approx(
        2, rel=0.02
    )
    assert scores.fnmr(names["few false non-matches"]) * cell.mated == pytest.approx(4, rel=0.02)
    true = values(cell, names, simulate(ISOTROPIC))
    assert true["FMR", "FMR 0.01"].error < 1e-4
    assert true["max_min", "FMR at FMR 0.01, groups alike"].value == 1.0


def test_claims_are_those_of_the_rules() -> None:
    """Defaults are held to 0.93, d_l2 to 0.95, what stands beside them to 0.90; other methods and levels to nothing."""
    key = Key(quantity="FMR", point="", weighting="pooled", method=Method.WILSON, target=Target.POPULATION)
    assert (claims.floor_of(key), claims.width_is_held(key)) == (0.93, True)
    assert not claims.width_is_held(replace(key, point="few false matches"))
    assert claims.floor_of(replace(key, method=Method.VERTEX)) == 0.90
    assert claims.floor_of(replace(key, method=Method.RECENTERED)) is None
    assert claims.floor_of(replace(key, nominal=0.5)) is None
    assert claims.floor_of(replace(key, quantity="accuracy")) == 0.90
    assert claims.floor_of(replace(key, quantity="d_l2", method=Method.VERTEX_GAUSSIAN)) == 0.95


@pytest.mark.slow
def test_the_study_is_one_json_value() -> None:
    """Cells, levels, tests and the example of no errors stand in it; the summary counts what holds."""
    study = found()
    assert [cell["name"] for cell in study["cells"]] == ["hubs, 24 x 3"]
    assert len(study["levels"][0]["intervals"]) == 19 * 3
    assert {row["test"] for row in study["cells"][0]["tests"]} <= {
        "8.5 max_min",
        "8.5 gini",
        "8.7 all classes alike",
    }
    assert "claims of coverage or size hold" in list(run.summary(study))[-1]


def test_the_same_people_are_judged_too() -> None:
    """Recentered outside 0.90 to 0.99 and naive above 0.05 are named, each in a line; within, neither."""
    level = {"name": "fixed", "same": True}
    rows = [{"method": name, "nominal": 0.95, "printed": 200} for name in ("recentered", "naive")]
    for covered, lines in (((0.93, 0.0), 0), ((0.89, 0.0), 1), ((0.89, 0.06), 2)):
        made = [{**row, "coverage": share} for row, share in zip(rows, covered, strict=True)]
        study = {"cells": [], "levels": [{**level, "intervals": made}]}
        assert len(list(run.summary(study))) == lines + 1


@pytest.mark.slow
def test_what_is_packed_is_unpacked() -> None:
    """The written form says the same."""
    assert dumps(run.unpacked(run.packed(found()))) == dumps(found())


def test_a_cell_that_is_not_there_is_refused() -> None:
    """Unknown words name what could be chosen."""
    assert run.cells_of(run.Settings(cells=("wolves",))) == CELLS[-3:]
    with pytest.raises(SpecError, match="isotropic, 40 x 4"):
        run.cells_of(run.Settings(cells=("moon",)))


@pytest.mark.slow
def test_errors_run_out() -> None:
    """The bootstrap misses in every cohort without an error; the rule's bound exceeds independent Wilson's."""
    rows = found()["few_errors"]
    assert [row["expected"] for row in rows] == list(zero.EXPECTED)
    last = rows[-1]
    assert 0 < last["without_errors"] <= last["vertex"]["upper_misses"]
    assert last["vertex"]["at_no_error"] == 0.0
    assert last["wilson"]["at_no_error"] > last["wilson_iid"]["at_no_error"] > 0
