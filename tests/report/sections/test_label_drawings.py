"""Tests also label_query_drawings."""

from one_scale import unequal
from rapid_audits import result

from frtaudit.report.figures import canvas
from frtaudit.report.sections import label_drawings
from frtaudit.report.source import Source


def test_each_service_has_a_letter() -> None:
    """By place, each its own."""
    assert label_drawings.letters(Source(result())) == {"acme": "A", "bolt": "B", "crest": "C"}


def test_services_have_one_scale() -> None:
    """Curves and shares of all services lie on the same axes; not scores, nor faces of a query."""
    free = ("score", "threshold", "face", "face, by falling z", "z, eigenvectors", "estimated")
    assert not unequal(lambda: label_drawings.drawn(Source(result())), free)


def test_scores_and_thresholds_of_a_service_have_one_scale() -> None:
    """A threshold stands below the scores that it divides."""
    with canvas.keeping() as registry:
        label_drawings.drawn(Source(result()))
    axes = {name: drawing.axes[0] for name, drawing in registry.values()}
    for service in Source(result()).providers:
        assert axes[f"labels-scores-{service}"].get_xlim() == axes[f"labels-rates-{service}"].get_xlim()
