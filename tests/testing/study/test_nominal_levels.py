"""Tests also true_curve, which has the bands of one cohort."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from frtaudit.core import Method
from frtaudit.core.machine.progress import quiet
from frtaudit.report.figures.nominal_levels import figures, read_study
from frtaudit.testing.populations import HARD
from frtaudit.testing.study import nominal_levels
from frtaudit.testing.study.cells import LevelsCell
from frtaudit.testing.study.cohorts import LEVELS, collect

CELL = LevelsCell(same=True, population=HARD, subjects=40, samples=4, fmr=0.003)
COHORTS, B = 8, 49


@cache
def found() -> nominal_levels.Levels:
    """A small study of the three methods."""
    return nominal_levels.study(CELL, nominal_levels.METHODS, cohorts=COHORTS, n=B, seed=3, workers=1)


def test_shares_are_counted_by_hand() -> None:
    """Each cell is the share of intervals, of those made, that contain the truth; the methods are those asked for."""
    collected = collect(CELL, COHORTS, seed=3, n=B, workers=1, progress=quiet)
    for key, bounds in collected.shots.items():
        inside = [
            lo <= found().truth <= hi for lo, hi in zip(bounds.low, bounds.high, strict=True) if lo <= hi
        ]
        row, column = LEVELS.index(key.nominal), found().methods.index(key.method.value)
        assert found().coverage[row][column] == pytest.approx(np.mean(inside))
    assert found().methods == ("recentered", "naive", "gaussian")


def test_the_table_is_printed_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On the terminal, on a page between its marks, as LaTeX and as JSON, the same numbers, the highest level first."""
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- nominal levels: begin -->\n<!-- nominal levels: end -->\n", encoding="utf-8")
    size = "--subjects 40 --samples 4 --fmr 0.003 --cohorts 8 --B 49 --seed 3 --methods recentered naive"
    assert nominal_levels.main([*size.split(), "--out", str(tmp_path), "--docs", str(page)]) == 0
    printed = capsys.readouterr().out
    assert printed.strip() in page.read_text(encoding="utf-8")
    (held,) = json.loads((tmp_path / "nominal_levels.json").read_bytes())["levels"]
    assert held["coverage"] == [list(row[:2]) for row in found().coverage]
    rows = [line for line in printed.splitlines() if line.startswith("| 0")]
    assert [row.split("|")[1].strip() for row in rows] == [f"{level:.2f}" for level in reversed(LEVELS)]
    latex = (tmp_path / "nominal_levels.tex").read_text(encoding="utf-8")
    first = [cell.strip() for cell in rows[0].strip("|").split("|")]
    assert " & ".join(first) in latex
    assert r"\toprule" in latex
    study = read_study(tmp_path)
    assert study is not None
    titles = [figure.title for figure in figures(study)]
    assert titles[0] == "Realised against nominal coverage at FMR 0.3 %"
    assert titles[1:] == ["The recentred band and the true ROC", "The naive band and the true ROC"]


def test_cohorts_without_an_interval_are_said() -> None:
    """They count in no share, and the caption says how many there were; a dash is said where all were so."""
    cell = replace(CELL, subjects=12, fmr=0.5)
    few = nominal_levels.study(cell, [Method.NAIVE], cohorts=4, n=B, seed=3, workers=1)
    assert few.without == (4,)
    assert "left out: 4 by naive. A dash stands where no cohort had one." in few.caption
    assert "| 0.95 | – |" in nominal_levels.markdown(few)
    assert found().without == (0, 0, 0)
    assert "left out" not in found().caption


def test_another_design_is_another_study() -> None:
    """Dimension and concentration reach the population, each FMR is a design."""
    words = "--dimension 8 --concentration 5 9 --fmr 0.1 0.2"
    options = nominal_levels._parser().parse_args(words.split())
    made = nominal_levels.cells(options)
    assert [(cell.population.dimension, cell.population.concentration, cell.fmr) for cell in made] == [
        (8, (5.0, 9.0), 0.1),
        (8, (5.0, 9.0), 0.2),
    ]
    assert Method.NAIVE.value in options.methods
