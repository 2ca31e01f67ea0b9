"""Tests of frtaudit.config.named_files."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from frtaudit.config.load import load_spec
from frtaudit.config.named_files import (
    CERTIFICATE,
    PDF_KEY,
    STATEMENT_KEY,
    check_key,
    read_seal,
    refuse_missing,
)
from frtaudit.core.spec import Report
from frtaudit.errors import DataError, VerificationError


def test_a_key_and_a_seal_that_are_not_there_are_refused(tmp_path: Path) -> None:
    """The key by its path, the seal by its name."""
    with pytest.raises(DataError, match="^key .*none: does not exist; accepted: a folder of frtaudit keygen"):
        check_key(tmp_path / "none")
    with pytest.raises(DataError, match=r"^seal: none.json cannot be read \(No such file or directory\)"):
        read_seal(tmp_path / "none.json")


@pytest.mark.parametrize(
    "data", [b"-----BEGIN PRIVATE KEY-----\n", b"# my key\n-----BEGIN EC PRIVATE KEY-----\n", b"0\x82\n"]
)
def test_what_may_be_a_key_passes(data: bytes, tmp_path: Path) -> None:
    """PEM, with lines before it, and DER; a folder with all its files. Nothing is decrypted."""
    (tmp_path / "key").write_bytes(data)
    check_key(tmp_path / "key")
    for name in (STATEMENT_KEY, PDF_KEY, CERTIFICATE):
        (tmp_path / name).write_bytes(data)
    check_key(tmp_path)
    (tmp_path / CERTIFICATE).unlink()
    with pytest.raises(DataError, match=r": holds no certificate.pem; accepted: a folder of frtaudit keygen"):
        check_key(tmp_path)


def test_what_is_no_key_is_refused(tmp_path: Path) -> None:
    """Another file, an empty one, a folder of something else; a pipe is left unread for who opens it."""
    for name, data in (("report.txt", b"a report"), ("empty", b"")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(
            DataError, match=f"^key .*{name}: is neither; accepted: a folder of frtaudit keygen, a PK"
        ):
            check_key(tmp_path / name)
    with pytest.raises(
        DataError, match=r"^key .*: holds no statement.key.pem; accepted: a folder of frtaudit keygen"
    ):
        check_key(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match="^key .*pipe: is a FIFO; accepted"):
        check_key(tmp_path / "pipe")


def test_a_spec_is_refused_for_what_it_names(tmp_path: Path) -> None:
    """A seal always, a key where the report is signed."""
    spec = load_spec(["audit=demo"])
    refuse_missing(spec)
    with pytest.raises(DataError, match="^seal: "):
        refuse_missing(replace(spec, seal=str(tmp_path / "none.json")))
    (tmp_path / "other.json").write_bytes(b"{}")
    with pytest.raises(
        VerificationError, match=r"^other.json: is not a seal \(it holds no envelope\); accepted: a file"
    ):
        refuse_missing(replace(spec, seal=str(tmp_path / "other.json")))
    with pytest.raises(DataError, match="^key "):
        refuse_missing(replace(spec, report=Report(key=str(tmp_path / "none"))))
    refuse_missing(replace(spec, report=Report(key=str(tmp_path / "none"), sign=False)))
