"""Tests of frtaudit.cli.run: exit codes, refusals. The audit itself is a stand-in, but for one small real run."""

import errno
import io
import json
import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

import pytest

from frtaudit.cli import run as app
from frtaudit.cli.main import main
from frtaudit.cli.run import FailOn
from frtaudit.core import AuditResult
from frtaudit.core.spec import AuditSpec
from frtaudit.errors import DataError, SpecError
from frtaudit.pipeline import run as delivery

ExitCode = Callable[[Mapping[str, int]], int]
FAULTS = {
    4: MemoryError(),
    5: OSError(errno.ENOSPC, "No space left on device", "out/.draft/files/report.pdf"),
    6: OSError(errno.EFBIG, "File too large"),
}
NOTHING = AuditResult(
    spec={}, digests={}, versions={}, estimates=(), curves=(), findings=(), failures=(), cohort={}, notes=()
)
COUNTS = {"pass": 1, "fail": 0, "inconclusive": 1, "not_testable": 0}


def stand_in(spec: AuditSpec, folder: Path, exit_code: ExitCode) -> delivery.RunSummary:
    """What delivery does, without an audit: seed 7 is bad data, seed 8 a fault, seed 9 a failed requirement."""
    if spec.seed == 7:
        raise DataError("metadata.csv", "the file is missing")
    if spec.seed in FAULTS:
        raise FAULTS[spec.seed]
    if spec.seed == 8:
        raise ZeroDivisionError("nobody foresaw this")
    code = exit_code({**COUNTS, "fail": int(spec.seed == 9)})
    (folder / "result.json").write_text(json.dumps({"seed": spec.seed}))
    (folder / "verdict.json").write_text(json.dumps({"exit_code": code}))
    return delivery.RunSummary(
        exit_code=code, verdict_counts=COUNTS, result=NOTHING, result_sha256="", report=None
    )


@pytest.fixture(autouse=True)
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, and no real audit."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(delivery, "run", stand_in)
    return tmp_path


def run(*overrides: str, flags: tuple[str, ...] = (), fail_on: FailOn = FailOn.FAIL) -> int:
    """Run in this process."""
    return app.run(flags, ["audit=demo", *overrides], None, fail_on)


def command(*overrides: str) -> int:
    """The same as it is typed: what is raised is one line."""
    return main(["run", "audit=demo", *overrides])


def files(folder: Path) -> list[str]:
    """Everything below a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Lines on standard error."""
    return capsys.readouterr().err.splitlines()


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ({}, (0, 0, 0)),
        ({"pass": 3}, (0, 0, 0)),
        ({"fail": 1}, (3, 3, 3)),
        ({"inconclusive": 1}, (0, 3, 3)),
        ({"not_testable": 1}, (0, 0, 3)),
    ],
)
def test_exit_code_counts_what_fail_on_names(verdicts: dict[str, int], expected: tuple[int, ...]) -> None:
    """Inconclusive includes fail; not_testable includes both."""
    assert tuple(app.exit_code(verdicts, fail_on) for fail_on in FailOn) == expected


def test_a_run_goes_to_its_folder(somewhere: Path) -> None:
    """A run writes where hydra.run.dir says, nothing but its files, and exits with 0."""
    assert run("hydra.run.dir=out") == 0
    assert files(somewhere / "out") == ["result.json", "verdict.json"]


def test_a_run_goes_to_reports_by_default(somewhere: Path) -> None:
    """By default a run goes to reports/<audit>/<time to the microsecond>; two runs never meet."""
    assert run() == 0
    assert run() == 0
    folders = [path.parent for path in (somewhere / "reports" / "demo").rglob("result.json")]
    assert len(folders) == 2
    assert all(len(folder.name) == len("2026-01-02T03-04-05-000006") for folder in folders)


def test_fail_on_decides_the_exit_code() -> None:
    """The same inconclusive verdict exits with 0 or 3, as --fail-on says."""
    assert run("hydra.run.dir=a") == 0
    assert run("hydra.run.dir=b", fail_on=FailOn.INCONCLUSIVE) == 3
    assert run("seed=9", "hydra.run.dir=c") == 3


@pytest.mark.parametrize(
    ("override", "code", "line"),
    [
        ("bootstrap.b=3", 2, "frtaudit: bootstrap: unknown key 'b' (did you mean 'B'?); accepted: B, alpha"),
        ("bootstrap.alpha=2", 2, "frtaudit: bootstrap.alpha: found 2; accepted: a number between 0 and 1"),
        ("seed=4", 1, "frtaudit: memory: no more is available; accepted: more memory, fewer threads, or"),
        ("seed=5", 1, "frtaudit: report.pdf: no space is left on the disk; accepted: free space there, or"),
        ("seed=6", 1, "frtaudit: output: the file-size limit is reached; accepted: a higher limit: ulimit -f"),
        ("bootstrap.B=99999999999", 2, "frtaudit: bootstrap.B: found 99999999999; accepted: at most 1000000"),
        ("seed=7", 1, "frtaudit: metadata.csv: the file is missing"),
        ("seed=8", 1, "frtaudit: unexpected: ZeroDivisionError: nobody foresaw this; accepted: --debug"),
    ],
)  # fmt: skip
def test_a_refused_run_says_one_line_and_leaves_nothing(
    somewhere: Path, capsys: pytest.CaptureFixture[str], override: str, code: int, line: str
) -> None:
    """A refusal is one line and an exit code; not even the folder is left, nor those above it."""
    assert command(override, "hydra.run.dir=out/a/b") == code
    said = lines(capsys)
    assert len(said) == 1
    assert said[0].startswith(line)
    assert files(somewhere) == []


def test_a_folder_that_was_there_stays(somewhere: Path) -> None:
    """An empty folder of the user's is not removed."""
    (somewhere / "out").mkdir()
    assert command("seed=7", "hydra.run.dir=out") == 1
    assert command("seed=7", "hydra.run.dir=out/a/b") == 1
    assert files(somewhere) == ["out"]


def test_a_refused_run_leaves_no_folder_elsewhere(
    tmp_path_factory: pytest.TempPathFactory, somewhere: Path
) -> None:
    """Outside the working folder too, those above the run's folder go if the run made them."""
    other = tmp_path_factory.mktemp("other")
    assert command("seed=7", f"hydra.run.dir={other}/a/b/c") == 1
    assert files(other) == files(somewhere) == []


def test_a_file_is_no_run_folder(
    somewhere: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file where the run's folder should be is one line that names the field; with --debug the fault itself."""
    (somewhere / "taken").write_text("mine")
    line = "hydra.run.dir: a file stands where a folder is needed; accepted: a writable folder"
    assert command("hydra.run.dir=taken") == command("hydra.run.dir=taken/run") == 1
    assert lines(capsys) == [f"frtaudit: {line}"] * 2
    assert files(somewhere) == ["taken"]
    assert (somewhere / "taken").read_text() == "mine"
    monkeypatch.setenv(app.DEBUG, "1")
    with pytest.raises(DataError, match=f"^{line}$"):
        run("hydra.run.dir=taken")
    with pytest.raises(FileNotFoundError):
        run("hydra.run.dir=/proc/run")
    assert lines(capsys) == []


def test_a_name_that_is_too_long_is_that_of_the_run_folder(capsys: pytest.CaptureFixture[str]) -> None:
    """The line names the field, not a file that the run would have written."""
    assert command(f"hydra.run.dir={'a' * 300}") == 1
    assert lines(capsys) == ["frtaudit: hydra.run.dir: the name is too long; accepted: a shorter name"]


def test_a_run_whose_reader_has_enough_is_no_fault(somewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`frtaudit run | head -1`: the run is whole, and its pipe broken."""

    class Broken(io.StringIO):
        def write(self, _: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stdout", Broken())
    with pytest.raises(BrokenPipeError):
        run("hydra.run.dir=out")
    assert (somewhere / "out" / "result.json").is_file()


def test_a_folder_with_a_result_is_refused_and_left_alone(
    somewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No run writes over another: exit 2, and not a byte moves."""
    command("hydra.run.dir=out")
    before = {path: path.read_bytes() for path in (somewhere / "out").rglob("*") if path.is_file()}
    assert command("seed=9", "hydra.run.dir=out") == 2
    assert lines(capsys) == [
        "frtaudit: hydra.run.dir: out already contains a result.json; accepted: a folder without a result"
    ]
    assert before == {path: path.read_bytes() for path in (somewhere / "out").rglob("*") if path.is_file()}


def test_composition_errors_are_ours() -> None:
    """What Hydra refuses while composing is raised as our error."""
    with pytest.raises(
        SpecError,
        match=r"^schema: no option is named 'nope'; accepted: gender, group, tone, or one of your own: '.*'$",
    ):
        run("schema=nope")
    with pytest.raises(SpecError, match=r"^command line: cannot read 'name=\]'"):
        run("name=]")


def test_debug_shows_where(monkeypatch: pytest.MonkeyPatch) -> None:
    """With --debug the error itself comes through."""
    monkeypatch.setenv(app.DEBUG, "1")
    with pytest.raises(ZeroDivisionError):
        run("seed=8", "hydra.run.dir=out")


def test_config_can_be_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """--cfg job prints the composed spec by its name, or a part of it, and runs nothing."""
    assert run("report.title=${name}", flags=("--cfg", "job")) == 0
    said = capsys.readouterr().out
    assert "type: synthetic" in said
    assert "title: ${name}" in said
    assert run("report.title=${name}", flags=("--resolve", "--cfg", "job", "--package", "report")) == 0
    assert capsys.readouterr().out.startswith("# @package report\ntitle: demo\n")
    with pytest.raises(SpecError, match=r"^--package: no key 'nope'; accepted: name, "):
        run(flags=("--cfg", "job", "--package", "nope"))


def test_info_shows_what_is_selected(capsys: pytest.CaptureFixture[str]) -> None:
    """--info defaults-tree prints what the presets select, and runs nothing."""
    assert run("schema=gender", flags=("--info", "defaults-tree")) == 0
    assert "schema: gender" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("word", "made"),
    [
        ("hydra.run.dir=out/${name}", "out/demo"),
        ("hydra.run.dir='my folder, ${name}'", "my folder, demo"),
        ("hydra.run.dir=out_${now:%Y}", f"out_{datetime.now().year}"),  # noqa: DTZ005  the clock on the wall
    ],
)
def test_a_folder_may_be_named_by_the_spec(somewhere: Path, word: str, made: str) -> None:
    """${key} and ${now:FORMAT} in the name of a run's folder stand for names."""
    assert run(word) == 0
    assert (somewhere / made / "result.json").is_file()


@pytest.mark.parametrize(
    ("title", "word", "line"),
    [
        ("../../x", "${report.title}", "'../../x' for ${report.title}"),
        ("/x/y", "${report.title}", "'/x/y' for ${report.title}"),
        ("x", "${nowhere}", "no key 'nowhere'"),
        ("x", "${oc.env:HOME}", "the resolver in "),
        ("x", "${hydra.run.dir}", "the resolver in "),
    ],
)
def test_no_value_of_a_spec_moves_a_run(
    somewhere: Path, capsys: pytest.CaptureFixture[str], title: str, word: str, line: str
) -> None:
    """A value that is a path names no folder, and nothing else than keys and the time is known there."""
    assert command(f"report.title='{title}'", f"hydra.run.dir=out/{word}") == 2
    assert lines(capsys)[0].startswith(f"frtaudit: hydra.run.dir: {line}")
    assert files(somewhere) == []


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("frtaudit run audit=d", "audit=demo"),
        ("frtaudit plan audit=d", "audit=demo"),
        ("frtaudit run audit=demo cohort.subj", "cohort.subjects="),
    ],
)
def test_completion_knows_presets_and_fields(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str, offered: str
) -> None:
    """Hydra's own completion offers options of groups and fields of plug-ins, after the command's name."""
    monkeypatch.setenv("COMP_LINE", line)
    assert app.complete(["query=bash"]) == 0
    assert offered in capsys.readouterr().out.split()
