"""Tests of frtaudit.signing.foreign_key; tests/signing/pdf/test_pades.py and test_keys.py have more."""

from codecs import BOM_UTF8
from pathlib import Path

import pytest
from asn1crypto import pem as asn1_pem
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from local_tsa import authorities
from odd_certificates import P_256, UNKNOWN_CURVE, of_an_unknown_curve

from frtaudit.errors import DataError
from frtaudit.signing.foreign_key import foreign_signer

KEY = ec.generate_private_key(ec.SECP256R1())


def pem(*certificates: x509.Certificate, lock: KeySerializationEncryption | None = None) -> bytes:
    """The key with these certificates."""
    private = KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, lock or NoEncryption())
    return private + b"".join(each.public_bytes(Encoding.PEM) for each in certificates)


def test_certificates_on_an_unknown_curve_are_passed_over(tmp_path: Path) -> None:
    """Beside the key's own they change nothing; alone they are none of its key."""
    usual = authorities().issued("Signer", KEY)
    odd = of_an_unknown_curve(usual)
    file = tmp_path / "key.pem"
    file.write_bytes(pem(odd, usual, odd, authorities().root))
    signer = foreign_signer(file)
    assert (signer.certificate, signer.chain) == (usual, (authorities().root,))
    file.write_bytes(pem(odd))
    with pytest.raises(DataError, match=r"key\.pem: holds no certificate of its key"):
        foreign_signer(file)


@pytest.mark.parametrize("suffix", ["pem", "p12"])
def test_a_private_key_on_an_unknown_curve_is_one_line(tmp_path: Path, suffix: str) -> None:
    """PEM and PKCS#12 say what signs here."""
    private = KEY.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    file = tmp_path / f"key.{suffix}"
    usual = authorities().issued("Signer", KEY)
    if suffix == "pem":
        odd = asn1_pem.armor("PRIVATE KEY", private.replace(P_256, UNKNOWN_CURVE))
        file.write_bytes(odd + usual.public_bytes(Encoding.PEM))
    else:
        whole = pkcs12.serialize_key_and_certificates(b"n", KEY, usual, None, NoEncryption())
        assert P_256 in whole
        file.write_bytes(whole.replace(P_256, UNKNOWN_CURVE))
    with pytest.raises(DataError, match=rf"key\.{suffix}: "):
        foreign_signer(file)


@pytest.mark.parametrize("suffix", ["pem", "p12"])
@pytest.mark.parametrize("made_with", [b"secret", BOM_UTF8 + b"secret"])
def test_a_password_file_of_windows_opens_a_key(tmp_path: Path, suffix: str, made_with: bytes) -> None:
    """With a mark of UTF-8 before it, whether or not the key was made with that mark."""
    usual, lock = authorities().issued("Signer", KEY), BestAvailableEncryption(made_with)
    file, password = tmp_path / f"key.{suffix}", tmp_path / "password"
    if suffix == "pem":
        file.write_bytes(pem(usual, lock=lock))
    else:
        file.write_bytes(pkcs12.serialize_key_and_certificates(b"n", KEY, usual, None, lock))
    password.write_bytes(BOM_UTF8 + b"secret\r\n")
    assert foreign_signer(file, password).certificate == usual
    for wrong in (b"wrong", "gehe\xefm".encode("latin-1"), BOM_UTF8 + b"wrong"):
        password.write_bytes(wrong)
        words = "is not UTF-8" if suffix == "p12" and b"gehe" in wrong else "password is wrong"
        with pytest.raises(DataError, match=rf"key\.{suffix}: .*{words}.*; accepted: .*a password file"):
            foreign_signer(file, password)
