"""Tests of frtaudit.config.named_files."""

from dataclasses import replace
from pathlib import Path

import pytest

from frtaudit.config.load import load_spec
from frtaudit.config.named_files import check_key, read_seal, refuse_missing
from frtaudit.core.spec import Report
from frtaudit.errors import DataError


def test_a_key_and_a_seal_that_are_not_there_are_refused(tmp_path: Path) -> None:
    """The key by its path, the seal by its name; a folder and a file pass unopened."""
    check_key(tmp_path)
    with pytest.raises(DataError, match="^key .*none: does not exist; accepted: a folder of frtaudit keygen"):
        check_key(tmp_path / "none")
    with pytest.raises(DataError, match=r"^seal: none.json cannot be read \(No such file or directory\)"):
        read_seal(tmp_path / "none.json")


def test_a_spec_is_refused_for_what_it_names(tmp_path: Path) -> None:
    """A seal always, a key where the report is signed."""
    spec = load_spec(["audit=demo"])
    refuse_missing(spec)
    with pytest.raises(DataError, match="^seal: "):
        refuse_missing(replace(spec, seal=str(tmp_path / "none.json")))
    with pytest.raises(DataError, match="^key "):
        refuse_missing(replace(spec, report=Report(key=str(tmp_path / "none"))))
    refuse_missing(replace(spec, report=Report(key=str(tmp_path / "none"), sign=False)))
