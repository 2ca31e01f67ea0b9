"""The tables of interclass bias as published, and the section interclass that holds them, from a real small audit."""

from dataclasses import replace
from functools import cache

import pytest
from small_audits import audit, spec

from frtaudit.analyses.interclass import Interclass
from frtaudit.analyses.interclass_spread import NO_INTERVAL, OF_TWO, InterclassSpread
from frtaudit.core import AuditResult, Target
from frtaudit.core.spec import RequirementSpec
from frtaudit.core.text import formatting
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import interclass_published
from frtaudit.report.sections.differences import ANOTHER_TARGET
from frtaudit.report.sections.interclass import build
from frtaudit.report.sections.interclass_published import tables, upper_bounds
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


def test_two_classes_have_one_row_and_total_both_bounds() -> None:
    """Two classes have one distance: a row, a column for each system; the bounds of Total stand by themselves."""
    bounds, total = tables(Source(result()), ["group"])
    assert [column.title for column in bounds.columns] == ["Class", "one", "two"]
    ((name, *upper),) = bounds.blocks[0].rows
    assert plain_text(name) == "group"
    assert [column.title for column in total.columns] == ["System", "Lower bound", "Upper bound"]
    assert [row[2] for row in total.blocks[0].rows] == upper
    assert all(float(plain_text(row[1])) <= float(plain_text(row[2])) for row in total.blocks[0].rows)
    assert "Two classes have the same distance from their mean" in plain_text(bounds.caption)


def three_classes() -> AuditResult:
    """The same as if ``y|x`` had been a class: bounds of a third one."""
    extra = tuple(
        replace(item, group="z")
        for item in result().estimates
        if (item.metric, item.group) == ("d_l2", "x") and dict(item.at) == {"space": "quantile"}
    )
    return replace(result(), estimates=(*result().estimates, *extra))


def test_classes_by_systems_and_total_last() -> None:
    """As printed: a row for each class, a column for each system, Total is the largest of the rows."""
    bounds, *_ = tables(Source(three_classes()), ["group"])
    rows = bounds.blocks[0].rows
    assert [plain_text(row[0]) for row in rows] == ["x", "y", "z", "Total"]
    for place in (1, 2):
        *classes, total = (float(plain_text(row[place])) for row in rows)
        assert total == max(classes)


def test_more_systems_than_a_page_is_wide_stand_in_further_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """No system is left out."""
    monkeypatch.setattr(interclass_published, "SYSTEMS", 1)
    found = [table for table in tables(Source(three_classes()), ["group"]) if "total" not in table.name]
    titles = [
        [column.title for column in table.columns] for table in found if table.columns[0].title == "Class"
    ]
    assert titles == [["Class", "one"], ["Class", "two"]]
    assert len({table.name for table in found}) == len(found)


def test_the_caption_says_what_departs_and_nothing_where_nothing_does() -> None:
    """The default leaves failures out and pools orders; another alpha is named; the preset departs in nothing."""
    bounds, *_ = tables(Source(result()), ["group"])
    assert "failed comparisons are left out" in plain_text(bounds.caption)
    assert "alpha" not in plain_text(bounds.caption)
    assert "audit=interclass_thesis" in plain_text(bounds.caption)
    rules = {"failures": "score_zero", "protocol": {"orders": "each"}}
    as_printed, *_ = tables(Source(replace(result(), spec={**result().spec, **rules})), ["group"])
    assert "Different from" not in plain_text(as_printed.caption)
    narrower = {**rules, "analyses": {"interclass": {"alpha": 0.05}}}
    other, *_ = tables(Source(replace(result(), spec={**result().spec, **narrower})), ["group"])
    assert "Different from that publication: alpha is 0.05, not 0.1." in plain_text(other.caption)


def test_the_numbers_of_the_table() -> None:
    """What CSV and summary.md hold is what the table shows."""
    held = upper_bounds(Source(three_classes()), "group")
    bounds, total, *_ = tables(Source(three_classes()), ["group"])
    assert set(held) == {"x", "y", "z", "Total", "Total, lower"}
    for row in bounds.blocks[0].rows:
        name, *cells = map(plain_text, row)
        assert [formatting.plain(held[name][system]) for system in ("one", "two")] == cells
    lower = [plain_text(row[1]) for row in total.blocks[0].rows]
    assert [formatting.plain(value) for value in held["Total, lower"].values()] == lower


def test_the_spread_over_three_classes_by_space() -> None:
    """A block for each space, in it a row for each system; two classes have no such table."""
    three = tuple(
        replace(item, note=NO_INTERVAL) if item.note == OF_TWO else item for item in result().estimates
    )
    *_, spread = tables(Source(replace(result(), estimates=three)), ["group"])
    assert [column.title for column in spread.columns] == ["System", "sd over classes", "largest to smallest"]
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
    assert [table.name for table in view.tables] == ["d_l2-group", "d_l2-group-2", "d_l2-group-3"]
    captions = [plain_text(table.caption) for table in view.tables]
    assert "points of the score range" in captions[0]
    assert "TAR (0..1) times the root" in captions[1]
    assert "decades of the pooled FMR" in captions[2]
    assert all(
        "Beside each system: the test of equal classes, which decides" in caption for caption in captions
    )


def test_raw_p_values_name_the_b_that_adjusting_needs() -> None:
    """Beside each raw p stands a mark, and its note says of how many tests it is one and which B adjusting takes."""
    view = build(Source(result()))
    assert view is not None
    for table in view.tables:
        marked = {mark: plain_text(note) for mark, note in table.notes}
        said = [
            marked[piece.text] for block in table.blocks for piece in block.head or () if piece.kind == "mark"
        ]
        raw = [note for note in said if not note.startswith(ANOTHER_TARGET)]
        assert len(raw) == 2
        assert all("adjusting for" in note and "needs B of" in note for note in raw)


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
        note.startswith("Unadjusted p of this test alone. A requirement tests this distance")
        for note in notes
    )


@pytest.mark.parametrize(
    ("low", "level", "marked"), [(0.9, 0.95, True), (0.0, 0.95, False), (0.9, 0.9, False)]
)
def test_a_narrower_interval_of_a_higher_level_says_why(low: float, level: float, marked: bool) -> None:
    """Where both stand beside each other and the one for the population is narrower, a note gives the reason."""
    estimates = [
        replace(
            item,
            intervals=tuple(
                replace(one, low=low, high=1.0, level=level)
                if one.target is Target.POPULATION
                else replace(one, low=0.5, high=1.1, level=0.9)
                for one in item.intervals
            ),
        )
        if item.metric == "d_l2" and item.intervals
        else item
        for item in result().estimates
    ]
    view = build(Source(replace(result(), estimates=tuple(estimates))))
    assert view is not None
    said = " ".join(plain_text(note) for _, note in view.main[0].notes)
    assert ("Narrower than the published interval, though its level is higher" in said) is marked
    cells = [
        [piece.text for piece in cell if piece.kind == "mark"]
        for table in (*view.main, *view.tables)
        for block in table.blocks
        for row in block.rows
        for cell in row
    ]
    assert not any(marks[0] == "," for marks in cells if marks)
