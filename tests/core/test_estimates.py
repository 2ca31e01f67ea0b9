from typing import Any

import pytest
import strategies_core as strategies
from hypothesis import given

from frtaudit.core import Estimate, Interval, Method, Target
from frtaudit.core.canonical import to_bytes
from frtaudit.core.plain.records import from_json, to_json


def interval(**changes: Any) -> Interval:
    fields = {"low": 0.1, "high": 0.2, "level": 0.95, "method": Method.WILSON, "target": Target.POPULATION}
    return Interval(**{**fields, **changes})


def estimate(**changes: Any) -> Estimate:
    fields = {
        "provider": "p",
        "analysis": "error_rates",
        "metric": "fnmr",
        "schema": None,
        "group": "all",
        "weighting": "pooled",
        "at": {"threshold": 0.5},
        "value": 0.25,
        "numerator": 1,
        "denominator": 4,
        "unit": "share of comparisons",
    }
    return Estimate(**{**fields, **changes})


@given(strategies.intervals())
def test_an_interval_survives_json(made: Interval) -> None:
    """from_json(to_json(x)) == x with infinite bounds, absent bounds and notes."""
    assert from_json(Interval, to_json(made)) == made


@given(strategies.estimates())
def test_an_estimate_survives_json(made: Estimate) -> None:
    """from_json(to_json(x)) == x with counts or none, value or note, numbers and words in ``at``."""
    assert from_json(Estimate, to_json(made)) == made
    assert to_bytes(to_json(from_json(Estimate, to_json(made)))) == to_bytes(to_json(made))


@pytest.mark.parametrize(
    "changes",
    [
        {"value": 0.5},
        {"value": float("nan")},
        {"at": {"fmr": 0.5}},
        {"group": "x"},
        {"note": "why"},
        {"numerator": 2},
    ],
)
def test_equal_estimates_are_one(changes: dict[str, Any]) -> None:
    """Estimates are equal when all their fields are; an undefined value equals itself."""
    assert estimate(**changes) == estimate(**changes)
    assert len({estimate(**changes), estimate(**changes), estimate()}) == 2
    assert estimate() != "estimate"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"low": None}, "both bounds or none"),
        ({"high": None, "note": "why"}, "both bounds or none"),
        ({"low": None, "high": None}, "an interval without bounds says why"),
        ({"low": None, "high": None, "note": ""}, "an interval without bounds says why"),
        ({"low": 0.3}, "low <= high"),
        ({"low": float("nan")}, "low <= high"),
        ({"level": 0.0}, "level in"),
        ({"level": 1.0}, "level in"),
    ],
)
def test_broken_intervals_are_refused(changes: dict[str, Any], said: str) -> None:
    """Each invariant of an interval is checked at birth and named."""
    with pytest.raises(ValueError, match=said):
        interval(**changes)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"numerator": None}, "both counts or none"),
        ({"denominator": None}, "both counts or none"),
        ({"numerator": 5}, "errors within trials"),
        ({"numerator": -1}, "errors within trials"),
        ({"value": None}, "no value without a note"),
    ],
)
def test_broken_estimates_are_refused(changes: dict[str, Any], said: str) -> None:
    """Each invariant of an estimate is checked at birth and named."""
    with pytest.raises(ValueError, match=said):
        estimate(**changes)


def test_where_an_estimate_stands_cannot_change() -> None:
    """``at`` is a read-only copy of what was given."""
    given_at: dict[str, float | str] = {"fmr": 0.1}
    made = estimate(at=given_at)
    given_at["fmr"] = 0.2
    assert dict(made.at) == {"fmr": 0.1}
    with pytest.raises(TypeError):
        made.at["fmr"] = 0.3  # type: ignore[index]  # that is the test


def test_non_finite_values_are_words() -> None:
    """Infinite and undefined values are "inf" and "nan" in JSON, an absent one is null."""
    assert to_json(estimate(value=float("inf")))["value"] == "inf"
    assert to_json(estimate(value=float("nan")))["value"] == "nan"
    assert to_json(estimate(value=None, note="why"))["value"] is None
    assert to_json(estimate(at={"threshold": float("-inf")}))["at"] == {"threshold": "-inf"}
