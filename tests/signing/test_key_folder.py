"""Tests of frtaudit.signing.key_folder."""

import os
import stat
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from small_limits import file_size_limit
from small_run import WHEN

from frtaudit.config.named_files import CERTIFICATE, PDF_KEY, STATEMENT_KEY
from frtaudit.errors import DataError
from frtaudit.signing.key_folder import PUBLIC, generate, read


def test_generate_writes_four_files_private_ones_for_the_owner_only(tmp_path: Path) -> None:
    """The private keys are readable by their owner alone; nothing else is left behind."""
    before = os.umask(0o022)
    try:
        generate(tmp_path / "k", "Org", None, WHEN)
    finally:
        os.umask(before)
    modes = {item.name: stat.S_IMODE(item.stat().st_mode) for item in (tmp_path / "k").iterdir()}
    assert set(modes) == {STATEMENT_KEY, PDF_KEY, CERTIFICATE, PUBLIC}
    assert modes[STATEMENT_KEY] == modes[PDF_KEY] == 0o600
    assert modes[CERTIFICATE] == modes[PUBLIC] == 0o644
    assert [item.name for item in tmp_path.iterdir()] == ["k"]


def test_certificate_is_p256_self_signed_for_signatures_over_ten_years(tmp_path: Path) -> None:
    """The certificate is what PAdES needs: P-256, digitalSignature and nonRepudiation, ten years, no authority."""
    certificate = generate(tmp_path / "k", "Org", None, WHEN).certificate
    public = certificate.public_key()
    assert isinstance(public, ec.EllipticCurvePublicKey)
    assert public.curve.name == "secp256r1"
    usage = certificate.extensions.get_extension_for_class(x509.KeyUsage).value
    assert usage.digital_signature
    assert usage.content_commitment
    others = ("key_encipherment", "data_encipherment", "key_agreement", "key_cert_sign", "crl_sign")
    assert not any(getattr(usage, other) for other in others)
    assert not certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert [extension.critical for extension in certificate.extensions] == [True, True, False]
    assert certificate.not_valid_before_utc == datetime(2026, 3, 4, tzinfo=UTC)
    assert certificate.not_valid_after_utc == datetime(2036, 3, 3, 12, tzinfo=UTC)  # 3,652.5 days
    certificate.verify_directly_issued_by(certificate)


def test_generate_refuses_a_folder_that_holds_something(tmp_path: Path) -> None:
    """No key is ever overwritten."""
    first = generate(tmp_path / "k", "Org", None, WHEN)
    with pytest.raises(DataError, match="is not empty"):
        generate(tmp_path / "k", "Org", None, WHEN)
    assert read(tmp_path / "k").keyid == first.keyid


@pytest.mark.parametrize("name", ["", "x" * 65, "é" * 33, "\N{OK HAND SIGN}", "Org א", "א."])
def test_a_name_that_fits_no_certificate_leaves_nothing(name: str, tmp_path: Path) -> None:
    """A failed attempt leaves no folder and no half of a key; a name that readers cannot compare is refused, too."""
    with pytest.raises(DataError, match="64 bytes of UTF-8"):
        generate(tmp_path / "k", name, None, WHEN)
    assert list(tmp_path.iterdir()) == []


def test_encrypted_key_needs_its_password(tmp_path: Path) -> None:
    """Right, wrong and missing passwords are distinguished, each in one line."""
    made = generate(tmp_path / "k", "Org", b"secret", WHEN)
    assert read(tmp_path / "k", b"secret").keyid == made.keyid
    with pytest.raises(DataError, match="the password is wrong"):
        read(tmp_path / "k", b"guess")
    with pytest.raises(DataError, match="is encrypted"):
        read(tmp_path / "k")


def test_password_for_a_key_without_one_is_refused(tmp_path: Path) -> None:
    """A password given for an open key is an error, not a silent yes."""
    generate(tmp_path / "k", "Org", None, WHEN)
    with pytest.raises(DataError, match="is not encrypted"):
        read(tmp_path / "k", b"secret")


def test_swapped_and_foreign_files_are_refused(tmp_path: Path) -> None:
    """A certificate of another key, keys in each other's place, and garbage are refused."""
    folder = tmp_path / "k"
    generate(folder, "Org", None, WHEN)
    generate(tmp_path / "o", "Other", None, WHEN)
    own = (folder / CERTIFICATE).read_bytes()
    (folder / CERTIFICATE).write_bytes((tmp_path / "o" / CERTIFICATE).read_bytes())
    with pytest.raises(DataError, match="does not belong"):
        read(folder)
    (folder / CERTIFICATE).write_bytes(b"garbage")
    with pytest.raises(DataError, match="holds no certificate"):
        read(folder)
    (folder / CERTIFICATE).write_bytes(own)
    (folder / STATEMENT_KEY).write_bytes((folder / PDF_KEY).read_bytes())
    with pytest.raises(DataError, match="not an Ed25519 key"):
        read(folder)
    (folder / STATEMENT_KEY).write_bytes(b"garbage")
    with pytest.raises(DataError, match="cannot be read"):
        read(folder)


def test_an_ed25519_key_signs_no_pdf(tmp_path: Path) -> None:
    """The PDF key must be ECDSA."""
    made = generate(tmp_path / "k", "Org", None, WHEN)
    assert made.statement
    (tmp_path / "k" / PDF_KEY).write_bytes((tmp_path / "k" / STATEMENT_KEY).read_bytes())
    with pytest.raises(DataError, match="not an ECDSA key"):
        read(tmp_path / "k")


def test_a_fault_of_the_machine_is_told_as_such_and_leaves_nothing(tmp_path: Path) -> None:
    """A file-size limit is not called a folder that holds something; the same command works without it."""
    with (
        file_size_limit(100),
        pytest.raises(DataError, match="the file-size limit is reached; accepted: a higher"),
    ):
        generate(tmp_path / "k", "Org", None, WHEN)
    assert list(tmp_path.iterdir()) == []
    generate(tmp_path / "k", "Org", None, WHEN)


def test_what_a_killed_keygen_left_is_removed_by_the_next(tmp_path: Path) -> None:
    """Private keys lie in no folder that nobody asked for; other folders of such names stay."""
    left, other = tmp_path / ".k.draft-left", tmp_path / ".k-agent"
    for folder in (left, other):
        folder.mkdir()
        (folder / STATEMENT_KEY).touch()
    generate(tmp_path / "k", "Org", None, WHEN)
    assert sorted(item.name for item in tmp_path.iterdir()) == [".k-agent", "k"]


KILLED = """
import os, sys
from datetime import UTC, datetime
from pathlib import Path
from frtaudit.signing import key_folder
key_folder.signals.check = lambda: os.kill(os.getpid(), 9)
key_folder.generate(Path("k"), "Org", None, datetime.now(UTC))
"""


def test_a_killed_keygen_leaves_a_draft_for_its_owner_alone(tmp_path: Path) -> None:
    """The draft is closed to others, and has the name by which the next keygen knows it."""
    subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path, check=False)
    (draft,) = tmp_path.iterdir()
    assert draft.name.startswith(".k.draft-")
    assert stat.S_IMODE(draft.stat().st_mode) == 0o700
    generate(tmp_path / "k", "Org", None, WHEN)
    assert [item.name for item in tmp_path.iterdir()] == ["k"]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """A key cannot be made beneath a file."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError, match="k: a file stands where a folder is needed"):
        generate(tmp_path / "file" / "k", "Org", None, WHEN)
