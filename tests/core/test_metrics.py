import json
from pathlib import Path

from frtaudit.core.metrics import LABELS, METRICS, TO_REQUIRE, in_sentence, kind_of
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
