"""Tests of frtaudit.cli.sweeps.paper: the files of a sweep, and the statement over them."""

import json
from pathlib import Path

import pytest
import small_sweep

from frtaudit.cli.sweeps import paper
from frtaudit.core.canonical import to_bytes
from frtaudit.core.spec import Report
from frtaudit.signing.signing import signing_of
from frtaudit.signing.statement import Scope, open_statement

PAGE = Report(pdf=False, date="2026-03-04")


@pytest.fixture(autouse=True)
def own_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A demo key of this test's own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "keys"))


def test_files_are_the_table_and_the_statement_covers_them(tmp_path: Path) -> None:
    """JSON, CSV and page are written, and each is a subject of the signed statement, a job's files too."""
    (tmp_path / "sweep" / "0").mkdir(parents=True)
    (tmp_path / "sweep" / "0" / "result.json").write_text("{}")
    folder = tmp_path / "sweep"
    written = paper.write(small_sweep.sweep(), folder, PAGE, signing_of(PAGE))
    assert [path.name for path in written] == ["sweep.json", "sweep.csv", "sweep.html"]
    assert (folder / "sweep.json").read_bytes() == to_bytes(small_sweep.sweep().to_json())
    outer = open_statement((folder / "statement.dsse.json").read_bytes(), Scope.OUTER, "statement")
    assert set(outer.subjects) == {"0/result.json", "report.json", "sweep.csv", "sweep.html", "sweep.json"}


def test_the_table_repeats_and_holds_no_path(tmp_path: Path) -> None:
    """Two folders get the same bytes, and nothing in them names a folder."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        paper.write(small_sweep.sweep(), tmp_path / name, PAGE, signing_of(PAGE))
    for name in ("sweep.json", "sweep.csv", "sweep.html"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
        assert str(tmp_path).encode() not in (tmp_path / "one" / name).read_bytes()


def test_the_pdf_carries_the_table(tmp_path: Path) -> None:
    """sweep.json is attached to the signed PDF; what is not asked for any more goes."""
    from frtaudit.signing.pdf.signature import read_signed_pdf

    paper.write(
        small_sweep.sweep(), tmp_path, Report(date="2026-03-04"), signing_of(Report(date="2026-03-04"))
    )
    pdf = read_signed_pdf((tmp_path / "sweep.pdf").read_bytes(), (), "sweep.pdf")
    assert len(pdf.signatures) == 1
    assert json.loads(pdf.attachments["sweep.json"])["family"] == small_sweep.sweep().family
    bare = Report(pdf=False, html=False, sign=False)
    paper.write(small_sweep.sweep(), tmp_path, bare, signing_of(bare))
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "keys") == [
        "sweep.csv",
        "sweep.json",
    ]
