"""A key's folder of four PEM files: made, and read.

``public.pem`` is the one to hand to those who verify. A self-signed certificate proves integrity; who holds the key
must be settled outside of it.
"""

import errno
import os
from datetime import UTC, datetime, time, timedelta
from functools import partial
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import NameOID
from securesystemslib.signer import CryptoSigner, SSlibKey  # type: ignore[attr-defined]  # not re-exported

from frtaudit.config.named_files import CERTIFICATE, PDF_KEY, STATEMENT_KEY
from frtaudit.core.machine import signals
from frtaudit.core.machine.draft_folder import draft_folder
from frtaudit.core.machine.faults import as_line
from frtaudit.errors import DataError
from frtaudit.signing.password import PASSWORD_FILE, bytes_of, unlocked
from frtaudit.signing.signer import NAMES, Signer, is_comparable, key_fingerprint

PUBLIC = "public.pem"
YEARS = 10
_TAKEN = (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR)

PrivateKey = ed25519.Ed25519PrivateKey | ec.EllipticCurvePrivateKey


def generate(folder: Path, name: str, password: bytes | None, when: datetime) -> Signer:
    """Make a key in ``folder``, which must be new or empty: all four files appear at once, or none.

    ``when``: aware; the certificate holds for ten years from the start of that day (UTC).
    Raises DataError when the folder holds something or cannot be written.
    """
    try:
        with draft_folder(folder.parent, f".{folder.name}.draft-") as (draft, _, _):
            _write_key(draft, name, password, when)
            signals.check()
            draft.rename(folder)
    except OSError as error:
        if error.errno in _TAKEN and folder.parent.is_dir():
            raise DataError(str(folder), "is not empty", "a new or empty folder") from None
        raise as_line(error, str(folder)) from None
    return read(folder, password)


def read(folder: Path, password: bytes | None = None) -> Signer:
    """Load the key that :func:`generate` made. Raises DataError: missing file, wrong or missing password."""
    statement = _private(folder / STATEMENT_KEY, password)
    pdf_key = _private(folder / PDF_KEY, password)
    if not isinstance(statement, ed25519.Ed25519PrivateKey):
        raise DataError(str(folder / STATEMENT_KEY), "is not an Ed25519 key", "a key of frtaudit keygen")
    if not isinstance(pdf_key, ec.EllipticCurvePrivateKey):
        raise DataError(str(folder / PDF_KEY), "is not an ECDSA key", "a key of frtaudit keygen")
    certificate = certificate_in(folder)
    if certificate.public_key() != pdf_key.public_key():
        raise DataError(str(folder), f"{CERTIFICATE} does not belong to {PDF_KEY}")
    public_key = statement.public_key()
    keyid = key_fingerprint(public_key)
    crypto = CryptoSigner(statement, SSlibKey.from_crypto(public_key, keyid=keyid))
    return Signer(
        statement=crypto, public_key=public_key, pdf_key=pdf_key, certificate=certificate, keyid=keyid
    )


def certificate_in(folder: Path) -> x509.Certificate:
    """The certificate of a key's folder. Raises DataError."""
    try:
        return x509.load_pem_x509_certificate(bytes_of(folder / CERTIFICATE))
    except ValueError:
        raise DataError(str(folder / CERTIFICATE), "holds no certificate", "PEM") from None


def is_locked(folder: Path) -> bool:
    """Whether the key of a folder takes a password. Raises DataError."""
    return b"ENCRYPTED" in bytes_of(folder / STATEMENT_KEY).split(b"\n", 1)[0]


def _write_key(folder: Path, name: str, password: bytes | None, when: datetime) -> None:
    lock = NoEncryption() if password is None else BestAvailableEncryption(password)
    statement, pdf_key = ed25519.Ed25519PrivateKey.generate(), ec.generate_private_key(ec.SECP256R1())
    certificate = _self_signed(pdf_key, name, when).public_bytes(Encoding.PEM)
    public = statement.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    _write(folder / STATEMENT_KEY, _pem(statement, lock), 0o600)
    _write(folder / PDF_KEY, _pem(pdf_key, lock), 0o600)
    _write(folder / CERTIFICATE, certificate, 0o644)
    _write(folder / PUBLIC, public + certificate, 0o644)


def _self_signed(key: ec.EllipticCurvePrivateKey, name: str, when: datetime) -> x509.Certificate:
    start = datetime.combine(when.astimezone(UTC), time.min, UTC)
    subject = _subject(name)
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + timedelta(days=365.25 * YEARS))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(
            x509.KeyUsage(
                digital_signature=True,
                content_commitment=True,
                key_encipherment=False,
                data_encipherment=False,
                key_agreement=False,
                key_cert_sign=False,
                crl_sign=False,
                encipher_only=False,
                decipher_only=False,
            ),
            critical=True,
        )
        .add_extension(identifier, critical=False)
        .sign(key, hashes.SHA256())
    )


def _subject(name: str) -> x509.Name:
    try:
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    except ValueError:
        subject = None
    if subject is None or not is_comparable(subject):
        raise DataError("--name", f"{name!r} does not fit a certificate", NAMES)
    return subject


def _pem(key: PrivateKey, lock: KeySerializationEncryption) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, lock)


def _write(path: Path, data: bytes, mode: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(data)


def _private(path: Path, password: bytes | None) -> object:
    try:
        return unlocked(partial(load_pem_private_key, bytes_of(path)), password)
    except TypeError:
        problem = "is encrypted" if password is None else "is not encrypted, but a password was given"
        raise DataError(str(path), problem, f"a password file, {PASSWORD_FILE}, or a prompt") from None
    except ValueError:
        problem = "cannot be read" if password is None else "the password is wrong, or this is no key"
        raise DataError(str(path), problem, "PKCS#8 PEM") from None
