"""A sweep's table made again from what it names: so ``frtaudit verify`` holds it against the results of its jobs."""

from collections.abc import Mapping, Sequence
from typing import Any  # Any: JSON of mixed depth

from frtaudit.cli.sweeps.jobs import JobResult, State
from frtaudit.cli.sweeps.plan import Job, Plan
from frtaudit.cli.sweeps.table import table
from frtaudit.core import AuditResult
from frtaudit.core.canonical import to_bytes


def made_again(found: Mapping[str, Any], results: Mapping[int, AuditResult]) -> tuple[bytes, str]:
    """``sweep.json`` and ``sweep.csv`` of the jobs that a table names, from their results by the jobs' numbers."""
    outcomes = [_outcome(item, found["settings"], results.get(item["number"])) for item in found["jobs"]]
    plan = Plan(audit=str(found["audit"]), jobs=tuple(outcome.job for outcome in outcomes))
    made = table(plan, outcomes)
    return to_bytes(made.to_json()), made.to_csv()


def _outcome(item: Mapping[str, Any], keys: Sequence[str], result: AuditResult | None) -> JobResult:
    settings = {key: str(item["settings"][key]) for key in keys}
    job = Job(number=item["number"], settings=settings, overrides=(), spec=item["spec"], error=item["error"])
    return JobResult(job=job, state=State(item["state"]), error=item["error"], result=result)
