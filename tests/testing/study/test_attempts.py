"""Tests of frtaudit.testing.study.attempts."""

from pathlib import Path

import pytest

from frtaudit.testing.study import attempts
from frtaudit.testing.study.attempts import Tried, table

ROOT = Path(__file__).parents[3]


def test_a_small_study_writes_its_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One row for each pattern of attempts, of 14 cells; its table stands on the page."""
    page = tmp_path / "page.md"
    page.write_text("<!-- attempts: begin -->\n\n<!-- attempts: end -->\n", "utf-8")
    attempts.main(["--cohorts", "3", "--docs", str(page)])
    said = capsys.readouterr().out.strip()
    assert [row.split(" | ")[:2] for row in said.splitlines()[2:]] == [
        [f"| {tried}", "14"] for tried in attempts.TRIED
    ]
    assert said in page.read_text("utf-8")


def test_a_cell_beyond_the_bar_is_named() -> None:
    """Misses above 1.2 times nominal, by an exact test."""
    row = Tried(
        tried="1 to 10", people=60, truth=0.02, cohorts=3000, lower=(150, 0, 0, 0), upper=(0, 0, 0, 0)
    )
    assert not row.broken
    assert "holds" in table([row])
    beyond = Tried(
        tried="1 to 10", people=60, truth=0.02, cohorts=3000, lower=(0, 0, 0, 0), upper=(300, 0, 0, 0)
    )
    assert beyond.broken == ("upper 0.05",)
    assert "claim rejected: upper 0.05" in table([beyond])


def test_no_lower_bound_and_no_usual_pattern_is_beyond_the_bar() -> None:
    """docs/methods/guarantees.md: what fails are upper bounds where people are tried very unequally, and it says so."""
    page = (ROOT / "docs" / "methods" / "guarantees.md").read_text("utf-8")
    part = page.split("<!-- attempts: begin -->")[1].split("<!-- attempts: end -->")[0]
    words = [row.split("|")[-2].strip() for row in part.strip().splitlines()[2:]]
    assert len(words) == len(attempts.TRIED)
    assert words[:2] == ["holds", "holds"]
    assert not [word for word in words if "lower" in word]
