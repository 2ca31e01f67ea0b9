"""A signed report's PDF, checked: its signatures, the statement inside it, what is attached."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from frtaudit.core.machine.run_files import RESULT
from frtaudit.errors import VerificationError
from frtaudit.report.files import PREVIOUS
from frtaudit.signing.contents import earlier_checks, lone_seal_checks, result_checks, seal_of_result
from frtaudit.signing.coverage import LARGEST_PDF, SEAL_START, not_signed
from frtaudit.signing.manifest import digest_bytes
from frtaudit.signing.parties import Evidence, parties
from frtaudit.signing.pdf.signature import ANEW, PdfSignature, SignedPdf, read_signed_pdf
from frtaudit.signing.rerender import in_pdf, rendering_checks, status_of
from frtaudit.signing.seal import SEAL
from frtaudit.signing.signer import common_name, fingerprint
from frtaudit.signing.statement import INNER_NAME, Scope, Statement, open_statement
from frtaudit.signing.trust import Trust
from frtaudit.signing.verification import Check, CheckStatus, Depth, indeterminate, invalid, ok, unchecked


def pdf_checks(path: Path, trust: Trust, depth: Depth) -> Iterator[Check]:
    """Checks of a report's PDF without its folder, or of a seal."""
    if path.stat().st_size > LARGEST_PDF:
        yield indeterminate(path.name, f"is longer than {LARGEST_PDF} bytes: not read")
        return
    data = path.read_bytes()
    if data.startswith(SEAL_START):
        yield from lone_seal_checks(data, path.name, trust)
        return
    evidence, checks = open_pdf(data, path.name, trust, None)
    yield from checks
    if evidence.pdf is None or evidence.inner is None:
        return
    attached = evidence.pdf.attachments
    yield from result_checks(attached.get(RESULT, b""), f"{path.name} / {RESULT}", evidence.inner)
    yield from earlier_checks(attached.get(PREVIOUS), f"{path.name} / {PREVIOUS}")
    where = f"{path.name} / {SEAL}"
    yield from seal_of_result(
        attached.get(RESULT, b""), attached.get(SEAL), where, evidence.inner.when, trust
    )
    who = tuple(parties(evidence, trust))
    if RESULT in attached and not any(check.status is CheckStatus.INVALID for check in checks):
        written = in_pdf(path, evidence.pdf)
        yield from rendering_checks(written, status_of(evidence.inner), depth, trusted=trusted(who))
    absent = sorted(set(evidence.inner.subjects) - set(attached))
    yield from (unchecked(name, f"not checked: it is not inside {path.name}") for name in absent)
    yield from who


def open_pdf(
    data: bytes, where: str, trust: Trust, outer: Statement | None
) -> tuple[Evidence, Sequence[Check]]:
    """What a PDF shows beside the statement ``outer`` of its folder, and the checks of its signatures."""
    try:
        pdf = read_signed_pdf(data, trust.certificates, where)
    except VerificationError as error:
        return Evidence(outer=outer), [invalid(error.where, error.found)]
    if not pdf.signatures:
        return Evidence(outer=outer, pdf=pdf), [_unsigned(pdf, where, outer)]
    checks = [ok(where, f"PAdES {pdf.level.value}, signatures: {len(pdf.signatures)}")]
    checks += [ok(where, _signature(signature)) for signature in pdf.signatures]
    if INNER_NAME not in pdf.attachments:
        message = f"{INNER_NAME} is not attached: a signed PDF, but no report of an audit"
        missing = indeterminate(where, message) if outer is None else invalid(where, message)
        return Evidence(outer=outer, pdf=pdf), [*checks, missing]
    try:
        inner = open_statement(pdf.attachments[INNER_NAME], Scope.INNER, f"{where} / {INNER_NAME}")
    except VerificationError as error:
        return Evidence(outer=outer, pdf=pdf), [*checks, invalid(error.where, error.found)]
    evidence = Evidence(outer=outer, pdf=pdf, inner=inner)
    return evidence, [*checks, *_inner(inner, pdf, where)]


def _unsigned(pdf: SignedPdf, where: str, outer: Statement | None) -> Check:
    if INNER_NAME in pdf.attachments:
        return invalid(where, f"contains a signed statement, but its own signature is missing: {ANEW}")
    if outer is not None:
        return invalid(where, "is not signed, although the run is")
    return not_signed(where)


def _inner(inner: Statement, pdf: SignedPdf, where: str) -> Iterator[Check]:
    name = f"{where} / {INNER_NAME}"
    yield ok(name, f"{signed_by(inner)}, covers {', '.join(inner.subjects)}")
    if fingerprint(inner.certificate) != fingerprint(pdf.signatures[0].certificate):
        yield invalid(name, "names another certificate than the one that signed the PDF")
    if RESULT not in inner.subjects or RESULT not in pdf.attachments:
        yield invalid(name, f"{RESULT} is not covered, or not attached")
    for subject, recorded in inner.subjects.items():
        if subject in pdf.attachments:
            part = f"{where} / {subject}"
            if digest_bytes(pdf.attachments[subject]) == recorded:
                yield ok(part, "as the inner statement records it")
            else:
                yield invalid(part, "the attached file is not the one that the inner statement records")


def _signature(signature: PdfSignature) -> str:
    kind = "timestamp" if signature.is_timestamp else "PAdES signature"
    if signature.stamped is not None:
        kind += f" (with a time of {signature.stamped:%Y-%m-%d %H:%M:%S %Z})"
    when = f"{signature.when:%Y-%m-%d %H:%M:%S %Z}" if signature.when else "unknown time"
    name = common_name(signature.certificate)
    return f"{kind} {signature.field} of {name!r}, {when}, holds for bytes 0 to {signature.end}"


def signed_by(statement: Statement) -> str:
    """Whose signature holds, of when, in words."""
    return (
        f"signature of {common_name(statement.certificate)!r} holds (key {statement.keyid[:16]}..., "
        f"signed {statement.when:%Y-%m-%d %H:%M:%S %Z})"
    )


def trusted(who: Iterable[Check]) -> bool:
    """Whether all parties are trusted."""
    return all(check.status is not CheckStatus.UNTRUSTED for check in who)
