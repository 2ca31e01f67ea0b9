"""Marks by which bytes are known as a PDF, or as a signed one, before what reads PDFs is loaded."""

HEADER = b"%PDF-"
SIGNATURE = (b"/ByteRange", b"ETSI.CAdES.detached")


def looks_signed(data: bytes) -> bool:
    """Whether the bytes hold traces of a signature, readable or not."""
    return any(mark in data for mark in SIGNATURE)


def is_no_pdf(data: bytes) -> bool:
    """Whether the bytes hold neither the header of a PDF nor traces of a signature.

    >>> is_no_pdf(b"probe,reference,score"), is_no_pdf(b"from a mailbox: %PDF-1.7 ...")
    (True, False)
    """
    return HEADER not in data and not looks_signed(data)
