"""Stacked bars, told in words."""

from frtaudit.report.figures.bars import Bar, bars


def test_bars_are_told_in_words() -> None:
    """Every row and share stands in the alternative text; the legend names each part."""
    found = bars("b", "Who", [Bar(name="set", shares=(0.25, 0.75))], ["a", "b"])
    assert found.panel.alt == "Who. set: a: 25 %, b: 75 %."
    assert [key.name for key in found.keys] == ["a", "b"]
    assert found.panel.svg.startswith("<svg")
