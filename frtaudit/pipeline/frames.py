"""Estimates and findings of a result as rows of a table."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from frtaudit.core import AuditResult, Estimate, Interval
from frtaudit.core.canonical import Json, dumps
from frtaudit.core.plain.records import to_json
from frtaudit.report.source import Bounds, Record, rows_of

if TYPE_CHECKING:
    import pandas as pd

_WHERE = ("provider", "analysis", "metric", "schema", "group", "weighting")
_POINT = ("at", "fmr", "threshold")
_COUNTS = ("numerator", "denominator")
COLUMNS_OF_ESTIMATES = (*_WHERE, *_POINT, "value", *_COUNTS, "target", "method", "level", "low", "high")
_JUDGED = ("provider", "metric", "schema", "group", "weighting", *_POINT, "value", *_COUNTS)
_FINDING = ("bound", "bound_level", "p", "p_adjusted", "sentence")
COLUMNS_OF_FINDINGS = ("requirement", "verdict", *_JUDGED, "sense", "limit", *_FINDING)
_NUMBERS = ("fmr", "threshold", "value", "level", "low", "high", "limit", "bound", "bound_level", "p")


def estimates(result: AuditResult, *, every: bool) -> "pd.DataFrame":
    """A row for each estimate with the interval that the report prints first; ``every``: a row for each interval."""
    rows = (
        _row(estimate, interval)
        for estimate in result.estimates
        for interval in (estimate.intervals if every else [_first(estimate)])
    )
    return _frame(rows, COLUMNS_OF_ESTIMATES)


def findings(result: AuditResult) -> "pd.DataFrame":
    """A row for each finding."""
    return _frame(finding_rows(result), COLUMNS_OF_FINDINGS)


def finding_rows(result: AuditResult) -> list[dict[str, Json]]:
    """The same rows, by the names of their columns."""
    senses = {entry.get("name"): entry.get("sense") for entry in rows_of(result.spec.get("requirements"))}
    rows = []
    for finding in result.findings:
        judged = result.judged(finding)
        row: dict[str, Json] = dict.fromkeys(_JUDGED) if judged is None else _place_row(judged)
        row |= {name: getattr(finding, name) for name in ("requirement", "limit", *_FINDING)}
        rows.append(row | {"verdict": finding.verdict.value, "sense": senses.get(finding.requirement)})
    return rows


def _frame(rows: Iterable[Mapping[str, object]], columns: Sequence[str]) -> "pd.DataFrame":
    import pandas as pd

    listed = list(rows)
    types = {**dict.fromkeys((*_NUMBERS, "p_adjusted"), "float64"), **dict.fromkeys(_COUNTS, "Int64")}
    data = {
        name: pd.Series([row[name] for row in listed], dtype=types.get(name, "object")) for name in columns
    }
    return pd.DataFrame(data)


def _first(estimate: Estimate) -> Interval | None:
    """The interval that the report prints first, if there is one."""
    bounds = tuple(Bounds(interval=interval, pointer="") for interval in estimate.intervals)
    first = Record(estimate=estimate, pointer="", bounds=bounds).bound()
    return None if first is None else first.interval


def _place_row(estimate: Estimate) -> dict[str, Json]:
    row: dict[str, Json] = {name: getattr(estimate, name) for name in (*_WHERE, "value", *_COUNTS)}
    row["at"] = dumps(to_json(estimate)["at"])
    numbers = {name: estimate.at.get(name) for name in ("fmr", "threshold")}
    return row | {name: value if isinstance(value, float) else None for name, value in numbers.items()}


def _row(estimate: Estimate, interval: Interval | None) -> dict[str, Json]:
    row = _place_row(estimate)
    row |= {name: getattr(interval, name, None) for name in ("level", "low", "high")}
    row["target"] = None if interval is None else interval.target.value
    row["method"] = None if interval is None else interval.method.value
    return row
