"""Tests of frtaudit.signing.pdf.value. What is refused: also test_attacks."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from asn1crypto import algos
from asn1crypto.cms import CertificateChoices, ContentInfo
from asn1crypto.x509 import Certificate
from cryptography.hazmat.primitives.serialization import Encoding
from local_tsa import running
from pyhanko.pdf_utils.reader import PdfFileReader
from small_run import WHEN, render_pdf
from twin_certificate import twin

from frtaudit.core.spec_values import PadesLevel
from frtaudit.errors import VerificationError
from frtaudit.signing.key_folder import PUBLIC
from frtaudit.signing.pdf import value
from frtaudit.signing.pdf.pades import pades_of
from frtaudit.signing.pdf.signature import read_signed_pdf, sign_pdf
from frtaudit.signing.pdf.value import _values, bag_of, check_bag, check_form, check_hole, is_der
from frtaudit.signing.signer import Signer
from frtaudit.signing.verify import verify

ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of P-256 (FIPS 186-4, D.1.2.3)


def test_a_signature_as_made_has_the_form(signer: Signer) -> None:
    """It carries one certificate, and its hole is its own; another hole is refused."""
    pdf = sign_pdf(render_pdf({}), signer, WHEN)
    (found,) = PdfFileReader(BytesIO(pdf)).embedded_signatures
    check_hole(pdf, found, "f")
    check_form(found, "f")
    check_bag(found.signed_data, "f")
    assert bag_of(found.signed_data) == [signer.certificate]
    with pytest.raises(VerificationError, match="leaves out bytes"):
        check_hole(pdf.replace(b"00>", b"01>"), found, "f")


def mirrored(pdf: bytes) -> bytes:
    """The last signature with n - s in place of s."""
    start = pdf.rindex(b"/Contents <") + len(b"/Contents <")
    end = pdf.index(b">", start)
    info = ContentInfo.load(bytes.fromhex(pdf[start:end].decode()))
    signer = info["content"]["signer_infos"][0]
    pair = algos.DSASignature.load(signer["signature"].native)
    made = algos.DSASignature({"r": pair["r"].native, "s": ORDER - pair["s"].native})
    signer["signature"] = made.dump()
    return pdf[:start] + info.dump(force=True).hex().upper().encode().ljust(end - start, b"0") + pdf[end:]


def test_a_twin_of_the_signers_certificate_is_found(signer: Signer) -> None:
    """Beside it in the signature: another of its key, names and number, which anybody can make."""
    pdf = sign_pdf(render_pdf({}), signer, WHEN)
    (found,) = PdfFileReader(BytesIO(pdf)).embedded_signatures
    other = Certificate.load(twin(signer.certificate).public_bytes(Encoding.DER))
    found.signed_data["certificates"].append(CertificateChoices("certificate", other))
    with pytest.raises(VerificationError, match="not its own"):
        check_bag(found.signed_data, "f")


def test_the_time_of_a_signature_is_looked_into(signer: Signer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its digest may not be of a weak algorithm, and its authority's certificates are its own."""
    with running() as clock:
        pdf = sign_pdf(render_pdf({}), signer, WHEN, pades_of(PadesLevel.B_T, clock.url, None, signer))
    (found,) = PdfFileReader(BytesIO(pdf)).embedded_signatures
    check_bag(found.signed_data, "f")
    monkeypatch.setattr(value, "STAMP_HASHES", ())
    with pytest.raises(VerificationError, match="weak algorithm"):
        check_bag(found.signed_data, "f")
    monkeypatch.undo()
    (info,) = found.signed_data["signer_infos"]
    token = info["unsigned_attrs"][0]["values"][0]["content"]
    token["certificates"].append(token["certificates"][0].copy())
    with pytest.raises(VerificationError, match="not its own"):
        check_bag(found.signed_data, "f")


def test_a_signature_of_another_version_without_a_certificate_is_not_in_the_form(signer: Signer) -> None:
    """Its version is looked at before its signer's certificate, which is not there."""
    pdf = sign_pdf(render_pdf({}), signer, WHEN)
    start = pdf.rindex(b"/Contents <") + len(b"/Contents <")
    end = pdf.index(b">", start)
    info = ContentInfo.load(bytes.fromhex(pdf[start:end].decode()))
    info["content"]["version"] = "v3"
    info["content"]["certificates"] = []
    forged = info.dump(force=True).hex().upper().encode().ljust(end - start, b"0")
    with pytest.raises(VerificationError, match=r"^f \(.*\): the signature is not in the form"):
        read_signed_pdf(pdf[:start] + forged + pdf[end:], (), "f")


def test_the_other_form_of_ecdsa_says_the_same(run: Path, key_folder: Path) -> None:
    """Alone, a PDF with (r, n - s) holds for the same bytes and signer; in its folder the digest finds the change."""
    pdf = run / "report.pdf"
    intact = pdf.read_bytes()
    pdf.write_bytes(mirrored(intact))
    first, second = (read_signed_pdf(data, (), "f").signatures[0] for data in (intact, pdf.read_bytes()))
    assert pdf.read_bytes() != intact
    assert (first.certificate, first.when, first.end) == (second.certificate, second.when, second.end)
    assert verify(pdf, [key_folder / PUBLIC]).exit_code == 0
    assert verify(run, [key_folder / PUBLIC]).exit_code == 2


Node = tuple[int, int, int]


def nodes(data: bytes, start: int, end: int) -> Iterator[Node]:
    """Where each value in DER begins, where its content does, and where it ends."""
    while start < end:
        size = data[start + 1] & 0x7F if data[start + 1] & 0x80 else 0
        opens = start + 2 + size
        length = int.from_bytes(data[start + 2 : opens]) if size else data[start + 1]
        yield start, opens, opens + length
        if data[start] & 0x20:
            yield from nodes(data, opens, opens + length)
        start = opens + length


def held(content: bytes) -> bytes:
    """Content with the shortest length before it."""
    size = (len(content).bit_length() + 7) // 8
    return (
        bytes([len(content)]) + content
        if len(content) < 0x80
        else bytes([0x80 | size, *len(content).to_bytes(size)]) + content
    )


def rewritten(data: bytes, place: Node, value: bytes) -> bytes:
    """DER in which another value stands at a place, with the lengths around it made to fit."""
    around = [item for item in nodes(data, 0, len(data)) if item[0] < place[0] and item[2] >= place[2]]
    last = place
    for outer in reversed(around):
        value = data[outer[0] : outer[0] + 1] + held(
            data[outer[1] : last[0]] + value + data[last[2] : outer[2]]
        )
        last = outer
    return value


def forms(data: bytes) -> Iterator[bytes]:
    """The same DER with each value in turn in forms that some readers take for the same, or with one member more."""
    for place in nodes(data, 0, len(data)):
        tag, content = data[place[0] : place[0] + 1], data[place[1] : place[2]]
        yield rewritten(data, place, tag + b"\x84" + len(content).to_bytes(4) + content)
        if tag == b"\x02":
            yield rewritten(data, place, tag + held(b"\0" + content))
        if tag[0] & 0x20:
            yield rewritten(data, place, tag + b"\x80" + content + b"\0\0")
            yield rewritten(data, place, tag + held(content + b"\x05\0"))
            yield rewritten(data, place, tag + held(content + b"\xa1\0"))


def test_no_other_form_of_a_value_holds(signer: Signer) -> None:
    """Without the key, a value is not written another way, and nothing is put into it: 300 ways."""
    pdf = sign_pdf(render_pdf({}), signer, WHEN)
    (found,) = PdfFileReader(BytesIO(pdf)).embedded_signatures
    value = ContentInfo.load(bytes(found.pkcs7_content)).dump()
    start = pdf.rindex(b"/Contents <") + len(b"/Contents <")
    end = pdf.index(b">", start)
    tried = {form.hex().upper().encode().ljust(end - start, b"0") for form in forms(value)}
    assert len(tried) > 200
    for form in tried:
        assert len(form) == end - start
        with pytest.raises(VerificationError):
            read_signed_pdf(pdf[:start] + form + pdf[end:], (), "f")


@pytest.mark.parametrize("data", [b"\x1f\x01\x00", b"\xbf\x81\x00", b"\x00\x00", b"\x02"])
def test_tags_of_several_bytes_are_refused(data: bytes) -> None:
    """A tag whose low five bits are set goes on in the next byte (X.690, 8.1.2.4); no field of a signature has it."""
    assert list(_values(b"\x30\x01\x05\x3e\x00")) == [(0x30, b"\x05"), (0x3E, b"")]
    with pytest.raises(ValueError, match="no tag of one byte"):
        list(_values(data))


@pytest.mark.parametrize(
    ("length", "shortest", "longer"),
    [(127, "7f", "817f"), (128, "8180", "820080"), (256, "820100", "83000100")],
)
def test_the_shortest_length_alone_is_der(length: int, shortest: str, longer: str) -> None:
    """One byte up to 127, past it the fewest bytes that hold the length, their number before (X.690, 10.1)."""
    assert is_der(bytes.fromhex(f"04{shortest}") + bytes(length))
    assert not is_der(bytes.fromhex(f"04{longer}") + bytes(length))


def test_the_shortest_integer_alone_is_der() -> None:
    """The first nine bits are not all alike (X.690, 8.3.2); an integer of no byte is none (8.3.1)."""
    for shortest in ("00", "7f", "80", "0080", "0100", "7fff", "8000", "ff7f", "008000", "ff7fff"):
        assert is_der(bytes([2, len(shortest) // 2]) + bytes.fromhex(shortest)), shortest
    for longer in ("", "0000", "007f", "ff80", "ffff", "007fff", "ff8000"):
        assert not is_der(bytes([2, len(longer) // 2]) + bytes.fromhex(longer)), longer


@pytest.mark.parametrize("data", ["0480", "0401", "040200", "04820100", "048001ff"])
def test_a_length_that_is_open_or_too_long_is_refused(data: str) -> None:
    """Neither a length that an end mark closes nor one past the last byte (X.690, 8.1.3.6, 10.1)."""
    with pytest.raises(ValueError, match="not the shortest length"):
        list(_values(bytes.fromhex(data)))
