import csv
from pathlib import Path

import pandas as pd
import pytest
from finished_runs import SCORES, finished

from frtaudit.exports.csv import Csv
from frtaudit.sheets import sheets_of


def test_every_table_reads_back(tmp_path: Path) -> None:
    """Another reader finds each table's columns, rows and, to the last bit, its numbers; a null is an empty field."""
    run = finished(tmp_path)
    Csv().write(run, tmp_path)
    sheets = sheets_of(run.result)
    assert {path.stem for path in (tmp_path / "csv").iterdir()} == {*sheets, "scores"}
    for name, table in sheets.items():
        with (tmp_path / "csv" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert list(rows[0]) == table.column_names
        for row, wanted in zip(rows, table.to_pylist(), strict=True):
            for column, value in wanted.items():
                assert row[column] == "" if value is None else same(row[column], value)


def same(text: str, value: object) -> bool:
    """Whether the text is the value."""
    if isinstance(value, bool):
        return text == str(value).lower()
    return repr(float(text)) == repr(float(value)) if isinstance(value, (int, float)) else text == str(value)


def test_the_runs_own_tables_are_there(tmp_path: Path) -> None:
    """Scores are written with words for coded columns, and quotes around commas."""
    Csv().write(finished(tmp_path), tmp_path)
    read = pd.read_csv(tmp_path / "csv" / "scores.csv", dtype={"probe": str, "score": str})
    assert float(read["score"][0]) == SCORES["score"][0]
    assert pd.isna(read["score"][1])
    assert read["failure"].tolist()[1:] == ["no, face"]
    assert read["probe"].tolist() == SCORES["probe"]
    assert read["mated"].tolist() == pytest.approx([True, False])
