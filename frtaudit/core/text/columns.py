"""Rows of cells as text: in columns of one width, or separated by commas."""

import csv
import io
from collections.abc import Collection, Iterable, Sequence
from unicodedata import combining, east_asian_width


def aligned(rows: Sequence[Sequence[str]], left: Collection[int]) -> list[str]:
    """A line for each row, columns two spaces apart; those of ``left`` begin in one place, the others end in one.

    >>> aligned([("system", "calls"), ("a", "12")], left=[0])
    ['system  calls', 'a          12']
    """
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        gaps = [" " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)]
        cells = (cell + gaps[at] if at in left else gaps[at] + cell for at, cell in enumerate(row))
        lines.append("  ".join(cells).rstrip())
    return lines


def _width(text: str) -> int:
    """Columns of a terminal that a text takes: two for a wide letter, none for a mark above another."""
    return sum(0 if combining(letter) else 1 + (east_asian_width(letter) in "WF") for letter in text)


def csv_bytes(rows: Iterable[Sequence[object]]) -> bytes:
    r"""Rows as CSV, UTF-8.

    >>> csv_bytes([("a", "b"), (1, "x, y")])
    b'a,b\n1,"x, y"\n'
    """
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue().encode()
