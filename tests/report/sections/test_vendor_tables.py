from vendor_audits import result

from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import vendor_tables
from frtaudit.report.source import Source


def test_what_failures_could_hide_is_bounded_from_below_and_above() -> None:
    """One row for each pair that lost a comparison; the lowest difference is at most the highest."""
    table = vendor_tables.hidden(Source(result()))
    assert table is not None
    for row in table.blocks[0].rows:
        low, high = (float(plain_text(cell).rstrip(" %").replace("−", "-")) for cell in row[1:3])
        assert low <= high


def test_the_ledger_names_the_system_that_scored_what_others_did_not() -> None:
    """Each row has a system, a count and what was counted."""
    table = vendor_tables.ledger(Source(result()))
    assert table is not None
    assert {plain_text(row[0]) for row in table.blocks[0].rows} <= {"one", "two", "three", "twin"}
    assert all(plain_text(cell) for row in table.blocks[0].rows for cell in row)


def test_two_dates_of_a_service_are_compared_score_by_score() -> None:
    """The declared service's two systems, and that nothing changed."""
    table = vendor_tables.changes(Source(result()))
    assert table is not None
    (row,) = table.blocks[0].rows
    assert plain_text(row[0]) == "one – twin"
