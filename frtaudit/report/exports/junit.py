"""Verdicts as JUnit XML, as CI servers read test results."""

import re
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from frtaudit.core import Verdict
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.registry import register
from frtaudit.report.exports.run_folder import FinishedRun

FILE = "junit.xml"
_NO_XML = re.compile(
    "[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]"
)  # not allowed in XML 1.0


@register("export", "junit")
@dataclass(frozen=True, slots=True, kw_only=True)
class Junit:
    """junit.xml: a test case for each requirement, system and group it was judged for.

    A verdict that counts as failure (--fail-on) is a failure; an inconclusive or not testable one is skipped, with the
    finding's sentence as the reason. Only elements and attributes that the schema of Jenkins' xUnit plug-in knows.
    """

    def write(self, run: FinishedRun, folder: Path) -> None:
        """Write ``junit.xml``."""
        suites = ET.Element("testsuites")
        name = _clean(str(run.result.spec.get("name", "audit")))
        suite = ET.SubElement(suites, "testsuite", {"name": f"frtaudit.{name}"})
        properties = ET.SubElement(suite, "properties")
        labels = {"result_sha256": run.sha256, "spec_sha256": run.result.digests.get("spec")}
        labels |= {} if run.swept is None else {"verdicts_over_findings_of_sweep": str(run.swept)}
        for key, value in labels.items():
            ET.SubElement(properties, "property", {"name": key, "value": str(value)})
        for finding in run.result.findings:
            where = {"classname": f"{name}.{_clean(finding.requirement)}", "name": _clean(run.name(finding))}
            case = ET.SubElement(suite, "testcase", where)
            clean = _clean(finding.sentence)
            if run.fails(finding):
                failure = ET.SubElement(case, "failure", {"type": finding.verdict.value, "message": clean})
                failure.text = clean
            elif finding.verdict is Verdict.PASS:
                ET.SubElement(case, "system-out").text = clean
            else:
                word = finding.verdict.value.replace("_", " ")
                ET.SubElement(case, "skipped", {"type": finding.verdict.value, "message": f"{word}: {clean}"})
        failed, skipped = (len(suite.findall(f"testcase/{kind}")) for kind in ("failure", "skipped"))
        counts = {"tests": len(run.result.findings), "failures": failed, "errors": 0}
        suites.attrib |= {"name": "frtaudit", **{key: str(value) for key, value in counts.items()}}
        suite.attrib |= {key: str(value) for key, value in {**counts, "skipped": skipped}.items()}
        ET.indent(suites)
        page = ET.tostring(suites, encoding="utf-8", xml_declaration=True)
        OutputFolder(folder).write(FILE, page + b"\n")


def _clean(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)
