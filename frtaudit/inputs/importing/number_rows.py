"""Large text files of whole numbers, separated by spaces, as arrays."""

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc

from frtaudit.core.arrays import Ints
from frtaudit.core.machine.files import check_regular
from frtaudit.errors import DataError
from frtaudit.inputs.importing.contents import Contents


def number_rows(folder: Contents, name: str, columns: int, skip: int = 0) -> Ints:
    """Rows of whole numbers, shape (R, columns - skip), int64; the first ``skip`` fields of a line are left out.

    Raises :class:`DataError` for a line with more or fewer fields, or with anything but digits.
    """
    check_regular(folder.path(name), name)
    names = [str(column) for column in range(columns)]
    types = {text: pa.string() if column < skip else pa.int64() for column, text in enumerate(names)}
    try:
        table = pc.read_csv(
            folder.path(name),
            read_options=pc.ReadOptions(column_names=names),
            parse_options=pc.ParseOptions(delimiter=" ", quote_char=False),
            convert_options=pc.ConvertOptions(column_types=types, null_values=[]),
        )
    except (pa.ArrowException, OSError) as error:
        raise DataError(
            name, f"not {columns} fields in each line ({error})", "whole numbers, separated by spaces"
        ) from None
    return np.stack([np.asarray(table[text].to_numpy(), dtype=np.int64) for text in names[skip:]], axis=1)
