"""Tests of frtaudit.signing.keys, and of password and foreign_key, which it asks."""

import getpass
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path
from threading import Barrier
from unittest.mock import Mock

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from small_run import WHEN

from frtaudit.config.named_files import CERTIFICATE, PDF_KEY, STATEMENT_KEY
from frtaudit.errors import DataError
from frtaudit.signing import key_folder
from frtaudit.signing.foreign_key import _certified
from frtaudit.signing.key_folder import PUBLIC, generate
from frtaudit.signing.keys import DEMO_FOLDER, config_folder, demo_signer, load_signer
from frtaudit.signing.password import PASSWORD_FILE, new_password
from frtaudit.signing.trust import Trust, load_trust


def test_load_signer_reads_the_password_from_file_variable_or_prompt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The password comes from the named file, the variable's file, or a prompt; without any the key stays shut."""
    made = generate(tmp_path / "k", "Org", b"secret", WHEN)
    file = tmp_path / "password"
    file.write_text("secret\n")
    assert load_signer(tmp_path / "k", file).keyid == made.keyid
    (tmp_path / "windows").write_bytes(b"\xef\xbb\xbfsecret\r\n")
    assert load_signer(tmp_path / "k", tmp_path / "windows").keyid == made.keyid
    assert new_password(str(tmp_path / "windows"), prompt=False) == b"secret"
    with pytest.raises(DataError, match="^/dev/zero: holds more than 4000000 bytes"):
        load_signer(tmp_path / "k", Path("/dev/zero"))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False, raising=False)
    with pytest.raises(DataError, match="is encrypted"):
        load_signer(tmp_path / "k")
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(getpass, "getpass", lambda _prompt: "secret")
    assert load_signer(tmp_path / "k").keyid == made.keyid
    monkeypatch.setenv(PASSWORD_FILE, str(file))
    monkeypatch.setattr(getpass, "getpass", lambda _prompt: "not asked")
    assert load_signer(tmp_path / "k").keyid == made.keyid


def test_a_new_password_comes_from_a_file_or_is_typed_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the file where one is named, though one may be typed; else typed, both times alike; else none."""
    file = tmp_path / "password"
    file.write_text("in the file\n")
    typed = iter(["one", "one", "one", "other", ""])
    monkeypatch.setattr(getpass, "getpass", lambda _prompt: next(typed))
    assert new_password(str(file), prompt=True) == b"in the file"
    assert new_password(None, prompt=False) is None
    assert new_password(None, prompt=True) == b"one"
    for _ in ("differ", "empty"):
        with pytest.raises(DataError, match="the passwords are empty or differ"):
            new_password(None, prompt=True)
    file.write_text("\n")
    with pytest.raises(DataError, match="holds no password"):
        new_password(str(file), prompt=False)


@pytest.mark.parametrize("missing", [STATEMENT_KEY, PDF_KEY, CERTIFICATE])
def test_a_key_with_a_missing_file_is_named(tmp_path: Path, missing: str) -> None:
    """The error names the file that is not there."""
    generate(tmp_path / "k", "Org", None, WHEN)
    (tmp_path / "k" / missing).unlink()
    with pytest.raises(DataError, match=missing.replace(".", r"\.")):
        load_signer(tmp_path / "k")


def test_demo_key_is_made_once_and_marked(own_config: Path) -> None:
    """Without a key a run gets this machine's demo key, the same each time, and it says what it is."""
    first, second = load_signer(), load_signer()
    assert first.keyid == second.keyid
    assert first.is_demo
    assert (own_config / DEMO_FOLDER / PUBLIC).is_file()


def test_concurrent_first_use_makes_one_demo_key(own_config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight first users, all past the question whether there is one, end up with one key and no litter."""
    together = Barrier(8)
    write = key_folder._write_key

    def write_together(folder: Path, name: str, password: bytes | None, when: datetime) -> None:
        write(folder, name, password, when)
        together.wait(timeout=60)

    monkeypatch.setattr(key_folder, "_write_key", write_together)
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _index: demo_signer(WHEN).keyid, range(8)))
    assert len(set(made)) == 1
    assert [item.name for item in own_config.iterdir()] == [DEMO_FOLDER]


def test_a_demo_folder_without_a_key_is_named(own_config: Path) -> None:
    """A demo folder that somebody filled with something else is an error, not a new key."""
    (own_config / DEMO_FOLDER).mkdir(parents=True)
    (own_config / DEMO_FOLDER / "x").write_text("x")
    with pytest.raises(DataError, match=DEMO_FOLDER):
        demo_signer(WHEN)


def test_where_no_demo_key_can_be_made_the_line_says_where_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home that is read-only, as in a container, and what then works."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FRTAUDIT_CONFIG_HOME", str(tmp_path / "file"))
    with pytest.raises(
        DataError, match=r"a writable folder: FRTAUDIT_CONFIG_HOME=FOLDER in the environment; or a key"
    ):
        demo_signer(WHEN)
    monkeypatch.setenv("FRTAUDIT_CONFIG_HOME", str(tmp_path / "other"))
    assert demo_signer(WHEN).is_demo


def test_a_key_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    """report.key names the folder that keygen made."""
    with pytest.raises(DataError, match="does not exist"):
        load_signer(tmp_path / "absent")


def test_config_folder_follows_the_variables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """FRTAUDIT_CONFIG_HOME wins over XDG_CONFIG_HOME, which wins over the home folder."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    assert config_folder().name == "frtaudit"
    monkeypatch.delenv("FRTAUDIT_CONFIG_HOME")
    assert config_folder() == tmp_path / "xdg/frtaudit"
    monkeypatch.setenv("HOME", str(tmp_path))
    for none in ("", "a/relative/one"):  # whom a machine trusts does not depend on the current folder
        monkeypatch.setenv("XDG_CONFIG_HOME", none)
        assert config_folder() == tmp_path / ".config/frtaudit"
    monkeypatch.delenv("XDG_CONFIG_HOME")
    assert config_folder() == tmp_path / ".config/frtaudit"


def test_a_user_without_a_home_verifies_and_signs_with_a_key_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such a user trusts whom ``--trust`` names; only the demo key asks for a folder, in one line."""
    own = generate(tmp_path / "k", "Org", None, WHEN)
    for name in ("FRTAUDIT_CONFIG_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    assert load_trust() == Trust()
    assert own.keyid in load_trust([tmp_path / "k" / PUBLIC]).keyids
    assert load_signer(tmp_path / "k").keyid == own.keyid
    with pytest.raises(DataError, match=r"^home folder: .*; accepted: FRTAUDIT_CONFIG_HOME=FOLDER"):
        load_signer()


@pytest.mark.parametrize(("bits", "signs"), [(2048, True), (2047, False)])
def test_an_rsa_key_of_2048_bits_signs(bits: int, signs: bool) -> None:
    """One of fewer is refused with what is accepted."""
    key = Mock(spec=rsa.RSAPrivateKey, key_size=bits)
    with nullcontext() if signs else pytest.raises(DataError, match="RSA of 2048 bits or more"):
        assert _certified(Path("key.pem"), key) is key
