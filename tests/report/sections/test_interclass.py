"""Interclass bias in print: a row a class, one row for two classes, whose distances are the same."""

from dataclasses import replace

from report_fixture import result

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
    assert rows(first, second, interclass.LARGEST)[0][-1] == "largest of the classes"
