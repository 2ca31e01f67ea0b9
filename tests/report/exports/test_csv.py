import csv
import dataclasses
from pathlib import Path

import pandas as pd
import pytest
from finished_runs import SCORES, finished_run

from frtaudit.core import Target
from frtaudit.errors import DataError
from frtaudit.report.exports.csv import Csv
from frtaudit.report.exports.flat_tables import sheets_of


def test_every_table_reads_back(tmp_path: Path) -> None:
    """Another reader finds each table's columns, rows and, to the last bit, its numbers; a null is an empty field."""
    run = finished_run(tmp_path)
    Csv().write(run, tmp_path)
    sheets = sheets_of(run.result)
    assert {path.stem for path in (tmp_path / "csv").iterdir()} == {*sheets, "d_l2_group", "scores"}
    for name, table in sheets.items():
        with (tmp_path / "csv" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert list(rows[0]) == table.column_names
        for row, wanted in zip(rows, table.to_pylist(), strict=True):
            for column, value in wanted.items():
                assert row[column] == "" if value is None else same(row[column], value)


def test_interclass_bias_stands_as_the_thesis_prints_it(tmp_path: Path) -> None:
    """Classes by systems: the upper bounds for independent comparisons, the largest as Total."""
    run = finished_run(tmp_path)
    Csv().write(run, tmp_path)
    sheet = pd.read_csv(tmp_path / "csv" / "d_l2_group.csv", index_col="class")
    bounds = {
        (item.group, item.provider): own.high
        for item in run.result.estimates
        if item.metric == "d_l2" and dict(item.at) == {"space": "quantile"}
        for own in item.intervals
        if own.target is Target.COMPARISONS_IID
    }
    for name in sheet.columns:
        classes = [
            group for group, system in bounds if system == name and "|" not in group and group != "max"
        ]
        assert len(classes) > 1
        assert all(sheet[name][group] == pytest.approx(bounds[group, name], rel=1e-15) for group in classes)
        assert sheet[name]["Total"] == pytest.approx(bounds["max", name], rel=1e-15) == max(sheet[name])


def same(text: str, value: object) -> bool:
    """Whether the text is the value."""
    if isinstance(value, bool):
        return text == str(value).lower()
    return repr(float(text)) == repr(float(value)) if isinstance(value, (int, float)) else text == str(value)


def test_the_runs_own_tables_are_there(tmp_path: Path) -> None:
    """Scores are written with words for coded columns, and quotes around commas."""
    Csv().write(finished_run(tmp_path), tmp_path)
    read = pd.read_csv(tmp_path / "csv" / "scores.csv", dtype={"probe": str, "score": str})
    assert float(read["score"][0]) == SCORES["score"][0]
    assert pd.isna(read["score"][1])
    assert read["failure"].tolist()[1:] == ["no, face"]
    assert read["probe"].tolist() == SCORES["probe"]
    assert read["mated"].tolist() == pytest.approx([True, False])


def test_no_cell_is_a_formula(tmp_path: Path) -> None:
    """A system whose name a spreadsheet would calculate stands behind an apostrophe; numbers stay numbers."""
    run = finished_run(tmp_path)
    named = tuple(
        dataclasses.replace(item, provider="=cmd|' /C calc'!A0", note="-1+1", value=-0.25)
        for item in run.result.estimates
    )
    Csv().write(dataclasses.replace(run, result=dataclasses.replace(run.result, estimates=named)), tmp_path)
    with (tmp_path / "csv" / "estimates.csv").open(encoding="utf-8", newline="") as file:
        row = next(csv.DictReader(file))
    assert (row["provider"], row["note"], row["value"]) == ("'=cmd|' /C calc'!A0", "'-1+1", "-0.25")


def test_a_table_that_is_a_link_is_not_read(tmp_path: Path) -> None:
    """A run's table that leads elsewhere is refused, and nothing of it is copied."""
    run = finished_run(tmp_path)
    real = run.tables[0]
    real.rename(tmp_path / "secret.parquet")
    real.symlink_to(tmp_path / "secret.parquet")
    with pytest.raises(DataError, match="is a symbolic link"):
        Csv().write(run, tmp_path)
    assert not (tmp_path / "csv" / f"{real.stem}.csv").exists()


@pytest.mark.parametrize("held", ["junk", "nested"])
def test_a_table_that_cannot_be_written_as_text_is_one_line(held: str, tmp_path: Path) -> None:
    """A file beside the run's tables that is no Parquet, or holds lists in lists, is named; it is no fault of ours."""
    run = finished_run(tmp_path)
    extra = tmp_path / "extra.parquet"
    if held == "junk":
        extra.write_bytes(b"x")
    else:
        pd.DataFrame({"a": [[[1]]]}).to_parquet(extra)
    with pytest.raises(DataError, match=r"^tables/extra\.parquet: not a readable Parquet table; accepted: "):
        Csv().write(dataclasses.replace(run, tables=(extra,)), tmp_path)
