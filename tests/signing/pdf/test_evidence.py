"""Tests of frtaudit.signing.pdf.evidence. In whole files: test_additions."""

from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import ocsp
from local_tsa import Authorities, authorities
from twin_certificate import twin

from frtaudit.signing.pdf.additions import Store
from frtaudit.signing.pdf.evidence import chains, check_store, issued, path_of, revoked
from frtaudit.signing.pdf.revisions import AlterationError

NOW = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def pki() -> Authorities:
    """A root and its authority."""
    return authorities()


@pytest.fixture(scope="module")
def leaf(pki: Authorities) -> x509.Certificate:
    """A certificate of the root."""
    return pki.issued("Leaf", ec.generate_private_key(ec.SECP256R1()))


def der(certificate: x509.Certificate) -> bytes:
    """A certificate's bytes."""
    return certificate.public_bytes(Encoding.DER)


def response(
    pki: Authorities,
    about: x509.Certificate,
    when: datetime | None,
    by: x509.Certificate | None = None,
    key: ec.EllipticCurvePrivateKey | None = None,
) -> bytes:
    """An OCSP response of the root, or ``by`` another: good, or revoked at a time."""
    builder = ocsp.OCSPResponseBuilder().add_response(
        cert=about,
        issuer=pki.root,
        algorithm=hashes.SHA256(),
        cert_status=ocsp.OCSPCertStatus.REVOKED if when else ocsp.OCSPCertStatus.GOOD,
        this_update=NOW,
        next_update=NOW + timedelta(days=1),
        revocation_time=when,
        revocation_reason=None,
    )
    signed = builder.responder_id(ocsp.OCSPResponderEncoding.HASH, by or pki.root).sign(
        key or pki.root_key, hashes.SHA256()
    )
    return signed.public_bytes(Encoding.DER)


def test_a_chain_goes_up_and_not_aside(pki: Authorities, leaf: x509.Certificate) -> None:
    """The root of a certificate is of its chain; its sister is not."""
    assert issued(leaf, pki.root)
    assert not issued(pki.root, leaf)
    assert chains([leaf], [pki.root, pki.tsa]) == {leaf, pki.root}


def test_a_path_has_one_certificate_a_step(pki: Authorities, leaf: x509.Certificate) -> None:
    """It ends where a certificate issued itself; of twins one stands in it."""
    assert path_of(leaf, [pki.tsa, pki.root, leaf]) == [leaf, pki.root]
    assert path_of(leaf, [pki.root, twin(pki.root)]) == [leaf, pki.root]
    assert path_of(pki.root, [twin(pki.root), leaf]) == [pki.root]
    assert path_of(leaf, []) == [leaf]


def test_what_belongs_passes(pki: Authorities, leaf: x509.Certificate) -> None:
    """Chain, list and response of a signer."""
    crl = x509.load_pem_x509_crl(pki.crl()).public_bytes(Encoding.DER)
    held = Store(
        certificates={1: der(leaf), 2: der(pki.root)}, crls={3: crl}, ocsps={4: response(pki, leaf, None)}
    )
    check_store(held, [leaf])
    assert revoked(leaf, held) is None


def test_what_does_not_belong_is_refused(pki: Authorities, leaf: x509.Certificate) -> None:
    """A sister's certificate and response, a root that nobody needs, changed bytes, and bytes that are none of it."""
    sister = pki.issued("Sister", ec.generate_private_key(ec.SECP256R1()))
    crl = x509.load_pem_x509_crl(pki.crl()).public_bytes(Encoding.DER)
    good = {1: der(leaf), 2: der(pki.root)}
    changed = bytearray(response(pki, leaf, None))
    changed[-1] ^= 1
    refused = [
        Store(certificates={**good, 3: der(sister)}),
        Store(certificates={3: der(sister)}),
        Store(certificates=good, crls={4: crl[:-1] + bytes([crl[-1] ^ 1])}),
        Store(certificates={1: der(leaf)}, crls={4: crl}),
        Store(certificates=good, ocsps={5: response(pki, sister, None)}),
        Store(certificates=good, ocsps={5: bytes(changed)}),
        Store(certificates=good, ocsps={5: b"junk"}),
        Store(certificates={**good, 3: b"junk"}),
        Store(certificates={1: der(leaf) + b"0", 2: der(pki.root)}),
    ]
    for held in refused:
        with pytest.raises(AlterationError):
            check_store(held, [leaf])


def test_a_revoked_certificate_is_found(pki: Authorities, leaf: x509.Certificate) -> None:
    """By a list or by a response; the earliest time counts."""
    early, late = NOW - timedelta(days=9), NOW - timedelta(days=2)
    crl = x509.load_pem_x509_crl(pki.crl(leaf, since=early)).public_bytes(Encoding.DER)
    good = {1: der(leaf), 2: der(pki.root)}
    assert revoked(leaf, Store(certificates=good, ocsps={5: response(pki, leaf, late)})) == late
    held = Store(certificates=good, crls={4: crl}, ocsps={5: response(pki, leaf, late)})
    assert revoked(leaf, held) == early
    assert revoked(pki.tsa, held) is None


def test_nobody_revokes_the_certificate_of_another_authority(
    pki: Authorities, leaf: x509.Certificate
) -> None:
    """Not by a list of an authority of the same name, and not as a signer, or an authority, of the same PDF."""
    other = authorities.__wrapped__()
    signer_key = ec.generate_private_key(ec.SECP256R1())
    colleague = pki.issued("Colleague", signer_key)
    approver = other.issued("Approver", signer_key)
    assert (other.root.subject, other.root == pki.root) == (pki.root.subject, False)
    held = {1: der(leaf), 2: der(pki.root), 3: der(approver), 4: der(other.root), 5: der(colleague)}
    signers = [leaf, approver, colleague]

    crl = x509.load_pem_x509_crl(other.crl(leaf, since=NOW)).public_bytes(Encoding.DER)
    listed = Store(certificates=held, crls={6: crl})
    check_store(listed, signers)  # genuine, and about nobody here
    assert revoked(leaf, listed) is None

    for by, key in ((other.root, other.root_key), (approver, signer_key), (colleague, signer_key)):
        store = Store(certificates=held, ocsps={6: response(pki, leaf, NOW, by, key)})
        with pytest.raises(AlterationError, match="an OCSP response"):
            check_store(store, signers)
        assert revoked(leaf, store) is None
