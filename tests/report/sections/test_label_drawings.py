"""Tests also label_query_drawings."""

from one_scale import unequal
from rapid_audits import result

from frtaudit.report.sections import label_drawings
from frtaudit.report.source import Source


def test_each_service_has_a_letter() -> None:
    """By place, each its own."""
    assert label_drawings.letters(Source(result())) == {"acme": "A", "bolt": "B", "crest": "C"}


def test_services_have_one_scale() -> None:
    """Curves and shares of all services lie on the same axes; not scores, nor faces of a query."""
    free = ("score", "threshold", "face", "face, by falling z", "z, eigenvectors", "estimated")
    assert not unequal(lambda: label_drawings.drawn(Source(result())), free)
