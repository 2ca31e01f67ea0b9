"""FMR beyond the data in print: page 1 says that a model decided, and the section its tables and figure."""

import pytest
from small_audits import tail_audit

from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import answer, tail_model, verdicts
from frtaudit.report.source import Source


def test_page_1_says_that_a_model_decided() -> None:
    """It names the requirement; where the model decides nothing it says nothing of one."""
    for decides in (True, False):
        source = Source(tail_audit(decides=decides))
        said = " ".join(map(plain_text, answer.sentences(source, verdicts.all_finding_rows(source))))
        assert ("Decided by a model of the tail beyond the data, not by the data: enough." in said) == decides


@pytest.mark.usefixtures("ink")
def test_tables_and_stability() -> None:
    """A row for each threshold, target and candidate; two panels."""
    view = tail_model.build(Source(tail_audit()))
    assert view is not None
    rows = {table.name: len(table.blocks[0].rows) for table in view.main}
    assert rows == {"tail-rates": 4, "tail-targets": 3, "tail-fits": 3}
    assert [len(figure.panels) for figure in view.figures] == [2]
