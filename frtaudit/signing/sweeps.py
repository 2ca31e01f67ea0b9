"""A sweep's folder, checked: its statement over all files, its jobs each as a run, its table against their results."""

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any  # Any: JSON of mixed depth

from frtaudit.core.canonical import to_bytes
from frtaudit.core.machine.faults import of_machine
from frtaudit.core.machine.run_files import RESULT, STATEMENT, VERDICT
from frtaudit.core.result import AuditResult
from frtaudit.core.text.formatting import counted
from frtaudit.errors import VerificationError, why
from frtaudit.report.files import PDF as REPORT
from frtaudit.report.files import SETTINGS, TABLE
from frtaudit.report.files import TABLE_HTML as PAGE
from frtaudit.report.files import TABLE_PDF as PDF
from frtaudit.signing.coverage import altered, not_covered, not_regular, outer_statement_of
from frtaudit.signing.manifest import APPROVALS, UNREAD, approvals, covered, extends, problem
from frtaudit.signing.parties import Evidence, parties
from frtaudit.signing.pdf.signature import read_signed_pdf
from frtaudit.signing.rerender import Paper, Written, rendering_checks, status_of
from frtaudit.signing.run_folder import is_part
from frtaudit.signing.signer import common_name
from frtaudit.signing.statement import Statement
from frtaudit.signing.trust import Trust
from frtaudit.signing.verification import (
    Check,
    CheckStatus,
    Depth,
    Verification,
    indeterminate,
    invalid,
    ok,
    unchecked,
)

CSV, DONE = "sweep.csv", "DONE.json"
STOPPING = (CheckStatus.INVALID, CheckStatus.INDETERMINATE)
OURS = (TABLE, PAGE, PDF, SETTINGS, CSV)

RunChecks = Callable[[Path], Iterable[Check]]
Tabled = Callable[[Mapping[str, Any], Mapping[int, AuditResult]], tuple[bytes, str]]
"""Makes ``sweep.json`` and ``sweep.csv`` again: (what ``sweep.json`` holds, results by the jobs' numbers)."""


def sweep_checks(
    folder: Path, trust: Trust, run_checks: RunChecks, depth: Depth, tabled: Tabled | None
) -> Iterator[Check]:
    """Checks of a sweep.

    ``run_checks``: of one job's folder; ``depth``: how far the sweep's own page is made again; ``tabled``: makes its
    table again.
    """
    yield from not_regular(folder)
    try:
        outer = outer_statement_of(folder)
    except FileNotFoundError:
        yield indeterminate(STATEMENT, "is missing: an unsigned sweep")
        return
    except VerificationError as error:
        yield altered(STATEMENT, error.found)
        return
    signer = common_name(outer.certificate)
    yield ok(STATEMENT, f"signature of {signer!r} holds, covers {counted(len(outer.subjects), 'file')}")
    wrong = list(_files(folder, outer))
    yield from wrong
    if TABLE not in outer.subjects:
        yield invalid(TABLE, "is not the table that was signed")
        return
    if any(check.subject in OURS for check in wrong):
        return
    try:
        content = json.loads((folder / TABLE).read_bytes())
        done = {str(job["folder"]): str(job["result_sha256"]) for job in _done(content)}
        begun = {str(job.get("folder")) for job in content["jobs"]}
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        yield invalid(TABLE, f"is not the table of a sweep ({why(error)})")
        return
    jobs = list(_jobs(folder, outer, done, run_checks))
    yield from jobs
    checked = {check.subject for check in jobs}
    yield from _signed_again(folder, outer, checked)
    yield from _unlisted(folder, outer, checked)
    yield from _beside(outer, done, begun, checked)
    broken = {check.subject for check in wrong + jobs if check.status in STOPPING}
    if not any(name in broken and name.endswith(f"/{RESULT}") for name in outer.subjects):
        yield from _tabled(folder, outer, content, tabled)
    yield from _rendered(folder, outer, depth)
    yield from parties(Evidence(outer=outer), trust)


def _files(folder: Path, outer: Statement) -> Iterator[Check]:
    """What is not as recorded; a job's PDF may have been signed once more since."""
    for name, recorded in outer.subjects.items():
        wrong = problem(folder, name, recorded)
        unread = wrong is not None and wrong.startswith(UNREAD)
        approved = not unread and name.endswith(f"/{REPORT}") and extends(folder / name, recorded)
        if wrong is not None and not approved:
            yield altered(name, wrong)


def _signed_again(folder: Path, outer: Statement, jobs: Container[str]) -> Iterator[Check]:
    """A PDF that grew lies in the folder of a job that was checked as a run."""
    for name, recorded in outer.subjects.items():
        is_pdf = name.endswith(f"/{REPORT}") and name.rpartition("/")[0] not in jobs
        wrong = problem(folder, name, recorded) if is_pdf else None
        if wrong is not None and not wrong.startswith(UNREAD):
            yield invalid(name, "was changed and belongs to no finished job")


def _unlisted(folder: Path, outer: Statement, jobs: Container[str]) -> Iterator[Check]:
    """What the statement does not list; approvals of a job were looked at with it, a sweep has none."""
    yield from (
        invalid(name, "belongs to no run: approvals are in the folder of a job") for name in approvals(folder)
    )
    for name in covered(folder):
        job, _, file = name.rpartition("/")
        if name not in outer.subjects and not (job in jobs and APPROVALS.fullmatch(file)):
            yield (invalid if name in OURS else unchecked)(name, f"is not listed in {STATEMENT}")
    yield from not_covered(folder)


def _done(content: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The jobs that a table calls done."""
    return [job for job in content["jobs"] if job["state"] == "done"]


def _beside(
    outer: Statement, done: Container[str], begun: Container[str], checked: Container[str]
) -> Iterator[Check]:
    """What is signed and no part of the sweep or of a job, but for what the checks of its job ``checked``.

    ``done``, ``begun``: folders of jobs; of one that could not audit only its verdict stands there.
    """
    for name in outer.subjects:
        job, _, file = name.partition("/")
        marks = file in (STATEMENT, DONE) or APPROVALS.fullmatch(file)
        failed = job in begun and file == VERDICT
        if name in OURS or name in checked or (job in done and (marks or is_part(file))) or failed:
            continue
        if is_part(name):
            yield invalid(name, "is a file of a run in the folder of a sweep")
        else:
            yield unchecked(name, "is signed, and no part of the sweep: compared with nothing")


def _jobs(folder: Path, outer: Statement, named: Mapping[str, str], run_checks: RunChecks) -> Iterator[Check]:
    """Every job that the table calls done: its result is the one it names, and its folder holds as a run.

    ``named``: digests of results by the jobs' folders. What lies there beside the run is covered by the sweep's own
    statement, or named with what is not.
    """
    for name, digest in named.items():
        result = f"{name}/{RESULT}"
        recorded = outer.subjects.get(result)
        wrong = None if recorded is None else problem(folder, result, recorded)
        if recorded is None or recorded.sha256 != digest or wrong is not None:
            unread = wrong is not None and wrong.startswith(UNREAD)
            yield altered(result, wrong if wrong and unread else f"is not the result that {TABLE} names")
            continue
        verification = Verification(path=name, checks=tuple(run_checks(folder / name)))
        worst = next((check for check in verification.checks if check.status is verification.worst), None)
        if verification.worst in (CheckStatus.OK, CheckStatus.NOTE, CheckStatus.UNCHECKED) or worst is None:
            yield ok(name, f"is a valid run: {len(verification.checks)} checks")
            open_ended = [check for check in verification.checks if check.status is CheckStatus.UNCHECKED]
            yield from (unchecked(f"{name}/{check.subject}", check.message) for check in open_ended)
        else:
            yield Check(subject=f"{name}/{worst.subject}", status=worst.status, message=worst.message)


def _tabled(
    folder: Path, outer: Statement, content: Mapping[str, Any], tabled: Tabled | None
) -> Iterator[Check]:
    """The table follows from the results of its jobs, and leaves out none that is done."""
    here, done = version("frtaudit"), _done(content)
    marks = {f"{job['folder']}/{DONE}": job for job in done}
    for name in outer.subjects:
        if name.endswith(f"/{DONE}") and name not in marks:
            yield invalid(name, f"is of a job that {TABLE} does not call done")
    if content.get("frtaudit") == here:
        yield from _marked(folder, outer, marks)
    if tabled is None or content.get("frtaudit") != here:
        reason = "frtaudit verify does so" if tabled is None else f"made by another version, this is {here}"
        yield unchecked(TABLE, f"not compared with its jobs: {reason}")
        return
    try:
        read = {job["number"]: (folder / job["folder"] / RESULT).read_bytes() for job in done}
        results = {number: AuditResult.from_json(json.loads(data)) for number, data in read.items()}
        table, lines = tabled(content, results)
    except VerificationError as error:
        yield invalid(TABLE, error.found)
        return
    except Exception as error:
        if of_machine(error):
            raise
        yield invalid(TABLE, f"does not follow from its jobs ({why(error)})")
        return
    for name, again in ((TABLE, table), (CSV, lines.encode())):
        if name not in outer.subjects or (folder / name).read_bytes() != again:
            yield invalid(name, "does not follow from the results of its jobs")


def _marked(folder: Path, outer: Statement, marks: Mapping[str, Mapping[str, Any]]) -> Iterator[Check]:
    """The mark of a job that is done names its spec and its result."""
    for name, job in marks.items():
        mark = {
            "frtaudit": version("frtaudit"),
            "result_sha256": job["result_sha256"],
            "spec": job.get("spec"),
        }
        intact = name in outer.subjects and problem(folder, name, outer.subjects[name]) is None
        if intact and (folder / name).read_bytes() != to_bytes(mark):
            yield invalid(name, f"disagrees with {TABLE} about its job")


def _rendered(folder: Path, outer: Statement, depth: Depth) -> Iterator[Check]:
    """Page and PDF are those of the table; the PDF is signed and carries it."""
    paper = (folder / PDF).read_bytes() if PDF in outer.subjects else None
    signed = None
    if paper is not None:
        try:
            signed = read_signed_pdf(paper, (), PDF)
        except VerificationError as error:
            yield invalid(PDF, error.found)
            return
        if not signed.signatures:
            yield invalid(PDF, "is not signed, although the sweep is")
        elif signed.attachments.get(TABLE) != (folder / TABLE).read_bytes():
            yield invalid(PDF, f"contains another {TABLE}")
        else:
            yield ok(PDF, f"PAdES signatures: {len(signed.signatures)}, contains {TABLE}")
    written = Written(
        sources={name: (folder / name).read_bytes() for name in (TABLE, SETTINGS) if name in outer.subjects},
        page=(folder / PAGE).read_bytes() if PAGE in outer.subjects else None,
        page_name=PAGE,
        lists=None,
        papers=() if paper is None or signed is None else (Paper(name=PDF, data=paper, signed=signed),),
        listed=outer.subjects,
    )
    yield from rendering_checks(written, status_of(outer), depth, trusted=True)
