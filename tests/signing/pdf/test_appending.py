"""Tests of frtaudit.signing.pdf.appending."""

from io import BytesIO

from pypdf import PdfReader
from small_run import WHEN, render_pdf

from frtaudit.signing.pdf.additions import next_id
from frtaudit.signing.pdf.signature import sign_pdf
from frtaudit.signing.signer import Signer


def test_a_second_signature_touches_no_information(signer: Signer, other: Signer) -> None:
    """Dates and metadata stay those of the first signature; the id follows from the bytes in front."""
    first = sign_pdf(render_pdf({}), signer, WHEN)
    second = sign_pdf(first, other, WHEN)
    before, after = (PdfReader(BytesIO(pdf)) for pdf in (first, second))
    assert after.metadata == before.metadata
    assert after.trailer["/Root"]["/Metadata"].get_data() == before.trailer["/Root"]["/Metadata"].get_data()
    assert b"/Metadata" not in second[len(first) :].replace(b"/Metadata 1", b"")
    assert next_id(first).hex().encode() in second[len(first) :]
