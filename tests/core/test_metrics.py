import json
from pathlib import Path

import pytest

from frtaudit.core.metrics import (
    LABELS,
    METRICS,
    TO_REQUIRE,
    Kind,
    declared,
    in_sentence,
    kind_of,
    place,
    printed,
)
from frtaudit.report.words import words

REFERENCE = Path(__file__).parents[2] / "reports" / "reference" / "result.json"


def test_every_metric_of_a_result_is_declared() -> None:
    """What an audit estimates has its names and its form in one table, which the report reads."""
    made = {item["metric"] for item in json.loads(REFERENCE.read_text())["estimates"]}
    assert made <= set(METRICS)
    assert words().metric == LABELS
    assert {in_sentence(name) for name in TO_REQUIRE} >= {"EER", "FNMR", "largest rate over smallest"}


def test_kinds_of_metrics() -> None:
    """Rates, thresholds and other numbers are printed differently."""
    kinds = [kind_of(name).value for name in ("fnmr_at_fmr", "threshold_at_fmr", "gini")]
    assert kinds == ["rate", "score", "number"]


@pytest.mark.parametrize("kind", list(Kind))
def test_a_value_keeps_its_side_of_a_limit(kind: Kind) -> None:
    """A value just above a limit is never printed as the limit."""
    assert printed(kind, 0.0300004, limit=0.03) != declared(kind, 0.03)


def test_operating_points_are_printed_by_what_they_are() -> None:
    """FMR targets in the digits declared, thresholds in six, names as they are."""
    assert [place("fmr", 1e-5), place("threshold", 1 / 3), place("recommended", "high")] == [
        "10⁻⁵", "0.333333", "high",
    ]  # fmt: skip
