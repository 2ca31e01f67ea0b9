"""An in-toto statement of test results (predicate test-result v0.1) for each system."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from frtaudit.core import Finding, Verdict
from frtaudit.core.canonical import Json, digest, mapping, to_bytes
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.machine.run_files import RESULT, STATEMENT_TYPE
from frtaudit.core.registry import register
from frtaudit.core.text.file_names import file_name
from frtaudit.report.exports.run_folder import FinishedRun
from frtaudit.report.source import Source

FOLDER = "in_toto"
PREDICATE = "https://in-toto.io/attestation/test-result/v0.1"


@register("export", "in-toto")
@dataclass(frozen=True, slots=True, kw_only=True)
class InToto:
    """in_toto/SYSTEM.json: a statement about each system, with its tests passed, warned and failed; not signed.

    The subject is the system, with the digest of its weights or model in the spec's provenance, else the digest of
    its description there. A verdict that counts as failure (--fail-on) is a failed test; other verdicts that are no
    pass are warned tests. The result is PASSED only where every test passed and there was one.
    """

    def write(self, run: FinishedRun, folder: Path) -> None:
        """Write the folder ``in_toto``."""
        out = OutputFolder(folder)
        for system in Source(run.result).providers:
            findings = [
                finding
                for finding in run.result.findings  # without an estimate it is about every system
                if (estimate := run.estimate(finding)) is None or estimate.provider == system
            ]
            failed = [finding for finding in findings if run.fails(finding)]
            passed = [finding for finding in findings if finding.verdict is Verdict.PASS]
            warned = [finding for finding in findings if finding not in failed and finding not in passed]
            result = "FAILED" if failed else "PASSED" if passed and not warned else "WARNED"
            predicate: dict[str, Json] = {
                "result": result,
                "configuration": [
                    {"name": "spec", "digest": {"sha256": str(run.result.digests.get("spec"))}},
                    {"name": RESULT, "digest": {"sha256": run.sha256}},
                ],
                "passedTests": _names(run, passed),
                "warnedTests": _names(run, warned),
                "failedTests": _names(run, failed),
            }
            statement: dict[str, Json] = {
                "_type": STATEMENT_TYPE,
                "subject": [_subject(run, system)],
                "predicateType": PREDICATE,
                "predicate": predicate,
            }
            out.write(f"{FOLDER}/{file_name(system)}.json", to_bytes(statement))


def _names(run: FinishedRun, findings: Sequence[Finding]) -> list[Json]:
    return [f"{finding.requirement}: {run.name(finding)}" for finding in findings]


def _subject(run: FinishedRun, system: str) -> dict[str, Json]:
    systems = mapping(mapping(run.result.spec.get("provenance")).get("systems"))
    origin = mapping(systems.get(system))
    for part in ("weights", "model"):
        declared = mapping(origin.get(part)).get("digest")
        if declared:
            return _descriptor(system, str(declared), f"{part} as declared")
    providers = run.result.spec.get("providers")
    listed = providers if isinstance(providers, list) else []
    named = [entry for entry in listed if system in (entry, mapping(entry).get("name"))]
    described: Mapping[str, Json] = {"system": system, "origin": dict(origin), "provider": named}
    return _descriptor(system, digest(described), "description: no digest was declared")


def _descriptor(system: str, sha256: str, of: str) -> dict[str, Json]:
    return {"name": system, "digest": {"sha256": sha256}, "annotations": {"digestOf": of}}
