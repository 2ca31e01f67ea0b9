"""Whom this machine trusts: its demo key, what its owner put into ``trusted/``, what ``--trust`` names."""

import re
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from frtaudit.core.machine.files import Links, open_regular
from frtaudit.errors import DataError
from frtaudit.signing.key_folder import PUBLIC
from frtaudit.signing.keys import DEMO_FOLDER, config_folder
from frtaudit.signing.signer import key_fingerprint

TRUSTED_FOLDER = "trusted"
LARGEST = 1 << 24
BLOCK = re.compile(rb"-----BEGIN (CERTIFICATE|PUBLIC KEY)-----.*?-----END \1-----", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """Trusted certificates (signers' own, or of an authority) and Ed25519 keys (by ``keyid``)."""

    certificates: tuple[x509.Certificate, ...] = ()
    keyids: frozenset[str] = frozenset()


def load_trust(named: Iterable[Path] = ()) -> Trust:
    """Trust of this machine and of the ``named`` PEM files or folders of them.

    Raises DataError for a named file that cannot be read or holds neither certificate nor public key, and where anybody
    could have written what this machine trusts.
    """
    try:
        folder = config_folder()
        present = [path for path in (folder / DEMO_FOLDER / PUBLIC, folder / TRUSTED_FOLDER) if path.exists()]
    except DataError:  # a user without a home
        present = []
    for path in present:
        _refuse_open(path)
    blocks = [block for path in present for block in _blocks(path)]
    for path in named:
        of_file = _blocks(path)
        if not of_file:
            text = "holds no certificate and no public key"
            raise DataError(f"--trust {path}", text, f"PEM, such as {PUBLIC}")
        blocks += of_file
    certificates = tuple(_certificate(body) for kind, body in blocks if kind == b"CERTIFICATE")
    keyids = {_keyid(body) for kind, body in blocks if kind == b"PUBLIC KEY"}
    keyids |= {key_fingerprint(certificate.public_key()) for certificate in certificates}  # type: ignore[arg-type]  # any kind has a DER form
    return Trust(certificates=certificates, keyids=frozenset(keyids))


def _refuse_open(path: Path) -> None:
    """Raise DataError where every user of the machine can write a file of keys, or put another in its place.

    In a folder above it with the sticky bit (``/tmp``) nobody replaces what is another's.
    """
    whole = {path.resolve(), *(file.resolve() for file in _files(path))}
    above = {folder for place in whole for folder in place.parents} - whole
    for place in sorted(whole | above):
        mode = place.stat().st_mode
        if mode & stat.S_IWOTH and not (place in above and mode & stat.S_ISVTX):
            problem = "every user of this machine can write it, and so change whom you trust"
            raise DataError(str(place), problem, f"its content inspected, then chmod o-w {place}")


def _files(path: Path) -> list[Path]:
    return sorted(file for file in path.iterdir() if file.is_file()) if path.is_dir() else [path]


def _blocks(path: Path) -> Sequence[tuple[bytes, bytes]]:
    files = _files(path)
    return [(match[1], match[0]) for file in files for match in BLOCK.finditer(_read(file))]


def _read(path: Path) -> bytes:
    try:
        with open_regular(path, f"--trust {path}", Links.FOLLOW) as stream:
            data = stream.read(LARGEST + 1)
    except OSError as error:
        raise DataError(f"--trust {path}", f"cannot be read ({error.strerror})", "a PEM file") from None
    if len(data) > LARGEST:
        raise DataError(f"--trust {path}", f"is longer than {LARGEST} bytes", "a PEM file")
    return data


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
