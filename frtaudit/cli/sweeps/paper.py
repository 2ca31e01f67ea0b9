"""A sweep's own files: ``sweep.json``, ``sweep.csv``, page and PDF, and the statement over all that stands there."""

from datetime import UTC, datetime
from pathlib import Path

from frtaudit.cli.sweeps.sweep import Sweep
from frtaudit.core.canonical import to_bytes
from frtaudit.core.machine import signals
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.machine.run_files import STATEMENT
from frtaudit.core.spec import Report
from frtaudit.report.files import SETTINGS
from frtaudit.report.files import TABLE as JSON
from frtaudit.report.files import TABLE_HTML as HTML
from frtaudit.report.files import TABLE_PDF as PDF
from frtaudit.report.rendering import told_of
from frtaudit.signing.report_files import report_files
from frtaudit.signing.signing import Signing
from frtaudit.signing.statement import outer_statement

CSV = "sweep.csv"
FILES = (JSON, CSV, SETTINGS, HTML, PDF, STATEMENT)


def write(sweep: Sweep, folder: Path, settings: Report, signing: Signing) -> tuple[Path, ...]:
    """Write or replace them; the paths to open. What was signed before is replaced: it was about fewer jobs."""
    date = settings.date or datetime.now(UTC).date().isoformat()
    out = OutputFolder(folder)
    files = {JSON: to_bytes(sweep.to_json())}
    if settings.html or settings.pdf:
        files = report_files(files, told_of(settings, date, signing.status), settings, signing)
    files[CSV] = sweep.to_csv().encode()
    signals.check()
    (folder / STATEMENT).unlink(missing_ok=True)
    for name in FILES[:-1]:
        if name in files:
            out.replace(name, files[name])
        else:
            (folder / name).unlink(missing_ok=True)
    if signing.signer is not None:
        out.replace(STATEMENT, outer_statement(folder, signing.signer, datetime.now(UTC)))
    return tuple(folder / name for name in (JSON, CSV, HTML, PDF) if name in files)
