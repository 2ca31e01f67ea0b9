"""Tests of frtaudit.signing.signer."""

from datetime import timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from local_tsa import authorities, certificate
from odd_certificates import of_rsa_pss
from small_run import WHEN

from frtaudit.errors import DataError
from frtaudit.signing.key_folder import generate
from frtaudit.signing.signer import check_names, check_years, dated_outside


def test_repr_of_a_signer_shows_no_secret(tmp_path: Path) -> None:
    """A signer in a log or traceback gives nothing away."""
    made = generate(tmp_path / "k", "Org", None, WHEN)
    secret = made.pdf_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    assert "pdf_key" not in repr(made)
    assert secret not in repr(made)


def test_a_signature_counts_on_the_first_and_last_moment_of_its_certificate(tmp_path: Path) -> None:
    """Both ends are within its years; a second beyond them, or no time at all, is not."""
    certificate = generate(tmp_path / "k", "Org", None, WHEN).certificate
    first, last = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    assert [dated_outside(certificate, when) for when in (first, last)] == [None, None]
    for when in (None, first - timedelta(seconds=1), last + timedelta(seconds=1)):
        assert dated_outside(certificate, when) is not None


def test_a_key_signs_from_the_first_to_the_last_moment_of_its_certificate(tmp_path: Path) -> None:
    """Before it does not hold yet, after it expired: the error says which."""
    signer = generate(tmp_path / "k", "Org", None, WHEN)
    first, last = signer.certificate.not_valid_before_utc, signer.certificate.not_valid_after_utc
    check_years(signer.certificate, first)
    check_years(signer.certificate, last)
    for when, words in ((first, "does not hold before 2026-03-04"), (last, "expired on 2036-03-03")):
        beyond = when + (when - WHEN).total_seconds() / abs((when - WHEN).total_seconds()) * timedelta(
            seconds=1
        )
        with pytest.raises(DataError, match=f"its certificate {words}"):
            check_years(signer.certificate, beyond)


def test_a_certificate_without_a_name_and_one_for_rsa_pss_sign_no_pdf(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each is a line that names the key; whatever the subject holds is a name."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    usual = authorities().issued("Org", key)
    check_names(usual)
    with pytest.raises(DataError, match=r"^key of 'Org': its certificate is for RSA-PSS alone"):
        check_names(of_rsa_pss(usual))
    for subject in ("", "O=Org", "OU=Audits,C=DE", "1.2.840.113549.1.9.1=a@b.example"):
        name = x509.Name.from_rfc4514_string(subject)
        monkeypatch.setattr(
            "local_tsa.named", lambda text, name=name: name if text == "Org" else x509.Name([])
        )
        found = certificate("Org", key, key, "sign")
        if subject:
            check_names(found)
            continue
        with pytest.raises(
            DataError, match=r"^key with the certificate .*\.\.\.: its certificate has no name"
        ):
            check_names(found)
