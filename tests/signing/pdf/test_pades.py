"""Tests of frtaudit.signing.pdf.pades."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from local_tsa import Clock, authorities, running
from small_run import WHEN, make_page, make_result, render_pdf

from frtaudit.core.spec_values import PadesLevel
from frtaudit.errors import DataError
from frtaudit.signing.foreign_key import foreign_signer
from frtaudit.signing.pdf.pades import BASIC, WITH_REVOCATION, WITH_TIME, Pades, _read, pades_of
from frtaudit.signing.pdf.signature import read_signed_pdf, sign_pdf
from frtaudit.signing.signer import Signer


@pytest.fixture
def clock() -> Iterator[Clock]:
    """A time-stamping authority on loopback."""
    with running() as found:
        yield found


@pytest.fixture(scope="module")
def draft() -> bytes:
    """An unsigned PDF/A-3b."""
    return render_pdf({}, make_page(make_result()).decode())


@pytest.fixture(scope="module")
def issued(tmp_path_factory: pytest.TempPathFactory) -> Signer:
    """A key that the test root issued, in PKCS#12 with a password in a file."""
    folder = tmp_path_factory.mktemp("issued")
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = authorities().issued("Issued signer", key)
    data = pkcs12.serialize_key_and_certificates(
        b"n", key, certificate, [authorities().root], BestAvailableEncryption(b"secret")
    )
    (folder / "key.p12").write_bytes(data)
    (folder / "password").write_text("secret\n")
    return foreign_signer(folder / "key.p12", folder / "password")


@pytest.fixture
def evidence(tmp_path: Path) -> Path:
    """The root and its list of revoked certificates, which is empty."""
    folder = tmp_path / "evidence"
    folder.mkdir()
    (folder / "root.pem").write_bytes(authorities().root.public_bytes(Encoding.PEM))
    (folder / "root.crl").write_bytes(authorities().crl())
    return folder


@pytest.mark.parametrize("level", list(PadesLevel))
def test_each_level_is_reached(
    level: PadesLevel, draft: bytes, issued: Signer, clock: Clock, evidence: Path
) -> None:
    """Signed at a level, a PDF reads back at that level, intact, trusted under the root alone, with its time."""
    tsa = clock.url if level in WITH_TIME else None
    pades = pades_of(level, tsa, str(evidence) if level in WITH_REVOCATION else None, issued)
    read = read_signed_pdf(sign_pdf(draft, issued, WHEN, pades), [authorities().root], "f")
    assert read.level is level
    assert all(item.distrust is None and item.time_distrust is None for item in read.signatures)
    first = read.signatures[0]
    assert (first.stamped is None) == (level is PadesLevel.B_B)
    assert first.authority == (None if level is PadesLevel.B_B else authorities().tsa)
    assert read.signatures[-1].is_timestamp == (level is PadesLevel.B_LTA)


def test_a_key_of_ones_own_reaches_every_level(
    draft: bytes, signer: Signer, clock: Clock, evidence: Path
) -> None:
    """A self-signed certificate is its own root: B-LTA is reached with the authority's evidence alone."""
    pades = pades_of(PadesLevel.B_LTA, clock.url, str(evidence), signer)
    assert read_signed_pdf(sign_pdf(draft, signer, WHEN, pades), (), "f").level is PadesLevel.B_LTA


def test_a_level_that_cannot_be_reached_is_refused(
    issued: Signer, clock: Clock, evidence: Path, tmp_path: Path
) -> None:
    """No authority, a silent one, no evidence, no CRL, or a revoked certificate: one line."""

    def refused(words: str, level: PadesLevel, tsa: str | None, folder: str | None) -> None:
        with pytest.raises(DataError, match=words) as caught:
            pades_of(level, tsa, folder, issued)
        assert "\n" not in str(caught.value)

    refused("report.tsa: no value", PadesLevel.B_T, None, None)
    refused("report.evidence: no value", PadesLevel.B_LT, clock.url, None)
    refused(
        "^report.tsa: 'http.*' is not used at report.pades=B-B; accepted: report.pades=B-T or report.pades=B-LT or",
        PadesLevel.B_B,
        clock.url,
        None,
    )
    refused(
        "^report.evidence: '.*' is not used at report.pades=B-T; accepted: report.pades=B-LT or report.pades=B-LTA$",
        PadesLevel.B_T,
        clock.url,
        str(evidence),
    )
    refused(
        "report.evidence: .*absent. is not a folder", PadesLevel.B_LT, clock.url, str(tmp_path / "absent")
    )
    (evidence / "root.crl").unlink()
    refused("B-LT cannot be reached", PadesLevel.B_LT, clock.url, str(evidence))
    (evidence / "root.crl").write_bytes(authorities().crl(issued.certificate))
    refused("B-LTA cannot be reached", PadesLevel.B_LTA, clock.url, str(evidence))
    (evidence / "notes.txt").write_text("nothing")
    refused("notes.txt contains none", PadesLevel.B_LT, clock.url, str(evidence))
    clock.status = 500
    refused("gives no time", PadesLevel.B_T, clock.url, None)


def test_evidence_is_read_to_its_last_byte() -> None:
    """A certificate with a byte behind it contains none of what is required."""
    data = authorities().root.public_bytes(Encoding.DER)
    assert _read(data, Path("root.der")).dump() == data
    with pytest.raises(DataError, match=r"root\.der contains none"):
        _read(data + b"\0", Path("root.der"))


def test_an_authority_that_falls_silent_stops_the_signature(
    draft: bytes, issued: Signer, clock: Clock
) -> None:
    """Between the trial and the signature the authority stops: nothing is signed at a lower level."""
    pades = pades_of(PadesLevel.B_T, clock.url, None, issued)
    clock.status = 503
    with pytest.raises(DataError, match=rf"B-T cannot be reached \(tsa {clock.url} gives no time \(HTTP 503"):
        sign_pdf(draft, issued, WHEN, pades)
    clock.status, clock.sends, clock.kind = 200, b"<html>", "text/html"
    with pytest.raises(DataError, match=r"B-T cannot be reached \(tsa .*answered with text/html"):
        sign_pdf(draft, issued, WHEN, pades)


def test_the_lowest_level_takes_nothing(issued: Signer) -> None:
    """B-B asks nobody for anything."""
    assert pades_of(PadesLevel.B_B, None, None, issued) is BASIC
    assert Pades() == BASIC


def test_pem_with_key_and_chain_is_a_key(tmp_path: Path) -> None:
    """A PEM file with key and certificates signs; without a certificate, or with a short key, it is refused."""
    key = ec.generate_private_key(ec.SECP256R1())
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    chain = [authorities().issued("PEM signer", key), authorities().root]
    path = tmp_path / "key.pem"
    path.write_bytes(pem + b"".join(item.public_bytes(Encoding.PEM) for item in chain))
    found = foreign_signer(path)
    assert (found.name, found.chain) == ("PEM signer", (authorities().root,))
    path.write_bytes(pem + authorities().root.public_bytes(Encoding.PEM))
    with pytest.raises(DataError, match="no certificate of its key"):
        foreign_signer(path)
    other = ec.generate_private_key(ec.SECP384R1())
    path.write_bytes(
        other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"x"))
        + authorities().root.public_bytes(Encoding.PEM)
    )
    (tmp_path / "password").write_text("x")
    with pytest.raises(DataError, match="no key that can sign here"):
        foreign_signer(path, tmp_path / "password")
    (tmp_path / "password").write_text("wrong")
    with pytest.raises(DataError, match="the password is wrong"):
        foreign_signer(path, tmp_path / "password")


def test_a_wrong_password_of_pkcs12_is_said(tmp_path: Path) -> None:
    """A wrong or missing password, and bytes that are no PKCS#12, are one line."""
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = authorities().issued("S", key)
    data = pkcs12.serialize_key_and_certificates(b"n", key, certificate, None, BestAvailableEncryption(b"x"))
    (tmp_path / "k.p12").write_bytes(data)
    (tmp_path / "wrong").write_text("y")
    for password in (None, tmp_path / "wrong"):
        with pytest.raises(DataError, match="password is wrong or missing"):
            foreign_signer(tmp_path / "k.p12", password)
