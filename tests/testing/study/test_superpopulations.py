"""Tests of frtaudit.testing.study.superpopulations.

tests/testing/study/sets tests what the study is made of.
"""

from pathlib import Path

import numpy as np
import pytest

from frtaudit.testing.populations import ISOTROPIC
from frtaudit.testing.study import superpopulations
from frtaudit.testing.study.pages import read_rows
from frtaudit.testing.study.sets import scored_sets
from frtaudit.testing.study.sets.sources import sources
from frtaudit.testing.study.sets.superpopulation_cells import Cell
from frtaudit.testing.study.sets.superpopulation_table import table

ROOT = Path(__file__).parents[3]


def test_a_small_study_runs_through(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both rates in both weightings, a line and a row for each; a further run keeps them beside its own."""
    out = tmp_path / "found.json"
    small = [
        "--part",
        "made",
        "--set",
        "isotropic",
        "--people",
        "20",
        "--cohorts",
        "50",
        "--made-people",
        "200",
    ]
    code = superpopulations.main([*small, "--target", "0.01", "--judge", "--out", str(out)])
    found = read_rows(out, Cell)
    assert [(cell.rate, cell.weighting) for cell in found] == [
        (rate, weighting) for weighting in ("pooled", "identity") for rate in ("fmr", "fnmr")
    ]
    assert code == int(any(cell.broken for cell in found))
    assert len(capsys.readouterr().out.splitlines()) == len(found) == 4
    assert superpopulations.main([*small, "--target", "0.005", "--out", str(out)]) == 0
    assert read_rows(out, Cell)[:4] == found
    assert {cell.target for cell in read_rows(out, Cell)[4:]} == {0.005}


def test_without_real_templates_their_parts_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line says what is missing and what can be run; nothing is written."""
    monkeypatch.setenv("FRTAUDIT_DATA", str(tmp_path / "none"))
    with pytest.raises(SystemExit):
        superpopulations.main(["--part", "real", "--out", str(tmp_path / "found.json")])
    said = capsys.readouterr().err
    assert "--part real: found no folder" in said
    assert "set FRTAUDIT_DATA, or name --part made" in said
    assert not (tmp_path / "found.json").exists()


def test_sets_are_the_same_whatever_parts_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twins alone are the twins of the whole study, so that a run of parts adds cells to those of another."""
    base = scored_sets.made(ISOTROPIC, (2,), 200, 0)
    monkeypatch.setattr(scored_sets, "real", lambda *_: base)
    alone, beside = (
        [source for source in sources(parts, ["A"], (20,), 200) if source.part == "twins"]
        for parts in (("twins",), ("real", "fitted", "twins"))
    )
    for one, other in zip(alone, beside, strict=True):
        assert np.array_equal(one.drawn.first, other.drawn.first)
        assert np.array_equal(one.drawn.score, other.drawn.score)


def test_the_page_has_the_committed_numbers() -> None:
    """docs/methods/guarantees.md holds the tables of the committed JSON, of 20,000 cohorts a cell, failures named."""
    found = read_rows(ROOT / "reports" / "guarantees" / "superpopulations.json", Cell)
    page = (ROOT / "docs" / "methods" / "guarantees.md").read_text("utf-8")
    assert table(found) in page
    assert max(cell.cohorts for cell in found) == 20_000
    assert not [cell for cell in found if any("lower" in claim or "fail" in claim for claim in cell.broken)]
    widths = [cell.width[0] / cell.width[1] for cell in found if cell.rate == "fnmr"]
    assert np.median(widths) <= 1.06
    assert f"pooled, identity: median {np.median(widths):.3f} over {len(widths)} cells" in page
