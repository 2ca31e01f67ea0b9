"""Transactions in print: a row for each number of attempts, rates with failures to enrol."""

from pathlib import Path

from attempt_files import audited
from small_audits import same_class_audit

from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import failures, transactions
from frtaudit.report.source import Source


def test_each_number_of_attempts_has_a_row(tmp_path: Path) -> None:
    """Three tables; all attempts and fewer at the threshold; FRR of transactions is not in the section on failures."""
    source = Source(audited(tmp_path, far=()))
    view = transactions.build(source)
    assert view is not None
    assert [table.name for table in view.tables] == ["transactions", "transactions-generalised", "fte"]
    rows = [[plain_text(cell) for cell in row] for row in view.tables[0].blocks[0].rows]
    places = {row[1] for row in rows if row[0] == rows[0][0]}
    assert places == {"attempts 1, threshold 0.5", "attempts 2, threshold 0.5", "threshold 0.5"}
    assert len(rows) == 9
    other = failures.build(source)
    assert other is None or "frr" not in {table.name for table in other.tables}


def test_no_section_without_transactions() -> None:
    """An audit of comparisons has none."""
    assert transactions.build(Source(same_class_audit())) is None
