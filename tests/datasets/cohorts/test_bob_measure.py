import json
from pathlib import Path

import oracles_formats as oracle
import pytest

from frtaudit.core.spec_values import Nan
from frtaudit.datasets.cohorts.bob_measure import BobMeasureScores
from frtaudit.errors import DataError

FORMATS = Path(__file__).resolve().parents[2] / "formats"
OTHERS = json.loads((FORMATS / "as_read_by_others.json").read_text())


def test_two_columns_read_as_others_read_them() -> None:
    """Mated and non-mated scores are those of a plain reader, and those that bob.measure's own function returned."""
    cohort_data = BobMeasureScores(root=str(FORMATS / "two.txt")).load({}, 0)
    comparisons, table = cohort_data.tables["two"]
    found = table.score[comparisons.mated].tolist(), table.score[~comparisons.mated].tolist()
    assert found == oracle.two(FORMATS / "two.txt")
    assert found == (OTHERS["two.txt"]["pos"], OTHERS["two.txt"]["neg"])
    assert not cohort_data.named


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("2 0.5\n", "two line 3: the label is neither 1 nor -1; accepted: 1 mated, -1 non-mated"),
        ("both 0.5\n", "two line 3: the label is neither 1 nor -1"),
        ("nan 0.5\n", "two line 3: the label is neither 1 nor -1"),
        ("1 nan\n", "two line 3: the score is NaN"),
        ("1\n", "two line 3: 1 field; accepted: 2 fields, separated by spaces: label score"),
        ("1 0.5 0.6\n", "two line 3: 3 fields"),
        ("\n1 0.5\n", "two line 3: the line is blank"),
        ("1;0.5\n", "two line 3: 1 field"),
    ],
)
def test_lines_at_fault_are_named(more: str, message: str, tmp_path: Path) -> None:
    """A label that is none, and a line of another shape, are refused with the line's number."""
    (tmp_path / "two").write_text("1 0.9\n-1.0 0.1\n" + more)
    with pytest.raises(DataError) as caught:
        BobMeasureScores(root=str(tmp_path / "two")).load({}, 0)
    assert str(caught.value).startswith(message)


def test_systems_have_as_many_scores(tmp_path: Path) -> None:
    """Lines without names cannot be paired between files of other lengths; one kind alone is no test."""
    (tmp_path / "x").write_text("1 0.9\n-1 0.1\n")
    (tmp_path / "y").write_text("1 0.9\n-1 0.1\n-1 0.2\n")
    with pytest.raises(DataError, match="y: 2 non-mated scores, x has 1; accepted: as many for each system"):
        BobMeasureScores(root=str(tmp_path)).load({}, 0)
    (tmp_path / "y").write_text("1 0.9\n")
    with pytest.raises(DataError, match="y: no non-mated score"):
        BobMeasureScores(root=str(tmp_path)).load({}, 0)


def test_failures_are_counted(tmp_path: Path) -> None:
    """With nan=failed a line of failures says how many comparisons have no score."""
    (tmp_path / "x").write_text("1 0.9\n1 nan\n-1 0.1\n")
    cohort_data = BobMeasureScores(root=str(tmp_path / "x"), nan=Nan.FAILED).load({}, 0)
    assert [(entry.code, entry.count, entry.provider) for entry in cohort_data.cohort.ledger] == [
        ("missing_score", 1, "x")
    ]
