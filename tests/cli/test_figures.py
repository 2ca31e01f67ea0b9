from dataclasses import replace
from pathlib import Path

import pytest
import small_sweep
from small_audits import whole

from frtaudit.cli.main import main
from frtaudit.core import Curve, Method
from frtaudit.core.canonical import to_bytes
from frtaudit.core.plain.records import to_json
from frtaudit.report.figures.nominal_levels import CohortBands, Levels, Study
from frtaudit.report.files import STUDY_FILE


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


def run_figures(argv: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of ``frtaudit figures``."""
    code = main(["figures", *argv])
    out, err = capsys.readouterr()
    return code, out, err


def test_names_and_titles_are_listed(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``--list`` writes nothing and prints a line for each figure."""
    code, out, _ = run_figures([str(run), "--list"], capsys)
    assert code == 0
    titles = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert titles["det"] == "ROC and DET: False non-matches against false matches"
    assert titles["roc"] == "ROC and DET: True matches against false matches"


def test_figures_are_written_once(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The named figures appear in the folder; a second time nothing is overwritten."""
    argv = [str(run), "det", "roc", "--formats", "svg", "--out", str(tmp_path / "made"), "--width", "page"]
    assert run_figures(argv, capsys)[0] == 0
    made = {path.name for path in (tmp_path / "made").iterdir()}
    assert made == {"det.svg", "det.txt", "roc.svg", "roc.txt"}
    code, out, err = run_figures(argv, capsys)
    assert (code, out) == (1, "")
    assert "already contains det.svg, " in err
    assert "; accepted: an empty folder, or another" in err


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (["dte"], "figure: found 'dte' (did you mean 'det'?); accepted: roc, det"),
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
    code, out, err = run_figures([str(run), "--out", str(tmp_path / "made"), *argv], capsys)
    assert (code, out) == (2, "")
    assert line in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "made").exists()


def test_a_choice_that_no_figure_shows_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is written where nothing is drawn, and that is said."""
    bare = replace(whole().result, curves=(), estimates=(), findings=())
    (tmp_path / "result.json").write_bytes(bare.to_bytes())
    code, out, err = run_figures([str(tmp_path), "--out", str(tmp_path / "made")], capsys)
    assert (code, out) == (2, "")
    assert err == (
        "frtaudit: figures: no figure of this result shows what was chosen; accepted: other choices; --list\n"
    )
    assert not (tmp_path / "made").exists()
    assert run_figures([str(tmp_path), "--list"], capsys) == (2, "", err)


def test_who_asks_for_fnmr_is_told_of_the_other_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """FNMR at a threshold is in no figure: the line says what was asked for and which metric is FNMR at a target."""
    whole_result = whole().result
    rates = tuple(entry for entry in whole_result.estimates if entry.metric in ("fnmr", "fnmr_at_fmr"))
    result = replace(whole_result, curves=(), estimates=rates, findings=())
    (tmp_path / "result.json").write_bytes(result.to_bytes())
    code, _, err = run_figures([str(tmp_path), "--list", "--metrics", "fnmr"], capsys)
    assert code == 2
    assert (
        "what was chosen; fnmr is FNMR at a threshold; accepted: fnmr_at_fmr is FNMR at the threshold" in err
    )
    code, out, _ = run_figures([str(tmp_path), "--list", "--metrics", "fnmr_at_fmr"], capsys)
    assert code == 0
    assert all(" by group at FMR " in line and ": FNMR" in line for line in out.splitlines()), out


def test_without_a_run_it_says_what_to_give(capsys: pytest.CaptureFixture[str]) -> None:
    """A run is missing, not the name of a figure: without names every figure is written."""
    code, out, err = run_figures([], capsys)
    assert (code, out) == (2, "")
    assert err == (
        "frtaudit: command line: the following arguments are required: RUN; "
        "accepted: RUN and names of figures; RUN alone for every figure; RUN --list for their names\n"
    )


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """The file of a study of nominal levels."""
    design = {"subjects": 40, "samples": 4, "dimension": 16, "concentration": (25.0, 90.0), "B": 49}
    truth = Curve(
        provider="s",
        analysis="roc",
        schema=None,
        group="truth",
        weighting="pooled",
        x=(0.01, 0.1),
        y=(0.3, 0.1),
    )
    naive = replace(truth, low=(0.2, 0.05), high=(0.4, 0.2), method=Method.NAIVE)
    levels = Levels(
        **design,
        fmr=0.03,
        cohorts=8,
        truth=0.1,
        methods=("naive",),
        nominal=(0.95,),
        coverage=((0.7,),),
        without=(0,),
    )
    bands = CohortBands(**design, level=0.95, curves=(naive,), truth=truth)
    file = tmp_path / STUDY_FILE
    file.write_bytes(to_bytes(to_json(Study(levels=(levels,), bands=bands))))
    return file


def test_figures_of_a_study_are_listed_and_written(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From its file or its folder: names and titles, and each figure in three formats with its caption."""
    code, out, _ = run_figures([str(study.parent), "--list"], capsys)
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["levels-0-03", "bands-naive"]
    made = study.parent / "made"
    assert run_figures([str(study), "bands-naive", "--width", "page", "--out", str(made)], capsys)[0] == 0
    assert {path.name for path in made.iterdir()} == {
        f"bands-naive.{kind}" for kind in ("svg", "pdf", "png", "txt")
    }
    assert "One cohort of 40 subjects" in (made / "bands-naive.txt").read_text(encoding="utf-8")


def test_a_study_has_no_systems_and_may_be_unreadable(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line each: an option that chooses systems, an unknown figure, a file that is no JSON, and none at all."""
    for argv, code, line in (
        (
            ["--systems", "a"],
            2,
            "--systems: the study is drawn whole; accepted: names of figures; --list prints them",
        ),
        (
            ["levels"],
            2,
            "figure: found 'levels' (did you mean 'levels-0-03'?); accepted: levels-0-03, bands-naive",
        ),
    ):
        assert run_figures([str(study), *argv], capsys) == (code, "", f"frtaudit: {line}\n")
    study.write_bytes(b"{")
    assert run_figures([str(study)], capsys)[2].endswith(
        "is not JSON; accepted: a run's folder, its result.json, or nominal_levels.json of the study of coverage\n"
    )
    study.unlink()
    code, out, err = run_figures([str(study)], capsys)
    assert (code, out, len(err.splitlines())) == (1, "", 1)
    assert "cannot be read (No such file or directory)" in err


def test_figures_of_a_sweep(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From the folder of its table; what chooses a part of a run is refused."""
    content = small_sweep.sweep(0.012).to_json()
    (tmp_path / "sweep.json").write_bytes(to_bytes(content))
    code, out, _ = run_figures([str(tmp_path), "--list"], capsys)
    assert code == 0
    assert all(line.startswith("sweep-fnmr-at-fmr-") for line in out.splitlines())
    code, _, err = run_figures([str(tmp_path), "--schemas", "group"], capsys)
    assert (code, err.partition(";")[0]) == (2, "frtaudit: --schemas: the table of a sweep is drawn whole")
