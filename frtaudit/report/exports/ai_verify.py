"""A test result as AI Verify imports it."""

from dataclasses import dataclass
from pathlib import Path

from frtaudit.core.canonical import Json, to_bytes
from frtaudit.core.findings import verdict_counts
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.machine.run_files import RESULT, STATEMENT
from frtaudit.core.registry import register
from frtaudit.report.exports.run_folder import FinishedRun
from frtaudit.report.files import HTML, PDF

FILE = "ai_verify.json"
GID, CID = "frtaudit", "face_verification_audit"
KEPT = (HTML, PDF, RESULT, STATEMENT)


@register("export", "ai-verify")
@dataclass(frozen=True, slots=True, kw_only=True)
class AiVerify:
    """ai_verify.json: spec, findings, estimates and failures in the frame of AI Verify's test results.

    startTime is --date, else when result.json was written. A result keeps no clock, so timeTaken, which the schema
    asks for, is 0 and output.not_recorded names it. Artifacts are files of the run's folder, by name.
    """

    def write(self, run: FinishedRun, folder: Path) -> None:
        """Write ``ai_verify.json``."""
        whole = run.result.to_json()
        counts = verdict_counts(run.result.findings)
        output: dict[str, Json] = {
            "result_sha256": run.sha256,
            "not_recorded": ["timeTaken"],
            "verdicts": dict(counts),
            **{name: whole[name] for name in ("findings", "estimates", "failures", "cohort", "notes")},
        }
        arguments: dict[str, Json] = {
            "testDataset": f"urn:sha256:{run.result.digests.get('cohort')}",
            "mode": "upload",
            "modelType": "classification",
            "algorithmArgs": whole["spec"],
        }
        document: dict[str, Json] = {
            "gid": GID,
            "cid": CID,
            "version": run.result.versions.get("frtaudit", ""),
            "startTime": run.when.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "timeTaken": 0,
            "testArguments": arguments,
            "output": output,
            "artifacts": [name for name in KEPT if name in run.files],
        }
        OutputFolder(folder).write(FILE, to_bytes(document))
