"""The value of a PDF signature: it signs all but itself, so that what it does not sign has one form.

ECDSA leaves two: of (r, s) and (r, n - s) both hold, and which one was made is unknown. Both have the same meaning.
"""

from asn1crypto import cms
from cryptography import x509
from pyhanko.sign.general import extract_certificate_info
from pyhanko.sign.validation import EmbeddedPdfSignature
from pyhanko.sign.validation.generic_cms import extract_tst_data_iter

from frtaudit.errors import VerificationError
from frtaudit.signing.pdf.evidence import chains, path_of

SHA256 = bytes.fromhex("300d06096086480165030402010500")
ECDSA = bytes.fromhex("300a06082a8648ce3d040302")
RSA = bytes.fromhex("300d06092a864886f70d01010b0500")
ALGORITHMS = ((SHA256, ECDSA), (SHA256, RSA))


def bag_of(signed: cms.SignedData) -> list[x509.Certificate]:
    """The certificates that a signature carries."""
    return [x509.load_der_x509_certificate(item.chosen.dump()) for item in signed["certificates"]]


def check_hole(pdf: bytes, embedded: EmbeddedPdfSignature, where: str) -> None:
    """Require that the bytes left out by the signature are its own value in upper-case hexadecimal, zero-padded."""
    start, length, resume, rest = (int(item) for item in embedded.byte_range)
    hole = pdf[length:resume]
    value = bytes(embedded.pkcs7_content)
    used = len(cms.ContentInfo.load(value).dump())
    holds = (
        start == 0
        and resume + rest <= len(pdf)
        and hole == b"<" + value.hex().upper().encode() + b">"
        and not any(value[used:])
    )
    if not holds:
        raise VerificationError(where, "the signature leaves out bytes that are not its own")


def check_form(embedded: EmbeddedPdfSignature, where: str) -> None:
    """What a signature does not sign of itself has the one form of RFC 5652, 5.1 and 5.3, in DER as PAdES asks."""
    info = embedded.signer_info
    algorithms = (info["digest_algorithm"].dump(), info["signature_algorithm"].dump())
    holds = (
        is_der(cms.ContentInfo.load(bytes(embedded.pkcs7_content)).dump())
        and embedded.signed_data["version"].native == info["version"].native == "v1"
        and info["sid"].name == "issuer_and_serial_number"
        and [item.dump() for item in embedded.signed_data["digest_algorithms"]]
        == [info["digest_algorithm"].dump()]
        and algorithms in ALGORITHMS
    )
    if not holds:
        raise VerificationError(where, "the signature is not in the form in which it was made")


def check_bag(signed: cms.SignedData, where: str) -> None:
    """A signature carries its signer's certificate, those that issued it, and beside them no more than a time.

    An authority for times may name several that issued one certificate; a signer names one for each.
    """
    bag = bag_of(signed)
    (info,) = signed["signer_infos"]
    signer = x509.load_der_x509_certificate(extract_certificate_info(signed).signer_cert.dump())
    unsigned = info["unsigned_attrs"]
    is_time = signed["encap_content_info"]["content_type"].native == "tst_info"
    holds = (
        len(set(bag)) == len(bag)
        and set(bag) <= (chains([signer], bag) if is_time else set(path_of(signer, bag)))
        and not signed["crls"]
        and [item["type"].native for item in unsigned] in ([], ["signature_time_stamp_token"])
        and all(len(item["values"]) == 1 for item in unsigned)
    )
    if not holds:
        raise VerificationError(
            where, "the signature carries certificates or attributes that are not its own"
        )
    for token in extract_tst_data_iter(info, signed=False):
        check_bag(token, where)


def is_der(data: bytes) -> bool:
    """Whether the bytes are nested DER values (X.690, 10): shortest definite lengths, no gaps, no end marks.

    >>> is_der(bytes.fromhex("3003020101")), is_der(bytes.fromhex("30050201010000"))
    (True, False)
    """
    while data:
        if len(data) < 2 or data[0] == 0 or data[0] & 0x1F == 0x1F:
            return False
        tag, size = data[0], (data[1] & 0x7F if data[1] & 0x80 else 0)
        length = int.from_bytes(data[2 : 2 + size]) if size else data[1]
        shortest = data[1] != 0x80 and (not size or (length >= 0x80 and data[2] != 0))
        value, data = data[2 + size : 2 + size + length], data[2 + size + length :]
        if not shortest or len(value) != length or (tag & 0x20 and not is_der(value)):
            return False
    return True
