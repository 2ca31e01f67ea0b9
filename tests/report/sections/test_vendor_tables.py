from dataclasses import replace

from vendor_audits import result

from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import answer, vendor_tables
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


def test_page_1_answers_whether_a_service_changed() -> None:
    """The service whose scores are identical did not; one with other scores did, with their share."""
    same = Source(result())
    (line,) = vendor_tables.changed(same)
    assert plain_text(line) == "From one to twin no score of a mated comparison changed: the service did not."
    assert line in answer.sentences(same, ())
    estimates = tuple(
        replace(item, numerator=1, value=0.25) if item.metric == vendor_tables.CHANGED else item
        for item in result().estimates
    )
    (other,) = vendor_tables.changed(Source(replace(result(), estimates=estimates)))
    assert "the service changed: 25.0\u00a0%" in plain_text(other) or "changed: 25.0 %" in plain_text(other)
