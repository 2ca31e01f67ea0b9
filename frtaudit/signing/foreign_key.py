"""A key that somebody else issued, with its certificate: PKCS#12, or PEM."""

from functools import partial
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key, pkcs12
from securesystemslib.signer import CryptoSigner, SSlibKey  # type: ignore[attr-defined]  # not re-exported

from frtaudit.errors import DataError
from frtaudit.signing.password import ASKED, bytes_of, password_for, unlocked
from frtaudit.signing.pdf.evidence import path_of
from frtaudit.signing.signer import CertifiedKey, Signer, key_fingerprint

_BEGIN = b"-----BEGIN"
_BOTH = "PEM with the private key and its certificate"
_NO_KEY = "holds no key that can sign here"
_ACCEPTED = "ECDSA P-256, or RSA of 2048 bits or more"
Bundle = tuple[CertifiedKey, tuple[x509.Certificate, ...]]


def foreign_signer(path: Path, password_file: str | Path | None = None) -> Signer:
    """A key that somebody else issued, with its certificate: PKCS#12 (.p12, .pfx), or PEM with the key and its chain.

    The one key signs PDF and statement: ECDSA P-256, or RSA of 2048 bits or more. Raises DataError.
    """
    data = bytes_of(path)
    key, certificates = (
        _from_pem(path, data, password_file) if _BEGIN in data else _from_pkcs12(path, data, password_file)
    )
    matching = [certificate for certificate in certificates if _key_of(certificate) == key.public_key()]
    if not matching:
        raise DataError(str(path), "holds no certificate of its key", "the key with its certificate")
    public = key.public_key()
    keyid = key_fingerprint(public)
    return Signer(
        statement=CryptoSigner(key, SSlibKey.from_crypto(public, keyid=keyid)),
        public_key=public,
        pdf_key=key,
        certificate=matching[0],
        keyid=keyid,
        chain=tuple(path_of(matching[0], certificates)[1:]),  # a file may hold others as well
    )


def takes_password(path: Path) -> bool:
    """Whether a key's file does not open by itself. Raises DataError."""
    data = bytes_of(path)
    if _BEGIN in data:
        return b"ENCRYPTED" in data
    try:
        pkcs12.load_key_and_certificates(data, None)
    except UnsupportedAlgorithm:
        return False
    except ValueError:
        return True
    return False


def _key_of(certificate: x509.Certificate) -> object:
    """Its public key; None where it is of a kind that cannot be read here."""
    try:
        return certificate.public_key()
    except (ValueError, UnsupportedAlgorithm):
        return None


def _from_pkcs12(path: Path, data: bytes, password_file: str | Path | None) -> Bundle:
    unlock = partial(pkcs12.load_key_and_certificates, data)
    try:
        key, first, others = unlock(None)
    except UnsupportedAlgorithm:
        raise DataError(str(path), _NO_KEY, _ACCEPTED) from None
    except ValueError:
        password = password_for(password_file, f"Password of {path}: ")
        try:
            key, first, others = unlocked(unlock, password)
        except (ValueError, TypeError):
            problem = "the password is wrong or missing, or this is not a PKCS#12 file"
            if not _is_utf8(password or b""):
                problem = "the password is not UTF-8"
            raise DataError(str(path), problem, ASKED) from None
        except UnsupportedAlgorithm:
            raise DataError(str(path), _NO_KEY, _ACCEPTED) from None
    return _certified(path, key), tuple(
        certificate for certificate in (first, *others) if certificate is not None
    )


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _from_pem(path: Path, data: bytes, password_file: str | Path | None) -> Bundle:
    password = password_for(password_file, f"Password of {path}: ") if b"ENCRYPTED" in data else None
    try:
        key = unlocked(partial(load_pem_private_key, data), password)
    except TypeError:
        raise DataError(str(path), "is encrypted", ASKED) from None
    except UnsupportedAlgorithm:
        raise DataError(str(path), _NO_KEY, _ACCEPTED) from None
    except ValueError:
        if password is None:
            raise DataError(str(path), "holds no private key that can be read", _BOTH) from None
        problem = "the password is wrong, or its key is damaged"
        raise DataError(str(path), problem, f"its password: {ASKED}") from None
    try:
        return _certified(path, key), tuple(x509.load_pem_x509_certificates(data))
    except ValueError:
        raise DataError(str(path), "holds no certificate, or one that cannot be read", _BOTH) from None


def _certified(path: Path, key: object) -> CertifiedKey:
    if isinstance(key, ec.EllipticCurvePrivateKey) and isinstance(key.curve, ec.SECP256R1):
        return key
    if isinstance(key, rsa.RSAPrivateKey) and key.key_size >= 2048:
        return key
    raise DataError(str(path), _NO_KEY, _ACCEPTED)
