"""The text of a table, before it is read as one."""

import gzip
from pathlib import Path

import pytest

from frtaudit.errors import DataError
from frtaudit.inputs.table_texts import check_text, unread


@pytest.mark.parametrize(("text", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\n\nb", 3)])
def test_lines_are_counted(tmp_path: Path, text: str, lines: int) -> None:
    """The last one perhaps without an end; compressed or not."""
    (tmp_path / "t.csv").write_text(text)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text.encode()))
    assert [check_text(tmp_path / name, name) for name in ("t.csv", "t.csv.gz")] == [lines, lines]


@pytest.mark.parametrize("start", ["", "\ufeff", "sep=,\n"])
@pytest.mark.parametrize(
    ("text", "error", "line"),
    [
        ('id,x\n"1\n\n",2\n3,4,5\n', "Expected 2 fields in line 3, saw 3", 5),
        ('id,x\n"1\n\n",2\n\n"3,4\n', "EOF inside string starting at row 3", 6),
        ('id,x\n"3,4\n' + "5,6\n" * 50_000, "EOF inside string starting at row 1", 2),
    ],
)
def test_lines_are_counted_within_quotes(
    tmp_path: Path, start: str, text: str, error: str, line: int
) -> None:
    """What is at fault is named as an editor counts lines, whatever the reader of rows says."""
    (tmp_path / "t.csv").write_text(start + text)
    said = str(unread(tmp_path / "t.csv", "t.csv", ValueError(error)))
    assert said.startswith(f"t.csv line {line + start.count(chr(10))}: ")


def test_what_has_no_line_says_what_the_reader_says(tmp_path: Path) -> None:
    """One line with what is accepted."""
    said = unread(tmp_path / "t.csv", "t.csv", ValueError("odd"))
    assert isinstance(said, DataError)
    assert str(said).startswith("t.csv: not a readable CSV file (odd); accepted: UTF-8, commas")
