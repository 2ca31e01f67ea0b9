"""Whom this machine trusts: its demo key, what its owner put into ``trusted/``, what ``--trust`` names."""

import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from frtaudit.core.machine.files import Links, open_regular
from frtaudit.errors import DataError
from frtaudit.signing.key_folder import PUBLIC
from frtaudit.signing.keys import DEMO_FOLDER, config_folder
from frtaudit.signing.signer import key_fingerprint

TRUSTED_FOLDER = "trusted"
LARGEST = 1 << 24
Half = tuple[x509.Certificate | None, str]
"""A certificate, where there is one, and the key that signs statements, by its ``keyid``."""
_KINDS = "RSA, ECDSA P-256 or Ed25519"
BLOCK = re.compile(rb"-----BEGIN (CERTIFICATE|PUBLIC KEY)-----.*?-----END \1-----", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """Trusted certificates (signers' own, or of an authority) and Ed25519 keys (by ``keyid``).

    ``left_out``: files of this machine that cannot be read, each with the reason.
    """

    certificates: tuple[x509.Certificate, ...] = ()
    keyids: frozenset[str] = frozenset()
    left_out: tuple[tuple[str, str], ...] = ()


def load_trust(named: Iterable[Path] = ()) -> Trust:
    """Trust of this machine and of the ``named`` PEM files or folders of them.

    Raises DataError for a named file that cannot be read or holds neither certificate nor public key, and where anybody
    could have written what this machine trusts. A file of this machine that cannot be read is left out.
    """
    try:
        folder = config_folder()
        present = [path for path in (folder / DEMO_FOLDER / PUBLIC, folder / TRUSTED_FOLDER) if path.exists()]
    except DataError:  # a user without a home
        present = []
    except OSError as error:
        text = f"cannot be read ({error.strerror})"
        raise DataError(str(error.filename), text, "a folder that you can open") from None
    for path in present:
        _refuse_open(path)
    trusted, left_out = [], []
    for file in (file for path in present for file in _files(path)):
        try:
            blocks = _blocks(file)
        except DataError as error:
            blocks = []
            left_out.append((str(file), error.found))
        for kind, body in blocks:
            try:
                trusted.append(_half(kind, body, file))
            except DataError as error:
                left_out.append((str(file), error.found))
    for path in named:
        of_path = [_half(*block, file) for file in _files(path) for block in _blocks(file)]
        if not of_path:
            text = "holds no certificate and no public key"
            raise DataError(f"--trust {path}", text, f"PEM, such as {PUBLIC}")
        trusted += of_path
    return Trust(
        certificates=tuple(certificate for certificate, _ in trusted if certificate),
        keyids=frozenset(keyid for _, keyid in trusted),
        left_out=tuple(left_out),
    )


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
    try:
        return sorted(file for file in path.iterdir() if file.is_file()) if path.is_dir() else [path]
    except OSError as error:
        text = f"cannot be read ({error.strerror})"
        raise DataError(f"--trust {path}", text, "a folder of PEM files") from None


def _blocks(file: Path) -> list[tuple[bytes, bytes]]:
    """What a file says whom to trust: the kinds and bytes of its certificates and public keys."""
    return [(match[1], match[0]) for match in BLOCK.finditer(_read(file))]


def _half(kind: bytes, body: bytes, file: Path) -> Half:
    """A certificate with its key, or a public key."""
    return _certified(body, file) if kind == b"CERTIFICATE" else (None, _keyid(body, file))


def _read(path: Path) -> bytes:
    try:
        with open_regular(path, f"--trust {path}", Links.FOLLOW) as stream:
            data = stream.read(LARGEST + 1)
    except OSError as error:
        raise DataError(f"--trust {path}", f"cannot be read ({error.strerror})", "a PEM file") from None
    if len(data) > LARGEST:
        raise DataError(f"--trust {path}", f"is longer than {LARGEST} bytes", "a PEM file")
    return data


def _certified(body: bytes, file: Path) -> Half:
    place = f"--trust {file}"
    try:
        certificate = x509.load_pem_x509_certificate(body)
        public = certificate.public_key()
    except ValueError:
        raise DataError(place, "a certificate cannot be read", "PEM") from None
    except UnsupportedAlgorithm:
        raise DataError(place, "a certificate is of a key that cannot be read here", _KINDS) from None
    return certificate, key_fingerprint(public)  # type: ignore[arg-type]  # any kind has a DER form


def _keyid(body: bytes, file: Path) -> str:
    place = f"--trust {file}"
    try:
        public = load_pem_public_key(body)
    except ValueError:
        raise DataError(place, "a public key cannot be read", "PEM") from None
    except UnsupportedAlgorithm:
        raise DataError(place, "a public key is of a kind that cannot be read here", _KINDS) from None
    if not isinstance(public, ed25519.Ed25519PublicKey):
        text = f"a {type(public).__name__} alone says not whose it is"
        raise DataError(place, text, "its certificate; or an Ed25519 key of frtaudit keygen")
    return key_fingerprint(public)
