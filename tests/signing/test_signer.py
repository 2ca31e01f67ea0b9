"""Tests of frtaudit.signing.signer."""

from datetime import timedelta
from pathlib import Path

from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from small_run import WHEN

from frtaudit.signing.key_folder import generate
from frtaudit.signing.signer import dated_outside


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
