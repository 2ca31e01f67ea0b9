"""From a finished audit to the files of a run: written beside, signed, then moved into place together."""

import dataclasses
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from frtaudit.config.named_files import read_seal
from frtaudit.core import AuditResult
from frtaudit.core.canonical import Json, mapping, sha256_file, to_bytes
from frtaudit.core.findings import verdict_counts
from frtaudit.core.machine import signals
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.machine.progress import on_terminal
from frtaudit.core.machine.run_files import LISTS, RESULT, STATEMENT, TABLES, VERDICT
from frtaudit.core.registry import names
from frtaudit.core.result import Previous
from frtaudit.core.spec import AuditSpec, Report
from frtaudit.core.spec_values import PadesLevel
from frtaudit.errors import DataError
from frtaudit.pipeline import tables as parquet
from frtaudit.pipeline.audit import Audited, audit
from frtaudit.pipeline.checkpoint import check_place
from frtaudit.pipeline.drafts import draft as draft_of
from frtaudit.pipeline.last_audit import last_audit
from frtaudit.report import render
from frtaudit.report.checklists import check_names
from frtaudit.report.files import HTML, PDF, PREVIOUS, SETTINGS, TEMPLATES
from frtaudit.report.rendering import settings_of, told_of
from frtaudit.signing.pdf.signature import read_signed_pdf
from frtaudit.signing.report_files import report_files
from frtaudit.signing.seal import SEAL
from frtaudit.signing.signer import Signer
from frtaudit.signing.signing import Signing, signing_of
from frtaudit.signing.statement import inner_statement, outer_statement

ExitCode = Callable[[Mapping[str, int]], int]
Make = Callable[[], Audited]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """The outcome of a run.

    Attributes
    ----------
    exit_code : int
        0, or 3 where a requirement failed.
    verdict_counts : mapping of str to int
        Findings by verdict, advisory ones left out.
    result : AuditResult
        The result.
    result_sha256 : str
        Its digest.
    report : Path or None
        The page, else the PDF; None where neither was written.
    """

    exit_code: int
    verdict_counts: Mapping[str, int]
    result: AuditResult = field(repr=False)
    result_sha256: str
    report: Path | None


def run(spec: AuditSpec, folder: Path, exit_code: ExitCode, make: Make | None = None) -> RunSummary:
    """Audit, render, sign and write into ``folder``; all files appear, or none.

    ``exit_code`` turns the number of findings by verdict into the run's exit code; ``make`` gives an audit of the spec
    that is in memory already.
    """
    check_place(spec, folder)
    signing = signing_of(spec.report)
    sealed = {} if spec.seal is None else {SEAL: read_seal(spec.seal)}
    check_names(spec.report.checklists)
    render.check_shape(spec.report, spec.analyses)
    previous = last_audit(spec.report.previous)
    with draft_of(folder, last=RESULT) as draft:
        audited = make() if make else audit(spec, on_terminal)
        counts = verdict_counts(audited.result.findings)
        code = exit_code(counts)
        for name, data in sealed.items():
            OutputFolder(draft).write(name, data)
        _write_numbers(audited, draft, code, counts)
        writes = (
            partial(_write_report, audited.result, spec.report, draft, signing, sealed, previous),
            partial(_write_statement, draft, signing),
        )
        for write in on_terminal(writes, "report, signature"):
            write()
    return _summary(folder, audited.result, code, counts)


def publish(run_folder: Path, folder: Path, minimum: int, key: str | None) -> RunSummary:
    """Write the publishable variant of a signed run into ``folder``, signed with ``key`` (None: the demo key).

    The run is verified first; its report settings are taken from its PDF. Raises :class:`DataError` where the run does
    not verify, or where a name that may not be published stands in what would be written.
    """
    from frtaudit.pipeline.publishable.disclosure import holds, names_of, published
    from frtaudit.pipeline.publishable.overlaps import people_of
    from frtaudit.pipeline.publishable.places import refuse_occupied, refuse_unverified

    refuse_unverified(run_folder)
    refuse_occupied(folder)
    full = AuditResult.from_json(json.loads((run_folder / RESULT).read_bytes()))
    settings = _settings_of(run_folder, key)
    signing = signing_of(settings)
    people = people_of(run_folder / TABLES / parquet.SAMPLES)
    result = published(full, sha256_file(run_folder / STATEMENT), minimum, people)
    if holds(result.to_bytes().decode() + str(settings), names_of(full)):
        text = "a name of a file or of a sample stands in the result or in report.*"
        raise DataError("publish", text, "other words")
    counts = verdict_counts(result.findings)
    with draft_of(folder, last=RESULT) as draft:
        OutputFolder(draft).write(RESULT, result.to_bytes())
        _write_verdict(result, draft, 0, counts)
        _write_report(result, settings, draft, signing, {}, None)
        _write_statement(draft, signing)
    return _summary(folder, result, 0, counts)


def _settings_of(run_folder: Path, key: str | None) -> Report:
    """What the full report says of itself; the title says what the variant is.

    Earlier versions wrote it into the PDF alone.
    """
    path = run_folder / PDF
    data = (run_folder / SETTINGS).read_bytes() if (run_folder / SETTINGS).is_file() else None
    if data is None and path.is_file():
        data = read_signed_pdf(path.read_bytes(), (), PDF).attachments.get(SETTINGS)
    settings = settings_of(json.loads(data or b"{}"))
    templates = run_folder / TEMPLATES
    return dataclasses.replace(
        settings,
        title=f"{settings.title or 'Audit'} (publishable variant)",
        key=key,
        templates=str(templates) if templates.is_dir() else None,
        sign=True,
        html=True,
        pdf=True,
        pades=PadesLevel.B_B,
    )


def _summary(folder: Path, result: AuditResult, code: int, counts: Mapping[str, int]) -> RunSummary:
    report = next((folder / name for name in (HTML, PDF) if (folder / name).exists()), None)
    return RunSummary(
        exit_code=code,
        verdict_counts=counts,
        result=result,
        result_sha256=result.sha256,
        report=report,
    )


def _write_numbers(audited: Audited, draft: Path, code: int, counts: Mapping[str, int]) -> None:
    out = OutputFolder(draft)
    out.write(RESULT, audited.result.to_bytes())
    for name, data in audited.files.items():
        out.write(f"{LISTS}/{name}", data)
    for name, tables in audited.tables.items():
        with out.create(f"{TABLES}/{name}") as stream:
            parquet.write(tables, stream)
        signals.check()
    _write_verdict(audited.result, draft, code, counts)


def _write_verdict(result: AuditResult, draft: Path, code: int, counts: Mapping[str, int]) -> None:
    verdict: dict[str, Json] = {"exit_code": code, "counts": dict(counts), "result_sha256": result.sha256}
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
    """Page, checklists and PDF, made from files that are written beside them, and made again before they are signed."""
    if not (settings.html or settings.pdf):
        return
    date = settings.date or datetime.now(UTC).date().isoformat()
    signals.check()
    shape = render.check_shape(settings, render.analyses_in(result))
    sources = {RESULT: result.to_bytes(), **sealed}
    sources |= {} if previous is None else {PREVIOUS: previous.data}
    sources |= {TEMPLATES + name: data for name, data in shape.files.items()}
    brought = sorted({*render.analyses_in(result)} & {*names("section")})
    facts = told_of(settings, date, signing.status, previous, shape, brought)
    out = OutputFolder(draft)
    for name, data in report_files(sources, facts, settings, signing, partial(_inner, result)).items():
        if name not in {RESULT, *sealed}:
            out.write(name, data)


def _inner(result: AuditResult, covered: Mapping[str, bytes], signer: Signer, when: datetime) -> bytes:
    """The statement inside the PDF."""
    named = {str(name): str(value) for name, value in mapping(result.digests["inputs"]).items()}
    return inner_statement(covered, str(result.digests["spec"]), named, signer, when)


def _write_statement(draft: Path, signing: Signing) -> None:
    """Over all that stands there by now; a draft of nobody has none."""
    if signing.signer is not None:
        OutputFolder(draft).write(STATEMENT, outer_statement(draft, signing.signer, datetime.now(UTC)))
