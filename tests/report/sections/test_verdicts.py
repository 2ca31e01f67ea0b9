"""Outcomes as they are drawn."""

import pytest

from frtaudit.report.sections.verdicts import Strip


@pytest.mark.parametrize(
    ("dot", "end", "bad", "said"),
    [
        (20, 40, (50, 100), ("within", "within")),
        (40, 60, (50, 100), ("within", "beyond")),
        (80, 60, (50, 100), ("beyond", "beyond")),
        (80, 40, (0, 50), ("within", "beyond")),
    ],
)
def test_a_drawing_says_on_which_side_of_the_limit_it_lies(
    dot: float, end: float, bad: tuple[float, float], said: tuple[str, str]
) -> None:
    """Estimate and bound, for limits from above and from below."""
    strip = Strip(
        dot=dot, low=min(dot, end), high=max(dot, end), ci_low=0, ci_high=100, bad_from=bad[0], bad_to=bad[1]
    )
    assert strip.says == f"The estimate lies {said[0]} the limit, the bound that decides {said[1]} it."
