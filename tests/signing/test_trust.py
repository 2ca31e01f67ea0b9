"""Tests of frtaudit.signing.trust."""

import os
import shutil
from pathlib import Path

import pytest
from asn1crypto import pem
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from odd_certificates import of_an_unknown_curve
from small_run import WHEN

from frtaudit.config.named_files import CERTIFICATE, STATEMENT_KEY
from frtaudit.errors import DataError
from frtaudit.signing.key_folder import PUBLIC
from frtaudit.signing.keys import demo_signer
from frtaudit.signing.signer import Signer, asn1_of, key_fingerprint
from frtaudit.signing.trust import LARGEST, TRUSTED_FOLDER, Trust, load_trust
from frtaudit.signing.verification import CheckStatus
from frtaudit.signing.verify import verify


def of_certificate(signer: Signer) -> str:
    """The key that a certificate holds: one that an authority issued signs statements too."""
    return key_fingerprint(signer.certificate.public_key())  # type: ignore[arg-type]  # any kind has a DER form


def test_nothing_is_trusted_at_first() -> None:
    """A machine without demo key and trusted folder trusts nobody, and looking makes no key."""
    assert load_trust() == Trust()
    assert load_trust() == Trust()


def test_the_demo_key_of_this_machine_is_trusted() -> None:
    """The demo key made here is trusted here, both halves."""
    signer = demo_signer(WHEN)
    both = frozenset({signer.keyid, of_certificate(signer)})
    assert load_trust() == Trust(certificates=(signer.certificate,), keyids=both)


def test_public_file_gives_both_halves(key_folder: Path, signer: Signer) -> None:
    """public.pem holds key and certificate; the certificate file only the latter; a folder all that is public."""
    own = of_certificate(signer)
    both = Trust(certificates=(signer.certificate,), keyids=frozenset({signer.keyid, own}))
    alone = Trust(certificates=(signer.certificate,), keyids=frozenset({own}))
    assert load_trust([key_folder / PUBLIC]) == both
    assert load_trust([key_folder / CERTIFICATE]) == alone
    assert set(load_trust([key_folder]).keyids) == {signer.keyid, own}


def test_files_in_the_trusted_folder_count(own_config: Path, key_folder: Path, signer: Signer) -> None:
    """What lies in the configuration folder's trusted/ is trusted without a flag."""
    (own_config / TRUSTED_FOLDER).mkdir(parents=True)
    shutil.copy(key_folder / PUBLIC, own_config / TRUSTED_FOLDER / "auditor.pem")
    assert signer.keyid in load_trust().keyids


@pytest.mark.parametrize(
    ("place", "mode"),
    [
        (".", 0o777),
        ("trusted", 0o777),
        ("trusted", 0o1777),
        ("trusted/auditor.pem", 0o666),
        ("demo-key", 0o777),
        ("demo-key/public.pem", 0o646),
    ],
)
def test_keys_that_every_user_can_write_are_not_trusted(
    own_config: Path, key_folder: Path, place: str, mode: int
) -> None:
    """A file, its folder or one above: one line that says what to do. Those of a group, and /tmp above, are fine."""
    demo_signer(WHEN)
    (own_config / TRUSTED_FOLDER).mkdir()
    shutil.copy(key_folder / PUBLIC, own_config / TRUSTED_FOLDER / "auditor.pem")
    (own_config / TRUSTED_FOLDER / "auditor.pem").chmod(0o664)
    (own_config / TRUSTED_FOLDER).chmod(0o775)
    own_config.parent.chmod(0o1777)
    trusted = load_trust()
    (own_config / place).chmod(mode)
    with pytest.raises(DataError, match=f"every user .* then chmod o-w {(own_config / place).resolve()}$"):
        load_trust()
    (own_config / place).chmod(mode & ~0o1002)
    assert load_trust() == trusted


def test_a_trust_file_without_public_halves_is_refused(key_folder: Path, tmp_path: Path) -> None:
    """A private key, a missing file and a broken block are refused by name."""
    with pytest.raises(DataError, match="no certificate and no public key"):
        load_trust([key_folder / STATEMENT_KEY])
    with pytest.raises(DataError, match="cannot be read"):
        load_trust([tmp_path / "absent.pem"])
    for kind in ("CERTIFICATE", "PUBLIC KEY"):
        (tmp_path / "b.pem").write_text(f"-----BEGIN {kind}-----\nAAAA\n-----END {kind}-----\n")
        with pytest.raises(DataError, match="cannot be read"):
            load_trust([tmp_path / "b.pem"])


def test_a_trust_file_is_regular_and_bounded(own_config: Path, tmp_path: Path) -> None:
    """A FIFO, a device and an endless file are refused, named by --trust or lying in trusted/; a link is followed."""
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "zero").symlink_to("/dev/zero")
    with (tmp_path / "endless").open("wb") as stream:
        stream.truncate(1 << 40)
    for name, said in (("fifo", "is a FIFO"), ("zero", "is a device"), ("endless", "is longer than")):
        with pytest.raises(DataError, match=said):
            load_trust([tmp_path / name])
    (own_config / TRUSTED_FOLDER).mkdir(parents=True)
    (tmp_path / "endless").rename(own_config / TRUSTED_FOLDER / "a.pem")
    left_out = load_trust().left_out
    assert left_out == ((str(own_config / TRUSTED_FOLDER / "a.pem"), f"is longer than {LARGEST} bytes"),)
    (own_config / TRUSTED_FOLDER / "a.pem").unlink()
    (own_config / TRUSTED_FOLDER / "a.pem").symlink_to(tmp_path / "absent")
    assert load_trust() == Trust()


def test_a_trust_file_may_have_the_largest_size_and_not_a_byte_more(tmp_path: Path, key_folder: Path) -> None:
    """What surrounds a key in a PEM file is skipped, up to the limit of 16 MiB."""
    assert LARGEST == 16 * 2**20
    key = (key_folder / PUBLIC).read_bytes()
    file = tmp_path / "a.pem"
    file.write_bytes(key.ljust(LARGEST, b"\n"))
    assert load_trust([file]) == load_trust([key_folder / PUBLIC])
    file.write_bytes(key.ljust(LARGEST + 1, b"\n"))
    with pytest.raises(DataError, match="is longer than"):
        load_trust([file])


def test_a_public_key_of_another_kind_is_refused(tmp_path: Path) -> None:
    """Statements are signed with Ed25519: another key would never match."""
    public = ec.generate_private_key(ec.SECP256R1()).public_key()
    (tmp_path / "p.pem").write_bytes(public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    with pytest.raises(DataError, match="Ed25519"):
        load_trust([tmp_path / "p.pem"])
    with pytest.raises(DataError, match=r"p\.pem: a .*; accepted: its certificate"):
        load_trust([tmp_path / "p.pem"])


def test_a_file_of_this_machine_that_cannot_be_read_is_left_out(
    own_config: Path, key_folder: Path, signer: Signer
) -> None:
    """A curve that is unknown here, or a broken block: the file is named, and the others count."""
    trusted = own_config / TRUSTED_FOLDER
    trusted.mkdir(parents=True)
    shutil.copy(key_folder / PUBLIC, trusted / "auditor.pem")
    odd = of_an_unknown_curve(signer.certificate).public_bytes(Encoding.PEM)
    (trusted / "odd.pem").write_bytes(odd + signer.certificate.public_bytes(Encoding.PEM))
    (trusted / "torn.pem").write_text("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n")
    trust = load_trust()
    assert signer.keyid in trust.keyids
    assert signer.certificate in trust.certificates  # it stands behind one that cannot be read
    assert [Path(file).name for file, _ in trust.left_out] == ["odd.pem", "torn.pem"]
    noted = [check for check in verify("nowhere").checks if check.status is CheckStatus.NOTE]
    assert [check.message for check in noted] == [
        "a certificate is of a key that cannot be read here: nobody is trusted by it",
        "a public key cannot be read: nobody is trusted by it",
    ]


def test_a_named_folder_with_a_file_that_cannot_be_read_names_it(
    key_folder: Path, tmp_path: Path, signer: Signer
) -> None:
    """A certificate, and a public key, on a curve that is unknown here."""
    odd = of_an_unknown_curve(signer.certificate)
    (tmp_path / "a.pem").write_bytes((key_folder / PUBLIC).read_bytes())
    (tmp_path / "b.pem").write_bytes(odd.public_bytes(Encoding.PEM))
    with pytest.raises(DataError, match=r"b\.pem: a certificate is of a key that cannot be read here"):
        load_trust([tmp_path])
    (tmp_path / "b.pem").write_bytes(pem.armor("PUBLIC KEY", asn1_of(odd).public_key.dump()))
    with pytest.raises(DataError, match=r"b\.pem: a public key is of a kind that cannot be read here"):
        load_trust([tmp_path])


def test_a_named_folder_that_cannot_be_read_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether its content or its entries are closed."""

    def closed(_: Path) -> None:
        raise PermissionError(13, "Permission denied")

    for name in ("is_file", "iterdir"):
        (tmp_path / "a.pem").write_text("")
        monkeypatch.setattr(Path, name, closed)
        with pytest.raises(DataError, match=rf"^--trust {tmp_path}: cannot be read \(Permission denied\)"):
            load_trust([tmp_path])
        monkeypatch.undo()
    monkeypatch.setattr(Path, "exists", closed)
    with pytest.raises(DataError, match=r"cannot be read \(Permission denied\); accepted: a folder that you"):
        load_trust()
