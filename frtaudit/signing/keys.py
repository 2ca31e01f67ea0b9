"""Signing keys: Ed25519 for statements (DSSE), ECDSA P-256 with a certificate for PDF signatures (PAdES).

A key is a folder of four PEM files; ``public.pem`` is the one to hand to those who verify. A self-signed
certificate proves integrity; who holds the key must be settled outside of it.

Long because every way to a key stands here: made, read, issued by somebody else, with its password.
"""

import argparse
import getpass
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    pkcs12,
)
from cryptography.x509.oid import NameOID
from securesystemslib.signer import CryptoSigner, SSlibKey  # type: ignore[attr-defined]  # not re-exported

from frtaudit.core.canonical import sha256
from frtaudit.core.machine import signals
from frtaudit.errors import DataError, FrtauditError

STATEMENT_KEY = "statement.key.pem"
PDF_KEY = "pdf.key.pem"
CERTIFICATE = "certificate.pem"
PUBLIC = "public.pem"
DEMO_NAME = "frtaudit demo key (integrity only)"
DEMO_FOLDER = "demo-key"
PASSWORD_FILE = "FRTAUDIT_PASSWORD_FILE"  # noqa: S105  the name of a variable that names a file
YEARS = 10
ASKED = f"a password file, {PASSWORD_FILE}, or a prompt"

PrivateKey = ed25519.Ed25519PrivateKey | ec.EllipticCurvePrivateKey
CertifiedKey = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey
PublicKey = ed25519.Ed25519PublicKey | ec.EllipticCurvePublicKey | rsa.RSAPublicKey


Bundle = tuple[CertifiedKey, tuple[x509.Certificate, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """A loaded key. ``keyid`` is the SHA-256 of the public key that signs statements (SubjectPublicKeyInfo, DER).

    ``chain``: certificates between ``certificate`` and its root, where an authority issued it.
    """

    statement: CryptoSigner = field(repr=False)
    public_key: PublicKey
    pdf_key: CertifiedKey = field(repr=False)
    certificate: x509.Certificate
    keyid: str
    chain: tuple[x509.Certificate, ...] = ()

    @property
    def is_demo(self) -> bool:
        """Whether this is a demo key: the report must say so."""
        return is_demo(self.certificate)

    @property
    def name(self) -> str:
        """Common name in the certificate."""
        return common_name(self.certificate)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the certificate (DER), as ``openssl x509 -fingerprint -sha256`` prints it."""
        return fingerprint(self.certificate)


def config_folder() -> Path:
    """The user's folder: FRTAUDIT_CONFIG_HOME, else XDG_CONFIG_HOME/frtaudit, else ~/.config/frtaudit."""
    if own := os.environ.get("FRTAUDIT_CONFIG_HOME"):
        return Path(own)
    shared = os.environ.get("XDG_CONFIG_HOME")
    return (Path(shared) if shared else Path.home() / ".config") / "frtaudit"


def key_fingerprint(public: PublicKey) -> str:
    """SHA-256 of a public key: ``openssl pkey -pubin -outform DER | sha256sum``."""
    return sha256(public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))


def fingerprint(certificate: x509.Certificate) -> str:
    """SHA-256 of a certificate (DER)."""
    return sha256(certificate.public_bytes(Encoding.DER))


def common_name(certificate: x509.Certificate) -> str:
    """The subject's common name, or the whole subject where there is none."""
    names = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(names[0].value) if names else certificate.subject.rfc4514_string()


def is_demo(certificate: x509.Certificate) -> bool:
    """Whether a certificate belongs to a demo key."""
    return common_name(certificate) == DEMO_NAME


def check_years(signer: Signer, when: datetime) -> None:
    """Raise DataError for a signer whose certificate does not hold at ``when`` (aware)."""
    first, last = signer.certificate.not_valid_before_utc, signer.certificate.not_valid_after_utc
    if not first <= when <= last:
        found = f"expired on {last:%Y-%m-%d}" if when > last else f"does not hold before {first:%Y-%m-%d}"
        raise DataError(f"key of {signer.name!r}", f"its certificate {found}", "a key within its years")


def generate(folder: Path, name: str, password: bytes | None, when: datetime) -> Signer:
    """Make a key in ``folder``, which must be new or empty: all four files appear at once, or none.

    ``when``: aware; the certificate holds for ten years from the start of that day (UTC).
    Raises DataError when the folder holds something or cannot be written.
    """
    draft = _draft_beside(folder)
    try:
        _write_key(draft, name, password, when)
        draft.rename(folder)
    except OSError:
        raise DataError(str(folder), "holds something already", "a new or empty folder") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return read(folder, password)


def read(folder: Path, password: bytes | None = None) -> Signer:
    """Load the key that :func:`generate` made. Raises DataError: missing file, wrong or missing password."""
    statement = _private(folder / STATEMENT_KEY, password)
    pdf_key = _private(folder / PDF_KEY, password)
    if not isinstance(statement, ed25519.Ed25519PrivateKey):
        raise DataError(str(folder / STATEMENT_KEY), "is no Ed25519 key", "a key of frtaudit keygen")
    if not isinstance(pdf_key, ec.EllipticCurvePrivateKey):
        raise DataError(str(folder / PDF_KEY), "is no ECDSA key", "a key of frtaudit keygen")
    certificate = _certificate(folder / CERTIFICATE)
    if certificate.public_key() != pdf_key.public_key():
        raise DataError(str(folder), f"{CERTIFICATE} does not belong to {PDF_KEY}")
    public_key = statement.public_key()
    keyid = key_fingerprint(public_key)
    crypto = CryptoSigner(statement, SSlibKey.from_crypto(public_key, keyid=keyid))
    return Signer(
        statement=crypto, public_key=public_key, pdf_key=pdf_key, certificate=certificate, keyid=keyid
    )


def load_signer(key: str | Path | None = None, password_file: str | Path | None = None) -> Signer:
    """The signer of a run: the key in the folder or file ``key``, or this machine's demo key.

    An encrypted key's password comes from ``password_file``, else from the file that FRTAUDIT_PASSWORD_FILE
    names, else from a prompt.
    """
    if key is None:
        return demo_signer(datetime.now(UTC))
    folder = Path(key)
    if folder.is_file():
        return foreign_signer(folder, password_file)
    if not folder.is_dir():
        raise DataError(
            f"key {folder}", "does not exist", "a folder of frtaudit keygen, a PKCS#12 or a PEM file"
        )
    password = None
    if _is_encrypted(folder / STATEMENT_KEY):
        password = _password(password_file, f"Password of {folder}: ")
    return read(folder, password)


def foreign_signer(path: Path, password_file: str | Path | None = None) -> Signer:
    """A key that somebody else issued, with its certificate: PKCS#12 (.p12, .pfx), or PEM with the key and its chain.

    The one key signs PDF and statement: ECDSA P-256, or RSA of 2048 bits or more. Raises DataError.
    """
    data = _bytes(path)
    key, certificates = (
        _from_pem(path, data, password_file)
        if b"-----BEGIN" in data
        else _from_pkcs12(path, data, password_file)
    )
    own = [item for item in certificates if item.public_key() == key.public_key()]
    if not own:
        raise DataError(str(path), "holds no certificate of its key", "the key with its certificate")
    public = key.public_key()
    keyid = key_fingerprint(public)
    return Signer(
        statement=CryptoSigner(key, SSlibKey.from_crypto(public, keyid=keyid)),
        public_key=public,
        pdf_key=key,
        certificate=own[0],
        keyid=keyid,
        chain=tuple(item for item in certificates if item != own[0]),
    )


def _from_pkcs12(path: Path, data: bytes, password_file: str | Path | None) -> Bundle:
    password = None
    for attempt in range(2):
        try:
            key, first, others = pkcs12.load_key_and_certificates(data, password)
        except ValueError:
            if attempt == 0:
                password = _password(password_file, f"Password of {path}: ")
                continue
            raise DataError(
                str(path), "the password is wrong or missing, or this is no PKCS#12", ASKED
            ) from None
        return _certified(path, key), tuple(item for item in (first, *others) if item is not None)
    raise DataError(str(path), "cannot be read", "PKCS#12")


def _from_pem(path: Path, data: bytes, password_file: str | Path | None) -> Bundle:
    password = _password(password_file, f"Password of {path}: ") if b"ENCRYPTED" in data else None
    try:
        key = load_pem_private_key(data, password)
        certificates = x509.load_pem_x509_certificates(data)
    except TypeError:
        raise DataError(str(path), "is encrypted", ASKED) from None
    except ValueError:
        raise DataError(
            str(path), "the password is wrong, or a key or certificate is missing", "PEM with both"
        ) from None
    return _certified(path, key), tuple(certificates)


def _certified(path: Path, key: object) -> CertifiedKey:
    if isinstance(key, ec.EllipticCurvePrivateKey) and isinstance(key.curve, ec.SECP256R1):
        return key
    if isinstance(key, rsa.RSAPrivateKey) and key.key_size >= 2048:
        return key
    raise DataError(str(path), "holds no key that can sign here", "ECDSA P-256, or RSA of 2048 bits or more")


def demo_signer(when: datetime) -> Signer:
    """The demo key of this machine, made on first use; two first users end up with the same key."""
    folder = config_folder() / DEMO_FOLDER
    if not folder.exists():
        try:
            return generate(folder, DEMO_NAME, None, when)
        except DataError:
            if not (folder / PUBLIC).exists():
                raise
    return read(folder)


def main(argv: Sequence[str] | None = None) -> int:
    """``frtaudit keygen``: 0 done, 1 could not, 2 usage."""
    options = _parser().parse_args(argv)
    try:
        password = _new_password(options.password_file, options.prompt)
        signer = generate(Path(options.out), options.name, password, datetime.now(UTC))
    except FrtauditError as error:
        sys.stderr.write(f"frtaudit keygen: {error}\n")
        return error.exit_code
    sys.stdout.write(_summary(Path(options.out), signer, encrypted=password is not None) + "\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="frtaudit keygen", description="Make a key that signs reports.")
    parser.add_argument("--out", required=True, metavar="FOLDER", help="a new or empty folder")
    parser.add_argument("--name", default="frtaudit auditor", metavar="ORG", help="name in the certificate")
    parser.add_argument("--password-file", metavar="FILE", help="encrypt with the password in this file")
    parser.add_argument("--prompt", action="store_true", help="encrypt with a password asked for here")
    return parser


def _summary(folder: Path, signer: Signer, *, encrypted: bool) -> str:
    lock = "encrypted" if encrypted else "not encrypted: keep the folder to yourself"
    return "\n".join(
        (
            f"{folder / STATEMENT_KEY}: Ed25519, signs statements ({lock})",
            f"  key sha256 {signer.keyid}",
            f"{folder / PDF_KEY}: ECDSA P-256, signs PDF files ({lock})",
            f"{folder / CERTIFICATE}: {signer.name}, until {signer.certificate.not_valid_after_utc:%Y-%m-%d}",
            f"  certificate sha256 {signer.fingerprint}",
            f"{folder / PUBLIC}: hand this file to those who verify (frtaudit verify RUN --trust {PUBLIC})",
            f"Sign with it: frtaudit run ... report.key={folder}",
        )
    )


def _draft_beside(folder: Path) -> Path:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise DataError(str(folder), f"cannot be written ({error.strerror})", "a writable place") from None


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
    start = when.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
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
        .add_extension(_signing_only(), critical=True)
        .add_extension(identifier, critical=False)
        .sign(key, hashes.SHA256())
    )


def _subject(name: str) -> x509.Name:
    try:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    except ValueError:
        raise DataError("--name", f"{name!r} does not fit a certificate", "1 to 64 characters") from None


def _signing_only() -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=True,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )


def _pem(key: PrivateKey, lock: KeySerializationEncryption) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, lock)


def _write(path: Path, data: bytes, mode: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(data)


def _private(path: Path, password: bytes | None) -> object:
    try:
        return load_pem_private_key(_bytes(path), password)
    except TypeError:
        found = "is encrypted" if password is None else "is not encrypted, but a password was given"
        raise DataError(str(path), found, f"a password file, {PASSWORD_FILE}, or a prompt") from None
    except ValueError:
        found = "cannot be read" if password is None else "the password is wrong, or this is no key"
        raise DataError(str(path), found, "PKCS#8 PEM") from None


def _certificate(path: Path) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificate(_bytes(path))
    except ValueError:
        raise DataError(str(path), "holds no certificate", "PEM") from None


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(str(path), f"cannot be read ({error.strerror})", "a key of frtaudit keygen") from None


def _is_encrypted(path: Path) -> bool:
    return b"ENCRYPTED" in _bytes(path).split(b"\n", 1)[0]


def _password(file: str | Path | None, prompt: str) -> bytes | None:
    named = file or os.environ.get(PASSWORD_FILE)
    if named is not None:
        return _password_in(Path(named))
    with signals.at_once():
        return getpass.getpass(prompt).encode() if sys.stdin.isatty() else None


def _new_password(file: str | None, prompt: bool) -> bytes | None:  # noqa: FBT001  argparse gives a flag
    if file is not None:
        return _password_in(Path(file))
    if not prompt:
        return None
    with signals.at_once():
        first = getpass.getpass("Password: ")
        second = getpass.getpass("Again: ") if first else ""
    if not first or first != second:
        raise DataError("--prompt", "the passwords are empty or differ", "the same password twice")
    return first.encode()


def _password_in(path: Path) -> bytes:
    password = _bytes(path).rstrip(b"\r\n")
    if not password:
        raise DataError(str(path), "holds no password", "a password on one line")
    return password
