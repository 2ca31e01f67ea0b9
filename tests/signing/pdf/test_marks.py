"""Marks of PDFs and of signatures in bytes."""

import pytest

from frtaudit.signing.pdf.marks import is_no_pdf, looks_signed


@pytest.mark.parametrize("data", [b"%PDF-1.7\n", b"a line before it\n%PDF-1.7\n", b"/ByteRange [0 1 2 3]"])
def test_what_may_be_a_pdf_is_read_as_one(data: bytes) -> None:
    """A header anywhere, or traces of a signature, and what reads PDFs decides."""
    assert not is_no_pdf(data)


@pytest.mark.parametrize("data", [b"", b"PDF", b'{"envelope":{}}'])
def test_other_bytes_are_no_pdf(data: bytes) -> None:
    """Without both it is no PDF, and not signed."""
    assert is_no_pdf(data)
    assert not looks_signed(data)
