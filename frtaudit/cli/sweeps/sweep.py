"""The table of a sweep: headline numbers and findings of its jobs, what a setting moved; as JSON and as CSV."""

import csv
import io
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import version

from frtaudit.cli.sweeps.jobs import JobResult
from frtaudit.cli.sweeps.plan import Plan
from frtaudit.core import Verdict
from frtaudit.core.canonical import Json
from frtaudit.core.text.formatting import cell

SCHEMA_VERSION = "1.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """Which number a row is about, the same in every job. ``provider`` is empty where a job has one system only.

    ``label``: what the job's report calls the group, None for everybody; two measures are never distinguished by it.
    """

    provider: str
    metric: str
    schema: str | None
    group: str
    at: tuple[tuple[str, float | str], ...]
    label: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A headline number of one job with its first interval for the population, or the next best."""

    job: int
    provider: str
    measure: Measure
    value: float | None
    numerator: int | None
    denominator: int | None
    low: float | None
    high: float | None
    level: float | None
    method: str | None
    target: str | None
    note: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFinding:
    """A finding of one job; ``p_sweep``: its p value by Holm over all jobs; ``in_sweep``: its verdict over the sweep.

    ``p_adjusted`` and ``verdict`` are those of its run.
    """

    job: int
    requirement: str
    provider: str
    measure: Measure | None
    value: float | None
    limit: float
    bound: float | None
    bound_level: float | None
    verdict: Verdict
    p: float | None
    p_adjusted: float | None
    p_sweep: float
    in_sweep: Verdict
    advisory: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What went with one setting, over pairs of jobs that differ in nothing else.

    ``pairs``: how many; ``verdicts``: how many of ``compared`` verdicts over the sweep differ; ``measure``: the
    headline number that moved most relative to itself, ``value_before`` and ``value_after`` in the jobs ``jobs``; None
    where none moved.
    """

    setting: str
    before: str
    after: str
    pairs: int
    compared: int
    verdicts: int
    measure: Measure | None
    value_before: float | None
    value_after: float | None
    jobs: tuple[int, int] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """The whole sweep; ``family``: over how many findings failures were adjusted; ``alphas``: the jobs' levels."""

    plan: Plan
    outcomes: tuple[JobResult, ...]
    rows: tuple[Row, ...]
    findings: tuple[JobFinding, ...]
    changes: tuple[Change, ...]
    family: int
    alphas: tuple[float, ...]
    notes: tuple[str, ...]

    @property
    def verdict_counts(self) -> dict[int, dict[str, int]]:
        """Verdicts after the adjustment over the sweep, by the number of the job; only jobs that are done."""
        done = [outcome.job.number for outcome in self.outcomes if outcome.result is not None]
        reached = Counter(
            (finding.job, finding.in_sweep) for finding in self.findings if not finding.advisory
        )
        return {number: {kind.value: reached[number, kind] for kind in Verdict} for number in done}

    def to_json(self) -> dict[str, Json]:
        """The mapping that ``sweep.json`` holds: no time, no path, so that a resumed sweep writes the same bytes."""
        counts = self.verdict_counts
        return {
            "schema_version": SCHEMA_VERSION,
            "frtaudit": version("frtaudit"),
            "audit": self.plan.audit,
            "digest": self.plan.digest,
            "settings": list(self.plan.keys),
            "jobs": [_job(outcome, counts.get(outcome.job.number)) for outcome in self.outcomes],
            "rows": [_plain(row) for row in self.rows],
            "findings": [_plain(finding) for finding in self.findings],
            "changes": [_plain(change) for change in self.changes],
            "family": self.family,
            "alphas": list(self.alphas),
            "notes": list(self.notes),
        }

    def to_csv(self) -> str:
        """The table for a spreadsheet: a line for each headline number and each finding of each job."""
        stream = io.StringIO()
        lines = csv.writer(stream, lineterminator="\n")
        lines.writerow([cell(name) for name in ("job", *self.plan.keys, *CSV_COLUMNS)])
        settings = {job.number: [job.settings[key] for key in self.plan.keys] for job in self.plan.jobs}
        records = [(row.job, _csv_row(row)) for row in self.rows]
        records += [(finding.job, _csv_finding(finding)) for finding in self.findings]
        for job, cells in records:
            lines.writerow([cell(value) for value in (job, *settings[job], *cells)])
        return stream.getvalue()


CSV_COLUMNS = (
    *("kind", "requirement", "provider", "metric", "schema", "group", "at", "value", "errors", "trials"),
    *("low", "high", "level", "method", "target", "limit", "bound", "bound_level", "p_unadjusted"),
    *("p_adjusted_in_run", "verdict_in_run", "p_adjusted_over_sweep", "verdict_over_sweep"),
)


def _job(outcome: JobResult, counts: Mapping[str, int] | None) -> dict[str, Json]:
    return {
        "number": outcome.job.number,
        "settings": dict(outcome.job.settings),
        "folder": outcome.job.folder or None,
        "spec": outcome.job.spec,
        "state": outcome.state.value,
        "error": outcome.error,
        "counts": None if counts is None else dict(counts),
        "result_sha256": outcome.result.sha256 if outcome.result else None,
    }


def _plain(record: Row | JobFinding | Change) -> dict[str, Json]:
    fields = asdict(record)
    if fields["measure"] is not None:
        fields["measure"] = fields["measure"] | {"at": dict(fields["measure"]["at"])}
    return {key: value.value if isinstance(value, Verdict) else value for key, value in fields.items()}


def _csv_row(row: Row) -> tuple[object, ...]:
    cells = (row.value, row.numerator, row.denominator, row.low, row.high, row.level, row.method, row.target)
    return ("estimate", "", row.provider, *_csv_measure(row.measure), *cells, *("",) * 8)


def _csv_finding(finding: JobFinding) -> tuple[object, ...]:
    about = ("finding", finding.requirement, finding.provider, *_csv_measure(finding.measure))
    judged = (finding.limit, finding.bound, finding.bound_level, finding.p, finding.p_adjusted)
    verdicts = (finding.verdict.value, finding.p_sweep, finding.in_sweep.value)
    return (*about, finding.value, *("",) * 7, *judged, *verdicts)


def _csv_measure(measure: Measure | None) -> tuple[str, str, str, str]:
    if measure is None:
        return ("", "", "", "")
    at = " ".join(f"{key}={value}" for key, value in measure.at)
    return (measure.metric, measure.schema or "", measure.group, at)
