"""Tests of frtaudit.signing.pdf.value. What is refused: also test_attacks."""

from io import BytesIO
from pathlib import Path

import pytest
from asn1crypto import algos
from asn1crypto.cms import CertificateChoices, ContentInfo
from asn1crypto.x509 import Certificate
from cryptography.hazmat.primitives.serialization import Encoding
from pyhanko.pdf_utils.reader import PdfFileReader
from small_run import WHEN, render_pdf
from twin_certificate import twin

from frtaudit.errors import VerificationError
from frtaudit.signing.key_folder import PUBLIC
from frtaudit.signing.pdf.signature import read_signed_pdf, sign_pdf
from frtaudit.signing.pdf.value import bag_of, check_bag, check_form, check_hole
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
