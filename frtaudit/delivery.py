"""From a finished audit to the files of a run: written beside, signed, then moved into place together."""

import dataclasses
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from frtaudit import parquet, signals, typed
from frtaudit.attest.manifest import STATEMENT
from frtaudit.attest.pdf_signature import read_signed_pdf, sign_pdf
from frtaudit.attest.seal import SEAL, read_seal
from frtaudit.attest.signing import Signing, signing_of
from frtaudit.attest.statement import INNER_NAME, inner_statement, outer_statement
from frtaudit.attest.verification import Outcome
from frtaudit.attest.verify import verify
from frtaudit.audit import Audited, audit
from frtaudit.canonical import Json, sha256_file, to_bytes
from frtaudit.checklists import check_names, filled, to_csv, to_json
from frtaudit.core import AuditResult, Verdict
from frtaudit.core.previous import Previous
from frtaudit.core.spec import AuditSpec, PadesLevel, Report
from frtaudit.drafts import DRAFT
from frtaudit.drafts import draft as draft_of
from frtaudit.errors import DataError
from frtaudit.intake.previous import read_previous
from frtaudit.output import OutputFolder
from frtaudit.progress import on_terminal
from frtaudit.publication import holds, names_of, published, verdicts_of
from frtaudit.report import render
from frtaudit.typed import build, silent

RESULT, VERDICT, HTML, PDF, TABLES = "result.json", "verdict.json", "report.html", "report.pdf", "tables"
SETTINGS, SPEC = "report.json", "spec.json"
CHECKLISTS = "checklists.json"
TEMPLATES = "templates"
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
    choice: tuple[str, ...] = ()


def run(spec: AuditSpec, folder: Path, exit_code: ExitCode) -> RunSummary:
    """Audit, render, sign and write into ``folder``; all files appear, or none.

    ``exit_code`` turns the number of findings by verdict into the run's exit code.
    """
    signing = signing_of(spec.report)
    sealed = {} if spec.seal is None else {SEAL: read_seal(spec.seal)}
    check_names(spec.report.checklists)
    render.check_shape(spec.report, spec.analyses)
    previous = read_previous(spec.report.previous) if spec.report.previous else None
    with draft_of(folder, last=RESULT) as draft:
        audited = audit(spec, on_terminal)
        counts = {verdict.value: 0 for verdict in Verdict}
        for finding in audited.result.findings:
            counts[finding.verdict.value] += 1
        code = exit_code(counts)
        for name, data in sealed.items():
            OutputFolder(draft).write(name, data)
        _write_numbers(audited, draft, code, counts)
        _write_report(audited.result, spec.report, draft, signing, sealed, previous)
        _write_statement(draft, signing)
    return _summary(folder, audited.result, code, counts)


def publish(run_folder: Path, folder: Path, minimum: int, key: str | None) -> RunSummary:
    """Write the publishable variant of a signed run into ``folder``, signed with ``key`` (None: the demo key).

    The run is verified first; its report settings are taken from its PDF. Raises :class:`DataError` where the run does
    not verify, or where a name that may not be published stands in what would be written.
    """
    found = verify(run_folder)
    if found.worst in (Outcome.INVALID, Outcome.INDETERMINATE):
        first = next(item for item in found.checks if item.outcome is found.worst)
        raise DataError(
            str(run_folder), f"{first.subject} {first.said}", "a signed run that frtaudit verify accepts"
        )
    if folder.exists() and any(path.name != DRAFT for path in folder.iterdir()):
        raise DataError(str(folder), "holds something already", "a new or empty folder")
    full = AuditResult.from_json(json.loads((run_folder / RESULT).read_bytes()))
    settings = _settings_of(run_folder, key)
    signing = signing_of(settings)
    result = published(full, sha256_file(run_folder / STATEMENT), minimum)
    text = result.to_bytes().decode() + str(settings)
    if holds(text, names_of(full)):
        raise DataError(
            "publish", "a name of a file or of a sample stands in the result or in report.*", "other words"
        )
    counts = verdicts_of(result)
    with draft_of(folder, last=RESULT) as draft:
        OutputFolder(draft).write(RESULT, result.to_bytes())
        _write_verdict(result, draft, 0, counts)
        _write_report(result, settings, draft, signing, {}, None)
        _write_statement(draft, signing)
    return _summary(folder, result, 0, counts)


def _settings_of(run_folder: Path, key: str | None) -> Report:
    """What the full report says of itself, as its PDF carries it; the title says what the variant is."""
    path = run_folder / PDF
    attached = read_signed_pdf(path.read_bytes(), (), PDF).attachments if path.is_file() else {}
    said = json.loads(attached.get(SETTINGS, b"{}"))
    known = {field.name for field in dataclasses.fields(Report)}
    own = run_folder / TEMPLATES
    said = {name: value for name, value in said.items() if name in known}
    said |= {"templates": str(own) if own.is_dir() else None, "previous": None}
    settings = build(Report, said, "report")
    if not isinstance(settings, Report):  # build returns what it was asked for
        raise TypeError(type(settings).__name__)
    title = f"{settings.title or 'Audit'} (publishable variant)"
    return dataclasses.replace(
        settings, title=title, key=key, sign=True, html=True, pdf=True, pades=PadesLevel.B_B
    )


def _summary(folder: Path, result: AuditResult, code: int, counts: Mapping[str, int]) -> RunSummary:
    report = next((folder / name for name in (HTML, PDF) if (folder / name).exists()), None)
    return RunSummary(
        exit_code=code,
        verdict_counts=counts,
        choice=result.choice,
        result_sha256=result.sha256,
        report=report,
    )


def _write_numbers(audited: Audited, draft: Path, code: int, counts: Mapping[str, int]) -> None:
    out = OutputFolder(draft)
    out.write(RESULT, audited.result.to_bytes())
    for name, data in audited.files.items():
        out.write(f"{LISTS}/{name}", data)
    for name, tables in audited.tables.items():
        parquet.write(tables, out.path(f"{TABLES}/{name}"))
        signals.check()
    _write_verdict(audited.result, draft, code, counts)


def _write_verdict(result: AuditResult, draft: Path, code: int, counts: Mapping[str, int]) -> None:
    verdict: dict[str, Json] = {
        "exit_code": code,
        "counts": dict(counts),
        "result_sha256": result.sha256,
    }
    if result.choice:
        verdict["choice"] = list(result.choice)
    OutputFolder(draft).write(VERDICT, to_bytes(verdict))


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
    page = render.html(result, settings, date, signing.status, previous)
    signals.check()
    shape = render.check_shape(settings, render.analyses_in(result))
    files = {
        **sealed,
        RESULT: result.to_bytes(),
        SPEC: to_bytes(result.spec),
        HTML: page.encode(),
        SETTINGS: to_bytes(_settings(settings, date, previous, shape.digests)),
    }
    if previous is not None:
        files[PREVIOUS] = previous.data
    out = OutputFolder(draft)
    for name, data in shape.files.items():
        out.write(f"{TEMPLATES}/{name}", data)
    if settings.checklists:
        lists = filled(result, dataclasses.replace(settings, date=date), settings.checklists)
        out.write(CHECKLISTS, to_json(lists))
        out.write("checklists.csv", to_csv(lists))
    if settings.html:
        out.write(HTML, files[HTML])
    if settings.pdf:
        out.write(PDF, _pdf(result, page, files, signing))


def _write_statement(draft: Path, signing: Signing) -> None:
    """Over all that stands there by now; a draft of nobody has none."""
    if signing.signer is not None:
        OutputFolder(draft).write(STATEMENT, outer_statement(draft, signing.signer, datetime.now(UTC)))


def _settings(
    settings: Report, date: str, previous: Previous | None, shape: Mapping[str, str]
) -> dict[str, Json]:
    """What the report was told, without paths: the last audit and templates by their digests.

    What was added later stands only where it is set.
    """
    told = typed.plain(settings)
    unset = {item.name for item in dataclasses.fields(settings) if silent(item, getattr(settings, item.name))}
    said = (
        {name: value for name, value in told.items() if name not in unset}
        if isinstance(told, Mapping)
        else {}
    )
    digest = None if previous is None else previous.sha256
    return {
        **said,
        **PRIVATE,
        "date": date,
        "previous": digest,
        **({"templates": dict(shape)} if shape else {}),
    }


def _pdf(result: AuditResult, page: str, files: Mapping[str, bytes], signing: Signing) -> bytes:
    signer = signing.signer
    if signer is None:
        return render.pdf(page, files)
    when = datetime.now(UTC)
    inputs = result.digests["inputs"]
    named = {str(name): str(value) for name, value in inputs.items()} if isinstance(inputs, Mapping) else {}
    inner = inner_statement(files, str(result.digests["spec"]), named, signer, when)
    return sign_pdf(render.pdf(page, {**files, INNER_NAME: inner}), signer, when, signing.pades)
