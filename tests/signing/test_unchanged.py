"""Tests of frtaudit.signing.unchanged: what commands that go on from a run refuse."""

from pathlib import Path

import pytest
from small_run import WHEN, sign_outer

from frtaudit.cli.main import main
from frtaudit.errors import DataError
from frtaudit.signing.approve import approve
from frtaudit.signing.signer import Signer
from frtaudit.signing.unchanged import changes, refuse_changed, refuse_incomplete


def test_an_intact_run_has_no_change(run: Path, other: Signer) -> None:
    """Nor has one whose PDF was signed once more, or one that nobody signed."""
    assert list(changes(run)) == []
    assert approve(run, other, WHEN)
    assert list(changes(run)) == []
    (run / "statement.dsse.json").unlink()
    (run / "result.json").write_bytes(b"{}")
    assert list(changes(run)) == []


@pytest.mark.parametrize("file", ["result.json", "report.pdf", "statement.dsse.json"])
def test_a_changed_file_is_named(run: Path, file: str) -> None:
    """Also where the statement itself is another; the path may be that of result.json."""
    data = bytearray((run / file).read_bytes())
    data[len(data) // 2] ^= 1
    (run / file).write_bytes(data)
    for refuse in (refuse_changed, refuse_incomplete):
        with pytest.raises(
            DataError, match=rf"^run/{file}: .*; accepted: an unchanged run; frtaudit verify names"
        ):
            refuse(run)
    with pytest.raises(DataError, match=rf"^run/{file}: "):
        refuse_changed(run / "result.json")


def test_a_file_left_behind_is_no_change(run: Path) -> None:
    """An export may start from a copy without the report; a comparison needs the whole run."""
    (run / "report.html").unlink()
    refuse_changed(run)
    with pytest.raises(DataError, match=r"^run/report.html: is listed in the statement, but missing"):
        refuse_incomplete(run)


def test_a_result_that_the_statement_does_not_list_is_refused(run: Path, original: Path) -> None:
    """A statement from elsewhere vouches for no result beside it."""
    (run / "sweep.json").write_bytes((original / "result.json").read_bytes())
    with pytest.raises(DataError, match=r"^run/sweep.json: is not listed in statement.dsse.json"):
        refuse_changed(run)


@pytest.mark.parametrize("words", [["export", "--as", "junit"], ["figures", "--list"]])
def test_nothing_is_made_from_a_changed_run(
    run: Path, tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """``export`` and ``figures`` end in the line, and write nothing."""
    data = (run / "result.json").read_bytes()
    (run / "result.json").write_bytes(data.replace(b"0.1", b"0.2", 1))
    assert data != (run / "result.json").read_bytes()
    assert main([words[0], str(run), *words[1:], "--out", str(tmp_path / "out")]) == 1
    out, err = capsys.readouterr()
    assert err.startswith("frtaudit: run/result.json: has sha256 ")
    assert not out
    assert not (tmp_path / "out").exists()


def test_a_signed_study_that_was_changed_is_refused(
    run: Path, signer: Signer, capsys: pytest.CaptureFixture[str]
) -> None:
    """``figures`` of a study of nominal levels asks, as of a run, where a statement stands beside its file."""
    study = run / "nominal_levels.json"
    study.write_bytes(b"{}")
    sign_outer(run, signer)
    study.write_bytes(b"{ }")
    assert main(["figures", str(study), "--list"]) == 1
    assert capsys.readouterr().err.startswith("frtaudit: run/nominal_levels.json: is 3 bytes long, ")
