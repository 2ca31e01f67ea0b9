"""The section on what a person's answers change, from a real small audit."""

import pytest
from annotated_search import result
from one_scale import unequal

from frtaudit.core.spec import Report
from frtaudit.report import render
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections.annotation import build
from frtaudit.report.source import Source


def test_a_table_for_each_target_and_a_panel_for_each_system() -> None:
    """Systems in rows, shares in columns, the values those of the result; the figure has a curve for each share."""
    found = result("analysis=annotation")
    view = build(Source(found))
    assert view is not None
    assert len(view.main) == 2
    for table in view.main:
        assert [column.title for column in table.columns][1:] == [
            f"{share} % annotated" for share in (0, 10, 20, 30, 50, 100)
        ]
        rows = [[plain_text(cell) for cell in row] for row in table.blocks[0].rows]
        assert [row[0] for row in rows] == ["acme", "bolt", "ember"]
        assert all("%" in cell for row in rows for cell in row[1:])
    assert "FNMR at FMR 2 % by the share" in plain_text(view.main[0].caption)
    (figure,) = view.figures
    assert len(figure.panels) == 3
    assert "0 % annotated, 10 % annotated" in figure.panels[0].alt


@pytest.mark.slow
def test_it_stands_in_the_report() -> None:
    """The page has the section, its tables and its figure."""
    page = render.html(result("analysis=annotation"), Report(), "2026-03-04", "unsigned")
    assert "Effect of annotation" in page
    assert "by the share of faces annotated" in page


def test_without_annotation_no_section() -> None:
    """What is to be asked stands in the notes."""
    assert build(Source(result("analysis=annotation", "cohort.annotated=false"))) is None


def test_systems_have_one_scale() -> None:
    """The panels of all systems have the same axes."""
    assert not unequal(lambda: build(Source(result("analysis=annotation"))))
