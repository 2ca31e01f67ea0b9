"""Rows of cells as text."""

import csv
import io

from frtaudit.core.text.columns import aligned, csv_bytes


def test_columns_stand_below_each_other() -> None:
    """Each column is as wide as its widest cell; no line ends with a space; no rows, no lines."""
    lines = aligned([("name", "", "n"), ("a", "x", "1000"), ("longer", "", "")], left=(0, 1))
    assert lines == ["name          n", "a       x  1000", "longer"]
    assert aligned([], left=()) == []


def test_a_reader_of_csv_finds_the_cells() -> None:
    """Commas, quotes and line breaks in cells."""
    rows = [["a", "b"], ['say "x"', "1, 2\n3"]]
    assert list(csv.reader(io.StringIO(csv_bytes(rows).decode(), newline=""))) == rows
