from pathlib import Path

import pyarrow.parquet as pq
from finished_runs import finished_run

from frtaudit.report.exports.flat_tables import sheets_of
from frtaudit.report.exports.parquet import Parquet


def test_every_table_is_written(tmp_path: Path) -> None:
    """The tables of the result with their types, and the run's own to the byte."""
    run = finished_run(tmp_path)
    Parquet().write(run, tmp_path)
    sheets = sheets_of(run.result)
    assert {path.stem for path in (tmp_path / "parquet").iterdir()} == {*sheets, "scores"}
    for name, table in sheets.items():
        assert pq.read_table(tmp_path / "parquet" / f"{name}.parquet").equals(table)
    assert (tmp_path / "parquet" / "scores.parquet").read_bytes() == run.tables[0].read_bytes()
