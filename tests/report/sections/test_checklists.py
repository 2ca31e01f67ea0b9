"""The lists in print."""

from dataclasses import replace

from report_fixture import SETTINGS, result

from frtaudit.report.checklists import ItemStatus
from frtaudit.report.sections.checklists import build
from frtaudit.report.source import Source


def test_the_tally_counts_the_rows() -> None:
    """Each list's sentence says how many items are provided, missing and not applicable."""
    view = build(Source(result(), replace(SETTINGS, checklists=("model_card",))))
    assert view is not None
    (one,) = view.lists
    counts = [one.count(status) for status in ItemStatus]
    assert one.tally == "{} provided, {} missing, {} not applicable".format(*counts)
    assert sum(counts) == len(one.items)


def test_no_list_no_section() -> None:
    """None where the report asks for no list."""
    assert build(Source(result(), SETTINGS)) is None
