"""Tests of frtaudit.signing.pdf.additions. What is refused: also test_attacks."""

import random
import zlib
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from asn1crypto.keys import PrivateKeyInfo
from asn1crypto.x509 import Certificate
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from local_tsa import Clock, authorities, running
from pyhanko.pdf_utils.generic import ArrayObject, DictionaryObject, StreamObject, pdf_name
from pyhanko.sign.signers import PdfSignatureMetadata
from pyhanko.sign.signers.pdf_signer import PdfTimeStamper
from pyhanko.sign.timestamps.dummy_client import DummyTimeStamper
from small_run import WHEN, render_pdf

from frtaudit.core.spec_values import PadesLevel
from frtaudit.errors import VerificationError
from frtaudit.signing.foreign_key import foreign_signer
from frtaudit.signing.key_folder import generate
from frtaudit.signing.pdf import additions
from frtaudit.signing.pdf.appending import Appending, signature_metadata
from frtaudit.signing.pdf.pades import WITH_REVOCATION, WITH_TIME, pades_of
from frtaudit.signing.pdf.reader import ReportReader
from frtaudit.signing.pdf.revisions import AlterationError
from frtaudit.signing.pdf.signature import read_signed_pdf, sign_pdf
from frtaudit.signing.signer import Signer

LATER = WHEN + timedelta(hours=1)
FLIPS = 150
NAMES = ["Prüfstelle Łódź", "監査法人", "(a) \\ <b> /c", "x" * 64, "مدقق", "a\tb"]


@pytest.fixture(scope="module")
def clock() -> Iterator[Clock]:
    """A time-stamping authority on loopback."""
    with running() as found:
        yield found


@pytest.fixture(scope="module")
def issued(tmp_path_factory: pytest.TempPathFactory) -> Signer:
    """A key that the test root issued."""
    key = ec.generate_private_key(ec.SECP256R1())
    parts = (authorities().issued("Issued", key), authorities().root)
    path = tmp_path_factory.mktemp("issued") / "key.pem"
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(pem + b"".join(item.public_bytes(Encoding.PEM) for item in parts))
    return foreign_signer(path)


@pytest.fixture(scope="module")
def made(
    issued: Signer, clock: Clock, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[PadesLevel], bytes]:
    """Makes a PDF signed at a level."""
    folder = tmp_path_factory.mktemp("evidence")
    (folder / "root.pem").write_bytes(authorities().root.public_bytes(Encoding.PEM))
    (folder / "root.crl").write_bytes(authorities().crl())

    def make(level: PadesLevel) -> bytes:
        tsa = clock.url if level in WITH_TIME else None
        evidence = str(folder) if level in WITH_REVOCATION else None
        return sign_pdf(render_pdf({}), issued, WHEN, pades_of(level, tsa, evidence, issued))

    return make


@pytest.fixture(scope="module")
def with_evidence(made: Callable[[PadesLevel], bytes]) -> bytes:
    """A PDF whose last revision is a DSS: nobody signed it."""
    return made(PadesLevel.B_LT)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_in_any_script_signs_and_approves(name: str, signer: Signer, tmp_path: Path) -> None:
    """Whatever stands in a certificate, what frtaudit appends is what it accepts."""
    try:
        approver = generate(tmp_path / "key", name, None, WHEN)
    except Exception:  # noqa: BLE001  a name that no certificate takes
        pytest.skip("no certificate takes this name")
    pdf = sign_pdf(sign_pdf(render_pdf({}), approver, WHEN), signer, LATER)
    assert len(read_signed_pdf(pdf, (), "f").signatures) == 2


@pytest.mark.parametrize("level", list(PadesLevel))
def test_signatures_follow_every_level(
    level: PadesLevel, made: Callable[[PadesLevel], bytes], signer: Signer, other: Signer
) -> None:
    """Two approvers sign a PDF of each level; nothing in front of them moves."""
    pdf = made(level)
    first = sign_pdf(pdf, signer, LATER)
    second = sign_pdf(first, other, LATER)
    read = read_signed_pdf(second, [authorities().root], "f")
    assert second.startswith(first)
    assert first.startswith(pdf)
    assert read.signatures[0].distrust is None
    assert read.signatures[-1].end == len(second)


@pytest.mark.parametrize("name", ["Signature7", "Timestamp-165db6f4-92f9-4031-999d-35461a68a499"])
def test_a_signature_has_the_name_of_its_place(
    name: str, signer: Signer, other: Signer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No signature passes for another one, or for a time."""
    pdf = sign_pdf(render_pdf({}), signer, WHEN)

    def named(number: int, who: str) -> PdfSignatureMetadata:
        return replace(signature_metadata(number, who), field_name=name)

    monkeypatch.setattr("frtaudit.signing.pdf.signature.signature_metadata", named)
    with pytest.raises(VerificationError, match="a field was added that is not a signature"):
        sign_pdf(pdf, other, LATER)


def stamped(
    pdf: bytes, key: rsa.RSAPrivateKey, certificate: x509.Certificate, algorithm: str = "sha256"
) -> bytes:
    """A PDF with a time over it, by whoever holds this key."""
    secret = PrivateKeyInfo.load(key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()))
    authority = DummyTimeStamper(Certificate.load(certificate.public_bytes(Encoding.DER)), secret)
    return (
        PdfTimeStamper(authority)
        .timestamp_pdf(Appending.from_reader(ReportReader(pdf)), algorithm)
        .getvalue()
    )


def test_a_time_over_a_weak_digest_is_refused(signer: Signer) -> None:
    """Of SHA-1 a second document can be found."""
    pki = authorities()
    pdf = stamped(sign_pdf(render_pdf({}), signer, WHEN), pki.tsa_key, pki.tsa, "sha1")
    with pytest.raises(VerificationError, match="weak algorithm"):
        read_signed_pdf(pdf, [pki.root], "f")


def test_a_signature_of_a_million_digits_is_not_parsed(signer: Signer) -> None:
    """It would take a minute and gigabytes."""
    pdf = sign_pdf(render_pdf({}), signer, WHEN)
    longer = pdf.replace(b"/Contents <", b"/Contents <" + b"0" * (1 << 20))
    with pytest.raises(VerificationError, match="hexadecimal digits in a row"):
        read_signed_pdf(longer, (), "f")


def test_a_time_over_all_ends_the_file(made: Callable[[PadesLevel], bytes]) -> None:
    """At B-LTA no byte stands outside the last timestamp."""
    pdf = made(PadesLevel.B_LTA)
    assert read_signed_pdf(pdf, (), "f").signatures[-1].end == len(pdf)


def test_flips_in_revocation_data_are_found(with_evidence: bytes) -> None:
    """Nobody signed the DSS of a B-LT file, and still each of its bytes is the only one that can stand there."""
    chance = random.Random(4)
    start = read_signed_pdf(with_evidence, (), "f").signatures[0].end
    assert start < len(with_evidence)
    for position in chance.sample(range(start, len(with_evidence)), FLIPS):
        forged = bytearray(with_evidence)
        forged[position] ^= 1 << chance.randrange(8)
        with pytest.raises(VerificationError):
            read_signed_pdf(bytes(forged), (), "f")


def appended(pdf: bytes, change: Callable[[Appending], None]) -> bytes:
    """One more revision, in frtaudit's own form."""
    writer = Appending.from_reader(ReportReader(pdf))
    change(writer)
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def store(writer: Appending) -> DictionaryObject:
    """The DSS, to be changed."""
    found: DictionaryObject = writer.root["/DSS"]
    writer.update_container(found)
    return found


def taken(writer: Appending) -> None:
    """A certificate is taken out."""
    store(writer)["/Certs"].pop()


def same(writer: Appending) -> None:
    """Nothing changes."""
    store(writer)


def doubled(writer: Appending) -> None:
    """A certificate is listed twice."""
    certificates = store(writer)["/Certs"]
    certificates.append(certificates.raw_get(0))


def copied(writer: Appending) -> None:
    """A certificate stands in two objects."""
    certificates = store(writer)["/Certs"]
    certificates.append(writer.add_object(StreamObject(stream_data=certificates[0].data)))


def older_list(writer: Appending) -> None:
    """Another root's list of revoked certificates with the same name."""
    stranger = authorities.__wrapped__()
    data = x509.load_pem_x509_crl(stranger.crl()).public_bytes(Encoding.DER)
    store(writer)["/CRLs"].append(writer.add_object(StreamObject(stream_data=data)))


def list_as_certificate(writer: Appending) -> None:
    """A list of revoked certificates among the certificates."""
    held = store(writer)
    held["/Certs"].append(writer.add_object(StreamObject(stream_data=held["/CRLs"][0].data + b" ")))


def emptied(writer: Appending) -> None:
    """A new DSS in place of the old one."""
    made = writer.add_object(StreamObject(stream_data=store(writer)["/Certs"][0].data))
    writer.root[pdf_name("/DSS")] = writer.add_object(
        DictionaryObject({pdf_name("/Certs"): ArrayObject([made])})
    )
    writer.update_root()


@pytest.mark.parametrize(
    "change",
    [taken, same, doubled, copied, older_list, list_as_certificate, emptied],
    ids=lambda change: change.__name__,
)
def test_a_dss_only_grows_by_what_belongs(change: Callable[[Appending], None], with_evidence: bytes) -> None:
    """Nothing is taken away, doubled, or put in that no signer's authority signed."""
    with pytest.raises(VerificationError, match="in a way that it forbids"):
        read_signed_pdf(appended(with_evidence, change), (), "f")


def test_a_newer_list_is_accepted(with_evidence: bytes) -> None:
    """A genuine list of the signer's authority belongs, whoever appends it."""

    def newer(writer: Appending) -> None:
        data = x509.load_pem_x509_crl(authorities().crl()).public_bytes(Encoding.DER)
        store(writer)["/CRLs"].append(writer.add_object(StreamObject(stream_data=data)))

    assert (
        read_signed_pdf(appended(with_evidence, newer), [authorities().root], "f").signatures[0].distrust
        is None
    )


@pytest.mark.parametrize("days", [-400, 400])
def test_a_list_that_revokes_the_signer_is_seen(days: int, with_evidence: bytes, issued: Signer) -> None:
    """Revoked before a trusted authority saw the signature: it holds, and its signer is not trusted. Later: trusted."""
    since = datetime.now(UTC) + timedelta(days=days)

    def revoke(writer: Appending) -> None:
        data = x509.load_pem_x509_crl(authorities().crl(issued.certificate, since=since)).public_bytes(
            Encoding.DER
        )
        store(writer)["/CRLs"].append(writer.add_object(StreamObject(stream_data=data)))

    pdf = appended(with_evidence, revoke)
    found = read_signed_pdf(pdf, [authorities().root], "f").signatures[0]
    assert (found.distrust is None) == (days > 0)
    assert days > 0 or "revoked on" in str(found.distrust)
    assert found.ended == found.distrust  # whoever trusts the key itself is told, too


KEY = b"/" + b"A" * 40
DSS_LINES = (b"/Certs [ 1 0 R ]", b"/CRLs [ 2 0 R ]", b"/VRI <<\n" + KEY + b" 3 0 R\n>>")


@pytest.mark.parametrize("more", [(), (DSS_LINES[1],), (DSS_LINES[2],), (b"/Other [ 1 0 R ]",)])
def test_a_dss_has_each_list_once(more: tuple[bytes, ...]) -> None:
    """A list of revocation data or of signatures that stands twice, or another one, is not of frtaudit."""
    texts = {number: b"<<\n/Length 1\n>>\nstream\n%d\nendstream" % number for number in (1, 2)}
    text = b"\n".join((b"<<", *DSS_LINES, *more, b">>"))
    if more:
        with pytest.raises(AlterationError, match="the DSS is not in the form"):
            additions._store(text, texts)
        return
    store = additions._store(text, texts)
    assert (store.certificates, store.crls, store.vri) == ({1: b"1"}, {2: b"2"}, {KEY[1:]: 3})


def test_an_object_of_before_is_not_new() -> None:
    """What a revision adds has a number above those of before, and is added once."""
    step = additions._Step.__new__(additions._Step)
    step.left, step.size = {7: b"changed", 12: b"added"}, 10
    for number in (7, 13):
        with pytest.raises(additions.AlterationError, match=f"^object {number} is not one that was added"):
            step._new(number)
    assert step._new(12) == b"added"
    with pytest.raises(additions.AlterationError, match="12"):
        step._new(12)


@pytest.mark.parametrize(
    ("info", "metadata", "words"),
    [
        (b"/ModDate (D\\07220260305050607Z)\n/Title (a)", b"a", None),
        (b"/ModDate (D\\07220260305050607Z)\n/Title (b)", b"a", "information dictionary was changed"),
        (b"/ModDate (D\\07220260304050607Z)\n/Title (a)", b"b", "metadata were changed"),
    ],
)
def test_version_0_1_changed_dates_alone(info: bytes, metadata: bytes, words: str | None) -> None:
    """The time of the change in information and metadata; any other change of them is refused."""

    def xmp(content: bytes, day: int) -> bytes:
        data = zlib.compress(b'<x xmp:ModifyDate="2026-03-%02dT05:06:07+00:00">%s</x>' % (day, content))
        head = b"<<\n/Type /Metadata\n/Subtype /XML\n/Filter /FlateDecode\n/Length %d\n>>\nstream\n" % len(
            data
        )
        return head + data + b"\nendstream"

    before = {3: xmp(b"a", 4), 9: b"<<\n/ModDate (D\\07220260304050607Z)\n/Title (a)\n>>"}
    step = additions._Step.__new__(additions._Step)
    step.revision = cast("additions.Revision", SimpleNamespace(trailer={b"/Info": b"9 0 R"}))
    step.catalog, step.before = b"<<\n/Metadata 3 0 R\n>>", before
    step.left = {3: xmp(metadata, 5), 9: b"<<\n" + info + b"\n>>"}
    with nullcontext() if words is None else pytest.raises(additions.AlterationError, match=words):
        step.check_dates()
        assert not step.left
