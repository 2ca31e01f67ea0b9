import json
from functools import reduce
from pathlib import Path
from typing import Any

import report_fixture
from finished_runs import finished_run

from frtaudit.report.exports.flat_tables import SCHEMAS, leaves, sheets_of


def at(whole: Any, pointer: str) -> Any:
    """What a JSON pointer leads to."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    return reduce(lambda value, step: value[int(step) if isinstance(value, list) else step], steps, whole)


def test_every_line_says_what_its_pointer_says(tmp_path: Path) -> None:
    """Each row's columns are the values of the object in result.json that its pointer leads to; none is left out."""
    result = finished_run(tmp_path).result
    whole, sheets = json.loads(result.to_bytes()), sheets_of(result)
    assert {"estimates", "intervals", "tests", "curves", "findings", "failures", "record"} <= set(sheets)
    for name in ("estimates", "intervals", "tests", "findings", "failures"):
        for row in sheets[name].to_pylist():
            found = at(whole, row.pop("pointer"))
            row.pop("estimate") if name in ("intervals", "tests") else None
            for column, value in row.items():
                known = json.loads(value) if column == "at" else value
                assert known == (float(found[column]) if found[column] in ("inf", "-inf") else found[column])
    assert sheets["estimates"].num_rows == len(whole["estimates"])
    assert sheets["intervals"].num_rows == sum(len(item["intervals"]) for item in whole["estimates"])
    assert sheets["findings"].num_rows == len(whole["findings"])


def test_curves_are_points() -> None:
    """A curve's points stand in order, each with its band."""
    result = report_fixture.result()
    rows = sheets_of(result)["curves"].to_pylist()
    assert len(rows) == sum(len(item.x) for item in result.curves)
    for index, item in enumerate(result.curves):
        own = [row for row in rows if row["pointer"] == f"/curves/{index}"]
        assert [(row["x"], row["y"]) for row in own] == list(zip(item.x, item.y, strict=True))
        assert [row["low"] for row in own] == list(item.low or [None] * len(item.x))


def test_the_record_is_the_whole_rest() -> None:
    """Every value of spec, digests, versions, cohort and notes stands under its pointer."""
    whole = json.loads(report_fixture.result().to_bytes())
    rows = sheets_of(report_fixture.result())["record"].to_pylist()
    assert all(at(whole, row["pointer"]) == json.loads(row["value"]) for row in rows)
    kept = {
        name: whole[name] for name in ("schema_version", "spec", "digests", "versions", "cohort", "notes")
    }
    assert len(rows) == sum(1 for _ in leaves(kept, ""))


def test_sheets_are_typed() -> None:
    """Each table has the columns and types that are declared for it."""
    assert all(
        table.schema.equals(SCHEMAS[name]) for name, table in sheets_of(report_fixture.result()).items()
    )
