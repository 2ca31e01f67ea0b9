"""The tables of interclass bias as published, and the section interclass that holds them, from a real small audit."""

from dataclasses import replace
from functools import cache

from small_audits import audit, spec

from frtaudit.analyses.interclass import Interclass
from frtaudit.analyses.interclass_spread import NO_INTERVAL, OF_TWO, InterclassSpread
from frtaudit.core import AuditResult
from frtaudit.core.spec import RequirementSpec
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
    (bounds,) = tables(Source(result()), ["group"])
    assert [column.title for column in bounds.columns] == ["System", "x", "y", "Total, lower", "Total, upper"]
    for row in bounds.blocks[0].rows:
        x, y, _, upper = (float(plain_text(cell)) for cell in row[1:])
        assert upper == max(x, y)
    assert "Two classes have the same distance from their mean" in plain_text(bounds.caption)


def test_the_spread_over_three_classes_by_space() -> None:
    """A block for each space, in it a row for each system; two classes have no such table."""
    three = tuple(
        replace(item, note=NO_INTERVAL) if item.note == OF_TWO else item for item in result().estimates
    )
    _, spread = tables(Source(replace(result(), estimates=three)), ["group"])
    assert [column.title for column in spread.columns] == ["System", "sd over classes", "worst to best"]
    assert [plain_text(block.head or ()) for block in spread.blocks] == [
        "threshold as a function of TAR",
        "TAR as a function of the threshold",
        "pooled FMR axis",
        "threshold as a function of TAR, thesis's upper bound",
    ]
    assert [plain_text(row[0]) for row in spread.blocks[0].rows] == ["one", "two"]


def test_each_space_with_intervals_has_its_own_table() -> None:
    """Quantile and TAR space and the FMR axis stand apart, each with its unit and its test."""
    view = build(Source(result()))
    assert view is not None
    assert [table.name for table in view.tables] == ["d-l2-group", "d-l2-group1", "d-l2-group2"]
    captions = [plain_text(table.caption) for table in view.tables]
    assert "points of the score range" in captions[0]
    assert "TAR (0..1) times the root" in captions[1]
    assert "decades of the pooled FMR" in captions[2]
    assert all("Is there a difference?" in caption for caption in captions)


def test_raw_p_values_name_the_b_that_adjusting_needs() -> None:
    """Beside each raw p stands a mark, and its note says of how many tests it is one and which B adjusting takes."""
    view = build(Source(result()))
    assert view is not None
    for table in view.tables:
        said = [piece for piece in table.caption if piece.kind == "mark"]
        assert len(said) == 2
        marked = {mark: plain_text(note) for mark, note in table.notes}
        assert all(
            "adjusting for" in marked[piece.text] and "needs B of" in marked[piece.text] for piece in said
        )


def test_the_test_of_a_judged_distance_stands_outside_the_family() -> None:
    """Where a requirement judges a distance, the p of "all alike" is raw, and its note says why."""
    judged = spec(
        analyses={"interclass": Interclass(B=99)},
        requirements=(RequirementSpec(name="r", metric="d_l2", schema="group", group="max", limit=9.0),),
    )
    view = build(Source(audit(judged).result))
    assert view is not None
    notes = [plain_text(note) for _, note in view.tables[0].notes]
    assert any(
        note.startswith("Raw p of this test alone: a requirement judges this distance") for note in notes
    )
