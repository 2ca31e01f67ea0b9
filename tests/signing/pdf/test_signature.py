"""Tests of frtaudit.signing.pdf.signature.

tests/signing/test_rerender.py tests first_revision.
"""

import asyncio
import random
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from asn1crypto.keys import PrivateKeyInfo
from asn1crypto.x509 import Certificate
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from pyhanko.pdf_utils.generic import ArrayObject, DictionaryObject, NameObject, TextStringObject
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.sign.general import SigningError
from pyhanko.sign.signers import pdf_signer
from pyhanko.sign.signers.pdf_signer import PdfTimeStamper
from pyhanko.sign.timestamps.dummy_client import DummyTimeStamper
from pyhanko.sign.validation.dss import DocumentSecurityStore
from pypdf import PdfReader, PdfWriter
from small_run import WHEN, render_pdf

from frtaudit.errors import DataError, VerificationError
from frtaudit.signing.key_folder import generate
from frtaudit.signing.pdf import signature
from frtaudit.signing.pdf.first_revision import foreign
from frtaudit.signing.pdf.marks import looks_signed
from frtaudit.signing.pdf.signature import read_signed_pdf, sign_pdf
from frtaudit.signing.signer import Signer

FLIPS = 60


@pytest.fixture(scope="module")
def draft() -> bytes:
    """An unsigned PDF/A-3b with an attachment."""
    return render_pdf({"result.json": b'{"a":1}'})


@pytest.fixture(scope="module")
def pdf(draft: bytes, signer: Signer) -> bytes:
    """The same, signed."""
    return sign_pdf(draft, signer, WHEN)


def hole(pdf: bytes) -> tuple[int, int]:
    """Start and end of the bytes that the last signature leaves out."""
    found = re.findall(rb"/ByteRange \[(\d+) (\d+) (\d+) (\d+)", pdf)[-1]
    return int(found[1]), int(found[2])


def append(pdf: bytes, change: Callable[[IncrementalPdfFileWriter], None]) -> bytes:
    """An incremental update, not signed."""
    writer = IncrementalPdfFileWriter(BytesIO(pdf))
    change(writer)
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def test_a_signer_that_cannot_be_made_is_named(
    draft: bytes, signer: Signer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What pyHanko refuses about a key or a chain is an error of report.pades, as what it refuses later."""

    def refuse(*_: object) -> None:
        raise SigningError("no such key")

    monkeypatch.setattr(signature, "SimpleSigner", refuse)
    with pytest.raises(DataError, match=r"B-B cannot be reached \(no such key\)"):
        sign_pdf(draft, signer, WHEN)


def test_signature_is_pades_and_covers_the_whole_file(pdf: bytes, signer: Signer) -> None:
    """ETSI.CAdES.detached, certifying, by the signer, at the time given, over every byte."""
    read = read_signed_pdf(pdf, [signer.certificate], "f")
    (signature,) = read.signatures
    assert b"/ETSI.CAdES.detached" in pdf
    assert b"/DocMDP" in pdf
    assert signature.certificate == signer.certificate
    assert (signature.when, signature.end, signature.distrust) == (WHEN, len(pdf), None)


def test_signing_appends_and_keeps_pdf_a(draft: bytes, pdf: bytes) -> None:
    """The signed file starts with the draft, and PDF/A-3b claim and attachment stay."""
    assert pdf.startswith(draft)
    reader = PdfReader(BytesIO(pdf))
    assert reader.attachments["result.json"] == [b'{"a":1}']
    assert b"<pdfaid:part>3</pdfaid:part>" in reader.trailer["/Root"]["/Metadata"].get_data() or (
        b'pdfaid:part="3"' in reader.trailer["/Root"]["/Metadata"].get_data()
    )


@pytest.mark.parametrize("zone", ["CET-1CEST", ":../../etc/passwd", "\x1b[2J"])
def test_a_time_zone_that_no_library_knows_changes_nothing(
    zone: str, draft: bytes, signer: Signer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``TZ`` may hold anything: a PDF is signed at the time given, and its first revision is made again."""
    monkeypatch.setenv("TZ", zone)
    tzlocal = vars(pdf_signer)["tzlocal"]
    monkeypatch.setattr(tzlocal.unix, "_cache_tz", None)
    with pytest.raises((ValueError, KeyError)):
        tzlocal.get_localzone()
    signed = sign_pdf(draft, signer, WHEN)
    (first,) = read_signed_pdf(signed, [], "f").signatures
    assert first.when == WHEN
    assert foreign(draft, signed, first) is None


def test_attachments_are_read(pdf: bytes, draft: bytes) -> None:
    """Attachments come out as they went in, signed or not."""
    assert read_signed_pdf(pdf, [], "f").attachments == {"result.json": b'{"a":1}'}
    unsigned = read_signed_pdf(draft, [], "f")
    assert unsigned.signatures == ()
    assert unsigned.attachments == {"result.json": b'{"a":1}'}


def test_an_unknown_signer_is_valid_but_distrusted(pdf: bytes, other: Signer) -> None:
    """Without the certificate among the roots the signature holds and says that it leads nowhere."""
    for roots in ([], [other.certificate]):
        assert read_signed_pdf(pdf, roots, "f").signatures[0].distrust


def test_a_certificate_outside_its_years_is_distrusted(draft: bytes, tmp_path: Path) -> None:
    """A signature that claims a time before or after the certificate's years is not trusted."""
    signer = generate(tmp_path / "k", "Org", None, WHEN)
    for days in (-2, 3660):
        late = sign_pdf(draft, signer, WHEN + timedelta(days=days))
        assert read_signed_pdf(late, [signer.certificate], "f").signatures[0].distrust


def test_a_second_signature_keeps_the_first(pdf: bytes, signer: Signer, other: Signer) -> None:
    """An approving signature is permitted by the first, which stays valid."""
    twice = sign_pdf(pdf, other, WHEN)
    assert twice.startswith(pdf)
    first, second = read_signed_pdf(twice, [signer.certificate, other.certificate], "f").signatures
    assert (first.end, second.end) == (len(pdf), len(twice))
    assert first.distrust is None
    assert second.distrust is None


def test_what_was_appended_is_not_searched_for_an_end(pdf: bytes) -> None:
    """A parser would look for the last ``%%EOF`` byte by byte: seconds for a few megabytes of zeros."""
    with pytest.raises(VerificationError, match="does not end as one"):
        read_signed_pdf(pdf + bytes(3_000_000), (), "f")


@pytest.mark.parametrize("junk", [b"\n", b" ", b"\0", b"%%EOF\n", b"junk" * 1000])
def test_junk_after_the_signature_is_refused(pdf: bytes, junk: bytes) -> None:
    """One byte is enough."""
    with pytest.raises(VerificationError):
        read_signed_pdf(pdf + junk, [], "f")


def test_a_truncated_file_is_refused(pdf: bytes) -> None:
    """No prefix that reaches into the signature passes, and none is taken for a draft."""
    for length in range(hole(pdf)[0] - 100, len(pdf), 29):
        with pytest.raises(VerificationError):
            read_signed_pdf(pdf[:length], [], "f")


def test_flips_in_signed_bytes_are_seen(pdf: bytes, signer: Signer) -> None:
    """Random single-bit flips outside the signature value: each refused, none crashes."""
    chance = random.Random(1)
    start, end = hole(pdf)
    positions = [item for item in range(len(pdf)) if not start <= item < end]
    for position in chance.sample(positions, FLIPS):
        forged = bytearray(pdf)
        forged[position] ^= 1 << chance.randrange(8)
        with pytest.raises(VerificationError):
            read_signed_pdf(bytes(forged), [signer.certificate], "f")


def test_flips_in_the_signature_value_are_seen(pdf: bytes, signer: Signer) -> None:
    """Random flips in the hole that the signature leaves out: digits, their case, and the padding."""
    chance = random.Random(2)
    start, end = hole(pdf)
    positions = [start, end - 1, end - 2, *chance.sample(range(start, end), FLIPS)]
    for position in positions:
        forged = bytearray(pdf)
        forged[position] ^= chance.choice((1, 2, 0x20))
        with pytest.raises(VerificationError):
            read_signed_pdf(bytes(forged), [signer.certificate], "f")


def test_an_unsigned_update_is_refused(pdf: bytes) -> None:
    """A change of the page's text or of the catalog by an incremental update is refused."""

    def retitle(writer: IncrementalPdfFileWriter) -> None:
        writer.root[NameObject("/Lang")] = TextStringObject("xx")
        writer.update_root()

    def restream(writer: IncrementalPdfFileWriter) -> None:
        page = writer.root["/Pages"]["/Kids"][0]
        page[NameObject("/Rotate")] = writer.add_object(TextStringObject("90"))
        writer.update_container(page)

    for change in (retitle, restream):
        with pytest.raises(VerificationError):
            read_signed_pdf(append(pdf, change), [], "f")


def test_an_update_hidden_under_a_second_signature_is_refused(pdf: bytes, other: Signer) -> None:
    """Changing the document and signing the change does not make the first signature hold."""

    def retitle(writer: IncrementalPdfFileWriter) -> None:
        writer.root[NameObject("/Lang")] = TextStringObject("xx")
        writer.update_root()

    with pytest.raises(VerificationError):
        read_signed_pdf(sign_pdf(append(pdf, retitle), other, WHEN), [], "f")


def test_a_dss_update_is_accepted_and_junk_after_it_is_not(pdf: bytes, signer: Signer) -> None:
    """Revocation data may follow a signature (PAdES B-LT); nothing else may."""

    def add(writer: IncrementalPdfFileWriter) -> None:
        certificate = Certificate.load(signer.certificate.public_bytes(Encoding.DER))
        DocumentSecurityStore.supply_dss_in_writer(writer, None, certs=[certificate])

    longer = append(pdf, add)
    assert len(read_signed_pdf(longer, [], "f").signatures) == 1
    with pytest.raises(VerificationError):
        read_signed_pdf(longer + b"junk", [], "f")


@pytest.fixture(scope="module")
def stamper() -> DummyTimeStamper:
    """A time-stamping authority of our own (pyHanko's knows RSA only)."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Clock")])
    usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 7, WHEN, datetime.now(UTC) + timedelta(days=9))
        .add_extension(usage, critical=True)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    return DummyTimeStamper(
        Certificate.load(certificate.public_bytes(Encoding.DER)), PrivateKeyInfo.load(secret)
    )


def test_a_document_timestamp_after_the_signature_is_accepted(
    pdf: bytes, signer: Signer, stamper: DummyTimeStamper
) -> None:
    """A timestamp may follow (PAdES B-LTA); flips in it are seen; its authority needs trust of its own."""
    out = BytesIO()
    PdfTimeStamper(stamper).timestamp_pdf(IncrementalPdfFileWriter(BytesIO(pdf)), "sha256", output=out)
    longer = out.getvalue()
    authority = x509.load_der_x509_certificate(stamper.tsa_cert.dump())
    first, second = read_signed_pdf(longer, [signer.certificate, authority], "f").signatures
    assert (first.distrust, second.distrust, second.is_timestamp) == (None, None, True)
    assert read_signed_pdf(longer, [signer.certificate], "f").signatures[1].distrust
    forged = bytearray(longer)
    forged[len(pdf) + 30] ^= 1
    with pytest.raises(VerificationError):
        read_signed_pdf(bytes(forged), [], "f")


def test_a_stripped_signature_leaves_a_trace(pdf: bytes) -> None:
    """A signed file whose form is cut out of the catalog is refused, not taken for a draft."""
    with pytest.raises(VerificationError):
        read_signed_pdf(pdf.replace(b"/AcroForm", b"/AcroFarm"), [], "f")
    with pytest.raises(VerificationError):
        read_signed_pdf(pdf.replace(b"/ETSI.CAdES.detached", b"/ETSI.CAdES.detacheX"), [], "f")


@pytest.mark.parametrize("data", [b"", b"hello", b"\0" * 100])
def test_what_is_no_pdf_counts_as_unsigned(data: bytes) -> None:
    """Bytes without a trace of a signature hold none; that decides nothing about them."""
    assert not looks_signed(data)
    assert read_signed_pdf(data, [], "f").signatures == ()


def test_a_pdf_that_cannot_be_read_is_invalid() -> None:
    """A file that begins as a PDF and breaks the parser was damaged, with or without traces of a signature."""
    with pytest.raises(VerificationError, match="cannot be read as a PDF"):
        read_signed_pdf(b"%PDF-1.7\n", [], "f")


@pytest.mark.parametrize("more", [{}, {"/Keywords": "x" * 9999}])
def test_a_pdf_that_another_program_wrote_anew_is_called_that(pdf: bytes, more: dict[str, str]) -> None:
    """Shorter or longer, its objects lie elsewhere: the bytes are not those signed, and the original is needed."""
    writer, out = PdfWriter(clone_from=BytesIO(pdf)), BytesIO()
    writer.add_metadata(more)
    writer.write(out)
    assert (out.tell() > len(pdf)) == bool(more)
    assert looks_signed(out.getvalue())
    line = "f: its bytes differ from those that were signed: another program may have saved it anew; the original "
    with pytest.raises(VerificationError, match=f"^{line}is needed$"):
        read_signed_pdf(out.getvalue(), [], "f")


def test_pages_that_another_program_took_out_are_called_that(pdf: bytes) -> None:
    """A signature that belongs to nothing is left where pages were copied."""
    writer, out = PdfWriter(), BytesIO()
    for page in PdfReader(BytesIO(pdf)).pages:
        writer.add_page(page)
    writer.write(out)
    with pytest.raises(
        VerificationError, match="none that can be read: another program may have saved it anew; "
    ):
        read_signed_pdf(out.getvalue(), [], "f")


def test_signing_and_reading_work_inside_an_event_loop(draft: bytes, signer: Signer) -> None:
    """A notebook runs an event loop already."""

    async def inside() -> int:
        return len(read_signed_pdf(sign_pdf(draft, signer, WHEN), [], "f").signatures)

    assert asyncio.run(inside()) == 1


@pytest.mark.parametrize(
    ("seconds", "trusted", "holds"), [(1, True, True), (0, True, False), (-1, True, False), (1, False, False)]
)
def test_only_a_trusted_time_before_the_revocation_counts(
    seconds: int, trusted: bool, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signature of the second in which its certificate was revoked was not made before that."""
    monkeypatch.setattr(signature, "revoked", lambda *_: WHEN)
    stamp: Any = SimpleNamespace(trusted=trusted, timestamp=WHEN - timedelta(seconds=seconds))
    certificate: Any = None  # asked of by what stands in for revoked() only
    assert (signature._revoked(certificate, certificate, stamp) is None) == holds
    assert signature._revoked(certificate, certificate, None) is not None


def test_a_tree_of_attachments_has_eight_levels_of_branches() -> None:
    """One more, and a forger could have it followed for ever."""

    def tree(depth: int) -> DictionaryObject:
        node = DictionaryObject({NameObject("/Names"): ArrayObject([])})
        for _ in range(depth):
            node = DictionaryObject({NameObject("/Kids"): ArrayObject([node])})
        return node

    assert list(signature._leaves(tree(8), depth=0)) == []
    with pytest.raises(ValueError, match="too deep"):
        list(signature._leaves(tree(9), depth=0))


@pytest.mark.parametrize(
    ("behind", "words"),
    [(1019, "cannot be read as a PDF (?!.it does not end)"), (1020, "it does not end as one")],
)
def test_a_pdf_ends_within_its_last_kibibyte(behind: int, words: str) -> None:
    """So many bytes before the end its mark is looked for."""
    with pytest.raises(VerificationError, match=words):
        read_signed_pdf(b"%PDF-1.7 %%EOF" + bytes(behind), (), "f")


def test_a_mebibyte_of_digits_is_not_parsed() -> None:
    """One digit fewer is; a letter beyond the digits parts them, a space does not."""
    read_signed_pdf(b"A" * (2**20 - 1) + b"g" + b"9" * (2**20 - 1), (), "f")
    for between in (b"f", b" ", b"\n", b"\0"):
        with pytest.raises(VerificationError, match="hexadecimal digits in a row"):
            read_signed_pdf(b"A" * 2**19 + between + b"9" * (2**19 - 1), (), "f")
