"""The tables of interclass bias as published, and the section interclass that holds them, from a real small audit."""

from functools import cache

from small_audits import audit, spec

from frtaudit.analyses.interclass import Interclass
from frtaudit.analyses.interclass_spread import InterclassSpread
from frtaudit.core import AuditResult
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections.interclass import build
from frtaudit.report.sections.interclass_published import tables
from frtaudit.report.source import Source


@cache
def result() -> AuditResult:
    """The small audit with d_l2 and its spread."""
    made = {"interclass": Interclass(B=99), "interclass_spread": InterclassSpread(B=99)}
    return audit(spec(analyses=made)).result


def test_only_where_the_spread_was_asked_for() -> None:
    """With d_l2 alone no table as published stands, and the spaces share one table."""
    alone = audit(spec(analyses={"interclass": Interclass(B=99)})).result
    view = build(Source(alone))
    assert view is not None
    assert (view.published, len(view.tables)) == ((), 1)


def test_upper_bounds_by_class_and_total_with_both_bounds() -> None:
    """One row for each system; Total is the largest bound of the classes."""
    bounds, spread = tables(Source(result()), ["group"])
    assert [column.title for column in bounds.columns] == ["System", "x", "y", "Total, lower", "Total, upper"]
    for row in bounds.blocks[0].rows:
        x, y, _, upper = (float(plain_text(cell)) for cell in row[1:])
        assert upper == max(x, y)
    assert [plain_text(row[0]) for row in spread.blocks[0].rows] == ["one", "two"]
    assert len(spread.columns) == 1 + 2 * 4


def test_each_space_with_intervals_has_its_own_table() -> None:
    """Quantile and TAR space and the FMR axis stand apart, each with its unit and its test."""
    view = build(Source(result()))
    assert view is not None
    assert [table.name for table in view.tables] == ["d-l2-group", "d-l2-group1", "d-l2-group2"]
    captions = [plain_text(table.caption) for table in view.tables]
    assert "points of the score range" in captions[0]
    assert "TAR (0..1) times the root" in captions[1]
    assert "decades of the pooled FMR" in captions[2]
    assert all("Are the classes alike?" in caption for caption in captions)
