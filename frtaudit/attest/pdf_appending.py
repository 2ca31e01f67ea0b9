"""What is written after a PDF's first signature: nothing but what :mod:`frtaudit.attest.pdf_additions` accepts."""

from io import BytesIO

from pyhanko.pdf_utils.generic import ArrayObject, ByteStringObject
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.signers.pdf_signer import (
    PdfTimeStamper,
    PreSignValidationStatus,
    TimestampDSSContentSettings,
)
from pyhanko.sign.validation.dss import DocumentSecurityStore

from frtaudit.attest.pades import Pades
from frtaudit.attest.pdf_additions import next_id
from frtaudit.attest.pdf_reader import ReportReader
from frtaudit.core.spec import PadesLevel


class Appending(IncrementalPdfFileWriter):
    """What comes after a signature: dates and metadata stay, and the file's id follows from what stood before."""

    @classmethod
    def _handle_id(cls, prev: PdfFileReader) -> ArrayObject:
        first, _ = super()._handle_id(prev)  # type: ignore[no-untyped-call]  # pyHanko left it untyped
        prev.stream.seek(0)
        return ArrayObject([first, ByteStringObject(next_id(prev.stream.read()))])

    def _update_meta(self) -> None:
        """Nothing: pyHanko would write the time of the change."""


async def with_evidence(pdf: bytes, contents: bytes, found: PreSignValidationStatus, pades: Pades) -> bytes:
    """A DSS for the signature with these contents, and at B-LTA a time over all of it."""
    writer = Appending.from_reader(ReportReader(pdf))
    DocumentSecurityStore.supply_dss_in_writer(
        writer, contents, paths=found.validation_paths, validation_context=pades.evidence
    )
    output = BytesIO()
    if pades.level is PadesLevel.B_LTA and pades.authority is not None:
        settings = TimestampDSSContentSettings(include_vri=False, update_before_ts=True)
        await PdfTimeStamper(pades.authority).async_timestamp_pdf(
            writer,
            "sha256",
            pades.evidence,
            validation_paths=list(found.validation_paths),
            output=output,
            dss_settings=settings,
        )
    else:
        writer.write(output)  # type: ignore[no-untyped-call]  # pyHanko left it untyped
    return output.getvalue()
