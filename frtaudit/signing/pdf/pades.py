"""How far a PDF signature reaches: PAdES B-B, B-T (a time), B-LT (and revocation data), B-LTA (and a time over all).

A level that cannot be reached stops the run before anything is scored: nothing is signed at a lower one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from asn1crypto import crl, ocsp, pem
from asn1crypto import x509 as asn1_x509
from pyhanko_certvalidator import CertificateValidator, ValidationContext
from pyhanko_certvalidator.errors import PathError, ValidationError

from frtaudit.core.machine.waiting import wait
from frtaudit.core.spec_values import PadesLevel
from frtaudit.errors import DataError
from frtaudit.signing.signer import Signer, asn1_of
from frtaudit.signing.timestamp import Authority, authority, check_url

WITH_TIME = (PadesLevel.B_T, PadesLevel.B_LT, PadesLevel.B_LTA)
WITH_REVOCATION = (PadesLevel.B_LT, PadesLevel.B_LTA)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pades:
    """What a signature at ``level`` is made with: an authority for the time, evidence on the certificates."""

    level: PadesLevel = PadesLevel.B_B
    authority: Authority | None = field(default=None, repr=False)
    evidence: ValidationContext | None = field(default=None, repr=False)


BASIC = Pades()


def pades_of(level: PadesLevel, tsa: str | None, evidence: str | None, signer: Signer) -> Pades:
    """What ``level`` takes, tried out: the authority answers, and every certificate has its path and revocation data.

    ``tsa``: URL of an RFC 3161 authority; ``evidence``: folder with certificates, CRLs and OCSP responses (PEM or DER)
    of the signer and the authority; self-signed certificates there are the roots. Raises DataError.
    """
    check_named(level, tsa, evidence)
    if tsa is None:
        return BASIC
    time_authority = authority(tsa)
    if evidence is None:
        return Pades(level=level, authority=time_authority)
    context = _context(Path(evidence), signer)
    _check_paths(time_authority, context, signer, level)
    return Pades(level=level, authority=time_authority, evidence=context)


def check_named(level: PadesLevel, tsa: str | None, evidence: str | None) -> None:
    """Raise :class:`DataError` where what ``level`` takes is not named, or is no URL or no folder; nobody is asked.

    So for what it does not take: a signature without the time that was asked for would be noticed late.
    """
    for name, given, levels in (("tsa", tsa, WITH_TIME), ("evidence", evidence, WITH_REVOCATION)):
        if given is not None and level not in levels:
            text = f"{given!r} is not used at report.pades={level.value}"
            raise DataError(
                f"report.{name}", text, " or ".join(f"report.pades={each.value}" for each in levels)
            )
    if level in WITH_TIME:
        if tsa is None:
            raise DataError(
                "report.tsa", f"no value, and {level.value} needs a time", "the URL of an RFC 3161 authority"
            )
        check_url(tsa)
    if level in WITH_REVOCATION:
        accepted = "a folder with certificates, CRLs and OCSP responses"
        if evidence is None:
            raise DataError("report.evidence", f"no value, and {level.value} needs revocation data", accepted)
        if not Path(evidence).is_dir():
            raise DataError("report.evidence", f"{evidence!r} is not a folder", accepted)


def _context(folder: Path, signer: Signer) -> ValidationContext:
    evidence = list(_held(folder))
    certificates = [entry for entry in evidence if isinstance(entry, asn1_x509.Certificate)]
    signer_chain = [asn1_of(certificate) for certificate in (signer.certificate, *signer.chain)]
    roots = [certificate for certificate in (*certificates, *signer_chain) if certificate.self_signed != "no"]
    return ValidationContext(
        trust_roots=roots,
        other_certs=[*certificates, *signer_chain],
        crls=[entry for entry in evidence if isinstance(entry, crl.CertificateList)],
        ocsps=[entry for entry in evidence if isinstance(entry, ocsp.OCSPResponse)],
        revocation_mode="require",  # hard-fail lets a certificate pass that names no place of revocation data
        allow_fetching=False,
    )


def _check_paths(
    time_authority: Authority, context: ValidationContext, signer: Signer, level: PadesLevel
) -> None:
    async def check() -> None:
        validator = CertificateValidator(asn1_of(signer.certificate), validation_context=context)
        await validator.async_validate_usage(set())  # type: ignore[no-untyped-call]  # pyHanko left it untyped
        async for _ in time_authority.validation_paths(context):  # type: ignore[no-untyped-call]  # pyHanko left it untyped
            pass

    try:
        wait(check())
    except (PathError, ValidationError) as error:
        raise DataError(
            "report.evidence", f"{level.value} cannot be reached ({error})", "what is missing"
        ) from None


def _held(folder: Path) -> Iterator[asn1_x509.Certificate | crl.CertificateList | ocsp.OCSPResponse]:
    """What the files of a folder hold, whatever their names."""
    try:
        files = sorted(path for path in folder.iterdir() if path.is_file())
        contents = [path.read_bytes() for path in files]
    except OSError as error:
        raise DataError("report.evidence", f"cannot be read ({error.strerror})", "a folder") from None
    for path, data in zip(files, contents, strict=True):
        blocks = [body for _, _, body in pem.unarmor(data, multiple=True)] if pem.detect(data) else [data]
        for body in blocks:
            yield _read(body, path)


def _read(body: bytes, path: Path) -> asn1_x509.Certificate | crl.CertificateList | ocsp.OCSPResponse:
    for kind in (asn1_x509.Certificate, crl.CertificateList, ocsp.OCSPResponse):
        try:
            read = kind.load(body, strict=True)
            read.native  # noqa: B018  reading it all is the check
        except (ValueError, TypeError):
            continue
        return read
    accepted = "certificates, CRLs and OCSP responses"
    raise DataError("report.evidence", f"{path.name} contains none of what is required", accepted)
