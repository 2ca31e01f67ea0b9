from dataclasses import replace
from pathlib import Path

import pytest
from small_audits import whole

from frtaudit.cli.main import main


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run, as far as the command reads it."""
    folder = tmp_path_factory.mktemp("run")
    result = whole().result
    curves = tuple(
        item for item in result.curves if item.analysis in ("roc", "det")
    )  # the rest takes long to draw
    few = replace(result, estimates=(), findings=(), curves=curves)
    (folder / "result.json").write_bytes(few.to_bytes())
    return folder


def said(argv: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of ``frtaudit figures``."""
    code = main(["figures", *argv])
    out, err = capsys.readouterr()
    return code, out, err


def test_names_and_titles_are_listed(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``--list`` writes nothing and prints a line for each figure."""
    code, out, _ = said([str(run), "--list"], capsys)
    assert code == 0
    titles = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert titles["det"] == "ROC and DET: False non-matches against false matches"
    assert titles["roc"] == "ROC and DET: True matches against false matches"


def test_figures_are_written_once(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The named figures appear in the folder; a second time nothing is overwritten."""
    argv = [str(run), "det", "roc", "--formats", "svg", "--out", str(tmp_path / "made"), "--width", "page"]
    assert said(argv, capsys)[0] == 0
    made = {path.name for path in (tmp_path / "made").iterdir()}
    assert made == {"det.svg", "det.txt", "roc.svg", "roc.txt"}
    code, out, err = said(argv, capsys)
    assert (code, out) == (1, "")
    assert "already contains det.svg, " in err
    assert "; accepted: an empty folder, or another" in err


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (["dte"], "figure: found 'dte'; accepted: roc, det"),
        (["--systems", "three"], "--systems: the result has no 'three'; accepted: one, two"),
        (
            ["--xlim", "2,1"],
            "argument --xlim: found '2,1'; accepted: two numbers, the lower first: 0.001,0.1",
        ),
        (["--width", "wide"], "argument --width: found 'wide'; accepted: column, page, or 1 to 40 inches"),
        (["--formats", "gif"], "argument --formats: found 'gif'; accepted: svg, pdf, png"),
    ],
)
def test_bad_input_is_one_line(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], argv: list[str], line: str
) -> None:
    """What was found and what would be accepted; nothing is written."""
    code, out, err = said([str(run), "--out", str(tmp_path / "made"), *argv], capsys)
    assert (code, out) == (2, "")
    assert line in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "made").exists()


def test_without_a_run_it_says_what_to_give(capsys: pytest.CaptureFixture[str]) -> None:
    """A run is missing, not the name of a figure: without names every figure is written."""
    code, out, err = said([], capsys)
    assert (code, out) == (2, "")
    assert err == (
        "frtaudit: command line: the following arguments are required: RUN; "
        "accepted: RUN and names of figures; RUN alone for every figure; RUN --list for their names\n"
    )
