"""What is appended to a PDF: a signature to its layout, and then nothing but what :mod:`.additions` accepts."""

from datetime import UTC, datetime
from io import BytesIO
from types import SimpleNamespace

from pyhanko.pdf_utils.generic import ArrayObject, ByteStringObject
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.metadata.model import DocumentMetadata
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.pdf_utils.writer import BasePdfFileWriter
from pyhanko.sign.fields import MDPPerm, SigSeedSubFilter
from pyhanko.sign.signers import PdfSignatureMetadata, PdfSigner, pdf_signer
from pyhanko.sign.signers.pdf_signer import (
    PdfSigningSession,
    PdfTimeStamper,
    PreSignValidationStatus,
    TimestampDSSContentSettings,
)
from pyhanko.sign.validation.dss import DocumentSecurityStore

from frtaudit.core.spec_values import PadesLevel
from frtaudit.signing.pdf.additions import next_id
from frtaudit.signing.pdf.pades import Pades
from frtaudit.signing.pdf.reader import ReportReader


class Appending(IncrementalPdfFileWriter):
    """What comes after a signature: dates and metadata stay, and the file's id follows from what stood before."""

    @classmethod
    def _handle_id(cls, prev: PdfFileReader) -> ArrayObject:
        first, _ = super()._handle_id(prev)  # type: ignore[no-untyped-call]  # pyHanko left it untyped
        prev.stream.seek(0)
        return ArrayObject([first, ByteStringObject(next_id(prev.stream.read()))])

    def _update_meta(self) -> None:
        """Nothing: pyHanko would write the time of the change."""


def signature_metadata(number: int, name: str) -> PdfSignatureMetadata:
    """What the ``number``-th signature says of itself: the first certifies, others approve."""
    return PdfSignatureMetadata(
        field_name=f"Signature{number}",
        md_algorithm="sha256",
        subfilter=SigSeedSubFilter.PADES,
        name=name,
        certify=number == 1,
        docmdp_permissions=MDPPerm.FILL_FORMS,
    )


def dated_writer(pdf: bytes, when: datetime) -> IncrementalPdfFileWriter:
    """What appends to a PDF, and gives its metadata the time of signing where pyHanko would ask the clock."""
    writer = IncrementalPdfFileWriter.from_reader(ReportReader(pdf))
    writer._meta = _Dated(**{**vars(writer._meta), "last_modified": when})  # noqa: SLF001  pyHanko has no argument for it
    return writer


def session_at(signer: PdfSigner, writer: BasePdfFileWriter, when: datetime) -> PdfSigningSession:
    """A session that signs at ``when``.

    pyHanko asks for the zone of the clock first, and cannot read every ``TZ`` (``UTC0``, ``CET-1CEST``): it gets UTC.
    """
    clock = vars(pdf_signer)["tzlocal"]
    vars(pdf_signer)["tzlocal"] = SimpleNamespace(get_localzone=lambda: UTC)
    try:
        session = signer.init_signing_session(writer)
    finally:
        vars(pdf_signer)["tzlocal"] = clock
    session.system_time = when
    return session


class _Dated(DocumentMetadata):
    """Metadata whose date stands: pyHanko sets it to the clock's when it writes."""

    def __setattr__(self, name: str, value: object) -> None:
        if name != "last_modified" or name not in vars(self):
            super().__setattr__(name, value)


async def with_evidence(
    pdf: bytes, contents: bytes, validation: PreSignValidationStatus, pades: Pades
) -> bytes:
    """A DSS for the signature with these contents, and at B-LTA a time over all of it."""
    writer = Appending.from_reader(ReportReader(pdf))
    DocumentSecurityStore.supply_dss_in_writer(
        writer, contents, paths=validation.validation_paths, validation_context=pades.evidence
    )
    output = BytesIO()
    if pades.level is PadesLevel.B_LTA and pades.authority is not None:
        settings = TimestampDSSContentSettings(include_vri=False, update_before_ts=True)
        await PdfTimeStamper(pades.authority).async_timestamp_pdf(
            writer,
            "sha256",
            pades.evidence,
            validation_paths=list(validation.validation_paths),
            output=output,
            dss_settings=settings,
        )
    else:
        writer.write(output)  # type: ignore[no-untyped-call]  # pyHanko left it untyped
    return output.getvalue()
