"""A sweep's own files: ``sweep.json``, ``sweep.csv``, page and PDF, and the statement over all that stands there."""

from datetime import UTC, datetime
from pathlib import Path

from frtaudit import signals
from frtaudit.attest.manifest import STATEMENT
from frtaudit.attest.pdf_signature import sign_pdf
from frtaudit.attest.signing import Signing
from frtaudit.attest.statement import outer_statement
from frtaudit.canonical import to_bytes
from frtaudit.core.spec import Report
from frtaudit.output import OutputFolder
from frtaudit.report import render, sweep
from frtaudit.sweeps.table import Sweep

JSON, CSV, HTML, PDF = "sweep.json", "sweep.csv", "sweep.html", "sweep.pdf"


def write(found: Sweep, folder: Path, settings: Report, signing: Signing) -> tuple[Path, ...]:
    """Write or replace them; the paths to open. What was signed before is replaced: it was about fewer jobs."""
    date = settings.date or datetime.now(UTC).date().isoformat()
    data = to_bytes(found.to_json())
    out = OutputFolder(folder)
    files = {JSON: data, CSV: found.to_csv().encode()}
    if settings.html or settings.pdf:
        page = sweep.page(found.to_json(), settings, date, signing.status)
        files |= {HTML: page.encode()} if settings.html else {}
        files |= {PDF: _pdf(page, data, signing)} if settings.pdf else {}
    signals.check()
    (folder / STATEMENT).unlink(missing_ok=True)
    for name in (JSON, CSV, HTML, PDF):
        if name in files:
            out.replace(name, files[name])
        else:
            (folder / name).unlink(missing_ok=True)
    if signing.signer is not None:
        out.replace(STATEMENT, outer_statement(folder, signing.signer, datetime.now(UTC)))
    return tuple(folder / name for name in files)


def _pdf(page: str, data: bytes, signing: Signing) -> bytes:
    made = render.pdf(page, {JSON: data})
    if signing.signer is None:
        return made
    return sign_pdf(made, signing.signer, datetime.now(UTC), signing.pades)
