"""Violins are drawn, and told in words."""

from frtaudit.core import Curve
from frtaudit.report.figures.violins import Violin, violins


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
    panel = violins("v", "Best matches", [Violin(name="wild", index=0, curve=curve)], (0.5,), "score")
    assert panel.alt == "Best matches. wild: 0.10 to 0.90, most near 0.50."
    assert panel.svg.startswith("<svg")
