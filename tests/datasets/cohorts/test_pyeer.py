import json
from pathlib import Path

import oracles_formats as oracle
import pytest

from frtaudit.datasets.cohorts.pyeer import PyeerScores
from frtaudit.errors import DataError

FORMATS = Path(__file__).resolve().parents[2] / "formats"
OTHERS = json.loads((FORMATS / "as_read_by_others.json").read_text())


def test_two_files_read_as_others_read_them() -> None:
    """The last field of each line is the score: as a plain reader, and as pyeer takes it."""
    mated, non_mated = FORMATS / "genuine.txt", FORMATS / "impostor.txt"
    cohort_data = PyeerScores(mated=str(mated), non_mated=str(non_mated)).load({}, 0)
    comparisons, table = cohort_data.tables["genuine"]
    assert table.score[comparisons.mated].tolist() == oracle.last(mated) == OTHERS["genuine.txt"]
    assert table.score[~comparisons.mated].tolist() == oracle.last(non_mated) == OTHERS["impostor.txt"]
    assert sorted(cohort_data.inputs) == ["mated/genuine.txt", "non_mated/impostor.txt"]


def test_folders_hold_files_of_one_name(tmp_path: Path) -> None:
    """Two folders are paired by file name; a file in one only, or a folder beside a file, is refused."""
    for folder, score in (("g", 0.9), ("i", 0.1)):
        (tmp_path / folder).mkdir()
        for name in ("x.txt", "y.txt"):
            (tmp_path / folder / name).write_text(f"{score}\n")
    source = PyeerScores(mated=str(tmp_path / "g"), non_mated=str(tmp_path / "i"))
    assert list(source.load({}, 0).tables) == ["x", "y"]
    (tmp_path / "g" / "z.txt").write_text("1\n")
    with pytest.raises(DataError, match="cohort.mated: not in both folders: z.txt"):
        source.load({}, 0)
    with pytest.raises(DataError, match="one of mated and non_mated is a folder"):
        PyeerScores(mated=str(tmp_path / "g"), non_mated=str(tmp_path / "i" / "x.txt")).load({}, 0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("0.9\nx\n", "g line 2: the score is not a number"),
        ("0.9\n0,8\n", "g line 2: the score has a decimal comma"),
        ("0.9\n\n0.8\n", "g line 2: the line is blank"),
        ("0.9\na 0.8\n", "g line 2: 2 fields; accepted: one field: score"),
        ("0.9\ninf\n", "g line 2: the score is infinite"),
        ("", "g: the file is empty"),
        (
            "0.9 0.8 0.7 0.6 0.5\n",
            "g line 1: 5 fields; accepted: one comparison per line, its score the last of",
        ),
    ],
)
def test_lines_at_fault_are_named(content: str, message: str, tmp_path: Path) -> None:
    """What is no score is refused with the line's number."""
    (tmp_path / "g").write_text(content)
    (tmp_path / "i").write_text("0.1\n")
    with pytest.raises(DataError) as caught:
        PyeerScores(mated=str(tmp_path / "g"), non_mated=str(tmp_path / "i")).load({}, 0)
    assert str(caught.value).startswith(message)


def test_one_file_is_not_both_kinds(tmp_path: Path) -> None:
    """The same file as mated and as non-mated scores is a slip; a file that is not there is named."""
    (tmp_path / "g").write_text("0.1\n")
    with pytest.raises(DataError, match="cohort.non_mated: the same file as cohort.mated"):
        PyeerScores(mated=str(tmp_path / "g"), non_mated=str(tmp_path / "g")).load({}, 0)
    with pytest.raises(DataError, match="none: no file"):
        PyeerScores(mated=str(tmp_path / "g"), non_mated=str(tmp_path / "none")).load({}, 0)
