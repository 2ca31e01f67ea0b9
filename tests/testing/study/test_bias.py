import json
from pathlib import Path

import numpy as np
import pytest

from frtaudit.stats.interclass.d_l2 import Space
from frtaudit.testing.checks import ALARM
from frtaudit.testing.study import bias
from frtaudit.testing.study.bias import SHAPES, Shape, covered, main, scores, spread
from frtaudit.testing.study.misses import table
from frtaudit.testing.study.pages import between


def test_the_truth_of_a_moved_class() -> None:
    """With very many people the distances found are those that were put in."""
    shape = Shape(name="many", subjects=(4000, 4000, 4000), samples=(3, 3, 3), shift=6.0)
    found = spread(shape, Space.QUANTILE, 2, np.random.default_rng(1))
    assert np.sqrt(found.point) == pytest.approx(shape.truth, abs=0.35)
    assert shape.truth.tolist() == [2.0, 2.0, 4.0]


def test_two_systems_see_the_same_people() -> None:
    """Exchangeable systems differ by independent noise alone; the second moves the last class where asked."""
    shape = Shape(name="two", subjects=(300, 300), samples=(4, 4), further=5.0)
    old, new = scores(shape, np.random.default_rng(2), systems=2)
    gaps = [after - before for before, after in zip(old[0], new[0], strict=True)]
    assert [gap.mean() for gap in gaps] == pytest.approx([0, -5], abs=0.4)
    assert gaps[0].std() == pytest.approx(bias.SYSTEM * np.sqrt(2), rel=0.1)
    assert np.array_equal(old[1][0], new[1][0])


def test_an_interval_covers_its_own_estimate() -> None:
    """A truth inside the interval is covered, one far outside is not."""
    found = spread(SHAPES[4], Space.QUANTILE, 99, np.random.default_rng(3))
    assert covered(found, np.sqrt(found.point))[-1]
    assert not covered(found, np.array([50.0, 50.0, 50.0])).any()


def test_the_command_writes_its_claims(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every claim stands in the JSON and in one printed line; the exit code says whether all hold."""
    code = main(["--cohorts", "2", "--B", "19", "--out", str(tmp_path / "found.json")])
    rows = json.loads((tmp_path / "found.json").read_text())
    said = capsys.readouterr().out.splitlines()
    assert len(rows) == len(said) == len(SHAPES) + 3
    assert code == int(any(row["p"] <= ALARM for row in rows))


def test_the_page_has_the_committed_numbers() -> None:
    """docs/methods/guarantees.md holds the table of the committed JSON, of 1000 cohorts, in which every claim holds."""
    root = Path(__file__).parents[3]
    rows = json.loads((root / "reports" / "guarantees" / "interclass.json").read_text())
    page = (root / "docs" / "methods" / "guarantees.md").read_text()
    assert between(page, bias.PLACE) == table(rows, bias.HEAD)
    assert {row["cohorts"] for row in rows} == {1000}
    assert all(row["p"] > ALARM for row in rows)
