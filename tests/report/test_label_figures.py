from rapid_audits import result

from frtaudit.report import label_figures
from frtaudit.report.figures import Series


def series(kind: str) -> Series:
    """The first curve of a kind."""
    curve = next(item for item in result().curves if item.analysis == kind)
    return Series(name="used", index=0, curve=curve)


def test_dots_say_how_many_queries_they_are() -> None:
    """The words beside the drawing count them."""
    found = label_figures.scattered("dots", "Right faces", [series("label_counts")])
    assert "queries" in found.alt
    assert found.svg.startswith("<svg")


def test_a_matrix_is_drawn_without_a_bitmap() -> None:
    """Vector cells: nothing to load, nothing to blur."""
    found = label_figures.matrix("cells", "One query", series("confidence_matrix"))
    assert "<image" not in found.svg
    assert "faces with each other" in found.alt
