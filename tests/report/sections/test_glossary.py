"""The glossary."""

from report_fixture import result

from frtaudit.report.sections.glossary import build
from frtaudit.report.source import Source


def test_every_term_has_a_meaning_and_stands_once() -> None:
    """Terms with their meanings, each one time."""
    terms = [entry["term"] for entry in build(Source(result()))]
    assert len(terms) == len(set(terms)) > 10
    assert all(entry["meaning"] for entry in build(Source(result())))
