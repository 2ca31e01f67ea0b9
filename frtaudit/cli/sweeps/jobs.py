"""Where a job's files are, and whether it is done: ``DONE.json`` is written last and names the result's digest."""

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from frtaudit.cli.sweeps.plan import HIDDEN, Job
from frtaudit.core.canonical import Json, sha256_file, to_bytes
from frtaudit.core.machine.lock import lock
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.machine.run_files import RESULT, VERDICT
from frtaudit.errors import DataError, FrtauditError
from frtaudit.report.files import SETTINGS, STATUS

if TYPE_CHECKING:
    from frtaudit.core import AuditResult

DONE = "DONE.json"
UNSIGNED = "unsigned"  # how ``report.json`` says so
LAUNCHERS = ".submitit"  # where its launcher keeps jobs and logs, unless told


class State(Enum):
    """How a job stands."""

    DONE = "done"
    REFUSED = "refused"  # its spec, before anything ran
    FAILED = "failed"  # it could not audit
    UNFINISHED = "unfinished"  # it was stopped, or has not begun


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResult:
    """A job and what came of it: ``error`` is the line that was said."""

    job: Job
    state: State
    error: str | None = None
    exit_code: int = 0
    result: "AuditResult | None" = None


def job_result(job: Job, sweep: Path) -> JobResult:
    """What the job's folder says. A result without ``DONE.json``, or another than it names, is unfinished."""
    if job.spec is None:
        return JobResult(job=job, state=State.REFUSED, error=job.error, exit_code=job.exit_code)
    folder = sweep / job.folder
    if is_done(job, sweep):
        from frtaudit.core import AuditResult

        result = AuditResult.from_json(json.loads((folder / RESULT).read_bytes()))
        return JobResult(job=job, state=State.DONE, result=result)
    verdict = _read(folder / VERDICT)
    if "error" in verdict:
        code = verdict.get("exit_code")
        return JobResult(
            job=job,
            state=State.FAILED,
            error=str(verdict["error"]),
            exit_code=code if isinstance(code, int) else 1,
        )
    return JobResult(job=job, state=State.UNFINISHED, error="it did not finish", exit_code=1)


def is_done(job: Job, sweep: Path) -> bool:
    """Whether this version of the project finished the job and its result is still the one that it wrote."""
    folder = sweep / job.folder
    done = _read(folder / DONE)
    if done.get("spec") != job.spec or done.get("frtaudit") != version("frtaudit") or job.spec is None:
        return False
    return (folder / RESULT).is_file() and sha256_file(folder / RESULT) == done.get("result_sha256")


def change_since(job: Job, sweep: Path) -> str | None:
    """What is no longer as it was signed in the folder of a job that is done; None for an intact or unsigned one."""
    from frtaudit.core.machine.run_files import STATEMENT  # signing is loaded where there is a finished job
    from frtaudit.signing.unchanged import changes

    folder = sweep / job.folder
    for name, why in changes(folder):
        return f"{name} {why}"
    signed = _read(folder / SETTINGS).get(STATUS, UNSIGNED) != UNSIGNED
    return f"{STATEMENT} is missing" if signed and not (folder / STATEMENT).exists() else None


def unmark(job: Job, sweep: Path) -> None:
    """The job is not done: it is run again."""
    (sweep / job.folder / DONE).unlink(missing_ok=True)


def finish(job: Job, sweep: Path, result_sha256: str) -> None:
    """Mark the job as done."""
    done: dict[str, Json] = {
        "frtaudit": version("frtaudit"),
        "result_sha256": result_sha256,
        "spec": job.spec,
    }
    OutputFolder(sweep).replace(f"{job.folder}/{DONE}", to_bytes(done))


def fail(job: Job, sweep: Path, error: FrtauditError) -> None:
    """Leave word why the job could not audit."""
    verdict: dict[str, Json] = {"exit_code": error.exit_code, "error": str(error)}
    OutputFolder(sweep).replace(f"{job.folder}/{VERDICT}", to_bytes(verdict))


def clear(job: Job, sweep: Path) -> Path:
    """The job's folder, empty: what a stopped or failed attempt left is removed."""
    OutputFolder(sweep).path(f"{job.folder}/{DONE}")  # refuses a link in the way
    folder = sweep / job.folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


@contextmanager
def held(sweep: Path, name: str, *, wait: bool) -> Iterator[None]:
    """A lock in the sweep's folder that goes with the process: a killed one holds nothing.

    ``wait``: until it is free; else raises :class:`DataError` where another process holds it.
    """
    path = OutputFolder(sweep).path(f"{HIDDEN}/{name}.lock")  # refuses a link in the way
    try:
        opened = lock(path, wait=wait)
    except BlockingIOError:
        text = f"another process runs the sweep {sweep.name}"
        raise DataError("hydra.sweep.dir", text, "wait for it, or another folder") from None
    try:
        yield
    finally:
        os.close(opened)


def tidy(outcomes: Sequence[JobResult], sweep: Path) -> None:
    """Remove plan, locks and what the launcher left, unless a job is to be tried again: no statement covers them."""
    if all(outcome.state in (State.DONE, State.REFUSED) for outcome in outcomes):
        for name in (HIDDEN, LAUNCHERS):
            shutil.rmtree(sweep / name, ignore_errors=True)


def _read(path: Path) -> Mapping[str, object]:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
