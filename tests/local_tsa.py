"""A time-stamping authority on loopback, with a certificate authority of its own that also makes signers and CRLs.

For tests only: throw-away RSA keys (pyHanko's stand-in for an authority knows no others).
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer

from asn1crypto import tsp
from asn1crypto.keys import PrivateKeyInfo
from asn1crypto.x509 import Certificate
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from pyhanko.sign.timestamps.dummy_client import DummyTimeStamper
from pyhanko_certvalidator.registry import SimpleCertificateStore

SINCE = datetime(2026, 1, 1, tzinfo=UTC)
YEARS = timedelta(days=3650)
Key = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey


def named(name: str) -> x509.Name:
    """A subject or issuer with this common name."""
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


@dataclass(frozen=True, kw_only=True)
class Authorities:
    """A root, and the key and certificate of a time-stamping authority under it."""

    root_key: rsa.RSAPrivateKey
    root: x509.Certificate
    tsa_key: rsa.RSAPrivateKey
    tsa: x509.Certificate

    def issued(self, name: str, key: Key) -> x509.Certificate:
        """A certificate for signing, by the root."""
        return certificate(name, key, self.root_key, usage="sign")

    def crl(self, *revoked: x509.Certificate, since: datetime = SINCE + timedelta(days=1)) -> bytes:
        """The root's list of certificates revoked ``since`` then, PEM."""
        builder = x509.CertificateRevocationListBuilder().issuer_name(self.root.subject)
        now = datetime.now(UTC)
        builder = builder.last_update(now - timedelta(days=1)).next_update(now + YEARS)
        builder = builder.add_extension(x509.CRLNumber(1), critical=False)
        builder = builder.add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(self.root_key.public_key()), critical=False
        )
        for item in revoked:
            entry = x509.RevokedCertificateBuilder().serial_number(item.serial_number)
            builder = builder.add_revoked_certificate(entry.revocation_date(since).build())
        return builder.sign(self.root_key, hashes.SHA256()).public_bytes(Encoding.PEM)


def certificate(name: str, key: Key, issuer_key: rsa.RSAPrivateKey, usage: str) -> x509.Certificate:
    """A certificate of ``key`` by "Test root": for a root, for signing, or for time stamps."""
    is_root = usage == "root"
    bits = dict.fromkeys(
        ("key_encipherment", "data_encipherment", "key_agreement", "encipher_only", "decipher_only"), False
    )
    builder = (
        x509.CertificateBuilder()
        .subject_name(named(name))
        .issuer_name(named("Test root"))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(SINCE)
        .not_valid_after(SINCE + YEARS)
        .add_extension(x509.BasicConstraints(ca=is_root, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.KeyUsage(
                digital_signature=not is_root,
                content_commitment=usage == "sign",
                key_cert_sign=is_root,
                crl_sign=is_root,
                **bits,
            ),
            critical=True,
        )
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False
        )
    )
    if usage == "time":
        stamping = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
        builder = builder.add_extension(stamping, critical=True)
    return builder.sign(issuer_key, hashes.SHA256())


@cache
def authorities() -> Authorities:
    """One root and one time-stamping authority for all tests of a process."""
    root_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    tsa_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return Authorities(
        root_key=root_key,
        root=certificate("Test root", root_key, root_key, "root"),
        tsa_key=tsa_key,
        tsa=certificate("Test time", tsa_key, root_key, "time"),
    )


@dataclass(kw_only=True)
class Clock:
    """What the authority answers with: its time (None: now), an HTTP error, or ``sends``, what is no time.

    ``after``: so many requests have an answer with a time first.
    """

    url: str = ""
    when: datetime | None = None
    status: int = 200
    sends: bytes | None = None
    kind: str = "application/timestamp-reply"
    after: int = 0
    requests: list[bytes] = field(default_factory=list)


def answer(body: bytes, clock: Clock) -> bytes:
    """The authority's answer to a request."""
    made = authorities()
    store = SimpleCertificateStore()
    store.register(Certificate.load(made.root.public_bytes(Encoding.DER)))
    key = made.tsa_key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    stamper = DummyTimeStamper(
        tsa_cert=Certificate.load(made.tsa.public_bytes(Encoding.DER)),
        tsa_key=PrivateKeyInfo.load(key),
        certs_to_embed=store,
        fixed_dt=clock.when or datetime.now(UTC),
    )
    return bytes(stamper.request_tsa_response(tsp.TimeStampReq.load(body)).dump())


@contextmanager
def running() -> Iterator[Clock]:
    """The authority on a free port of loopback."""
    clock = Clock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            clock.requests.append(body)
            fails = len(clock.requests) > clock.after
            status = clock.status if fails else 200
            data = answer(body, clock) if status == 200 else b""
            data = clock.sends if fails and clock.sends is not None else data
            self.send_response(status)
            self.send_header("Content-Type", clock.kind if fails else "application/timestamp-reply")
            if status == 302:
                self.send_header("Location", "/other")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Tests are quiet."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    clock.url = f"http://127.0.0.1:{server.server_port}/tsa"
    try:
        yield clock
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
