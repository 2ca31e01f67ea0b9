"""Every table of a run as Parquet."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from frtaudit.finished import FinishedRun
from frtaudit.registry import register
from frtaudit.sheets import sheets_of

FOLDER = "parquet"


@register("export", "parquet")
@dataclass(frozen=True, slots=True, kw_only=True)
class Parquet:
    """parquet/: every table of the run, a file each, columns typed.

    Those of result.json, and copies of the run's own scores, tail and replicates.
    """

    def write(self, run: FinishedRun, folder: Path) -> None:
        """Write the folder ``parquet``."""
        (folder / FOLDER).mkdir()
        for name, table in sheets_of(run.result).items():
            pq.write_table(table, folder / FOLDER / f"{name}.parquet", compression="zstd", store_schema=True)
        for path in run.tables:
            shutil.copyfile(path, folder / FOLDER / path.name)
