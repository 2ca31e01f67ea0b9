"""Tests of frtaudit.signing.statement."""

import base64
import json
import random
import shutil
import subprocess
from datetime import datetime
from pathlib import Path

import pytest
from securesystemslib.dsse import Envelope
from small_run import INPUTS, WHEN

from frtaudit.core.canonical import sha256, to_bytes
from frtaudit.errors import VerificationError
from frtaudit.signing.manifest import digest_bytes
from frtaudit.signing.signer import Signer
from frtaudit.signing.statement import (
    PAYLOAD_TYPE,
    PREDICATE_TYPE,
    STATEMENT_TYPE,
    Scope,
    inner_statement,
    open_statement,
    outer_statement,
    recipe,
)

FILES = {"result.json": b"{}", "report.html": digest_bytes(b"<p>")}
SPEC = sha256(b"spec")


@pytest.fixture(scope="module")
def inner(signer: Signer) -> bytes:
    """An inner statement."""
    return inner_statement(FILES, SPEC, INPUTS, signer, WHEN)


def payload_of(envelope: bytes) -> dict[str, object]:
    """The statement inside an envelope, unchecked."""
    read: dict[str, object] = json.loads(base64.b64decode(json.loads(envelope)["payload"]))
    return read


def signed(payload: bytes, signer: Signer, payload_type: str = PAYLOAD_TYPE) -> bytes:
    """Any payload in a rightly signed envelope."""
    envelope = Envelope(payload, payload_type, {})
    envelope.sign(signer.statement)
    return to_bytes(envelope.to_dict())


def test_statement_is_in_toto_v1_and_reads_back(inner: bytes, signer: Signer) -> None:
    """What was signed is what is read: subjects, spec, inputs, time, signer."""
    payload = payload_of(inner)
    assert payload["_type"] == STATEMENT_TYPE
    assert payload["predicateType"] == PREDICATE_TYPE
    read = open_statement(inner, Scope.INNER, "s")
    assert read.subjects == {"report.html": digest_bytes(b"<p>"), "result.json": digest_bytes(b"{}")}
    assert (read.spec, read.inputs, read.when) == (SPEC, INPUTS, WHEN)
    assert read.keyid == signer.keyid
    assert read.certificate == signer.certificate


def test_same_inputs_give_the_same_envelope(inner: bytes, signer: Signer) -> None:
    """Ed25519 and canonical JSON leave nothing to chance."""
    assert inner_statement(FILES, SPEC, INPUTS, signer, WHEN) == inner


def test_outer_statement_lists_the_folder(tmp_path: Path, signer: Signer) -> None:
    """The outer statement covers every final file of the folder, by sha256 and length."""
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/t.parquet").write_bytes(b"t")
    (tmp_path / "result.json").write_bytes(b"{}")
    read = open_statement(outer_statement(tmp_path, signer, WHEN), Scope.OUTER, "s")
    assert read.subjects == {"result.json": digest_bytes(b"{}"), "tables/t.parquet": digest_bytes(b"t")}


def test_time_of_signing_needs_a_zone(signer: Signer) -> None:
    """A naive time would be written as UTC without being so."""
    with pytest.raises(ValueError, match="aware"):
        inner_statement(FILES, SPEC, INPUTS, signer, datetime(2026, 1, 1))  # noqa: DTZ001  that is the point


def test_every_flipped_bit_is_seen(inner: bytes) -> None:
    """Two flips at each position of the envelope: none passes, none crashes."""
    chance = random.Random(20260304)
    for position in range(len(inner)):
        for bit in (0x20, 1 << chance.randrange(8)):
            forged = bytearray(inner)
            forged[position] ^= bit
            with pytest.raises(VerificationError):
                open_statement(bytes(forged), Scope.INNER, "s")


def test_line_ends_of_windows_are_named(inner: bytes) -> None:
    """Git may convert a statement too: it is refused, and the reason says why."""
    with pytest.raises(VerificationError, match="line ends of Windows"):
        open_statement(inner.replace(b"\n", b"\r\n"), Scope.INNER, "s")


def test_an_inner_statement_does_not_pass_for_an_outer_one(inner: bytes) -> None:
    """A statement replayed in another place is refused."""
    with pytest.raises(VerificationError, match="is the inner statement"):
        open_statement(inner, Scope.OUTER, "s")


def test_another_payload_under_the_old_signature_is_refused(inner: bytes) -> None:
    """The signature covers the payload."""
    envelope = json.loads(inner)
    payload = payload_of(inner)
    payload["subject"] = [{"name": "x", "digest": {"sha256": SPEC}, "annotations": {"length": 1}}]
    envelope["payload"] = base64.b64encode(to_bytes(payload)).decode()  # type: ignore[arg-type]  # JSON
    with pytest.raises(VerificationError, match="signature is not valid"):
        open_statement(to_bytes(envelope), Scope.INNER, "s")


def test_a_statement_that_names_another_key_is_refused(inner: bytes, signer: Signer, other: Signer) -> None:
    """The key in the payload must be the one that signed: no one signs in another's name."""
    forged = signed(to_bytes(payload_of(inner)), other)  # type: ignore[arg-type]  # JSON
    with pytest.raises(VerificationError, match="signature is not valid"):
        open_statement(forged, Scope.INNER, "s")
    assert open_statement(signed(to_bytes(payload_of(inner)), signer), Scope.INNER, "s")  # type: ignore[arg-type]  # JSON


def test_another_payload_type_is_refused(inner: bytes, signer: Signer) -> None:
    """DSSE leaves the payload type to the reader: it is checked here."""
    forged = signed(to_bytes(payload_of(inner)), signer, "text/plain")  # type: ignore[arg-type]  # JSON
    with pytest.raises(VerificationError, match="payloadType"):
        open_statement(forged, Scope.INNER, "s")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("_type", "https://example.org/other"),
        ("predicateType", "urn:other"),
        ("predicate", []),
        ("subject", []),
        ("subject", {}),
        ("subject", [{"name": 1, "digest": {"sha256": SPEC}, "annotations": {"length": 1}}]),
        ("subject", [{"name": "x", "digest": {"sha256": SPEC}, "annotations": {"length": "1"}}]),
        ("subject", [{"name": "x", "digest": {"sha256": SPEC}, "annotations": {"length": 1}}] * 2),
    ],
)
def test_rightly_signed_nonsense_is_refused(inner: bytes, signer: Signer, field: str, value: object) -> None:
    """A signature over something else than a statement of ours does not make it one."""
    payload = {**payload_of(inner), field: value}
    with pytest.raises(VerificationError, match="not a statement"):
        open_statement(signed(to_bytes(payload), signer), Scope.INNER, "s")  # type: ignore[arg-type]  # JSON


@pytest.mark.parametrize("data", [b"", b"\xff", b"[]", b"{}", b"null", b"[" * 100_000])
def test_what_is_no_envelope_is_refused(data: bytes) -> None:
    """Anything may stand in the file: it is invalid, not a crash."""
    with pytest.raises(VerificationError):
        open_statement(data, Scope.OUTER, "s")


def test_a_signature_without_keyid_or_twice_is_refused(inner: bytes) -> None:
    """An absent keyid (which DSSE permits), two signatures, and loose spacing are not our form."""
    for change in ("no keyid", "two", "spaces"):
        envelope = json.loads(inner)
        if change == "no keyid":
            del envelope["signatures"][0]["keyid"]
        if change == "two":
            envelope["signatures"].append({"keyid": "0", "sig": envelope["signatures"][0]["sig"]})
        forged = json.dumps(envelope).encode() if change == "spaces" else to_bytes(envelope)
        with pytest.raises(VerificationError):
            open_statement(forged, Scope.INNER, "s")


def test_openssl_alone_verifies_the_statement(tmp_path: Path, signer: Signer) -> None:
    """The printed recipe verifies a right statement and refuses a changed one, with nothing of ours."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    (tmp_path / "result.json").write_bytes(b"{}")
    data = outer_statement(tmp_path, signer, WHEN)
    (tmp_path / "s.json").write_bytes(data)
    lines = recipe("s.json", open_statement(data, Scope.OUTER, "s"))

    def check() -> subprocess.CompletedProcess[str]:
        return subprocess.run(["sh", "-c", lines], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert "Signature Verified Successfully" in check().stdout
    envelope = json.loads(data)
    payload = bytearray(base64.b64decode(envelope["payload"]))
    payload[40] ^= 1
    envelope["payload"] = base64.b64encode(bytes(payload)).decode()
    (tmp_path / "s.json").write_bytes(to_bytes(envelope))
    assert check().returncode != 0
