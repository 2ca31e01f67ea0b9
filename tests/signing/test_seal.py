"""Tests of frtaudit.signing.seal."""

import json
import os
import signal
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from local_tsa import Clock, authorities, running
from small_audits import spec
from small_limits import file_size_limit
from small_run import WHEN

from frtaudit.cli import seal as command
from frtaudit.config.named_files import read_seal
from frtaudit.core.canonical import Json, to_bytes
from frtaudit.core.identity import to_plain
from frtaudit.core.machine import signals
from frtaudit.core.seal import sealed_content
from frtaudit.core.spec import AuditSpec, Bootstrap
from frtaudit.errors import DataError, FrtauditError, VerificationError
from frtaudit.pipeline.audit import audit
from frtaudit.pipeline.components import load_cohort, load_providers
from frtaudit.pipeline.provenance import inputs_of
from frtaudit.signing.keys import load_signer
from frtaudit.signing.seal import SEAL, load_seal, make_seal, open_seal
from frtaudit.signing.signer import Signer

CONTENT = sealed_content({"seed": 0}, "0" * 64, {"metadata.csv": "1" * 64})


def content_of(made: AuditSpec) -> Mapping[str, Json]:
    """What a seal of this spec fixes."""
    cohort_data = load_cohort(made)
    inputs = inputs_of(made, cohort_data, load_providers(made, cohort_data))
    return sealed_content(to_plain(made), cohort_data.cohort.digest, inputs)


@pytest.fixture
def clock() -> Iterator[Clock]:
    """A time-stamping authority on loopback."""
    with running() as found:
        found.when = WHEN
        yield found


def test_a_seal_opens_as_it_was_made(signer: Signer, clock: Clock) -> None:
    """Content, signer and time come back; the authority is trusted under its root."""
    data = make_seal(CONTENT, signer, WHEN, clock.url)
    found = open_seal(data, SEAL, [authorities().root])
    assert (found.content, found.statement.keyid, found.statement.when) == (CONTENT, signer.keyid, WHEN)
    assert found.stamp is not None
    assert (found.stamp.when, found.stamp.distrust) == (WHEN, None)
    assert open_seal(make_seal(CONTENT, signer, WHEN), SEAL).stamp is None


def test_a_changed_seal_is_invalid(signer: Signer, other: Signer, clock: Clock) -> None:
    """Other content, another form, another time or another kind of statement does not open."""
    data = make_seal(CONTENT, signer, WHEN, clock.url)
    value = json.loads(data)
    later = json.loads(make_seal(CONTENT, other, WHEN, clock.url))
    moved = {"envelope": value["envelope"], "timestamp": later["timestamp"]}
    for wrong in (b"{}", b"[", data + b" ", to_bytes(moved), to_bytes({**value, "more": 1}), b"null"):
        with pytest.raises(VerificationError, match=SEAL):
            open_seal(wrong, SEAL)
    for position in range(0, len(data) - 1, 97):
        forged = bytearray(data)
        forged[position] ^= 1
        if (
            json_or_none(bytes(forged))
            and forged.count(b'"timestamp"')
            and position > data.index(b'"timestamp"')
        ):
            continue  # flips in a token are the subject of test_timestamp
        with pytest.raises(VerificationError, match=SEAL):
            open_seal(bytes(forged), SEAL)


def test_a_seal_with_line_ends_of_windows_is_told_from_a_changed_one(signer: Signer) -> None:
    """A checkout by git writes them, which nobody forged; with another content it is not the signed file."""
    data = make_seal(CONTENT, signer, WHEN).replace(b"\n", b"\r\n")
    with pytest.raises(
        VerificationError, match=r"has line ends of Windows, .* copy it as binary \(git: -text\)$"
    ):
        open_seal(data, SEAL)
    value = json.loads(data)
    value["envelope"]["payload"] = f"AAAA{value['envelope']['payload'][4:]}"
    with pytest.raises(VerificationError) as caught:
        open_seal(to_bytes(value).replace(b"\n", b"\r\n"), SEAL)
    assert "Windows" not in str(caught.value)


def json_or_none(data: bytes) -> object:
    """Parsed JSON, or None."""
    try:
        return json.loads(data)
    except ValueError:
        return None


def test_a_run_under_its_seal_departs_in_nothing(signer: Signer, tmp_path: Path) -> None:
    """The sealed spec, run as sealed: no departure, and every number as without a seal."""
    made = spec(bootstrap=Bootstrap(B=99))
    (tmp_path / "mine.json").write_bytes(make_seal(content_of(made), signer, WHEN))
    result = audit(replace(made, seal=str(tmp_path / "mine.json"))).result
    assert result.seal is not None
    assert result.seal.departures == ()
    assert "mine.json" in result.digests["inputs"]  # type: ignore[operator]  # a mapping
    plain = audit(made).result
    assert plain.seal is None
    assert (plain.estimates, plain.findings, plain.spec["seed"]) == (
        result.estimates, result.findings, result.spec["seed"],
    )  # fmt: skip


def test_a_run_that_departs_says_where(signer: Signer, tmp_path: Path) -> None:
    """Another number of resamples, another seed, another cohort: each is listed with both values."""
    made = spec(bootstrap=Bootstrap(B=99))
    (tmp_path / "mine.json").write_bytes(make_seal(content_of(made), signer, WHEN))
    other = spec(bootstrap=Bootstrap(B=119), seed=5, seal=str(tmp_path / "mine.json"))
    result = audit(other).result
    assert result.seal is not None
    found = {item.place: (item.sealed, item.run) for item in result.seal.departures}
    assert found["/spec/bootstrap/B"] == ("99", "119")
    assert found["/spec/seed"] == ("0", "5")
    assert all(place.startswith(("/spec/", "/digests/")) for place in found)


def test_a_seal_that_is_none_stops_the_run_at_once(tmp_path: Path) -> None:
    """A missing seal and a broken one are refused in one line before anything is scored."""
    with pytest.raises(DataError, match=r"^seal: absent.json cannot be read"):
        audit(spec(seal=str(tmp_path / "absent.json")))
    (tmp_path / "broken.json").write_bytes(b"{}")
    with pytest.raises(VerificationError, match=r"^broken.json: is not a seal"):
        audit(spec(seal=str(tmp_path / "broken.json")))
    assert read_seal(tmp_path / "broken.json") == b"{}"


def test_a_seal_from_after_the_run_is_refused(signer: Signer, clock: Clock, tmp_path: Path) -> None:
    """By its signer's clock, or by the authority's: verify would call the run invalid."""
    clock.when = datetime.now(UTC) + timedelta(hours=1)
    for name, data in (
        ("signer", make_seal(CONTENT, signer, clock.when)),
        ("authority", make_seal(CONTENT, signer, WHEN, clock.url)),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(
            DataError, match=r"^seal: was made at .* UTC, this machine's clock says .*; accepted: a seal"
        ):
            load_seal(str(tmp_path / name))
    (tmp_path / "before").write_bytes(make_seal(CONTENT, signer, WHEN))
    assert load_seal(str(tmp_path / "before")) is not None


def test_main_writes_a_seal_once(tmp_path: Path, capsys: pytest.CaptureFixture[str], clock: Clock) -> None:
    """The command says who sealed and when; a seal is not overwritten, and no time means no seal."""
    out = tmp_path / "mine.json"

    def content(overrides: object, _: str | None) -> Mapping[str, Json]:
        assert overrides == ["audit=x"]
        return CONTENT

    assert command.main(["audit=x", "--out", str(out), "--tsa", clock.url], content) == 0
    assert "2026-03-04 05:06:07 UTC by 'Test time'" in capsys.readouterr().out
    assert open_seal(out.read_bytes(), SEAL).statement.keyid == load_signer().keyid
    with pytest.raises(DataError, match="mine.json exists"):
        command.main(["audit=x", "--out", str(out)], content)
    clock.status = 500
    with pytest.raises(FrtauditError):
        command.main(["audit=x", "--out", str(tmp_path / "new"), "--tsa", clock.url], content)
    assert not (tmp_path / "new").exists()
    with (
        file_size_limit(300),
        pytest.raises(DataError, match=r"--out: new cannot be written \(File too large\)"),
    ):
        command.main(["audit=x", "--out", str(tmp_path / "new")], content)
    assert not (tmp_path / "new").exists()
    assert command.main(["audit=x", "--out", str(tmp_path / "new")], content) == 0


def test_a_refused_spec_makes_no_demo_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The spec is read before the key: a refused one leaves nothing, neither here nor in the user's folder."""
    monkeypatch.setenv("FRTAUDIT_CONFIG_HOME", str(tmp_path / "home"))

    def content(*_: object) -> Mapping[str, Json]:
        raise DataError("cohort", "none", "")

    with pytest.raises(DataError):
        command.main(["audit=x", "--out", str(tmp_path / "new")], content)
    assert not any(tmp_path.iterdir())


def test_a_signal_is_heard_before_a_key_is_read_and_before_a_file_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the cohort is read, and while an authority is asked: no seal is written."""

    def signalled(*_: object) -> Mapping[str, Json]:
        os.kill(os.getpid(), signal.SIGTERM)
        return CONTENT

    out = tmp_path / SEAL
    monkeypatch.setattr("frtaudit.signing.keys.load_signer", lambda *_: pytest.fail("no key is read"))
    with signals.listening(), pytest.raises(signals.Stopped):
        command.main(["--out", str(out)], signalled)
    monkeypatch.setattr("frtaudit.signing.keys.load_signer", lambda *_: SimpleNamespace(certificate=None))
    monkeypatch.setattr("frtaudit.signing.signer.check_years", lambda *_: None)
    monkeypatch.setattr("frtaudit.signing.seal.make_seal", lambda *_: signalled() and b"{}")
    with signals.listening(), pytest.raises(signals.Stopped):
        command.main(["--out", str(out)], lambda *_: CONTENT)
    assert not out.exists()
