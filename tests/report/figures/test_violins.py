"""Violins are drawn, and told in words."""

import pytest

from frtaudit.core import Curve
from frtaudit.report.figures.curves import Dot, Series
from frtaudit.report.figures.violins import beside, violins


def test_a_violin_is_told_in_words() -> None:
    """The alternative text names each violin, its extremes and where it is widest."""
    curve = Curve(
        provider="p",
        analysis="match_scores",
        schema=None,
        group="wild",
        weighting=None,
        x=(0.1, 0.5, 0.9),
        y=(0.2, 2.0, 0.1),
    )
    panel = violins("v", "Best matches", [Series(name="wild", index=0, curve=curve)], (0.5,))
    assert panel.alt == "Best matches. wild: 0.10 to 0.90, most near 0.50."
    assert panel.svg.startswith("<svg")


def test_marks_at_one_value_stand_beside_each_other() -> None:
    """Folds of one accuracy in one row move apart, evenly around the row; a mark alone stays on it."""
    values = [0.9, 0.9, 0.9, 0.95, 0.9]
    found = [
        Dot(row=row, series="a", index=0, value=value) for row, value in zip("aaaab", values, strict=True)
    ]
    shifts = beside(found)
    assert shifts[0] < shifts[1] < shifts[2]
    assert sum(shifts[:3]) == pytest.approx(0)
    assert shifts[3:] == [0, 0]
    assert max(map(abs, beside(found[:1] * 40))) <= 0.35
