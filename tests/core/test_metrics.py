import json
from pathlib import Path

import pytest

from frtaudit.core import Estimate
from frtaudit.core.metrics import LABELS, METRICS, TO_REQUIRE, in_sentence, kind_of, unit_of
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


def test_the_table_has_the_units_of_a_result() -> None:
    """A unit that stands in the table is what each estimate has; that of three depends on the data."""
    of_data = {"fta", "frr", "d_l2"}
    for item in json.loads(REFERENCE.read_text())["estimates"]:
        assert item["metric"] in of_data or item["unit"] == unit_of(item["metric"])


def test_an_estimate_without_a_unit_is_refused() -> None:
    """Of a metric whose unit depends on the data, and of one that the table does not have."""
    for metric in ("d_l2", "mine"):
        with pytest.raises(ValueError, match=f"^{metric} has no unit in frtaudit.core.metrics"):
            Estimate.of("a", "b", metric, 1.0)
    assert Estimate.of("a", "b", "mine", 1.0, "things").unit == "things"
    assert Estimate.of("a", "b", "gini", 1.0).unit == "index"
