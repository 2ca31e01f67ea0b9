"""Outcomes as they are drawn."""

from dataclasses import replace

import pytest
from report_fixture import result

from frtaudit.core import Verdict
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import verdicts
from frtaudit.report.sections.verdicts import Strip
from frtaudit.report.source import Source


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


def test_the_last_step_of_holm_is_named() -> None:
    """Each failure is adjusted over the findings but the one with the largest p value, whose level is its own."""
    made = result()
    (failure,) = [one for one in made.findings if one.verdict is Verdict.FAIL]
    findings = tuple(
        replace(failure, p=p, p_adjusted=0.02, bound_level=level, family=3)
        for p, level in ((0.001, 1 - 0.05 / 3), (0.01, 0.975), (0.02, 0.95))
    )
    rows = verdicts.all_finding_rows(Source(replace(made, findings=findings)))
    assert [plain_text(row.bound).partition(" (")[2] for row in rows] == [
        "one-sided 98.33 %, Holm)",
        "one-sided 97.5 %, Holm)",
        "one-sided 95 %, Holm's last step)",
    ]
