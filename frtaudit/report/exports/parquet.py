"""Every table of a run as Parquet."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from frtaudit.core.machine.files import open_regular
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.registry import register
from frtaudit.core.text.file_names import file_name
from frtaudit.report.exports.flat_tables import sheets_of
from frtaudit.report.exports.run_folder import FinishedRun

FOLDER = "parquet"


@register("export", "parquet")
@dataclass(frozen=True, slots=True, kw_only=True)
class Parquet:
    """parquet/: every table of the run, a file each, columns typed.

    Those of result.json, and copies of the run's own scores, tail and replicates.
    """

    def write(self, run: FinishedRun, folder: Path) -> None:
        """Write the folder ``parquet``."""
        out = OutputFolder(folder)
        for name, table in sheets_of(run.result).items():
            with out.create(f"{FOLDER}/{name}.parquet") as to:
                pq.write_table(table, to, compression="zstd", store_schema=True)
        for path in run.tables:
            with (
                open_regular(path, path.name) as source,
                out.create(f"{FOLDER}/{file_name(path.stem)}.parquet") as to,
            ):
                shutil.copyfileobj(source, to)
