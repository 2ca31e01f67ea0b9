import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import report_fixture
from finished_runs import finished_run
from google.protobuf.json_format import ParseDict
from in_toto_attestation.predicates.test_result.v0 import test_result_pb2
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement

from frtaudit.core import AuditResult, Verdict
from frtaudit.report.exports.in_toto import InToto

RESULT = report_fixture.result()


def statement_of(folder: Path, result: AuditResult = RESULT, fail_on: str = "fail") -> dict[str, Any]:
    """The statements by system, each read by the official package, which refuses unknown fields."""
    folder.mkdir()
    InToto().write(finished_run(folder, fail_on, result), folder)
    found = [json.loads(path.read_text()) for path in sorted((folder / "in_toto").iterdir())]
    for statement in found:
        Statement.copy_from_pb(ParseDict(statement, statement_pb2.Statement())).validate()
        ParseDict(statement["predicate"], test_result_pb2.TestResult())
    return {statement["subject"][0]["name"]: statement for statement in found}


def test_every_finding_is_a_test_of_its_system(tmp_path: Path) -> None:
    """Passed, failed, and warned where nothing was decided: each finding once, in the statement of its system."""
    found = statement_of(tmp_path / "a")
    tests = [found[name]["predicate"] for name in found]
    for key, verdicts in {
        "passedTests": {Verdict.PASS},
        "failedTests": {Verdict.FAIL},
        "warnedTests": {Verdict.INCONCLUSIVE, Verdict.NOT_TESTABLE},
    }.items():
        wanted = [item for item in RESULT.findings if item.verdict in verdicts]
        names = [name for predicate in tests for name in predicate[key]]
        assert len(names) >= len(wanted) > 0
    strict = statement_of(tmp_path / "b", fail_on="not_testable")
    assert not any(statement["predicate"]["warnedTests"] for statement in strict.values())


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        ((Verdict.PASS,), "PASSED"),
        ((Verdict.PASS, Verdict.INCONCLUSIVE), "WARNED"),
        ((Verdict.PASS, Verdict.NOT_TESTABLE), "WARNED"),
        ((Verdict.FAIL, Verdict.INCONCLUSIVE, Verdict.PASS), "FAILED"),
        ((), "WARNED"),
    ],
)
def test_only_passes_are_passed(tmp_path: Path, verdicts: tuple[Verdict, ...], said: str) -> None:
    """What is inconclusive, not testable or not asked is never PASSED."""
    known = {finding.verdict: finding for finding in RESULT.findings}
    provider = RESULT.estimates[0].provider
    findings = tuple(replace(known[verdict], estimate="/estimates/0") for verdict in verdicts)
    found = statement_of(tmp_path / "a", replace(RESULT, findings=findings))
    assert found[provider]["predicate"]["result"] == said


def test_the_subject_is_the_model_that_was_tested(tmp_path: Path) -> None:
    """The declared digest of the weights; without one that of the description, which says so and repeats."""
    system = RESULT.estimates[0].provider
    origin = {"systems": {system: {"weights": {"name": "w", "digest": "a" * 64}}}}
    declared = statement_of(tmp_path / "a", replace(RESULT, spec={**RESULT.spec, "provenance": origin}))
    assert declared[system]["subject"][0]["digest"] == {"sha256": "a" * 64}
    plain, again = statement_of(tmp_path / "b"), statement_of(tmp_path / "c")
    assert plain == again
    assert plain[system]["subject"][0]["annotations"] == {"digestOf": "description: no digest was declared"}
    assert len({statement["subject"][0]["digest"]["sha256"] for statement in plain.values()}) == len(plain)
