"""A finished run on disk: the synthetic result that has everything, and tables beside it."""

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import report_fixture

from frtaudit.core import AuditResult, Verdict
from frtaudit.pipeline.tables import SCORE_SCHEMA
from frtaudit.report.exports.run_folder import FinishedRun, failing_from, read_run

WHEN = 1_772_600_767  # 2026-03-04T05:06:07Z
SCORES = {
    "provider": ["northgate", "northgate"],
    "probe": ["6f", "70"],
    "reference": ["71", "6f"],
    "probe_subject": ["a", "b"],
    "reference_subject": ["a", "a"],
    "mated": [True, False],
    "score": [0.1 + 0.2, None],
    "failure": [None, "no, face"],
    "fold": [None, 3],
}


def write_run(folder: Path, result: AuditResult | None = None) -> Path:
    """The folder of a run, with scores of two comparisons."""
    (folder / "tables").mkdir(parents=True)
    (folder / "result.json").write_bytes((result or report_fixture.result()).to_bytes())
    (folder / "report.html").write_text("<!doctype html>")
    os.utime(folder / "result.json", (WHEN, WHEN))
    pq.write_table(pa.table(SCORES, schema=SCORE_SCHEMA), folder / "tables" / "scores.parquet")
    return folder


def finished_run(folder: Path, fail_on: str = "fail", result: AuditResult | None = None) -> FinishedRun:
    """That run, read back."""
    return read_run(write_run(folder / "run", result), failing=failing_from(fail_on))


def counts(result: AuditResult) -> dict[Verdict, int]:
    """Findings by verdict."""
    return {verdict: sum(item.verdict is verdict for item in result.findings) for verdict in Verdict}
