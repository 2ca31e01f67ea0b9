"""Whom this machine trusts: its demo key, what its owner put into ``trusted/``, what ``--trust`` names."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from frtaudit.core.machine.files import read_small
from frtaudit.errors import DataError
from frtaudit.signing.key_folder import PUBLIC
from frtaudit.signing.keys import DEMO_FOLDER, config_folder
from frtaudit.signing.signer import key_fingerprint

TRUSTED_FOLDER = "trusted"
BLOCK = re.compile(rb"-----BEGIN (CERTIFICATE|PUBLIC KEY)-----.*?-----END \1-----", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """Trusted certificates (signers' own, or of an authority) and Ed25519 keys (by ``keyid``)."""

    certificates: tuple[x509.Certificate, ...] = ()
    keyids: frozenset[str] = frozenset()


def load_trust(named: Iterable[Path] = ()) -> Trust:
    """Trust of this machine and of the ``named`` PEM files or folders of them.

    Raises DataError for a named file that cannot be read or holds neither certificate nor public key.
    """
    paths = (config_folder() / DEMO_FOLDER / PUBLIC, config_folder() / TRUSTED_FOLDER)
    blocks = [block for path in paths if path.exists() for block in _blocks(path)]
    blocks += [block for path in named for block in _named_blocks(path)]
    certificates = tuple(_certificate(body) for kind, body in blocks if kind == b"CERTIFICATE")
    keyids = {_keyid(body) for kind, body in blocks if kind == b"PUBLIC KEY"}
    keyids |= {key_fingerprint(certificate.public_key()) for certificate in certificates}  # type: ignore[arg-type]  # any kind has a DER form
    return Trust(certificates=certificates, keyids=frozenset(keyids))


def _named_blocks(path: Path) -> Sequence[tuple[bytes, bytes]]:
    blocks = _blocks(path)
    if not blocks:
        raise DataError(f"--trust {path}", "holds no certificate and no public key", f"PEM, such as {PUBLIC}")
    return blocks


def _blocks(path: Path) -> Sequence[tuple[bytes, bytes]]:
    files = sorted(item for item in path.iterdir() if item.is_file()) if path.is_dir() else [path]
    return [(match[1], match[0]) for file in files for match in BLOCK.finditer(_read(file))]


def _read(path: Path) -> bytes:
    try:
        return read_small(path, f"--trust {path}")
    except OSError as error:
        raise DataError(f"--trust {path}", f"cannot be read ({error.strerror})", "a PEM file") from None


def _certificate(body: bytes) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificate(body)
    except ValueError:
        raise DataError("--trust", "a certificate cannot be read", "PEM") from None


def _keyid(body: bytes) -> str:
    try:
        public = load_pem_public_key(body)
    except ValueError:
        raise DataError("--trust", "a public key cannot be read", "PEM") from None
    if not isinstance(public, ed25519.Ed25519PublicKey):
        raise DataError("--trust", f"a {type(public).__name__} signs no statement", "Ed25519")
    return key_fingerprint(public)
