"""From a finished audit to the files of a run: written beside, signed, then moved into place together."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from frtaudit import parquet, typed
from frtaudit.attest.keys import Signer, check_years, load_signer
from frtaudit.attest.manifest import STATEMENT
from frtaudit.attest.pades import BASIC, Pades, pades_of
from frtaudit.attest.pdf_signature import sign_pdf
from frtaudit.attest.seal import SEAL, read_seal
from frtaudit.attest.statement import INNER_NAME, inner_statement, outer_statement
from frtaudit.audit import Audited, audit
from frtaudit.canonical import Json, to_bytes
from frtaudit.core import AuditResult, Verdict
from frtaudit.core.previous import Previous
from frtaudit.core.spec import AuditSpec, Report
from frtaudit.errors import DataError
from frtaudit.intake.previous import read_previous
from frtaudit.progress import on_terminal
from frtaudit.report import render

RESULT, VERDICT, HTML, PDF, TABLES = "result.json", "verdict.json", "report.html", "report.pdf", "tables"
SETTINGS, SPEC = "report.json", "spec.json"
PREVIOUS = "previous.json"  # the last audit's result, attached where the report compares with it
LISTS = "lists"  # what analyses made for other programs and for people, by name
PRIVATE: dict[str, Json] = {"key": None, "tsa": None, "evidence": None}  # places of one machine

ExitCode = Callable[[Mapping[str, int]], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """What a run came to: exit code, number of findings by verdict, digest of the result, what to open."""

    exit_code: int
    verdict_counts: Mapping[str, int]
    result_sha256: str
    report: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Signing:
    """Who signs (nobody: a draft), and how far the PDF's signature reaches."""

    signer: Signer | None
    pades: Pades


def _pades(settings: Report, signer: Signer | None) -> Pades:
    if signer is None or not settings.pdf:
        return BASIC
    return pades_of(settings.pades, settings.tsa, settings.evidence, signer)


def run(spec: AuditSpec, folder: Path, exit_code: ExitCode) -> RunSummary:
    """Audit, render, sign and write into ``folder``; all files appear, or none.

    ``exit_code`` turns the number of findings by verdict into the run's exit code.
    """
    signer = load_signer(spec.report.key) if spec.report.sign else None
    if signer is not None:
        check_years(signer, datetime.now(UTC))
    pades = _pades(spec.report, signer)
    sealed = {} if spec.seal is None else {SEAL: read_seal(spec.seal)}
    previous = read_previous(spec.report.previous) if spec.report.previous else None
    audited = audit(spec, on_terminal)
    counts = {verdict.value: 0 for verdict in Verdict}
    for finding in audited.result.findings:
        counts[finding.verdict.value] += 1
    code = exit_code(counts)
    with _draft(folder) as draft:
        for name, data in sealed.items():
            (draft / name).write_bytes(data)
        _write_numbers(audited, draft, code, counts)
        signing = Signing(signer=signer, pades=pades)
        _write_report(audited.result, spec.report, draft, signing, sealed, previous)
        if signer is not None:
            (draft / STATEMENT).write_bytes(outer_statement(draft, signer, datetime.now(UTC)))
    report = next((folder / name for name in (HTML, PDF) if (folder / name).exists()), None)
    return RunSummary(
        exit_code=code, verdict_counts=counts, result_sha256=audited.result.sha256, report=report
    )


@contextmanager
def _draft(folder: Path) -> Iterator[Path]:
    """A folder beside the files to come; what stands in it at the end moves into ``folder``, the result last."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=folder))
    except OSError as error:
        raise DataError(
            "hydra.run.dir", f"cannot write there ({error.strerror})", "a writable folder"
        ) from None
    try:
        yield draft
        for path in sorted(draft.iterdir(), key=lambda found: found.name == RESULT):
            path.rename(folder / path.name)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _write_numbers(audited: Audited, draft: Path, code: int, counts: Mapping[str, int]) -> None:
    (draft / RESULT).write_bytes(audited.result.to_bytes())
    for name, data in audited.files.items():
        (draft / LISTS / name).parent.mkdir(parents=True, exist_ok=True)
        (draft / LISTS / name).write_bytes(data)
    (draft / TABLES).mkdir()
    for name, tables in audited.tables.items():
        parquet.write(tables, draft / TABLES / name)
    verdict: dict[str, Json] = {
        "exit_code": code,
        "counts": dict(counts),
        "result_sha256": audited.result.sha256,
    }
    (draft / VERDICT).write_bytes(to_bytes(verdict))


def _write_report(
    result: AuditResult,
    settings: Report,
    draft: Path,
    signing: Signing,
    sealed: Mapping[str, bytes],
    previous: Previous | None,
) -> None:
    """The page, and the PDF with result, spec, page, settings and inner statement attached, signed."""
    if not (settings.html or settings.pdf):
        return
    date = settings.date or datetime.now(UTC).date().isoformat()
    signer = signing.signer
    status = "unsigned" if signer is None else "demo" if signer.is_demo else "signed"
    page = render.html(result, settings, date, status, previous)
    files = {
        **sealed,
        RESULT: result.to_bytes(),
        SPEC: to_bytes(result.spec),
        HTML: page.encode(),
        SETTINGS: to_bytes(_settings(settings, date, previous)),
    }
    if previous is not None:
        files[PREVIOUS] = previous.data
    if settings.html:
        (draft / HTML).write_bytes(files[HTML])
    if settings.pdf:
        (draft / PDF).write_bytes(_pdf(result, page, files, signing))


def _settings(settings: Report, date: str, previous: Previous | None) -> dict[str, Json]:
    """What the report was told, without paths: the last audit by its digest."""
    told = typed.plain(settings)
    digest = None if previous is None else previous.sha256
    return {**(told if isinstance(told, Mapping) else {}), **PRIVATE, "date": date, "previous": digest}


def _pdf(result: AuditResult, page: str, files: Mapping[str, bytes], signing: Signing) -> bytes:
    signer = signing.signer
    if signer is None:
        return render.pdf(page, files)
    when = datetime.now(UTC)
    inputs = result.digests["inputs"]
    named = {str(name): str(value) for name, value in inputs.items()} if isinstance(inputs, Mapping) else {}
    inner = inner_statement(files, str(result.digests["spec"]), named, signer, when)
    return sign_pdf(render.pdf(page, {**files, INNER_NAME: inner}), signer, when, signing.pades)
