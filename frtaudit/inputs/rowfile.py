"""A file's rows as digests: lines of text, rows of a Parquet table, rows of the arrays in a template file."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from frtaudit.core.canonical import sha256
from frtaudit.core.machine.files import check_regular
from frtaudit.core.rows import RowDigests, cuts
from frtaudit.errors import DataError
from frtaudit.inputs.table_texts import open_text
from frtaudit.inputs.tables import table_suffix
from frtaudit.inputs.template_files import UNREADABLE

DIGITS = 16

Cut = Callable[[slice], bytes]
"""The bytes of the rows of a slice."""


def row_digests(path: Path) -> RowDigests | None:
    r"""Digests of the rows of a table, a ``.txt`` or an ``.npz`` file; None for a file that has no rows.

    Lines count from 1, the header's is 1; rows of a table count from 1, rows of templates from 0, as errors name them.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "scores.csv"
    >>> _ = path.write_text("probe,score\na,0.5\n")
    >>> row_digests(path).count
    2
    """
    check_regular(path)
    suffix = table_suffix(path.name)
    if path.suffix.lower() == ".txt" or suffix not in {"", ".parquet"}:
        with open_text(path) as stream:
            lines = stream.read().splitlines()
        return _digests("line", 1, len(lines), lambda rows: b"\n".join(lines[rows]))
    if suffix == ".parquet":
        table = pq.read_table(path)

        def taken(rows: slice) -> bytes:
            return repr(table.take(np.arange(table.num_rows)[rows]).to_pylist()).encode()

        return _digests("row", 1, table.num_rows, taken)
    return _of_arrays(path) if path.suffix == ".npz" else None


def _of_arrays(path: Path) -> RowDigests | None:
    """Rows across all arrays of a file that are as long as the longest."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = [
                array for array in (np.asarray(archive[name]) for name in sorted(archive.files)) if array.ndim
            ]
    except UNREADABLE:
        raise DataError(path.name, "an array that cannot be read", "arrays of numbers and texts") from None
    count = max((len(array) for array in arrays), default=0)
    alike: Sequence[np.ndarray[tuple[int, ...], np.dtype[np.generic]]] = [
        array for array in arrays if len(array) == count
    ]
    return _digests("row", 0, count, lambda rows: b"".join(array[rows].tobytes() for array in alike))


def _digests(unit: str, first: int, count: int, cut: Cut) -> RowDigests | None:
    if not count:
        return None
    length, strides = cuts(count)
    blocks = (cut(slice(start, start + length)) for start in range(0, count, length))
    others = (cut(slice(start, None, strides)) for start in range(min(strides, count)))
    return RowDigests(
        unit=unit,
        first=first,
        count=count,
        blocks=tuple(sha256(data)[:DIGITS] for data in blocks),
        strides=tuple(sha256(data)[:DIGITS] for data in others),
    )
