"""A sweep's table made again from what it names: so ``frtaudit verify`` holds it against the results of its jobs."""

from collections.abc import Mapping
from typing import Any  # Any: JSON of mixed depth

from frtaudit.cli.sweeps.jobs import JobResult, State
from frtaudit.cli.sweeps.plan import Job, Plan
from frtaudit.cli.sweeps.table import table
from frtaudit.config.load import meant
from frtaudit.core import AuditResult
from frtaudit.core.canonical import to_bytes
from frtaudit.errors import VerificationError
from frtaudit.report.files import findings_key

TARGETS = "thresholds.fmr"  # requirements add theirs


def made_again(content: Mapping[str, Any], results: Mapping[int, AuditResult]) -> tuple[bytes, str]:
    """``sweep.json`` and ``sweep.csv`` of the jobs that a table names, from their results by the jobs' numbers.

    Raises :class:`VerificationError` for a job that is called by another number than its spec holds.
    """
    outcomes = []
    for entry in content["jobs"]:
        settings = {key: str(entry["settings"][key]) for key in content["settings"]}
        number, error = entry["number"], entry["error"]
        job = Job(number=number, settings=settings, overrides=(), spec=entry["spec"], error=error)
        state, result = State(entry["state"]), results.get(number)
        outcomes.append(JobResult(job=job, state=state, error=error, result=result))
    for outcome in outcomes:
        if outcome.result is not None:
            _check_settings(outcome.job, outcome.result.spec)
    plan = Plan(audit=str(content["audit"]), jobs=tuple(outcome.job for outcome in outcomes))
    sweep, key = table(plan, outcomes), findings_key(content)
    again = {key if name == "findings" else name: value for name, value in sweep.to_json().items()}
    return to_bytes(again), sweep.to_csv()


def _check_settings(job: Job, spec: Mapping[str, Any]) -> None:
    """Numbers of a job's settings are those of its spec; words, and what the spec does not hold, are not compared."""
    for key, label in job.settings.items():
        value: object = spec  # under a key such as bootstrap.B; None for what is not there
        for part in key.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        numbers, actual = _numbers(meant(key, label)), _numbers(value)
        requirements = spec.get("requirements", ()) if key == TARGETS else ()
        more = {requirement["at"].get("fmr") for requirement in requirements}
        if numbers is not None and actual and not set(numbers) <= set(actual) <= set(numbers) | more:
            text = f"calls job {job.number} {key}={label}, and its spec has another number"
            raise VerificationError(key, text)


def _numbers(value: object) -> tuple[float, ...] | None:
    """A number, or those of a list; None for anything else.

    >>> _numbers(0.5), _numbers([1, "0.5"]), _numbers(["a"]), _numbers(None)
    ((0.5,), (1.0, 0.5), None, None)
    """
    values = value if isinstance(value, (list, tuple)) else (value,)
    try:
        return tuple(float(str(getattr(value, "text", value))) for value in values)  # .text: of a quoted word
    except (TypeError, ValueError):
        return None
