"""Verdicts as SARIF 2.1.0, as code scanning reads results of tools."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from frtaudit.core import Finding, Verdict
from frtaudit.core.canonical import Json, sha256, to_bytes
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.machine.run_files import RESULT
from frtaudit.core.registry import register
from frtaudit.report.exports.run_folder import FinishedRun

FILE = "findings.sarif"
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
KINDS: Mapping[Verdict, str] = {
    Verdict.PASS: "pass",
    Verdict.FAIL: "fail",
    Verdict.INCONCLUSIVE: "open",
    Verdict.NOT_TESTABLE: "review",
}


@register("export", "sarif")
@dataclass(frozen=True, slots=True, kw_only=True)
class Sarif:
    """findings.sarif: a rule for each requirement, a result for each system and group that it was judged for.

    Kinds: pass, fail, open (inconclusive), review (not testable). A verdict that counts as failure (--fail-on) has
    kind fail; its level is error for a failure, else warning. Every other level is none, as SARIF asks.
    """

    def write(self, run: FinishedRun, folder: Path) -> None:
        """Write ``findings.sarif``."""
        rules = list(dict.fromkeys(finding.requirement for finding in run.result.findings))
        driver: dict[str, Json] = {
            "name": "frtaudit",
            "version": run.result.versions.get("frtaudit", ""),
            "rules": [{"id": rule} for rule in rules],
        }
        content: dict[str, Json] = {
            "tool": {"driver": driver},
            "results": [_result(run, finding, rules) for finding in run.result.findings],
            "properties": {
                "resultSha256": run.sha256,
                "specSha256": str(run.result.digests.get("spec")),
                **({} if run.swept is None else {"verdictsOverFindingsOfSweep": run.swept}),
            },
        }
        OutputFolder(folder).write(FILE, to_bytes({"$schema": SCHEMA, "version": "2.1.0", "runs": [content]}))


def without_links(text: str) -> str:
    r"""A message in which no name is shown as a link: brackets are escaped where one would begin (SARIF, 3.11.6).

    >>> print(without_links("FMR [0, 1]"), without_links("[a](https://example.org)"))
    FMR [0, 1] \[a\](https://example.org)
    """
    return re.sub(r"[\\\[\]]", r"\\\g<0>", text) if "](" in text else text


def _result(run: FinishedRun, finding: Finding, rules: list[str]) -> dict[str, Json]:
    fails = run.fails(finding)
    level = ("error" if finding.verdict is Verdict.FAIL else "warning") if fails else "none"
    name = run.name(finding)
    location: dict[str, Json] = {
        "physicalLocation": {"artifactLocation": {"uri": RESULT}},
        "logicalLocations": [{"name": name, "fullyQualifiedName": finding.estimate or "/findings"}],
    }
    return {
        "ruleId": finding.requirement,
        "ruleIndex": rules.index(finding.requirement),
        "kind": "fail" if fails else "informational" if finding.advisory else KINDS[finding.verdict],
        "level": level,
        "message": {"text": without_links(finding.sentence)},
        "locations": [location],
        "partialFingerprints": {"frtaudit/v1": sha256(f"{finding.requirement}\n{name}".encode())},
    }
