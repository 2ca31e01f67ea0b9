"""Tables of text read from CSV or Parquet files: every value stays text until someone asks for a number."""

import csv
import io
import os
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from frtaudit.core.machine import signals
from frtaudit.core.machine.files import check_regular
from frtaudit.errors import DataError, column_names, excerpt
from frtaudit.inputs.number_signs import is_number, unsure_number
from frtaudit.inputs.places import visible

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from frtaudit.core.arrays import Flags, Floats, Ints, Texts
    from frtaudit.inputs.coded import Coded

SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet")
OTHERS = (  # tables of other programs, and what holds some
    *(".txt", ".txt.gz", ".dat", ".xls", ".xlsx", ".ods", ".feather", ".npz", ".npy", ".h5"),
    *(".zip", ".bz2", ".xz"),
)
NO_VALUE = frozenset({"", "-", "nan", "na", "n/a", "#n/a", "<na>", "null", "none"})  # in small letters
KNOWN = "a .csv, .tsv or .parquet file, or a .csv.gz or .tsv.gz"
COLUMNS = 5_000  # of a table
LONGEST = 1_000  # characters of an id: arrays of texts take for each as much room as the longest needs
NO_ID = f"a line break or a zero byte, or more than {LONGEST} characters"
_BREAK = re.compile("[\0\r\n]")
_UNREADABLE_TEXT = (ValueError, OSError, csv.Error, MemoryError, EOFError, zlib.error)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table as it was read.

    ``name``: what errors call the file; ``frame``: R rows, its index is where they stand in the file, from 0;
    ``unit`` and ``first``: how a row is told to a reader ("line" counts the header, "row" does not);
    ``decimal_comma``: whether numbers may have one, as spreadsheets write them where semicolons part the fields.
    """

    name: str
    frame: "pd.DataFrame"
    unit: str
    first: int
    decimal_comma: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """Column names, in the order of the file."""
        return tuple(str(name) for name in self.frame.columns)

    def place(self, row: int) -> str:
        """Where row ``row`` (0 is the first of :attr:`frame`) stands in the file, for an error."""
        return f"{self.name} {self.unit} {int(self.frame.index[row]) + self.first}"

    def refuse(self, wrong: "Flags", problem: str, accepted: str, texts: "Texts | None" = None) -> None:
        """Raise :class:`DataError` at the first row that is ``wrong``, shape (R,), with its text in ``texts``."""
        import numpy as np

        if wrong.any():
            row = int(np.argmax(wrong))
            shown = "" if texts is None else f": {excerpt(texts[row])}"
            raise DataError(self.place(row), problem + shown, accepted)

    def find(self, names: Sequence[str]) -> str | None:
        """The first of ``names`` that is a column, or None."""
        return next((name for name in names if name in self.frame.columns), None)

    def need(self, names: Sequence[str]) -> str:
        """The first of ``names`` that is a column; :class:`DataError` naming the columns otherwise."""
        column = self.find(names)
        if column is None:
            problem = f"no column {' or '.join(names)} among {column_names(self.columns)}"
            raise DataError(self.name, problem, f"a column {names[0]}")
        return column

    def texts(self, column: str) -> "Texts":
        """The values of a column as stripped text, shape (R,), object of str; a null is the empty text."""
        import numpy as np
        import pandas as pd

        values = self.frame[column]
        if not isinstance(values.dtype, pd.StringDtype):
            values = values.astype(object).map(str, na_action="ignore").astype("str").fillna("")
        return np.asarray(values.str.strip().to_numpy(), dtype=object)

    def whole_texts(self, column: str) -> "Texts":
        """The same, without the ``.0`` that pandas gives whole numbers of a column with holes."""
        import numpy as np

        return np.array([text.removesuffix(".0") for text in self.texts(column)], dtype=object)

    def number_texts(self, column: str) -> "Texts":
        """The same, with points for decimal commas where the file may have these.

        Raises :class:`DataError` where it is not sure which these are.
        """
        import numpy as np

        texts = self.texts(column)
        if not self.decimal_comma:
            return texts
        if unsure := unsure_number(texts):
            wrong, problem, accepted = unsure
            self.refuse(wrong, f"column {column!r}: {problem}", accepted)
        return np.array([text.replace(",", ".") for text in texts], dtype=object)

    def coded(self, column: str) -> "Coded":
        """The same as :meth:`texts`, each text held once: nothing is done row by row for text columns of Parquet."""
        import numpy as np

        from frtaudit.inputs.coded import Coded, coded_of

        values = self._arrow(column)
        if values is None or not _is_text(values.type):
            return coded_of(self.texts(column))
        if not _is_dictionary(values.type):
            values = values.dictionary_encode()
        whole = values.unify_dictionaries().combine_chunks()
        place = np.asarray(whole.indices.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)
        names = coded_of(Table.texts(replace(self, frame=whole.dictionary.to_pandas().to_frame("")), ""))
        return Coded(code=np.append(names.code, np.int32(-1))[place], names=names.names).used()

    def numbers(self, column: str) -> "Floats | None":
        """A column that holds numbers, as float64, NaN for null; None for one that holds something else.

        The numbers are those that :meth:`texts` would read as.
        """
        import numpy as np
        import pyarrow as pa

        values = self._arrow(column)
        kinds = (pa.types.is_float32, pa.types.is_float64, pa.types.is_integer)
        if values is None or not any(is_kind(values.type) for is_kind in kinds):
            return None
        return np.array(values.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)

    def _arrow(self, column: str) -> "pa.ChunkedArray | None":
        """A column of a Parquet file, as it was read; None for a CSV file, whose values are all text."""
        import pandas as pd
        import pyarrow as pa

        values = self.frame[column].array
        return pa.chunked_array(values.__arrow_array__()) if isinstance(values.dtype, pd.ArrowDtype) else None


def unreadable() -> tuple[type[Exception], ...]:
    """What a file leads to that is no Parquet, or no text (bad UTF-8 is a ValueError)."""
    import pyarrow as pa

    return (ValueError, OSError, pa.ArrowException, TypeError, KeyError, MemoryError, RecursionError)


def _is_dictionary(kind: "pa.DataType") -> bool:
    import pyarrow as pa

    return bool(pa.types.is_dictionary(kind))


def _is_text(kind: "pa.DataType") -> bool:
    import pyarrow as pa

    value_type = kind.value_type if _is_dictionary(kind) else kind
    return bool(pa.types.is_string(value_type) or pa.types.is_large_string(value_type))


def is_no_id(text: str) -> bool:
    r"""Whether a text is too long for an id, or breaks the line of a CSV in some readers' eyes.

    >>> is_no_id("shots/a 1.jpg"), is_no_id("a\rb")
    (False, True)
    """
    return len(text) > LONGEST or _BREAK.search(text) is not None


def table_suffix(name: str) -> str:
    """The ending, one of :data:`SUFFIXES`, by which a file is read as a table, in any case; empty for another file.

    >>> table_suffix("Scores.CSV.gz"), table_suffix("pairs.txt")
    ('.csv.gz', '')
    """
    return next((suffix for suffix in SUFFIXES if name.lower().endswith(suffix)), "")


def table_stem(name: str) -> str:
    """The name of a table's file without its ending.

    >>> table_stem("vendor.x.tsv.gz"), table_stem("pairs.txt")
    ('vendor.x', 'pairs')
    """
    suffix = table_suffix(name)
    return name[: -len(suffix)] if suffix else Path(name).stem


def table_called(folder: Path, stem: str) -> Path | None:
    """The table of a folder with this name and the first of :data:`SUFFIXES` that is there."""
    return next((path for suffix in SUFFIXES if os.path.lexists(path := folder / f"{stem}{suffix}")), None)


def unread_tables(folder: Path) -> tuple[str, ...]:
    """Files of a folder that may be tables, by an ending that none is read by."""
    others = (path for path in visible(folder) if path.name.lower().endswith(OTHERS))
    return tuple(path.name for path in others if path.is_file())


def read_table(path: Path, name: str, *, empty: bool = False) -> Table:
    r"""Read a table with a header: UTF-8 text, perhaps compressed, or Parquet; ``name``: what errors call it.

    ``empty``: a header alone is accepted.

    Fields of text are separated by commas, semicolons or tabs; a first line ``sep=;``, as for Excel, may say which.
    Raises :class:`DataError` when the file is missing, unreadable, empty, ragged, or repeats a column name.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "metadata.csv"
    >>> _ = path.write_text("image_id,subject_id\na_1,a\n")
    >>> read_table(path, "metadata.csv").texts("subject_id").tolist()
    ['a']
    """
    signals.check()
    need_table(path, name)
    if table_suffix(path.name) == ".parquet":
        table = Table(name=name, frame=_parquet(path, name), unit="row", first=1)
    else:
        table = _csv(path, name)
    if table.frame.empty and not empty:
        raise DataError(name, "the table holds no row", "a header and at least one row")
    return table


def need_table(path: Path, name: str) -> None:
    """Raise :class:`DataError` for what is no table by its name, is no regular file, or is not there."""
    check_regular(path, name)
    if not path.is_file():
        raise DataError(name, f"no file {str(path)!r}", KNOWN)
    if not table_suffix(path.name):
        raise DataError(name, f"cannot read a {path.suffix or 'nameless'} file", KNOWN)


def _csv(path: Path, name: str) -> Table:
    import pandas as pd

    from frtaudit.inputs.table_texts import MORE_FIELDS, check_text, head_of, is_packed, open_text, unread

    try:
        lines = check_text(path, name)
        with io.TextIOWrapper(open_text(path), encoding="utf-8-sig", newline="") as stream:
            separator, skipped, header = head_of(stream, name)
        check_columns([column.strip() for column in header], name)
        frame = pd.read_csv(
            path,
            sep=separator,
            skiprows=skipped,
            dtype=str,
            na_filter=False,
            skip_blank_lines=False,
            encoding="utf-8-sig",
            compression="gzip" if is_packed(path) else None,
        )
    except _UNREADABLE_TEXT as error:
        raise unread(path, name, error) from None
    skipped += sum(str(column).count("\n") for column in frame.columns)
    if not isinstance(frame.index, pd.RangeIndex):
        raise DataError(f"{name} line {2 + skipped}", MORE_FIELDS, "as many fields as the header")
    if lines > skipped + 1 + len(frame):
        frame.index = pd.Index(_first_lines(frame))
    frame.columns = pd.Index([str(column).strip() for column in frame.columns])
    frame = frame[(frame != "").any(axis=1)]
    return Table(name=name, frame=frame, unit="line", first=2 + skipped, decimal_comma=separator == ";")


def _first_lines(frame: "pd.DataFrame") -> "Ints":
    """The line at which each row begins, counted from 0, where quoted fields hold ends of lines; shape (R,)."""
    import numpy as np

    inside = np.zeros(len(frame), np.int64)
    for column in frame:
        inside += frame[column].str.count("\n").to_numpy(np.int64)
    return np.arange(len(frame), dtype=np.int64) + np.cumsum(inside) - inside


def check_columns(columns: Sequence[str], name: str) -> None:
    """Raise :class:`DataError` for a name that appears twice, and for more columns than anybody names."""
    if len(columns) > COLUMNS:
        raise DataError(name, f"{len(columns)} columns", f"at most {COLUMNS}")
    repeated = sorted(column for column, times in Counter(columns).items() if column and times > 1)
    if repeated and any(map(is_number, columns)):
        problem = "the first line is no header: it holds a number, and a text twice"
        raise DataError(name, problem, "unique column names")
    if repeated:
        raise DataError(name, f"column {column_names(repeated)} appears twice", "unique column names")


def _parquet(path: Path, name: str) -> "pd.DataFrame":
    import pandas as pd
    import pyarrow.parquet as pq

    try:
        check_columns(pq.read_schema(path).names, name)
        frame = pd.read_parquet(path, dtype_backend="pyarrow")
    except unreadable() as error:
        raise DataError(name, f"not a readable Parquet file ({error})", "a Parquet file") from None
    return frame.reset_index(drop=True)
