import dataclasses
import json
from typing import Any

import pytest
import strategies_core as strategies
from hypothesis import given

from frtaudit.core import SCHEMA_VERSION, AuditResult, Finding, LedgerEntry, Verdict
from frtaudit.core.canonical import sha256
from frtaudit.core.result import Previous


def result(**changes: Any) -> AuditResult:
    fields: dict[str, Any] = dict.fromkeys(("estimates", "curves", "findings", "failures"), ())
    fields |= {name: {} for name in ("spec", "digests", "versions", "cohort")}
    return AuditResult(**{**fields, **changes})


@given(strategies.results())
def test_a_result_survives_json(made: AuditResult) -> None:
    """from_json(to_json(x)) == x, also through the canonical bytes of result.json."""
    assert AuditResult.from_json(made.to_json()) == made
    again = AuditResult.from_json(json.loads(made.to_bytes()))
    assert again == made
    assert again.to_bytes() == made.to_bytes()
    assert again.sha256 == made.sha256 == sha256(made.to_bytes())


def test_a_result_is_written_once() -> None:
    """Its bytes are kept; another result made of it has bytes of its own."""
    made = result(notes=("A.",))
    assert made.to_bytes() is made.to_bytes()
    other = dataclasses.replace(made, notes=("B.",))
    assert other.to_bytes() == made.to_bytes().replace(b"A.", b"B.")
    assert other.sha256 != made.sha256


def test_the_digest_of_a_file_is_that_of_its_bytes() -> None:
    """Also where somebody laid the file out in another way: ``sha256sum`` prints what the report does."""
    made = result(notes=("A.",))
    data = json.dumps(made.to_json(), indent=1).encode()
    found = AuditResult.of_file(data)
    assert found == made
    assert found.sha256 == sha256(data) != made.sha256


def test_the_contract_names_the_parts() -> None:
    """result.json has the parts that other tools rely on, and says its version."""
    made = result().to_json()
    assert made["schema_version"] == SCHEMA_VERSION
    assert set(made) == {
        "schema_version",
        "spec",
        "digests",
        "versions",
        "estimates",
        "curves",
        "findings",
        "failures",
        "cohort",
        "notes",
    }


def test_names_stand_in_the_ledger_only_where_asked() -> None:
    """A failure has a key ``names`` only when it holds some."""
    entry = LedgerEntry(code="no_face", count=2, unit="samples", provider="p")
    (line,) = result(failures=(entry,)).to_json()["failures"]  # type: ignore[misc]  # a list
    assert line == {
        "provider": "p",
        "code": "no_face",
        "schema": None,
        "group": None,
        "count": 2,
        "unit": "samples",
    }
    named = LedgerEntry(code="no_face", count=1, unit="samples", names=("a1",))
    (line,) = result(failures=(named,)).to_json()["failures"]  # type: ignore[misc]  # a list
    assert line["names"] == ["a1"]  # type: ignore[index,call-overload]  # a mapping


def test_findings_point_at_estimates() -> None:
    """A finding about an estimate that is not there is refused."""
    lost = Finding(
        requirement="r",
        estimate="/estimates/0",
        verdict=Verdict.NOT_TESTABLE,
        limit=1.0,
        bound=None,
        bound_level=None,
        sentence="No.",
    )
    with pytest.raises(ValueError, match="findings point at estimates"):
        result(findings=(lost,))


def test_the_spec_is_held_as_json_holds_it() -> None:
    """Tuples, infinities and negative zeros in the spec are normalised at birth, so that equality survives JSON."""
    made = result(spec={"a": (1, float("inf")), "b": -0.0})
    assert made.spec == {"a": [1, "inf"], "b": 0.0}


def test_an_earlier_audit_is_frozen() -> None:
    """What a report compares with cannot be changed after it was read."""
    found = Previous(data=b"{}", sha256="0" * 64, schema_version="0.1", result=None)
    with pytest.raises(AttributeError):
        found.sha256 = "1" * 64  # type: ignore[misc]  # that is what is refused


def test_an_earlier_result_is_read_as_it_is() -> None:
    """One of this version whole; of another version its bytes alone; what names no version is refused."""
    made = result()
    assert Previous.read(made.to_bytes()).result == made
    older = Previous.read(b'{"schema_version": "0.1"}')
    assert (older.schema_version, older.result) == ("0.1", None)
    for data in (b"[]", b"{}", b'{"schema_version": 1}'):
        with pytest.raises(ValueError, match="no schema version"):
            Previous.read(data)
