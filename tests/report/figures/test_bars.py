"""Stacked bars, told in words."""

from frtaudit.report.figures.bars import bars


def test_bars_are_told_in_words() -> None:
    """Every row and share stands in the alternative text; the legend names each part."""
    panel, keys = bars("b", "Who", [("set", (0.25, 0.75))], ["a", "b"])
    assert panel.alt == "Who. set: a: 25 %, b: 75 %."
    assert [key.name for key in keys] == ["a", "b"]
    assert panel.svg.startswith("<svg")
