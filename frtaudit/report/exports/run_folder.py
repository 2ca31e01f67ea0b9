"""A finished run, read back from its folder: what exports start from."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import Protocol

from frtaudit.core import AuditResult, Estimate, Finding, Verdict
from frtaudit.core.canonical import read_json
from frtaudit.core.findings import verdict_counts
from frtaudit.core.machine.files import check_regular, read_regular
from frtaudit.core.machine.run_files import RESULT, STATEMENT, TABLES, VERDICT
from frtaudit.core.result import refuse_unnamed
from frtaudit.errors import DataError
from frtaudit.report.files import HTML, PDF
from frtaudit.report.source import OF_SUBJECTS, Source

EVIDENCE = (RESULT, HTML, PDF, STATEMENT)
TRACKED = ("fnmr_at_fmr", "fmr", "fnmr", "eer", "fta", "threshold_at_fmr", "accuracy")
_NO_PATH = re.compile(r"[^A-Za-z0-9_\-. ]")
RISING = (
    Verdict.FAIL,
    Verdict.INCONCLUSIVE,
    Verdict.NOT_TESTABLE,
)  # from the one that always fails to the mildest


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedRun:
    """A finished run, read back from its folder; ``read_run`` makes it.

    Attributes
    ----------
    result : AuditResult
        The result.
    when : datetime
        Date and time of the run, UTC.
    failing : tuple of Verdict
        Verdicts that count as failures.
    files : tuple of str
        Names of files in the folder.
    tables : tuple of Path
        The big tables, as Parquet.
    evidence : tuple of Path
        Result, report and statement, where they exist.
    recorded : AuditResult or None
        Of a job that is exported with its sweep: what its ``result.json`` holds. ``result`` then has the verdicts that
        are adjusted over the sweep.
    swept : int or None
        Over how many findings of all jobs they are adjusted.
    """

    result: AuditResult
    when: datetime
    failing: tuple[Verdict, ...] = RISING[:1]
    files: tuple[str, ...] = ()
    tables: tuple[Path, ...] = ()
    evidence: tuple[Path, ...] = ()
    recorded: AuditResult | None = None
    swept: int | None = None

    @property
    def sha256(self) -> str:
        """Digest of result.json."""
        return (self.recorded or self.result).sha256

    def fails(self, finding: Finding) -> bool:
        """Whether a finding counts as a failure.

        Parameters
        ----------
        finding : Finding
            One of the result's.

        Returns
        -------
        bool
            False for an advisory finding.
        """
        return finding.verdict in self.failing and not finding.advisory

    def labels(self) -> dict[str, str]:
        """Digests and counts of verdicts, as short texts."""
        verdicts = verdict_counts(self.result.findings)
        return {
            "result_sha256": self.sha256,
            "spec_sha256": str(self.result.digests.get("spec")),
            "frtaudit": self.result.versions.get("frtaudit", ""),
            **{f"verdict.{name}": str(count) for name, count in sorted(verdicts.items()) if count},
            **({} if self.swept is None else {"verdicts_over_findings_of_sweep": str(self.swept)}),
        }

    def attached(self) -> tuple[Path, ...]:
        """The evidence, for what sends it on.

        Returns
        -------
        tuple of Path
            Regular files.

        Raises
        ------
        DataError
            One of them is a link, which may lead to anything.
        """
        for path in self.evidence:
            check_regular(path, path.name)
        return self.evidence

    def estimate(self, finding: Finding) -> Estimate | None:
        """The estimate that a finding judges.

        Parameters
        ----------
        finding : Finding
            One of the result's.

        Returns
        -------
        Estimate or None
            None where nothing could be estimated.
        """
        return self.result.judged(finding)

    def name(self, finding: Finding) -> str:
        """What a finding judges: unique in the audit, and the same from run to run.

        Parameters
        ----------
        finding : Finding
            One of the result's.

        Returns
        -------
        str
            System, group, metric and operating point.
        """
        estimate = self.estimate(finding)
        if estimate is None:
            return finding.sentence
        group = estimate.group if estimate.schema is None else f"{estimate.schema}={estimate.group}"
        at = [f"{key}={value}" for key, value in sorted(estimate.at.items())]
        return " ".join([estimate.provider, group, estimate.metric, *at])

    def metrics(self) -> dict[str, float]:
        """Every rate in the primary weighting as numbers for a tracker.

        Returns
        -------
        dict of str to float
            A path of letters, digits, ``_ - . /`` and spaces to a number; ``value``, ``low`` and ``high`` under one
            path. Intervals are those that the report prints first.
        """
        metrics: dict[str, float] = {}
        for record in Source(self.result).select(*TRACKED, primary=True):
            estimate, bound = record.estimate, record.bound(*OF_SUBJECTS)
            at = [f"{key} {value}" for key, value in sorted(estimate.at.items())]
            group = "all" if estimate.schema is None else f"{estimate.schema} {estimate.group}"
            parts = (estimate.provider, estimate.metric, *at, group)
            path = "/".join(_NO_PATH.sub("_", part) for part in parts)
            numbers = {"value": estimate.value}
            if bound is not None:
                numbers |= {"low": bound.interval.low, "high": bound.interval.high}
            known = {name: float(value) for name, value in numbers.items() if value is not None}
            metrics |= {f"{path}/{name}": value for name, value in known.items() if isfinite(value)}
        return metrics


class Export(Protocol):
    """A format (``export`` plug-ins); its fields are settings.

    With an attribute ``ON_REQUEST`` it is written only where it is named.
    """

    def write(self, run: FinishedRun, folder: Path) -> None:
        """Write a run as one file, or as a folder of files.

        Parameters
        ----------
        run : FinishedRun
            What is written.
        folder : Path
            An existing folder, into which it is written.
        """


def failing_from(mildest: str) -> tuple[Verdict, ...]:
    """The verdicts that count as failures when ``mildest`` does.

    >>> [verdict.value for verdict in failing_from("inconclusive")]
    ['fail', 'inconclusive']
    """
    return RISING[: RISING.index(Verdict(mildest)) + 1]


def read_run(
    path: Path, when: datetime | None = None, failing: Sequence[Verdict] = RISING[:1]
) -> FinishedRun:
    """Read a run's folder, or its ``result.json`` alone.

    Parameters
    ----------
    path : Path
        The folder or the file.
    when : datetime, optional
        Date and time of the run; that of the file where it is not given.
    failing : sequence of Verdict
        Verdicts that count as failures.

    Returns
    -------
    FinishedRun
        The run as it was written; no signature is verified.

    Raises
    ------
    DataError
        No result can be read, or it is not the one that ``verdict.json`` names.

    Examples
    --------
    >>> read_run(Path("nowhere"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    frtaudit.errors.DataError: nowhere: no result (...); accepted: a run's folder, or its result.json
    """
    file, wanted = path / RESULT if path.is_dir() else path, f"a run's folder, or its {RESULT}"
    try:
        data = read_regular(file)
        result = AuditResult.from_json(read_json(data))
        changed = datetime.fromtimestamp(int(file.stat().st_mtime), UTC)
    except OSError as error:
        raise DataError(str(path), f"no result ({error.strerror})", wanted) from None
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError):
        raise DataError(str(file), "not a result of frtaudit run", wanted) from None
    folder = file.parent
    if file.name == RESULT and (folder / VERDICT).exists():
        refuse_unnamed(folder, folder.name, data)
    names = (beside.name for beside in folder.iterdir() if beside.is_file())
    return FinishedRun(
        result=result,
        when=when or changed,
        failing=tuple(failing),
        files=tuple(sorted(name for name in names if not name.startswith("."))),
        tables=tuple(sorted((folder / TABLES).glob("*.parquet"))),
        evidence=tuple(folder / name for name in EVIDENCE if (folder / name).is_file()),
    )
