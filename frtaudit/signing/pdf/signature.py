"""PDF signatures: PAdES B-B to B-LTA (ETSI.CAdES.detached, ECDSA P-256 or RSA, SHA-256), invisible, PDF/A kept.

The first signature certifies the document and permits further signatures and nothing else that shows (DocMDP
level 2).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from io import BytesIO

from asn1crypto import keys
from asn1crypto import x509 as asn1_x509
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from pyhanko.pdf_utils.generic import DictionaryObject, Reference
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.general import SigningError
from pyhanko.sign.signers import PdfSigner, SimpleSigner
from pyhanko.sign.signers.pdf_cms import PdfCMSSignedAttributes
from pyhanko.sign.validation import (
    DocumentTimestampStatus,
    EmbeddedPdfSignature,
    PdfSignatureStatus,
    SignatureCoverageLevel,
    async_validate_pdf_signature,
    async_validate_pdf_timestamp,
)
from pyhanko.sign.validation.generic_cms import extract_tst_data_iter
from pyhanko.sign.validation.settings import KeyUsageConstraints
from pyhanko.sign.validation.status import TimestampSignatureStatus
from pyhanko_certvalidator import ValidationContext
from pyhanko_certvalidator.errors import PathError, ValidationError
from pyhanko_certvalidator.registry import SimpleCertificateStore

from frtaudit.core.machine.waiting import wait
from frtaudit.core.spec_values import PadesLevel
from frtaudit.errors import DataError, VerificationError, why
from frtaudit.signing.pdf.additions import Store, additions
from frtaudit.signing.pdf.appending import (
    Appending,
    dated_writer,
    session_at,
    signature_metadata,
    with_evidence,
)
from frtaudit.signing.pdf.evidence import check_store, revoked
from frtaudit.signing.pdf.marks import HEADER, looks_signed
from frtaudit.signing.pdf.pades import BASIC, Pades
from frtaudit.signing.pdf.reader import ReportReader
from frtaudit.signing.pdf.revisions import AlterationError
from frtaudit.signing.pdf.value import bag_of, check_bag, check_form, check_hole, check_imprint, check_members
from frtaudit.signing.signer import Signer, asn1_of, dated_outside
from frtaudit.signing.timestamp import quiet

END, TAIL = b"%%EOF", 1024
# A parser takes seconds for a million digits in a row; a signature has some thousands. Spaces may stand between them.
LONGEST = 1 << 20
DIGITS = bytes(48 if chr(code) in "0123456789abcdefABCDEF \t\n\f\r\0" else 46 for code in range(256))
TIMESTAMP = "/DocTimeStamp"
NAME_TREE_DEPTH = 8
ANEW = "another program may have saved it anew; the original is needed"
NO_PATH = "no path to a trusted certificate"
# Purposes of a certificate that signs documents, where it names any: not that of a server or of an authority.
PURPOSES = {
    *("1.3.6.1.5.5.7.3.36", "microsoft_document_signing", "adobe_authentic_documents_trust"),
    *("email_protection", "client_auth", "any_extended_key_usage"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfSignature:
    """A signature that holds. ``when``: what its signer's clock said; ``end``: how many bytes it covers.

    ``distrust``: why it is not trusted; ``ended``: that its certificate was not valid then or was revoked, which no
    trust in its key heals.
    ``stamped``: the time that an ``authority`` gave it, None without one; ``time_distrust``: why that is not trusted.
    """

    field: str
    certificate: x509.Certificate
    when: datetime | None
    end: int
    is_timestamp: bool
    distrust: str | None
    ended: str | None = None
    stamped: datetime | None = None
    authority: x509.Certificate | None = None
    time_distrust: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedPdf:
    """Signatures in the order they were made, the files attached when the first was made, and how far that reaches."""

    signatures: tuple[PdfSignature, ...]
    attachments: Mapping[str, bytes]
    level: PadesLevel = PadesLevel.B_B


def sign_pdf(pdf: bytes, signer: Signer, when: datetime, pades: Pades = BASIC) -> bytes:
    """Append a signature: certifying if it is the first, approving if not.

    ``when``: aware time of signing, as the signature will claim it. Raises DataError when the level of ``pades`` is not
    reached.
    """
    signed = _appended(pdf, signer, when, pades)
    reached = read_signed_pdf(signed, (), "report.pdf").level
    if reached is not pades.level and pades.level is not PadesLevel.B_B:
        raise DataError("report.pades", f"{reached.value} was reached, not {pades.level.value}")
    return signed


def may_sign(certificate: x509.Certificate) -> bool:
    """Whether a certificate's usage and purposes, where it names any, let it sign documents."""
    known = asn1_of(certificate)
    usage, purposes = known.key_usage_value, known.extended_key_usage_value
    is_signer = usage is None or bool({"digital_signature", "non_repudiation"} & set(usage.native))
    return is_signer and (purposes is None or bool(PURPOSES & set(purposes.native)))


def _appended(pdf: bytes, signer: Signer, when: datetime, pades: Pades) -> bytes:
    """The PDF with one more signature, not looked at again."""
    quiet()
    reader = ReportReader(pdf)
    earlier = len(reader.embedded_signatures)
    writer = Appending.from_reader(reader) if earlier else dated_writer(pdf, when)
    meta = replace(
        signature_metadata(earlier + 1, signer.name),
        embed_validation_info=pades.evidence is not None,
        validation_context=pades.evidence,
        use_pades_lta=pades.level is PadesLevel.B_LTA,
    )
    try:
        key = signer.pdf_key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
        chain = SimpleCertificateStore()  # type: ignore[no-untyped-call]  # pyHanko left its constructor untyped
        for link in signer.chain:
            chain.register(asn1_of(link))
        pyhanko_signer = SimpleSigner(asn1_of(signer.certificate), keys.PrivateKeyInfo.load(key), chain)
        maker = PdfSigner(meta, pyhanko_signer, timestamper=pades.authority)
        return wait(_sign(maker, writer, when, pades))
    except (OSError, SigningError, PathError, ValidationError, DataError) as error:
        reason = why(error) if isinstance(error, DataError) else error
        raise DataError("report.pades", f"{pades.level.value} cannot be reached ({reason})") from None


def read_signed_pdf(pdf: bytes, roots: Sequence[x509.Certificate], where: str) -> SignedPdf:
    """Check every signature of a PDF and that nothing lies outside them; return them and the attachments.

    Bytes after the last signature are accepted only as a DSS update (revocation data for it). A PDF without
    a trace of a signature, or no PDF at all, comes back with none. Raises VerificationError naming ``where``;
    a PDF whose bytes break the parser is invalid, not a crash.
    """
    quiet()
    # A parser would look for the end through all that was appended.
    if pdf.startswith(HEADER) and END not in pdf[-TAIL:]:
        raise VerificationError(where, "cannot be read as a PDF (it does not end as one)")
    if LONGEST * b"0" in pdf.translate(DIGITS):
        raise VerificationError(where, f"holds more than {LONGEST} hexadecimal digits in a row")
    try:
        return _read(pdf, roots, where)
    except VerificationError:
        raise
    except Exception as error:  # noqa: BLE001  forged bytes may raise anything; all of it means invalid
        if looks_signed(pdf) or pdf.startswith(HEADER):
            raise VerificationError(where, f"cannot be read as a PDF ({why(error)})") from None
        return SignedPdf(signatures=(), attachments={})


def _read(pdf: bytes, roots: Sequence[x509.Certificate], where: str) -> SignedPdf:
    reader = ReportReader(pdf)
    embedded = reader.embedded_signatures
    if not embedded:
        if looks_signed(pdf):
            raise VerificationError(
                where, f"contains parts of a signature, but none that can be read: {ANEW}"
            )
        return SignedPdf(signatures=(), attachments=dict(_attachments(reader.root)))
    for signature in embedded:
        place = f"{where} ({signature.field_name})"
        check_members(signature, place)
        if str(signature.sig_object_type) == TIMESTAMP:
            check_imprint(signature.signed_data, place)
        else:
            check_form(signature, place)
        check_bag(signature.signed_data, place)
    if _moved(pdf, embedded[0]):
        raise VerificationError(where, f"its bytes differ from those that were signed: {ANEW}")
    first = ReportReader(pdf[: _end(embedded[0])])
    store = _check_additions(pdf, first, embedded, where)
    return SignedPdf(
        signatures=tuple(_check(pdf, signature, roots, store, where) for signature in embedded),
        attachments=dict(_attachments(first.root)),
        level=_level(embedded, reader),
    )


def _end(embedded: EmbeddedPdfSignature) -> int:
    """Where the bytes that a signature covers end."""
    return int(embedded.byte_range[2]) + int(embedded.byte_range[3])


def _moved(pdf: bytes, embedded: EmbeddedPdfSignature) -> bool:
    """Whether a signature's value is elsewhere than in the bytes that it leaves out: the objects were written anew."""
    _, length, resume, _ = (int(offset) for offset in embedded.byte_range)
    return bytes(embedded.pkcs7_content).hex().upper().encode() not in pdf[length:resume].upper()


def _check_additions(
    pdf: bytes, first: PdfFileReader, embedded: Sequence[EmbeddedPdfSignature], where: str
) -> Store:
    """Nothing was appended but what :mod:`frtaudit.signing.pdf.additions` names; returns the DSS."""

    def text(number: int) -> bytes:
        out = BytesIO()
        pdf_object = first.get_object(Reference(number, 0, first))  # type: ignore[no-untyped-call]  # pyHanko left it untyped
        pdf_object.write_to_stream(out)
        return out.getvalue()

    try:
        ends = [_end(signature) for signature in embedded]
        store = additions(pdf, ends, text, bytes(embedded[0].pkcs7_content))
        check_store(store, list(_signers(embedded)))
    except AlterationError as error:
        problem = f"the file was changed after the signature in a way that it forbids: {error}"
        raise VerificationError(where, problem) from None
    return store


def _signers(embedded: Sequence[EmbeddedPdfSignature]) -> Iterator[x509.Certificate]:
    """Every certificate that a signature or a time in it carries."""
    for signature in embedded:
        yield from bag_of(signature.signed_data)
        for token in extract_tst_data_iter(signature.signer_info, signed=False):
            yield from bag_of(token)


def _level(embedded: Sequence[EmbeddedPdfSignature], reader: PdfFileReader) -> PadesLevel:
    """What the first signature has: a time of its own, revocation data in the file, a time over all of it."""
    if next(extract_tst_data_iter(embedded[0].signer_info, signed=False), None) is None:
        return PadesLevel.B_B
    if "/DSS" not in reader.root:
        return PadesLevel.B_T
    lasting = str(embedded[-1].sig_object_type) == TIMESTAMP
    return PadesLevel.B_LTA if lasting else PadesLevel.B_LT


def _check(
    pdf: bytes, embedded: EmbeddedPdfSignature, roots: Sequence[x509.Certificate], store: Store, where: str
) -> PdfSignature:
    field = str(embedded.field_name)
    check_hole(pdf, embedded, f"{where} ({field})")
    status = wait(_status(embedded, roots, store))
    if not (status.intact and status.valid):
        raise VerificationError(f"{where} ({field})", "is not valid: signed bytes were changed")
    if status.coverage not in (SignatureCoverageLevel.ENTIRE_FILE, SignatureCoverageLevel.ENTIRE_REVISION):
        problem = "the signature does not cover the file as it stood when it was signed"
        raise VerificationError(f"{where} ({field})", problem)
    stamp = getattr(status, "timestamp_validity", None)
    if stamp is not None and not (stamp.intact and stamp.valid):
        raise VerificationError(f"{where} ({field})", "its timestamp is not valid")
    tsa = None if stamp is None else x509.load_der_x509_certificate(stamp.signing_cert.dump())
    certificate = x509.load_der_x509_certificate(embedded.signer_cert.dump())
    when = getattr(status, "timestamp", embedded.self_reported_timestamp)
    ended = dated_outside(certificate, when) or _revoked(certificate, store, stamp)
    problem = NO_PATH
    if status.trust_problem_indic is not None:
        problem = str(status.trust_problem_indic.standard_name).lower().replace("_", " ")
    return PdfSignature(
        field=field,
        certificate=certificate,
        when=when,
        end=_end(embedded),
        is_timestamp=str(embedded.sig_object_type) == TIMESTAMP,
        distrust=ended if status.trusted else problem,
        ended=ended,
        stamped=None if stamp is None else stamp.timestamp,
        authority=tsa,
        time_distrust=None if stamp is None or stamp.trusted else NO_PATH,
    )


async def _status(
    embedded: EmbeddedPdfSignature, roots: Sequence[x509.Certificate], store: Store
) -> PdfSignatureStatus | DocumentTimestampStatus:
    """What pyHanko finds, with the certificates of the DSS to find a path."""
    is_timestamp = str(embedded.sig_object_type) == TIMESTAMP
    context = ValidationContext(
        trust_roots=[asn1_of(root) for root in roots],
        other_certs=[asn1_x509.Certificate.load(certificate) for certificate in store.certificates.values()],
        moment=None if is_timestamp else embedded.self_reported_timestamp,
    )
    if is_timestamp:
        return await async_validate_pdf_timestamp(embedded, context, skip_diff=True)
    usage = KeyUsageConstraints(
        key_usage={"non_repudiation", "digital_signature"},
        match_all_key_usages=False,
        extd_key_usage=None if embedded.signer_cert.extended_key_usage_value is None else PURPOSES,
    )
    return await async_validate_pdf_signature(embedded, context, key_usage_settings=usage, skip_diff=True)


def _attachments(root: DictionaryObject) -> Iterator[tuple[str, bytes]]:
    if "/Names" in root and "/EmbeddedFiles" in root["/Names"]:
        yield from _leaves(root["/Names"]["/EmbeddedFiles"], depth=0)


def _leaves(node: DictionaryObject, depth: int) -> Iterator[tuple[str, bytes]]:
    """Names and contents of the files in a name tree (ISO 32000-2, 7.9.6)."""
    if depth > NAME_TREE_DEPTH:
        raise ValueError("the tree of attachments is too deep")
    for kid in node["/Kids"] if "/Kids" in node else ():  # noqa: SIM401  get() does not follow references
        yield from _leaves(kid.get_object(), depth + 1)
    pairs = [entry.get_object() for entry in node["/Names"]] if "/Names" in node else []
    for file in pairs[1::2]:
        yield str(file["/UF" if "/UF" in file else "/F"]), bytes(file["/EF"]["/F"].data)


def _revoked(
    certificate: x509.Certificate, store: Store, stamp: TimestampSignatureStatus | None
) -> str | None:
    """That a certificate was revoked, unless a trusted authority saw the signature before."""
    since = revoked(certificate, store)
    if since is None or (stamp is not None and stamp.trusted and stamp.timestamp < since):
        return None
    return f"its certificate was revoked on {since:%Y-%m-%d}, and no trusted time says that it signed before"


async def _sign(signer: PdfSigner, writer: IncrementalPdfFileWriter, when: datetime, pades: Pades) -> bytes:
    """What PdfSigner.async_sign_pdf does, with the time of signing as an argument."""
    session = session_at(signer, writer, when)
    validation = await session.perform_presign_validation(writer)
    size = await session.estimate_signature_container_size(validation, tight=False)
    document = session.prepare_tbs_document(validation_info=validation, bytes_reserved=size)
    output = BytesIO()
    prepared, _ = document.digest_tbs_document(output=output)
    attributes = PdfCMSSignedAttributes(signing_time=when)
    signed = await document.perform_signature(prepared.document_digest, attributes)
    if pades.evidence is None or validation is None:
        return output.getvalue()
    return await with_evidence(output.getvalue(), bytes(signed.sig_contents), validation, pades)
