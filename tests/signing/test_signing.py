"""Tests of frtaudit.signing.signing: who signs and how far is settled, or refused, beforehand."""

from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from local_tsa import authorities

from frtaudit.config.named_files import CERTIFICATE, PDF_KEY
from frtaudit.core.spec import Report
from frtaudit.core.spec_values import PadesLevel
from frtaudit.errors import DataError
from frtaudit.signing import key_folder, keys
from frtaudit.signing.pdf.pades import BASIC
from frtaudit.signing.signing import Signing, check_signing, signing_of


@pytest.fixture
def key(tmp_path: Path) -> str:
    """A key within its years."""
    keys.generate(tmp_path / "key", "Auditor", None, datetime.now(UTC))
    return str(tmp_path / "key")


def test_the_status_is_that_of_the_key(key: str) -> None:
    """A draft is unsigned, the demo key says demo, a key of one's own signed."""
    assert signing_of(Report(sign=False)) == Signing(signer=None)
    assert signing_of(Report(sign=False)).status == "unsigned"
    assert signing_of(Report()).status == "demo"
    own = signing_of(Report(key=key))
    assert (own.status, own.pades) == ("signed", BASIC)


def test_an_expired_key_is_refused(tmp_path: Path) -> None:
    """Before anything is computed, with the day on which it ended."""
    keys.generate(tmp_path / "old", "Auditor", None, datetime.now(UTC) - timedelta(days=365 * 20))
    with pytest.raises(
        DataError, match=r"^key of 'Auditor': its certificate expired on .*; accepted: a key within"
    ):
        signing_of(Report(key=str(tmp_path / "old")))


def test_a_key_whose_name_no_reader_can_compare_is_refused_where_there_is_a_pdf(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is computed: a PDF signature by it would not hold; a statement does."""
    monkeypatch.setattr(key_folder, "is_comparable", lambda _: True)
    keys.generate(tmp_path / "key", "Org (א)", None, datetime.now(UTC))
    own = Report(key=str(tmp_path / "key"))
    with pytest.raises(DataError, match=r"^key of 'Org .*cannot be compared.*; accepted: .*report.pdf=false"):
        signing_of(own)
    assert signing_of(replace(own, pdf=False)).status == "signed"


def test_a_level_out_of_reach_is_refused_where_there_is_a_pdf(key: str) -> None:
    """B-T without an authority is refused, never lowered; without a PDF there is nothing to reach."""
    with pytest.raises(DataError, match=r"^report.tsa: no value, and B-T needs a time"):
        signing_of(Report(key=key, pades=PadesLevel.B_T))
    assert signing_of(Report(key=key, pades=PadesLevel.B_T, pdf=False)).pades == BASIC


def test_a_draft_needs_no_key(tmp_path: Path) -> None:
    """Of a report that is not signed the key is not looked for; of one that is signed it is."""
    check_signing(Report(sign=False, key=str(tmp_path / "absent")))
    check_signing(Report())
    with pytest.raises(DataError, match="does not exist"):
        check_signing(Report(key=str(tmp_path / "absent")))


@pytest.mark.parametrize("password", [None, b"secret"])
def test_a_certificate_that_expired_is_refused_beforehand(tmp_path: Path, password: bytes | None) -> None:
    """No password locks its years."""
    keys.generate(tmp_path / "key", "Auditor", password, datetime(2015, 1, 1, tzinfo=UTC))
    with pytest.raises(DataError, match="key of 'Auditor': its certificate expired on 20"):
        check_signing(Report(key=str(tmp_path / "key")))


@pytest.mark.parametrize("locked", [False, True])
@pytest.mark.parametrize("name", [CERTIFICATE, PDF_KEY])
def test_a_folder_that_cannot_sign_is_refused_beforehand(tmp_path: Path, name: str, *, locked: bool) -> None:
    """A file that is torn, or belongs to another key; of a locked key, whose password is not asked for, less."""
    password = b"secret" if locked else None
    for folder in ("key", "other"):
        keys.generate(tmp_path / folder, "Auditor", password, datetime.now(UTC))
    key = tmp_path / "key" / name
    check_signing(own := Report(key=str(tmp_path / "key")))
    for data, seen in (
        (b"torn", not locked or name == CERTIFICATE),
        ((tmp_path / "other" / name).read_bytes(), not locked),
    ):
        key.write_bytes(data)
        with pytest.raises(DataError, match="key") if seen else nullcontext():
            check_signing(own)


@pytest.mark.parametrize("suffix", ["pem", "p12"])
@pytest.mark.parametrize("locked", [False, True])
def test_a_file_of_a_key_that_cannot_sign_is_refused_beforehand(
    tmp_path: Path, suffix: str, *, locked: bool
) -> None:
    """A key on another curve: nobody is asked for the password of one that is locked."""
    own = ec.generate_private_key(ec.SECP384R1())
    chain = authorities().issued("Other curve", own)
    lock = BestAvailableEncryption(b"secret") if locked else NoEncryption()
    file = tmp_path / f"key.{suffix}"
    if suffix == "pem":
        private = own.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, lock)
        file.write_bytes(private + chain.public_bytes(Encoding.PEM))
    else:
        file.write_bytes(pkcs12.serialize_key_and_certificates(b"n", own, chain, None, lock))
    with nullcontext() if locked else pytest.raises(DataError, match="no key that can sign here"):
        check_signing(Report(key=str(file)))
