import fcntl
import os
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest
from finished_runs import finished_run, write_run

from frtaudit.cli import main
from frtaudit.config.plugins import load_plugins
from frtaudit.core import registry
from frtaudit.core.machine import signals
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.registry import names, register
from frtaudit.errors import DataError, SpecError
from frtaudit.report.exports.run_folder import FinishedRun
from frtaudit.report.exports.write import export, write_whole

ALL = [
    "ai_verify.json",
    "croissant.json",
    "csv",
    "findings.sarif",
    "in_toto",
    "junit.xml",
    "latex",
    "model_card",
    "model_index",
    "parquet",
    "references.bib",
    "summary.md",
]


def content(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_command_writes_all_formats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --as every format is written and named; the same run gives the same bytes; the run stays as it was."""
    run = write_run(tmp_path / "run")
    before = content(run)
    for out in ("one", "two"):
        assert main.main(["export", str(run), "--out", str(tmp_path / out)]) == 0
    assert capsys.readouterr().out.splitlines()[: len(ALL)] == [str(tmp_path / "one" / name) for name in ALL]
    assert content(tmp_path / "one") == content(tmp_path / "two")
    assert content(run) == before


def test_some_formats_with_a_date(tmp_path: Path) -> None:
    """--as chooses, --date says when the run was made, --fail-on what fails."""
    run = write_run(tmp_path / "run")
    words = ["export", str(run), "--as", "junit,ai-verify", "--date", "2026-05-06T07:08+02:00", "--fail-on"]
    assert main.main([*words, "not_testable", "--out", str(tmp_path / "out")]) == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["ai_verify.json", "junit.xml"]
    assert '"startTime":"2026-05-06T05:08:00Z"' in (tmp_path / "out" / "ai_verify.json").read_text()
    assert "<skipped" not in (tmp_path / "out" / "junit.xml").read_text()


@pytest.mark.parametrize(
    ("words", "code", "line"),
    [
        (
            ["--as", "xml"],
            2,
            "frtaudit: --as: no export is named 'xml'; accepted: ai-verify, bibtex, croissant, csv, ",
        ),
        (
            ["--date", "soon"],
            2,
            "frtaudit: command line: argument --date: found 'soon', which is not like 2026-",
        ),
        (
            ["--out", "run/result.json"],
            1,
            "frtaudit: --out: a file stands where a folder is needed; accepted: a writable folder",
        ),
        (["--out", "a" * 300], 1, "frtaudit: --out: the name is too long; accepted: a shorter name"),
    ],
)
def test_wrong_words_are_one_line(
    words: list[str], code: int, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """An unknown format, a date that is none, and a place that cannot be written get one line, and nothing is made."""
    monkeypatch.chdir(tmp_path)
    write_run(tmp_path / "run")
    before = content(tmp_path)
    assert main.main(["export", "run", *words]) == code
    shown = capsys.readouterr().err.splitlines()
    assert len(shown) == 1
    assert shown[0].startswith(line)
    assert content(tmp_path) == before


def test_nothing_is_overwritten_or_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that stands there stays, and a format that fails leaves none of the others behind."""
    load_plugins()
    run, out = finished_run(tmp_path), tmp_path / "out"
    out.mkdir()
    (out / "junit.xml").write_text("mine")
    with pytest.raises(DataError, match="already contains junit.xml"):
        export(run, ["csv", "junit"], out)
    assert content(out) == {"junit.xml": b"mine"}
    assert [path.name for path in out.iterdir()] == ["junit.xml"]

    def fails(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("frtaudit.report.exports.markdown.Markdown.write", fails)
    with pytest.raises(OSError, match="disk full"):
        export(run, ["csv", "markdown"], out)
    assert [path.name for path in out.iterdir()] == ["junit.xml"]


def test_a_link_that_leads_nowhere_is_not_overwritten(tmp_path: Path) -> None:
    """It stands there as a file does: nothing is written beside it or through it."""
    load_plugins()
    out = tmp_path / "out"
    out.mkdir()
    (out / "junit.xml").symlink_to(tmp_path / "gone")
    with pytest.raises(DataError, match="already contains junit.xml"):
        export(finished_run(tmp_path), ["csv", "junit"], out)
    assert [path.name for path in out.iterdir()] == ["junit.xml"]
    assert not (tmp_path / "gone").exists()


def test_a_folder_that_becomes_a_link_meanwhile_gets_nothing(tmp_path: Path) -> None:
    """The files go into the folder that the command began with, wherever it lies by then."""
    out, victim = tmp_path / "out", tmp_path / "victim"
    victim.mkdir()

    def swap(draft: Path) -> None:
        OutputFolder(draft).write("a", b"")
        out.rename(tmp_path / "moved")
        out.symlink_to(victim)

    write_whole(out, swap)
    assert not [*victim.iterdir()]
    assert [path.name for path in (tmp_path / "moved").iterdir()] == ["a"]


def test_a_signal_ends_an_export_between_two_formats(tmp_path: Path) -> None:
    """Nothing of it is left."""
    load_plugins()
    run, out = finished_run(tmp_path), tmp_path / "out"
    with signals.listening():
        os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(signals.Stopped):
            export(run, ["markdown"], out)
    assert not out.exists()


def test_what_a_killed_export_left_is_removed_by_the_next(tmp_path: Path) -> None:
    """A draft that nobody holds goes; one of a command that still writes stays, and so does where a link leads."""
    elsewhere, out = tmp_path / "elsewhere", tmp_path / "out"
    for folder in (elsewhere, out / ".draft-left", out / ".draft-live"):
        folder.mkdir(parents=True)
        (folder / "x").write_text("x")
    (out / ".draft-link").symlink_to(elsewhere)
    live = os.open(out / ".draft-live", os.O_RDONLY)
    fcntl.flock(live, fcntl.LOCK_EX)
    write_whole(out, lambda draft: (draft / "a").touch())
    os.close(live)
    assert sorted(content(out)) == [".draft-live/x", "a"]
    assert (elsewhere / "x").exists()


def test_a_format_of_another_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A registered class with one method is a format: it can be named and is listed."""
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    load_plugins()

    @register("export", "digest")
    @dataclass(frozen=True)
    class Digest:
        """digest.txt: the digest alone."""

        def write(self, run: FinishedRun, folder: Path) -> None:
            (folder / "digest.txt").write_text(run.result.sha256)

    from frtaudit.config.listing import listing

    run = finished_run(tmp_path)
    assert export(run, ["digest"], tmp_path / "out") == [tmp_path / "out" / "digest.txt"]
    assert (tmp_path / "out" / "digest.txt").read_text() == run.result.sha256
    assert "  digest                     digest.txt: the digest alone." in listing("export")
    assert "digest" in names("export")
    with pytest.raises(SpecError, match="no export is named 'nope'"):
        export(run, ["nope"], tmp_path / "out")
