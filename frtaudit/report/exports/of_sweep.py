"""A job of a sweep as the sweep judged it: the verdicts and p values of its table, over the findings of all jobs."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from frtaudit.core import Finding, Verdict
from frtaudit.core.canonical import number_in
from frtaudit.core.machine.files import read_regular
from frtaudit.core.text.formatting import count, p_value
from frtaudit.errors import DataError
from frtaudit.report.exports.run_folder import FinishedRun
from frtaudit.report.files import TABLE, findings_key

JudgedRow = Mapping[str, Any]  # Any: JSON of mixed depth


def judged_by(run: FinishedRun, sweep: Path, job: str) -> FinishedRun:
    """The finished job in the folder ``job``, with the verdicts that the table and the exit code of the sweep count.

    Raises :class:`DataError` where the table is not about this result.
    """
    try:
        content = json.loads(read_regular(sweep / TABLE))
        row = next(entry for entry in content["jobs"] if entry["folder"] == job)
        rows = [entry for entry in content[findings_key(content)] if entry["job"] == row["number"]]
        tabled = [(entry["requirement"], entry["verdict"]) for entry in rows]
        judged = [(finding.requirement, finding.verdict.value) for finding in run.result.findings]
        _check((row["result_sha256"], tabled) == (run.sha256, judged))
        family = int(content["family"])
        findings = tuple(map(_judged, run.result.findings, rows, [family] * len(rows)))
    except (ValueError, LookupError, TypeError, RecursionError, StopIteration):
        text = f"does not record what the sweep concluded for {job}"
        raise DataError(f"{sweep.name}/{TABLE}", text, "a complete sweep") from None
    return replace(run, result=replace(run.result, findings=findings), recorded=run.result, swept=family)


def _check(is_of_result: bool) -> None:  # noqa: FBT001  what is checked
    if not is_of_result:
        raise ValueError


def _judged(finding: Finding, row: JudgedRow, family: int) -> Finding:
    """The finding with its verdict over the sweep; where that is another, its sentence says why."""
    verdict, p = Verdict(row["in_sweep"]), number_in(row["p_sweep"])
    tested = finding.p is not None
    adjusted = replace(finding, verdict=verdict, p_adjusted=p, family=family) if tested else finding
    if verdict is finding.verdict:
        return adjusted
    alone = finding.verdict.value.replace("_", " ")
    swept = f"{verdict.value} after adjustment over the {count(family)} findings of the sweep"
    more = f"{alone} in its run, {swept} (adjusted p {p_value(p)})"
    return replace(adjusted, verdict=verdict, sentence=f"{finding.sentence.removesuffix('.')}; {more}.")
