"""Tests also label_query_drawings."""

from rapid_audits import result

from frtaudit.report.sections import label_drawings
from frtaudit.report.source import Source


def test_each_service_has_a_letter() -> None:
    """By place, each its own."""
    assert label_drawings.letters(Source(result())) == {"acme": "A", "bolt": "B", "crest": "C"}
