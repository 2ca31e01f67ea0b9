"""Tests of frtaudit.signing.keys."""

import getpass
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from threading import Barrier

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from small_run import WHEN

from frtaudit.errors import DataError
from frtaudit.signing import keys


def test_generate_writes_four_files_private_ones_for_the_owner_only(tmp_path: Path) -> None:
    """The private keys are readable by their owner alone; nothing else is left behind."""
    keys.generate(tmp_path / "k", "Org", None, WHEN)
    modes = {item.name: stat.S_IMODE(item.stat().st_mode) for item in (tmp_path / "k").iterdir()}
    assert set(modes) == {keys.STATEMENT_KEY, keys.PDF_KEY, keys.CERTIFICATE, keys.PUBLIC}
    assert modes[keys.STATEMENT_KEY] == modes[keys.PDF_KEY] == 0o600
    assert [item.name for item in tmp_path.iterdir()] == ["k"]


def test_certificate_is_p256_self_signed_for_signatures_over_ten_years(tmp_path: Path) -> None:
    """The certificate is what PAdES needs: P-256, digitalSignature and nonRepudiation, ten years, no authority."""
    certificate = keys.generate(tmp_path / "k", "Org", None, WHEN).certificate
    public = certificate.public_key()
    assert isinstance(public, ec.EllipticCurvePublicKey)
    assert public.curve.name == "secp256r1"
    usage = certificate.extensions.get_extension_for_class(x509.KeyUsage).value
    assert usage.digital_signature
    assert usage.content_commitment
    assert not usage.key_cert_sign
    assert certificate.not_valid_before_utc == datetime(2026, 3, 4, tzinfo=UTC)
    assert certificate.not_valid_after_utc.year == 2036
    certificate.verify_directly_issued_by(certificate)


def test_generate_refuses_a_folder_that_holds_something(tmp_path: Path) -> None:
    """No key is ever overwritten."""
    first = keys.generate(tmp_path / "k", "Org", None, WHEN)
    with pytest.raises(DataError, match="holds something already"):
        keys.generate(tmp_path / "k", "Org", None, WHEN)
    assert keys.read(tmp_path / "k").keyid == first.keyid


def test_a_name_that_fits_no_certificate_leaves_nothing(tmp_path: Path) -> None:
    """A failed attempt leaves no folder and no half of a key."""
    with pytest.raises(DataError, match="64 characters"):
        keys.generate(tmp_path / "k", "x" * 65, None, WHEN)
    assert list(tmp_path.iterdir()) == []


def test_encrypted_key_needs_its_password(tmp_path: Path) -> None:
    """Right, wrong and missing passwords are told apart, each in one line."""
    made = keys.generate(tmp_path / "k", "Org", b"secret", WHEN)
    assert keys.read(tmp_path / "k", b"secret").keyid == made.keyid
    with pytest.raises(DataError, match="the password is wrong"):
        keys.read(tmp_path / "k", b"guess")
    with pytest.raises(DataError, match="is encrypted"):
        keys.read(tmp_path / "k")


def test_password_for_a_key_without_one_is_refused(tmp_path: Path) -> None:
    """A password given for an open key is an error, not a silent yes."""
    keys.generate(tmp_path / "k", "Org", None, WHEN)
    with pytest.raises(DataError, match="is not encrypted"):
        keys.read(tmp_path / "k", b"secret")


def test_load_signer_reads_the_password_from_file_variable_or_prompt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The password comes from the named file, the variable's file, or a prompt; without any the key stays shut."""
    made = keys.generate(tmp_path / "k", "Org", b"secret", WHEN)
    file = tmp_path / "password"
    file.write_text("secret\n")
    assert keys.load_signer(tmp_path / "k", file).keyid == made.keyid
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False, raising=False)
    with pytest.raises(DataError, match="is encrypted"):
        keys.load_signer(tmp_path / "k")
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(getpass, "getpass", lambda _prompt: "secret")
    assert keys.load_signer(tmp_path / "k").keyid == made.keyid
    monkeypatch.setenv(keys.PASSWORD_FILE, str(file))
    monkeypatch.setattr(getpass, "getpass", lambda _prompt: "not asked")
    assert keys.load_signer(tmp_path / "k").keyid == made.keyid


@pytest.mark.parametrize("missing", [keys.STATEMENT_KEY, keys.PDF_KEY, keys.CERTIFICATE])
def test_a_key_with_a_missing_file_is_named(tmp_path: Path, missing: str) -> None:
    """The error names the file that is not there."""
    keys.generate(tmp_path / "k", "Org", None, WHEN)
    (tmp_path / "k" / missing).unlink()
    with pytest.raises(DataError, match=missing.replace(".", r"\.")):
        keys.load_signer(tmp_path / "k")


def test_swapped_and_foreign_files_are_refused(tmp_path: Path) -> None:
    """A certificate of another key, keys in each other's place, and garbage are refused."""
    folder = tmp_path / "k"
    keys.generate(folder, "Org", None, WHEN)
    keys.generate(tmp_path / "o", "Other", None, WHEN)
    own = (folder / keys.CERTIFICATE).read_bytes()
    (folder / keys.CERTIFICATE).write_bytes((tmp_path / "o" / keys.CERTIFICATE).read_bytes())
    with pytest.raises(DataError, match="does not belong"):
        keys.read(folder)
    (folder / keys.CERTIFICATE).write_bytes(b"garbage")
    with pytest.raises(DataError, match="holds no certificate"):
        keys.read(folder)
    (folder / keys.CERTIFICATE).write_bytes(own)
    (folder / keys.STATEMENT_KEY).write_bytes((folder / keys.PDF_KEY).read_bytes())
    with pytest.raises(DataError, match="no Ed25519 key"):
        keys.read(folder)
    (folder / keys.STATEMENT_KEY).write_bytes(b"garbage")
    with pytest.raises(DataError, match="cannot be read"):
        keys.read(folder)


def test_an_ed25519_key_signs_no_pdf(tmp_path: Path) -> None:
    """The PDF key must be ECDSA."""
    made = keys.generate(tmp_path / "k", "Org", None, WHEN)
    assert made.statement
    (tmp_path / "k" / keys.PDF_KEY).write_bytes((tmp_path / "k" / keys.STATEMENT_KEY).read_bytes())
    with pytest.raises(DataError, match="no ECDSA key"):
        keys.read(tmp_path / "k")


def test_demo_key_is_made_once_and_marked(own_config: Path) -> None:
    """Without a key a run gets this machine's demo key, the same each time, and it says what it is."""
    first, second = keys.load_signer(), keys.load_signer()
    assert first.keyid == second.keyid
    assert first.is_demo
    assert (own_config / keys.DEMO_FOLDER / keys.PUBLIC).is_file()


def test_concurrent_first_use_makes_one_demo_key(own_config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight first users, all past the question whether there is one, end up with one key and no litter."""
    together = Barrier(8)
    write = keys._write_key

    def write_together(folder: Path, name: str, password: bytes | None, when: datetime) -> None:
        write(folder, name, password, when)
        together.wait(timeout=60)

    monkeypatch.setattr(keys, "_write_key", write_together)
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _index: keys.demo_signer(WHEN).keyid, range(8)))
    assert len(set(made)) == 1
    assert [item.name for item in own_config.iterdir()] == [keys.DEMO_FOLDER]


def test_a_demo_folder_without_a_key_is_named(own_config: Path) -> None:
    """A demo folder that somebody filled with something else is an error, not a new key."""
    (own_config / keys.DEMO_FOLDER).mkdir(parents=True)
    (own_config / keys.DEMO_FOLDER / "x").write_text("x")
    with pytest.raises(DataError, match=keys.DEMO_FOLDER):
        keys.demo_signer(WHEN)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """A key cannot be made beneath a file."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError, match="cannot be written"):
        keys.generate(tmp_path / "file" / "k", "Org", None, WHEN)


def test_a_key_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    """report.key names the folder that keygen made."""
    with pytest.raises(DataError, match="does not exist"):
        keys.load_signer(tmp_path / "absent")


def test_config_folder_follows_the_variables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """FRTAUDIT_CONFIG_HOME wins over XDG_CONFIG_HOME, which wins over the home folder."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    assert keys.config_folder().name == "frtaudit"
    monkeypatch.delenv("FRTAUDIT_CONFIG_HOME")
    assert keys.config_folder() == tmp_path / "xdg/frtaudit"
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert keys.config_folder() == tmp_path / ".config/frtaudit"


def test_repr_of_a_signer_shows_no_secret(tmp_path: Path) -> None:
    """A signer in a log or traceback gives nothing away."""
    made = keys.generate(tmp_path / "k", "Org", None, WHEN)
    secret = made.pdf_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    assert "pdf_key" not in repr(made)
    assert secret not in repr(made)


def test_main_prints_paths_and_fingerprints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command says where the files are and how to tell the key."""
    (tmp_path / "password").write_text("secret")
    arguments = ["--out", str(tmp_path / "k"), "--name", "Org"]
    assert keys.main([*arguments, "--password-file", str(tmp_path / "password")]) == 0
    printed = capsys.readouterr().out
    signer = keys.read(tmp_path / "k", b"secret")
    for part in (signer.keyid, signer.fingerprint, str(tmp_path / "k" / keys.PUBLIC), "encrypted"):
        assert part in printed


def test_main_refuses_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A second keygen into the same folder fails with one line on stderr."""
    assert keys.main(["--out", str(tmp_path / "k")]) == 0
    capsys.readouterr()
    assert keys.main(["--out", str(tmp_path / "k")]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_main_asks_twice_and_refuses_two_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--prompt encrypts when both answers agree, and makes nothing when they do not."""
    answers = iter(["one", "two", "same", "same"])
    monkeypatch.setattr(getpass, "getpass", lambda _prompt: next(answers))
    assert keys.main(["--out", str(tmp_path / "k"), "--prompt"]) == 1
    assert not (tmp_path / "k").exists()
    assert keys.main(["--out", str(tmp_path / "k"), "--prompt"]) == 0
    assert keys.read(tmp_path / "k", b"same")


def test_an_empty_password_file_is_refused(tmp_path: Path) -> None:
    """A file without a password would leave the key open without saying so."""
    (tmp_path / "password").write_text("\n")
    assert keys.main(["--out", str(tmp_path / "k"), "--password-file", str(tmp_path / "password")]) == 1
    assert not (tmp_path / "k").exists()
