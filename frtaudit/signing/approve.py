"""``frtaudit approve``: a second person signs what the first signed; the first signature keeps holding.

The PDF gets a further PAdES signature, appended as the first one permits. Beside the files stands an approval: a
statement that names what was approved, to the last byte, and both public halves of who approved it.
"""

import os
import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from frtaudit.core.machine.run_files import RESULT, STATEMENT
from frtaudit.errors import DataError, VerificationError
from frtaudit.report.files import PDF, refuse_sweep
from frtaudit.signing.manifest import approvals, digest_bytes, digest_file, next_approval
from frtaudit.signing.signer import Signer, check_names, check_years, fingerprint
from frtaudit.signing.statement import Scope, approval_statement, open_statement
from frtaudit.signing.verification import LAYOUT, CheckStatus
from frtaudit.signing.verify import verify

OTHER_USE = (
    "it is for other uses than signing documents: trust in its authority is not trust in this signature"
)


def approve(
    path: Path, signer: Signer, when: datetime, warn: Callable[[str], None] = lambda _: None
) -> tuple[Path, ...]:
    """Approve a signed run folder, or a signed PDF alone; returns the files that were written.

    ``when``: aware time of signing; ``warn``: takes a line on each part that was not compared, but for layouts, and on
    a certificate for other uses. Raises DataError for a run that is not signed, a key that cannot sign it, or one that
    signed before; VerificationError for a run that does not verify. Then nothing was written.
    """
    check_years(signer.certificate, when)
    left = _check_run(path)
    from frtaudit.signing.pdf.signature import may_sign, sign_pdf  # once there is a signed run

    folder = path if path.is_dir() else None
    pdf = path / PDF if folder else path
    if pdf.is_file():
        check_names(signer.certificate, *signer.chain)
        left += [] if may_sign(signer.certificate) else [f"the certificate of {signer.name!r}: {OTHER_USE}"]
    _check_new(path, pdf, folder, signer)
    approved = sign_pdf(pdf.read_bytes(), signer, when) if pdf.is_file() else None
    written = []
    if approved is not None:
        _replace(pdf, approved)
        written.append(pdf)
    if folder is not None:
        files = {name: digest_file(folder / name) for name in (RESULT, STATEMENT)}
        if approved is not None:
            files[PDF] = digest_bytes(approved)
        record = folder / next_approval(folder)
        _replace(record, approval_statement(files, signer, when))
        written.append(record)
    for line in left:
        warn(line)
    return tuple(written)


def _check_run(path: Path) -> list[str]:
    """What was not compared. Nobody approves what does not hold, what nobody signed, or a sweep for its jobs."""
    refuse_sweep(path)
    checks = verify(path).checks
    for check in checks:
        if check.status is CheckStatus.INVALID:
            raise VerificationError(check.subject, check.message, "a run that frtaudit verify finds valid")
    for check in checks:
        if check.status is CheckStatus.INDETERMINATE:
            raise DataError(check.subject, check.message, "a signed run: sign before you approve")
    left = [check for check in checks if check.status is CheckStatus.UNCHECKED and check.message != LAYOUT]
    return [f"{check.subject}: {check.message}" for check in left]


def _check_new(path: Path, pdf: Path, folder: Path | None, signer: Signer) -> None:
    """Whoever signed or approved before is refused: two signatures of one key are one opinion."""
    keyids, certificates = set(), set()
    if folder is not None:
        outer = open_statement((folder / STATEMENT).read_bytes(), Scope.OUTER, STATEMENT)
        keyids.add(outer.keyid)
        for name in approvals(folder):
            keyids.add(open_statement((folder / name).read_bytes(), Scope.APPROVAL, name).keyid)
    if pdf.is_file():
        from frtaudit.signing.pdf.signature import read_signed_pdf

        signatures = read_signed_pdf(pdf.read_bytes(), (), pdf.name).signatures
        certificates = {fingerprint(signature.certificate) for signature in signatures}
    if signer.keyid in keyids or signer.fingerprint in certificates:
        raise DataError(str(path), f"{signer.name!r} signed it already", "the key of another person")


def _replace(path: Path, data: bytes) -> None:
    """The file appears whole, or as it was."""
    draft = None
    try:
        handle, draft = tempfile.mkstemp(prefix=".approve-", dir=path.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        Path(draft).chmod(mode)
        Path(draft).replace(path)
    except OSError as error:
        if draft is not None:
            Path(draft).unlink(missing_ok=True)
        raise DataError(str(path), f"cannot be written ({error.strerror})", "a writable run") from None
