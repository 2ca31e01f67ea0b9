from pathlib import Path

import pytest

from frtaudit.testing.study.pages import between, into, read_rows, write_rows


def test_only_what_stands_between_the_marks_changes(tmp_path: Path) -> None:
    """Twice the same text gives the same page; the rest of it stays."""
    page = tmp_path / "page.md"
    page.write_text(
        "above\n<!-- x: begin -->\n\nold\n\n<!-- x: end -->\nbelow <!-- y: begin -->kept<!-- y: end -->\n"
    )
    for _ in range(2):
        into(page, "x", "| new |")
        assert between(page.read_text(), "x") == "| new |"
        assert between(page.read_text(), "y") == "kept"
        assert page.read_text().startswith("above\n")
        assert page.read_text().endswith("below <!-- y: begin -->kept<!-- y: end -->\n")


def test_a_page_without_marks_is_left_alone(tmp_path: Path) -> None:
    """There is no place for the text."""
    page = tmp_path / "page.md"
    page.write_text("nothing")
    with pytest.raises(ValueError, match="not enough values"):
        into(page, "x", "new")
    assert page.read_text() == "nothing"


def test_rows_come_back_as_they_were_written(tmp_path: Path) -> None:
    """Lists as tuples, at any depth; of a file that is not there yet, or of none, no row."""
    path = tmp_path / "rows.json"
    assert read_rows(path, dict) == read_rows(None, dict) == []
    rows = [{"name": "a", "lower": (1, 2), "before": ((1,), (2, 3))}]
    write_rows(path, rows)
    assert read_rows(path, dict) == rows
