"""A sweep of four jobs over two settings, from one synthetic result whose numbers move with the settings."""

from dataclasses import replace

import report_fixture

from frtaudit.cli.sweeps.jobs import JobResult, State
from frtaudit.cli.sweeps.plan import Job, Plan
from frtaudit.cli.sweeps.sweep import Sweep
from frtaudit.cli.sweeps.table import table
from frtaudit.core import AuditResult, Verdict
from frtaudit.errors import FrtauditError

SETTINGS = [(target, alpha) for target in ("a", "b") for alpha in ("0.05", "0.1")]


def job(number: int, target: str, alpha: str, spec: str | None = None, **more: object) -> Job:
    """A job; its digest is made of its number."""
    settings = {"providers": f"[{target}]", "bootstrap.alpha": alpha}
    words = (f"providers=[{target}]", f"bootstrap.alpha={alpha}")
    return Job(number=number, settings=settings, overrides=words, spec=spec or f"{number:064x}", **more)  # type: ignore[arg-type]  # as given


def plan() -> Plan:
    """Four jobs: two systems, two levels."""
    jobs = tuple(job(number, *setting) for number, setting in enumerate(SETTINGS, 1))
    return Plan(audit="demo", jobs=jobs)


def result(times: float = 1.0, alpha: float = 0.05, p: float = 1e-6) -> AuditResult:
    """The synthetic result with its rates times a factor, at a level; its first failure has the p value."""
    made = report_fixture.result()
    estimates = tuple(
        replace(item, value=item.value * times)
        if item.value is not None and item.metric == "fnmr_at_fmr"
        else item
        for item in made.estimates
    )
    findings = list(made.findings)
    first = next(n for n, item in enumerate(findings) if item.verdict is Verdict.FAIL)
    findings[first] = replace(findings[first], p=p, p_adjusted=p * len(findings), family=len(findings))
    spec = {**made.spec, "bootstrap": {"B": 999, "alpha": alpha}}
    return replace(made, estimates=estimates, findings=tuple(findings), spec=spec)


def outcomes(p: float = 1e-6) -> tuple[JobResult, ...]:
    """All four jobs done; system b errs twice as often."""
    made = []
    for own, (target, alpha) in zip(plan().jobs, SETTINGS, strict=True):
        found = result(1.0 if target == "a" else 2.0, float(alpha), p)
        made.append(JobResult(job=own, state=State.DONE, result=found))
    return tuple(made)


def sweep(p: float = 1e-6) -> Sweep:
    """The table of the four."""
    return table(plan(), outcomes(p))


def refused(error: FrtauditError) -> Job:
    """A job whose spec was refused."""
    return replace(plan().jobs[3], spec=None, error=str(error), exit_code=error.exit_code)
