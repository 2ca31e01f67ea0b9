"""Whether the first signed revision of a PDF is a given layout and its signature, and nothing else.

A signature is appended to the layout as a revision of its own, which follows from the layout, the signer's name and the
time of signing; only its value and the second half of the file's id do not. So it is written again, without a key, and
compared: whoever holds the key can sign no other page than the layout's.
"""

import re
from io import BytesIO

from pyhanko.sign.signers import PdfSigner, SimpleSigner
from pyhanko_certvalidator.registry import SimpleCertificateStore

from frtaudit.signing.pdf.appending import dated_writer, session_at, signature_metadata
from frtaudit.signing.pdf.signature import PdfSignature
from frtaudit.signing.signer import asn1_of, common_name

VALUE = re.compile(rb"/Contents <([0-9A-Fa-f]+)>")
ID = re.compile(rb"(/ID \[ <[0-9a-f]*> <)[0-9a-f]{32}(> \])")


def foreign(layout: bytes, pdf: bytes, first: PdfSignature) -> str | None:
    """What a PDF holds up to the end of its ``first`` signature that is not ``layout``, in words; None for nothing."""
    signed = pdf[: first.end]
    if not signed.startswith(layout):
        return f"laid out again, it differs from byte {first_difference(layout, signed)} on"
    value = VALUE.search(signed, len(layout))
    if value is None or first.when is None:
        return "holds no signature where its layout ends"
    signer = SimpleSigner(asn1_of(first.certificate), None, SimpleCertificateStore())  # type: ignore[no-untyped-call]  # pyHanko left its constructor untyped
    maker = PdfSigner(signature_metadata(1, common_name(first.certificate)), signer)
    session = session_at(maker, dated_writer(layout, first.when), first.when)
    output = BytesIO()
    document = session.prepare_tbs_document(validation_info=None, bytes_reserved=len(value[1]))
    document.digest_tbs_document(output=output)  # the layout with room for a signature, all of it 0
    if _masked(output.getvalue(), len(layout)) != _masked(signed, len(layout)):
        return "holds more than its layout and a signature: another revision was signed"
    return None


def first_difference(content: bytes, other: bytes) -> int:
    """The first place where two byte strings differ.

    >>> first_difference(b"abc", b"abd"), first_difference(b"abc", b"ab")
    (2, 2)
    """
    shorter = min(len(content), len(other))
    return next((place for place in range(shorter) if content[place] != other[place]), shorter)


def _masked(pdf: bytes, start: int) -> bytes:
    """What stands from ``start`` on, without the signature's value and what is drawn at random."""
    return ID.sub(rb"\1\2", VALUE.sub(b"/Contents <>", pdf[start:], count=1))
