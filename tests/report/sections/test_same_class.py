"""FMR within classes in print: its table, and among whom a limit on FMR was held."""

from small_audits import same_class_audit

from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import answer, same_class, verdicts
from frtaudit.report.source import Source


def test_page_1_names_against_whom() -> None:
    """Each limit says among whom the rate was measured; the section has a row for each schema."""
    source = Source(same_class_audit())
    first = plain_text(answer.sentences(source, verdicts.all_finding_rows(source))[0])
    assert "FMR among all subjects is 21.6 %" in first
    assert "; FMR within classes by group is 22.1 %" in first
    view = same_class.build(source)
    assert view is not None
    names = {plain_text(row[0]) for block in view.tables[0].blocks for row in block.rows}
    assert names == {"group", "twin", "class of every schema"}
