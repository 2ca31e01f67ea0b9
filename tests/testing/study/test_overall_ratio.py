"""Tests of frtaudit.testing.study.overall_ratio."""

from pathlib import Path

import pytest
from scipy.stats import binomtest

from frtaudit.testing.study import overall_ratio
from frtaudit.testing.study.overall_ratio import Cell, Counted, counted, table

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("rate", ["fnmr", "fmr"])
def test_a_small_cell_covers(rate: str) -> None:
    """The study's own way to a cohort: 40 of wolves, at 0.93 (false alarm below 1e-3)."""
    cell = Cell(
        generator="wolves", rate=rate, subjects=100, samples=4, groups=2, share=0.5, errors=20, ratio=1.25
    )
    found = counted(cell, 40)
    assert found.given >= 39
    assert binomtest(found.covered, found.given, 0.93, alternative="less").pvalue > 1e-3


def test_a_cell_beyond_the_bar_is_named() -> None:
    """Coverage below 0.93, or a verdict at the limit more often than alpha, by an exact test."""
    cell = Cell(
        generator="hubs", rate="fmr", subjects=300, samples=6, groups=2, share=0.5, errors=20, ratio=1.25
    )
    good = Counted(
        cell=cell,
        cohorts=2000,
        given=2000,
        lower_misses=50,
        upper_misses=50,
        passed=100,
        failed=100,
        width=1.0,
    )
    bad = Counted(
        cell=cell,
        cohorts=2000,
        given=2000,
        lower_misses=150,
        upper_misses=50,
        passed=100,
        failed=160,
        width=1.0,
    )
    assert (good.broken, bad.broken) == ((), ("coverage", "fail"))
    assert "holds" in table([good])
    assert "claim rejected: coverage, fail" in table([good, bad])


def test_the_page_has_every_generator_and_no_broken_claim() -> None:
    """docs/methods/guarantees.md has a row for each rate and generator, and each of them holds."""
    page = (ROOT / "docs" / "methods" / "guarantees.md").read_text("utf-8")
    rows: list[str] = []
    for rate in overall_ratio.RATES:
        begin, end = (f"<!-- {overall_ratio.PLACE}, {rate}: {word} -->" for word in ("begin", "end"))
        rows += page.split(begin)[1].split(end)[0].strip().splitlines()[2:]
    kinds = dict.fromkeys((cell.rate.upper(), cell.generator) for cell in overall_ratio.cells())
    assert [tuple(row.strip("| ").split(" | ")[:2]) for row in rows] == list(kinds)
    assert all(row.endswith("| holds |") for row in rows)
