"""Every table of a run as CSV."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from frtaudit.finished import FinishedRun
from frtaudit.registry import register
from frtaudit.sheets import sheets_of

FOLDER = "csv"


@register("export", "csv")
@dataclass(frozen=True, slots=True, kw_only=True)
class Csv:
    """csv/: every table of the run, a file each; UTF-8, commas, a header, nothing for null.

    Estimates, intervals, tests, curves, findings, failures and what was recorded, out of result.json; and the run's own
    scores, tail and replicates, a row group at a time.
    """

    def write(self, run: FinishedRun, folder: Path) -> None:
        """Write the folder ``csv``."""
        (folder / FOLDER).mkdir()
        for name, table in sheets_of(run.result).items():
            pc.write_csv(table, folder / FOLDER / f"{name}.csv")
        for path in run.tables:
            _copy(path, folder / FOLDER / f"{path.stem}.csv")


def _copy(source: Path, place: Path) -> None:
    with pq.ParquetFile(source) as file:
        plain = pa.schema([(field.name, _plain(field.type)) for field in file.schema_arrow])
        with pc.CSVWriter(place, plain) as writer:
            for batch in file.iter_batches():
                writer.write_table(pa.Table.from_batches([batch]).cast(plain))


def _plain(kind: "pa.DataType") -> "pa.DataType":
    return kind.value_type if pa.types.is_dictionary(kind) else kind
