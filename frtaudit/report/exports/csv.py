"""Every table of a run as CSV."""

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from frtaudit.core import AuditResult
from frtaudit.core.machine.files import open_regular
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.registry import register
from frtaudit.core.text.file_names import file_name
from frtaudit.core.text.formatting import cell
from frtaudit.errors import DataError
from frtaudit.report.exports.flat_tables import sheets_of
from frtaudit.report.exports.run_folder import FinishedRun
from frtaudit.report.sections.interclass_published import upper_bounds
from frtaudit.report.source import Source

FOLDER = "csv"


@register("export", "csv")
@dataclass(frozen=True, slots=True, kw_only=True)
class Csv:
    """csv/: every table of the run, a file each; UTF-8, commas, a header, empty for null, no formulas.

    Estimates, intervals, tests, curves, findings, failures and what was recorded, out of result.json; and the run's own
    scores, tail and replicates, a row group at a time. ``d_l2_SCHEMA``: upper bounds of
    interclass bias as the thesis prints them, classes by systems.
    """

    def write(self, run: FinishedRun, folder: Path) -> None:
        """Write the folder ``csv``."""
        out = OutputFolder(folder)
        for name, table in {**sheets_of(run.result), **_interclass(run.result)}.items():
            with out.create(f"{FOLDER}/{name}.csv") as to:
                pc.write_csv(_shown(table), to)
        for path in run.tables:
            with (
                open_regular(path, path.name) as source,
                out.create(f"{FOLDER}/{file_name(path.stem)}.csv") as to,
            ):
                _copy(source, to, path.name)


def _interclass(result: AuditResult) -> dict[str, pa.Table]:
    """A sheet for each schema that has the thesis's upper bounds of d_l2."""
    source = Source(result)
    tables = {schema: upper_bounds(source, schema) for schema in source.schemas}
    return {
        file_name(f"d_l2_{schema}"): pa.table(
            {"class": list(rows)} | {name: [row.get(name) for row in rows.values()] for name in rows["Total"]}
        )
        for schema, rows in tables.items()
        if rows
    }


def _copy(source: BinaryIO, to: BinaryIO, name: str) -> None:
    try:
        with pq.ParquetFile(source) as file:
            plain = pa.schema([(str(cell(field.name)), _plain(field.type)) for field in file.schema_arrow])
            with pc.CSVWriter(to, plain) as writer:
                for batch in file.iter_batches():
                    writer.write_table(_shown(pa.Table.from_batches([batch])).cast(plain))
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # the machine's, and not the file's
            raise
        raise DataError(f"tables/{name}", "not a readable Parquet table", "an unchanged run") from None


def _shown(table: pa.Table) -> pa.Table:
    """The table with :func:`~frtaudit.core.text.formatting.cell` of every text, the name of a column too."""
    columns = [
        _cells(column) if _plain(column.type) in (pa.string(), pa.large_string()) else column
        for column in table.columns
    ]
    return pa.table(columns, names=[str(cell(name)) for name in table.column_names])


def _cells(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Each distinct text looked at once."""
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    whole = coded.unify_dictionaries().combine_chunks()
    names = pa.array([cell(text) for text in whole.dictionary.to_pylist()], type=pa.string())
    return pa.chunked_array([pa.DictionaryArray.from_arrays(whole.indices, names).cast(pa.string())])


def _plain(kind: "pa.DataType") -> "pa.DataType":
    return kind.value_type if pa.types.is_dictionary(kind) else kind
