"""Tests of frtaudit.signing.signer."""

from pathlib import Path

from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from small_run import WHEN

from frtaudit.signing.key_folder import generate


def test_repr_of_a_signer_shows_no_secret(tmp_path: Path) -> None:
    """A signer in a log or traceback gives nothing away."""
    made = generate(tmp_path / "k", "Org", None, WHEN)
    secret = made.pdf_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    assert "pdf_key" not in repr(made)
    assert secret not in repr(made)
