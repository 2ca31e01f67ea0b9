"""Tests of frtaudit.cli.keygen."""

import getpass
from pathlib import Path

import pytest

from frtaudit.cli import keygen, main
from frtaudit.errors import DataError
from frtaudit.signing.key_folder import PUBLIC, read


def test_main_prints_paths_and_fingerprints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command says where the files are and how to tell the key."""
    (tmp_path / "password").write_text("secret")
    arguments = ["--out", str(tmp_path / "k"), "--name", "Org"]
    assert keygen.main([*arguments, "--password-file", str(tmp_path / "password")]) == 0
    printed = capsys.readouterr().out
    signer = read(tmp_path / "k", b"secret")
    for part in (signer.keyid, signer.fingerprint, str(tmp_path / "k" / PUBLIC), "encrypted"):
        assert part in printed


def test_main_refuses_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A second keygen into the same folder fails with one line on stderr."""
    words = ["keygen", "--out", str(tmp_path / "k")]
    assert main.main(words) == 0
    capsys.readouterr()
    assert main.main(words) == 1
    assert capsys.readouterr().err == (
        f"frtaudit: {tmp_path / 'k'}: is not empty; accepted: a new or empty folder\n"
    )


def test_main_asks_twice_and_refuses_two_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--prompt encrypts when both answers agree, and makes nothing when they do not."""
    answers = iter(["one", "two", "same", "same"])
    monkeypatch.setattr(getpass, "getpass", lambda _prompt: next(answers))
    with pytest.raises(DataError, match="empty or differ"):
        keygen.main(["--out", str(tmp_path / "k"), "--prompt"])
    assert not (tmp_path / "k").exists()
    assert keygen.main(["--out", str(tmp_path / "k"), "--prompt"]) == 0
    assert read(tmp_path / "k", b"same")


def test_an_empty_password_file_is_refused(tmp_path: Path) -> None:
    """A file without a password would leave the key open without saying so."""
    (tmp_path / "password").write_text("\n")
    with pytest.raises(DataError, match="holds no password"):
        keygen.main(["--out", str(tmp_path / "k"), "--password-file", str(tmp_path / "password")])
    assert not (tmp_path / "k").exists()
