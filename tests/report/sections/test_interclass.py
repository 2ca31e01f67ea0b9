"""Interclass bias in print: a row a class, one row for two classes, whose distances are the same."""

from dataclasses import replace

import pytest
from report_fixture import result

from frtaudit.core import Curve, Estimate
from frtaudit.report.exports.latex import escaped, to_latex
from frtaudit.report.figures import canvas
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import interclass
from frtaudit.report.source import Source


def rows(*classes: str, value: float | None = None) -> list[list[str]]:
    """First cells of the main table's blocks where ``classes`` alone have a distance, all of ``value``."""
    made = result()
    (top, *_) = [
        item for item in made.estimates if item.metric == "d_l2" and item.group == interclass.LARGEST
    ]
    kept = tuple(
        item
        if value is None or item.metric != "d_l2"
        else replace(item, value=value, intervals=top.intervals)
        for item in made.estimates
        if item.metric != "d_l2" or item.group in classes
    )
    view = interclass.build(Source(replace(made, estimates=kept, findings=())))
    assert view is not None
    return [[plain_text(row[0]) for row in block.rows] for block in view.main[0].blocks]


def test_two_classes_share_a_row() -> None:
    """Each is as far from their mean as the other, so one row a system says it; three classes have a row each."""
    names = [item.group for item in result().estimates if item.metric == "d_l2" and "|" not in item.group]
    first, second, *_ = dict.fromkeys(name for name in names if name != interclass.LARGEST)
    assert rows(first, second, interclass.LARGEST, value=1.7) == [["either class"], ["either class"]]
    assert [len(block) for block in rows(*names)] == [4, 4]
    assert rows(*names)[0][-1] == "largest (Cedar)"
    assert rows(*names, value=1.7)[0][-1] == "largest of the classes"  # a tie


def test_many_classes_are_drawn_and_the_largest_is_in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond so many rows: a dot with its interval for each class and system, on one scale, and a row a system."""
    monkeypatch.setattr(interclass, "MAX_ROWS", 8)
    monkeypatch.setattr(interclass, "PER_PANEL", 1)
    assert not of_systems(2, "group").drawn  # of four rows each
    monkeypatch.setattr(interclass, "MAX_ROWS", 7)
    view = of_systems(2, "group")
    (figure,) = view.drawn
    assert [panel.alt.count("; ") for panel in figure.panels] == [2, 2]
    assert [f"s{number}, Amber: " in panel.alt for number, panel in enumerate(figure.panels)] == [True, True]
    assert [panel.alt.partition(":")[0] for panel in figure.panels] == [
        "d_l2 by group, s0",
        "d_l2 by group, s1",
    ]
    assert [panel.names for panel in figure.panels] == [("s0",), ("s1",)]
    assert [plain_text(text).partition(" Dots")[0] for text in figure.alone.values()] == [
        "Systems: s0.",
        "Systems: s1.",
    ]
    assert "Bars" not in plain_text(figure.caption)  # of independent comparisons alone
    assert len(figure.keys) == 2
    (table,) = view.main
    assert [len(block.rows) for block in table.blocks] == [1, 1]
    assert any(len(block.rows) > 3 for table in view.tables for block in table.blocks)


def of_systems(count: int, *schemas: str) -> interclass.Interclass:
    """The section of so many equal systems, under each of the schemas."""
    made = result()
    (first, *_) = [item.provider for item in made.estimates]
    records = [
        replace(item, provider=f"s{number}", schema=schema)
        for number in range(count)
        for schema in schemas
        for item in (*made.estimates, *made.curves)
        if item.provider == first
        and item.schema == "group"
        and (isinstance(item, Curve) or item.metric == "d_l2")
    ]
    changed = replace(
        made,
        spec={**made.spec, "schemas": {}},
        estimates=tuple(item for item in records if isinstance(item, Estimate)),
        curves=tuple(item for item in records if isinstance(item, Curve)),
        findings=(),
    )
    view = interclass.build(Source(changed))
    assert view is not None
    return view


@pytest.mark.parametrize(
    ("count", "schemas", "shown", "said"),
    [
        (2, ["group"], 2, ""),
        (3, ["group"], 3, ""),
        (4, ["group"], 1, "The annex has the figures of s1, s2 and s3."),
        (2, ["group", "age_band"], 2, "The annex has the figures by age band of s0 and s1."),
        (
            3,
            ["group", "age_band"],
            2,
            "The annex has the figures by group of s2 and by age band of s0, s1 and s2.",
        ),
    ],
)
def test_figures_that_are_not_beside_the_table_are_named(
    count: int, schemas: list[str], shown: int, said: str
) -> None:
    """One sentence says of which systems the annex has them; none where all are there."""
    view = of_systems(count, *schemas)
    assert view.shown == shown
    assert len(view.figures) == count * len(schemas)
    assert "".join(map(plain_text, view.elsewhere)) == said


def test_a_caption_that_says_the_same_of_another_schema_is_short() -> None:
    """The second table refers to the one above; by itself, as in LaTeX, it has the whole caption."""
    first, second = of_systems(1, "group", "age_band").main
    assert not first.alone
    assert plain_text(second.caption) == "d_l2 by age band. Explanation as for the table above."
    assert plain_text(second.alone) == plain_text(first.caption).replace("by group", "by age band")
    assert escaped(plain_text(second.alone)) in to_latex(second)


def test_a_legend_has_what_is_drawn() -> None:
    """The mean of the classes is a line of the thresholds and none of the differences from it."""
    view = interclass.build(Source(result()))
    assert view is not None
    (thresholds, differences) = view.figures[0].panels
    assert "mean of the classes" in (thresholds.names or ())
    assert "mean of the classes" not in (differences.names or ("mean of the classes",))
    assert [plain_text(text).count(" left ") for text in view.figures[0].alone.values()] == [0, 0]


def test_figures_of_systems_have_one_scale() -> None:
    """Thresholds, and their differences, between the same limits for every system."""
    with canvas.keeping() as registry:
        view = interclass.build(Source(result()))
    assert view is not None
    assert len(view.figures) == 2
    for place in (0, 1):
        axes = [registry[figure.panels[place].svg][1].axes[0] for figure in view.figures]
        assert axes[0].get_ylim() == axes[1].get_ylim()
