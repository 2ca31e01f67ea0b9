"""Tests of frtaudit.cli.verify: what is printed, and the exit codes."""

import json
import shutil
from pathlib import Path

import pytest
import small_run

from frtaudit.cli import verify as command
from frtaudit.cli.main import main
from frtaudit.core.machine.run_files import STATEMENT
from frtaudit.signing.key_folder import PUBLIC, generate, read


@pytest.fixture(autouse=True)
def own_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that trusts nobody."""
    monkeypatch.setenv("FRTAUDIT_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture(scope="module")
def key_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an auditor's key."""
    folder = tmp_path_factory.mktemp("keys") / "auditor"
    generate(folder, "Auditor", None, small_run.WHEN)
    return folder


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory, key_folder: Path) -> Path:
    """A signed run."""
    return small_run.write_run(tmp_path_factory.mktemp("runs") / "run", read(key_folder))


def test_main_prints_lines_and_returns_the_code(
    original: Path, key_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command prints one line per check with file names, and the verdict."""
    assert command.main([str(original), "--trust", str(key_folder / PUBLIC)]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("result.json", "report.pdf", "verdict.json"))
    assert printed.splitlines()[-1].endswith(
        "valid and trusted; not compared or not covered: report.html (exit 0)"
    )
    assert "is trusted here" in printed


def test_main_prints_json_and_the_recipe(original: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--json is for machines, --recipe for those who trust openssl more."""
    assert command.main([str(original), "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["exit_code"] == 3
    assert command.main([str(original), "--recipe"]) == 3
    assert "openssl pkeyutl -verify" in capsys.readouterr().out


def test_recipe_without_a_readable_statement_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No statement, or a broken one, gives a comment instead of a recipe."""
    command.main([str(tmp_path / "absent"), "--recipe"])
    assert "no statement" in capsys.readouterr().out
    (tmp_path / STATEMENT).write_bytes(b"{}")
    command.main([str(tmp_path), "--recipe"])
    assert "pkeyutl" not in capsys.readouterr().out


def test_strict_says_one_verdict(
    original: Path, key_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where something is not covered there is one last line, with the exit code; --json holds the same."""
    run = Path(shutil.copytree(original, tmp_path / "run"))
    (run / "notes.txt").write_text("mine")
    words = [str(run), "--trust", str(key_folder / PUBLIC), "--strict"]
    assert command.main(words) == 4
    (said,) = [line for line in capsys.readouterr().out.splitlines() if "(exit" in line]
    assert said.endswith("valid, but not compared or not covered: report.html, notes.txt (exit 4)")
    assert command.main([*words, "--json"]) == 4
    told = json.loads(capsys.readouterr().out)
    assert told["exit_code"] == 4
    assert told["status"] == "valid, but not compared or not covered: report.html, notes.txt"


def test_what_is_neither_file_nor_folder_is_not_opened(capsys: pytest.CaptureFixture[str]) -> None:
    """A device is there, and no run."""
    assert command.main(["/dev/zero"]) == 2
    assert "/dev/zero: is a device: not opened" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [[], ["a", "b"], ["a", "--unknown\nvalid\x1b[2J"], [""], ["a", "--trust", ""]]
)
def test_wrong_usage_is_exit_code_4(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """2 means invalid: usage errors must not say so; they are one line as elsewhere."""
    assert main(["verify", *arguments]) == 4
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("frtaudit: command line: ")
    assert line.count("accepted:") == 1


def test_a_bad_trust_file_is_exit_code_4(original: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing was decided about the run."""
    assert command.main([str(original), "--trust", "absent.pem"]) == 4
    assert capsys.readouterr().err.count("\n") == 1
