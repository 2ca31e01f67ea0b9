import dataclasses
from pathlib import Path

import pytest
import report_fixture
from finished_runs import counts, finished_run
from lxml import etree

from frtaudit.core import AuditResult, Verdict
from frtaudit.report.exports.junit import Junit
from frtaudit.report.exports.run_folder import RISING

XSD = etree.XMLSchema(etree.parse(Path(__file__).parents[2] / "schemas" / "junit-10.xsd"))


def exported(folder: Path, fail_on: str = "fail", result: AuditResult | None = None) -> etree._Element:
    """junit.xml, which follows the schema of Jenkins' xUnit plug-in."""
    Junit().write(finished_run(folder, fail_on, result), folder)
    page = etree.parse(folder / "junit.xml")
    XSD.assertValid(page)
    return page.getroot()


@pytest.mark.parametrize("fail_on", ["fail", "inconclusive", "not_testable"])
def test_a_test_case_for_each_finding(fail_on: str, tmp_path: Path) -> None:
    """Failures are the verdicts that --fail-on makes fail; what is else no pass is skipped, a pass is neither."""
    result = report_fixture.result()
    found = counts(result)
    assert all(found.values())
    root = exported(tmp_path, fail_on)
    failing = RISING[: RISING.index(Verdict(fail_on)) + 1]
    failed = sum(found[verdict] for verdict in failing)
    skipped = sum(found[verdict] for verdict in RISING if verdict not in failing)
    suite = root.find("testsuite")
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": str(len(result.findings)),
        "failures": str(failed),
        "errors": "0",
        "skipped": str(skipped),
    }
    assert len(root.findall(".//failure")) == failed
    assert len(root.findall(".//skipped")) == skipped
    for case, finding in zip(suite.findall("testcase"), result.findings, strict=True):
        kinds = {child.tag for child in case}
        wanted = "failure" if finding.verdict in failing else "skipped"
        assert kinds == ({"system-out"} if finding.verdict is Verdict.PASS else {wanted})
        said = "".join([*case.itertext(), *(child.get("message") or "" for child in case)])
        assert finding.sentence in said


def test_cases_have_names_of_their_own(tmp_path: Path) -> None:
    """No two cases share class and name: a CI server would count them as one."""
    cases = [(case.get("classname"), case.get("name")) for case in exported(tmp_path).iter("testcase")]
    assert len(set(cases)) == len(cases)


def test_what_xml_cannot_hold_is_replaced(tmp_path: Path) -> None:
    """Control characters and markup in a name or sentence still make a file that a parser takes."""
    result = report_fixture.result()
    first = dataclasses.replace(
        result.findings[0], sentence="a\x00b\x1b[0m <&\"'> \ufffe é 😀", requirement="r\x07"
    )
    root = exported(tmp_path, result=dataclasses.replace(result, findings=(first,)))
    case = root.find(".//testcase")
    assert "a�b�[0m <&\"'> � é 😀" in "".join([*case.itertext(), *(c.get("message") or "" for c in case)])


def test_no_requirement_is_an_empty_suite(tmp_path: Path) -> None:
    """Without findings the file is valid and holds no case."""
    root = exported(tmp_path, result=dataclasses.replace(report_fixture.result(), findings=()))
    assert root.find("testsuite").get("tests") == "0"
