"""The value of a PDF signature: it signs all but itself, so that what it does not sign has one form.

ECDSA leaves two: of (r, s) and (r, n - s) both hold, and which one was made is unknown. Both have the same meaning.
"""

from collections.abc import Iterator

from asn1crypto import cms, parser
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
# What a signature says of itself under its key; the last binds its certificate (RFC 5035).
SAID = {"content_type", "message_digest", "signing_certificate_v2"}
INTEGER, NESTS = 0x02, 0x20
STAMP_HASHES = {"sha256", "sha384", "sha512"}


def bag_of(signed: cms.SignedData) -> list[x509.Certificate]:
    """The certificates that a signature carries."""
    return [
        x509.load_der_x509_certificate(certificate.chosen.dump()) for certificate in signed["certificates"]
    ]


def check_hole(pdf: bytes, embedded: EmbeddedPdfSignature, where: str) -> None:
    """Require that the bytes left out by the signature are its own value in upper-case hexadecimal, zero-padded."""
    start, length, resume, rest = (int(offset) for offset in embedded.byte_range)
    hole = pdf[length:resume]
    value = bytes(embedded.pkcs7_content)
    holds = (
        start == 0
        and resume + rest <= len(pdf)
        and hole == b"<" + value.hex().upper().encode() + b">"
        and not any(value[parser.peek(value) :])
    )
    if not holds:
        raise VerificationError(where, "the signature leaves out bytes that are not its own")


def check_form(embedded: EmbeddedPdfSignature, where: str) -> None:
    """What a signature does not sign of itself has the one form of RFC 5652, 5.1 and 5.3, in DER as PAdES asks."""
    signed, info = embedded.signed_data, embedded.signer_info
    algorithms = (info["digest_algorithm"].dump(), info["signature_algorithm"].dump())
    certificates = [certificate.chosen.dump() for certificate in signed["certificates"]]
    holds = (
        signed["version"].native == info["version"].native == "v1"
        and info["sid"].dump() == _named(embedded.signer_cert).dump()
        and [algorithm.dump() for algorithm in signed["digest_algorithms"]]
        == [info["digest_algorithm"].dump()]
        and algorithms in ALGORITHMS
        and {attribute["type"].native for attribute in info["signed_attrs"]} == SAID
        and certificates == sorted(certificates)
    )
    if not holds:
        raise VerificationError(where, "the signature is not in the form in which it was made")


def _named(certificate: cms.Certificate) -> cms.SignerIdentifier:
    """How a signature names its signer's certificate."""
    name = {"issuer": certificate.issuer, "serial_number": certificate.serial_number}
    return cms.SignerIdentifier("issuer_and_serial_number", cms.IssuerAndSerialNumber(name))


def check_members(embedded: EmbeddedPdfSignature, where: str) -> None:
    """A signature, or a time, is DER as it stands in the file, and holds no member that the standard does not name."""
    value = bytes(embedded.pkcs7_content)
    value = value[: parser.peek(value)]
    try:
        holds = is_der(value)
        (content,) = _members(value, b"\x30")
        _check_content(content)
    except ValueError:
        holds = False
    if not holds:
        raise VerificationError(where, "the signature is not in the form in which it was made")


def _check_content(content: bytes) -> None:
    """Raise ValueError where a ContentInfo has other members than RFC 5652, 3, 5.1 and 5.3, and RFC 3161, 2.4.2."""
    _, explicit = _members(content, b"\x06\xa0")
    (signed,) = _members(explicit, b"\x30")
    _, digests, encapsulated, _, signers = _members(signed, b"\x02\x31\x30\xa0\x31")
    for _, digest in _values(digests):
        _members(digest, b"\x06", b"\x06\x05")
    for inner in _members(encapsulated, b"\x06", b"\x06\xa0")[1:]:
        _members(inner, b"\x04")
    (signer,) = _members(signers, b"\x30")
    tags = b"\x02\x30\x30\xa0\x30\x04"
    _, sid, digest, _, algorithm, _, *unsigned = _members(
        signer, tags, tags + b"\xa1", tags.replace(b"\x30", b"\x80", 1)
    )
    if signer[3:4] == b"\x30":
        _members(sid, b"\x30\x02")
    _members(digest, b"\x06", b"\x06\x05")
    _members(algorithm, b"\x06", b"\x06\x05", b"\x06\x30")
    for attributes in unsigned:
        (attribute,) = _members(attributes, b"\x30")
        _, values = _members(attribute, b"\x06\x31")
        (token,) = _members(values, b"\x30")
        _check_content(token)


def _members(data: bytes, *tags: bytes) -> list[bytes]:
    """The values that nest in a value. Raises ValueError where their ``tags`` are none of these."""
    pairs = list(_values(data))
    if bytes(tag for tag, _ in pairs) not in tags:
        raise ValueError("members in another form")
    return [value for _, value in pairs]


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
        and [attribute["type"].native for attribute in unsigned] in ([], ["signature_time_stamp_token"])
        and all(len(attribute["values"]) == 1 for attribute in unsigned)
    )
    if not holds:
        raise VerificationError(
            where, "the signature contains certificates or attributes that are not its own"
        )
    for token in extract_tst_data_iter(info, signed=False):
        check_imprint(token, where)
        check_bag(token, where)


def check_imprint(token: cms.SignedData, where: str) -> None:
    """An authority's time is about a digest of which no second document can be found."""
    stamped = token["encap_content_info"]["content"].parsed["message_imprint"]["hash_algorithm"]
    if stamped["algorithm"].native not in STAMP_HASHES:
        raise VerificationError(where, "its timestamp is of a digest of a weak algorithm")


def is_der(data: bytes) -> bool:
    """Whether the bytes are nested DER values (X.690, 10): shortest lengths and integers, no gaps, no end marks.

    >>> is_der(bytes.fromhex("3003020101")), is_der(bytes.fromhex("30050201010000"))
    (True, False)
    >>> is_der(bytes.fromhex("300402020001"))
    False
    """
    try:
        return all(
            _is_shortest(value) if tag == INTEGER else not tag & NESTS or is_der(value)
            for tag, value in _values(data)
        )
    except ValueError:
        return False


def _is_shortest(integer: bytes) -> bool:
    """Whether an integer's first byte is needed (X.690, 8.3.2)."""
    return bool(integer) and (len(integer) == 1 or (integer[0], integer[1] >> 7) not in ((0, 0), (0xFF, 1)))


def _values(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Tag and content of each value. Raises ValueError for a length that is not DER."""
    while data:
        if len(data) < 2 or data[0] == 0 or data[0] & 0x1F == 0x1F:
            raise ValueError("no tag of one byte")
        tag, size = data[0], (data[1] & 0x7F if data[1] & 0x80 else 0)
        length = int.from_bytes(data[2 : 2 + size]) if size else data[1]
        shortest = data[1] != 0x80 and (not size or (length >= 0x80 and data[2] != 0))
        value, data = data[2 + size : 2 + size + length], data[2 + size + length :]
        if not shortest or len(value) != length:
            raise ValueError("not the shortest length")
        yield tag, value
