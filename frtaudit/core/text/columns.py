"""Rows of cells as text: in columns of one width, or separated by commas."""

import csv
import io
from collections.abc import Collection, Iterable, Sequence


def aligned(rows: Sequence[Sequence[str]], left: Collection[int]) -> list[str]:
    """A line for each row, columns two spaces apart; those of ``left`` begin in one place, the others end in one.

    >>> aligned([("system", "calls"), ("a", "12")], left=[0])
    ['system  calls', 'a          12']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = (
        [cell.ljust(width) if at in left else cell.rjust(width) for at, (cell, width) in enumerate(pairs)]
        for pairs in (zip(row, widths, strict=True) for row in rows)
    )
    return ["  ".join(row).rstrip() for row in cells]


def csv_bytes(rows: Iterable[Sequence[object]]) -> bytes:
    r"""Rows as CSV, UTF-8.

    >>> csv_bytes([("a", "b"), (1, "x, y")])
    b'a,b\n1,"x, y"\n'
    """
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue().encode()
