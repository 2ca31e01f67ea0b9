"""Tests of frtaudit.signing.parties: certificates of an authority that were not meant, or not valid, for signing."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID
from local_tsa import named
from small_run import WHEN, write_run

from frtaudit.signing.foreign_key import foreign_signer
from frtaudit.signing.parties import Evidence, parties
from frtaudit.signing.pdf.signature import PdfSignature, SignedPdf
from frtaudit.signing.signer import Signer
from frtaudit.signing.statement import Scope, Statement
from frtaudit.signing.trust import Trust
from frtaudit.signing.verification import CheckStatus
from frtaudit.signing.verify import verify

DAY = timedelta(days=1)
USES = (
    *("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement"),
    *("key_cert_sign", "crl_sign", "encipher_only", "decipher_only"),
)
SIGNS, CERTIFIES = ("digital_signature", "content_commitment"), ("key_cert_sign", "crl_sign")
Key = ec.EllipticCurvePrivateKey


def key() -> Key:
    """A throw-away key."""
    return ec.generate_private_key(ec.SECP256R1())


def issue(
    name: str,
    own: Key,
    issuer: tuple[str, Key],
    uses: tuple[str, ...] = SIGNS,
    *,
    since: datetime = WHEN - 100 * DAY,
    until: datetime = WHEN + 100 * DAY,
    purposes: tuple[x509.ObjectIdentifier, ...] = (),
) -> x509.Certificate:
    """A certificate of ``own``; one that certifies is an authority's."""
    made = x509.CertificateBuilder().subject_name(named(name)).issuer_name(named(issuer[0]))
    made = made.public_key(own.public_key()).serial_number(x509.random_serial_number())
    made = made.not_valid_before(since).not_valid_after(until)
    made = made.add_extension(x509.BasicConstraints(ca=uses == CERTIFIES, path_length=None), critical=True)
    made = made.add_extension(x509.KeyUsage(**{use: use in uses for use in USES}), critical=True)
    if purposes:
        made = made.add_extension(x509.ExtendedKeyUsage(purposes), critical=True)
    return made.sign(issuer[1], hashes.SHA256())


ROOT_KEY = key()
ROOT = issue("Root", ROOT_KEY, ("Root", ROOT_KEY), CERTIFIES)
MIDDLE_KEY = key()
Chain = Callable[[Key], tuple[x509.Certificate, ...]]


def leaf(**options: object) -> Chain:
    """A signer's certificate by the root."""
    return lambda own: (issue("Signer", own, ("Root", ROOT_KEY), **options), ROOT)  # type: ignore[arg-type]  # as issue has them


def subordinate(uses: tuple[str, ...] = CERTIFIES, **options: datetime) -> Chain:
    """A signer's certificate by somebody whom the root certified."""
    middle = issue("Middle", MIDDLE_KEY, ("Root", ROOT_KEY), uses, **options)  # type: ignore[arg-type]  # as issue has them
    return lambda own: (issue("Signer", own, ("Middle", MIDDLE_KEY)), middle, ROOT)


# How a certificate came about: exit code where the root is trusted, and where the certificate itself is.
CASES: dict[str, tuple[Chain, int, int]] = {
    "whole": (leaf(), 0, 0),
    "expired since": (leaf(until=WHEN + DAY), 0, 0),
    "expired before": (leaf(until=WHEN - DAY), 3, 3),
    "not yet valid": (leaf(since=WHEN + DAY), 3, 3),
    "for encryption": (leaf(uses=("key_encipherment",)), 3, 0),
    "of a server": (leaf(purposes=(ExtendedKeyUsageOID.SERVER_AUTH,)), 3, 0),
    "of a time-stamping authority": (leaf(purposes=(ExtendedKeyUsageOID.TIME_STAMPING,)), 3, 0),
    "for mail": (leaf(purposes=(ExtendedKeyUsageOID.EMAIL_PROTECTION,)), 0, 0),
    "by an authority below": (subordinate(), 0, 0),
    "by another signer": (subordinate(SIGNS), 3, 0),
    "by an expired authority": (subordinate(until=WHEN - DAY), 3, 0),
}


@pytest.mark.parametrize("name", CASES)
def test_a_certificate_vouches_for_what_it_was_issued(name: str, tmp_path: Path) -> None:
    """Whoever trusts the root trusts signers that it certified for signing; no trust heals the wrong years."""
    chain, by_root, by_itself = CASES[name]
    own = key()
    certificates = chain(own)
    pem = own.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "key.pem").write_bytes(
        pem
        + b"".join(one.public_bytes(Encoding.PEM) for one in (*certificates, issue("x", key(), ("y", key()))))
    )
    run = write_run(tmp_path / "run", foreign_signer(tmp_path / "key.pem"))
    for trusted, code in ((ROOT, by_root), (certificates[0], by_itself)):
        (tmp_path / "trust.pem").write_bytes(trusted.public_bytes(Encoding.PEM))
        for path in (run, run / "report.pdf"):
            found = verify(path, [tmp_path / "trust.pem"])
            assert found.exit_code == code, str(found)
            if trusted is not ROOT and code:  # what is trusted already is no advice
                assert "to trust:" not in str(found)


def _signature(signer: Signer, distrust: str | None) -> PdfSignature:
    """A signature of the PDF with the certificate of ``signer``."""
    return PdfSignature(
        field="Signature1",
        certificate=signer.certificate,
        when=WHEN,
        end=1,
        is_timestamp=False,
        distrust=distrust,
    )


def test_a_signer_gives_no_time(signer: Signer) -> None:
    """Trust in a signer is no trust in a time that the signer's own key gave: it could be any."""
    statement = Statement(
        scope=Scope.INNER,
        subjects={},
        spec=None,
        inputs={},
        when=WHEN,
        public_key=signer.public_key,
        certificate=signer.certificate,
    )
    made = _signature(signer, "chain")
    pdf = SignedPdf(signatures=(made, replace(made, is_timestamp=True)), attachments={})
    trust = Trust(keyids=frozenset({statement.keyid}))
    found = parties(Evidence(pdf=pdf, inner=statement), trust)
    assert [check.status for check in found] == [CheckStatus.OK, CheckStatus.UNTRUSTED]


@pytest.mark.parametrize("names", [True, False])
def test_a_trusted_certificate_vouches_for_the_key_of_its_statement(
    signer: Signer, other: Signer, names: bool
) -> None:
    """The key of the outer statement is trusted where its certificate is that of a trusted signature of the PDF."""
    certificate = signer.certificate if names else other.certificate
    outer: Any = SimpleNamespace(certificate=certificate, is_of_certificate=True, keyid="k" * 64, when=WHEN)
    made = _signature(signer, None)
    pdf = SignedPdf(signatures=(made,), attachments={})
    first, *_ = parties(Evidence(pdf=pdf, outer=outer), Trust())
    assert first.status is (CheckStatus.OK if names else CheckStatus.UNTRUSTED)
