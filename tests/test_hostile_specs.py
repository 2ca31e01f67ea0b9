"""Hostile specs through run, check and run -m: refused in one line, and nothing is executed, written or moved."""

import logging
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import threadpoolctl  # noqa: F401  it sets a variable of the environment where it is first imported
from hostile_specs import AUDIT, BODY, HANDLER, WORDS, Hostile, attempts
from small_run import make_result

from frtaudit.cli import main
from frtaudit.errors import DataError
from frtaudit.pipeline import dry_run, rederive, run

ATTEMPTS = tuple(attempts())
LOGS = "/schema@_global_.hydra.job_logging"
COMMANDS = (("run",), ("check",), ("run", "-m"))
OTHERS = (("seal",), ("plan",), ("label",), ("collect",), ("plan", "collect"))


@pytest.fixture
def loot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder outside the run's; the working folder is beside it, and no audit is ever reached."""

    def reached(*_: object, **__: object) -> None:
        raise AssertionError("a hostile spec reached the audit")

    monkeypatch.setenv(main.DRAWING, os.devnull)  # as each command sets it
    for name in ("loot", "work", "theirs"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setattr(run, "run", reached)
    monkeypatch.setattr(dry_run, "check", reached)
    return tmp_path / "loot"


def laid(attempt: Hostile, loot: Path) -> list[str]:
    """The attempt's files, written; its words."""
    for name, text in attempt.files.items():
        path = loot.parent / "theirs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("LOOT", str(loot)), encoding="utf-8")
    return [
        "--config-dir",
        str(loot.parent / "theirs"),
        *(word.replace("LOOT", str(loot)) for word in attempt.words),
    ]


OWN = {"OPENBLAS_NUM_THREADS"}  # what the first command of a process sets for itself


def state(loot: Path) -> object:
    """What a spec might change: files, the working folder, the environment, logging."""
    files = {path: path.read_bytes() if path.is_file() else None for path in sorted(loot.parent.rglob("*"))}
    environment = {name: value for name, value in os.environ.items() if name not in OWN}
    return files, Path.cwd(), environment, list(logging.getLogger().handlers), logging.getLogger().level


def refused(words: Sequence[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that refuses a command."""
    code = main.main(words)
    said = capsys.readouterr()
    assert code in (1, 2), said
    assert said.out == ""
    assert said.err.count("\n") == 1, said.err
    assert re.match(r"frtaudit(?: seal)?: ", said.err)
    assert "unexpected" not in said.err
    return said.err


def test_there_are_enough() -> None:
    """The table holds what it promises, each once."""
    assert len({attempt.name for attempt in ATTEMPTS}) == len(ATTEMPTS) >= 150


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda one: one.name)
def test_a_hostile_spec_is_refused_and_does_nothing(
    attempt: Hostile, loot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line that names place, found and accepted, from each command; not a byte, setting or folder moves."""
    words = laid(attempt, loot)
    before = state(loot)
    lines = {refused([*command, *words], capsys) for command in COMMANDS}
    assert state(loot) == before
    for line in lines:
        assert attempt.says in line
        assert "; accepted: " in line or "not found" in line


@pytest.mark.parametrize(
    "make",
    [
        lambda path: path.symlink_to(__file__),
        lambda path: path.symlink_to("nowhere"),
        os.mkfifo,
        Path.mkdir,
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: path.write_bytes("seed: 1\n".encode("utf-16")),
    ],
    ids=["link", "dangling", "fifo", "folder", "device", "utf-16"],
)
def test_a_preset_that_is_no_text_file_is_refused(
    loot: Path, capsys: pytest.CaptureFixture[str], make: Callable[[Path], object]
) -> None:
    """Links, pipes, devices and folders are not opened, and other encodings not guessed."""
    words = laid(Hostile("", "", {"schema/x.yaml": "column: a\n"}), loot)
    (loot.parent / "theirs" / "audit").mkdir()
    make(loot.parent / "theirs" / AUDIT)
    for command in COMMANDS:
        assert f"frtaudit: {AUDIT}: is " in refused([*command, *words], capsys)
    assert not any((loot.parent / "work").iterdir())


def test_other_commands_have_the_same_door(loot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """plan, label and seal refuse as run does; so does a collection."""
    attempt = Hostile("", "", {AUDIT: "# @package _global_.hydra.job_logging\n" + HANDLER})
    words = laid(attempt, loot)
    for command in ("plan", "label", "seal"):
        assert main.main([command, *words]) == 2
        assert "audit/theirs.yaml: the package '_global_.hydra.job_logging'" in capsys.readouterr().err
    (loot.parent / "theirs" / "collection").mkdir()
    (loot.parent / "theirs" / "collection" / "theirs.yaml").write_text(f"into: {loot}\nservices: {{}}\n")
    for command in (("collect",), ("plan", "collect", "into=x")):
        assert main.main([*command, *words[:2], "collection=theirs"]) == 2
        assert "into: " in capsys.readouterr().err
    assert not any(loot.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("command", OTHERS, ids=" ".join)
def test_a_hostile_spec_is_refused_by_every_command(
    command: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The same of commands that compose a spec or a collection; a refused seal makes no key either."""
    monkeypatch.setenv("FRTAUDIT_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv(main.DRAWING, os.devnull)
    for number, attempt in enumerate(ATTEMPTS):
        for name in ("loot", "work", "theirs"):
            (tmp_path / str(number) / name).mkdir(parents=True)
        monkeypatch.chdir(tmp_path / str(number) / "work")
        aimed = _aimed(attempt, "collection" if "collect" in command else "audit")
        words = laid(aimed, tmp_path / str(number) / "loot")
        before = state(tmp_path / str(number) / "loot")
        line = refused([*command, *words], capsys)
        assert state(tmp_path / str(number) / "loot") == before, attempt.name
        assert "collect" in command or attempt.says in line, attempt.name
    assert not (tmp_path / "home").exists()


def _aimed(attempt: Hostile, group: str) -> Hostile:
    """The attempt by a file of another group."""
    files = {name.replace("audit/", f"{group}/"): text for name, text in attempt.files.items()}
    return replace(attempt, files=files, words=tuple(w.replace("audit=", f"{group}=") for w in attempt.words))


@pytest.mark.parametrize("word", WORDS, ids=lambda word: word[:60])
def test_a_hostile_word_is_refused_by_reproduce(
    word: str, loot: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Words of a path are data: one line, and nothing moves; what can be meant reaches the audit as it stands."""

    def reached(*_: object) -> None:
        raise DataError("audit", "reached")

    monkeypatch.setattr(rederive, "audit", reached)
    (loot.parent / "run").mkdir()
    (loot.parent / "run" / "result.json").write_bytes(make_result().to_bytes())
    before = state(loot)
    assert main.main(["reproduce", str(loot.parent / "run"), word.replace("LOOT", str(loot))]) == 4
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("could not reproduce: ")
    assert state(loot) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "attempt",
    [
        Hostile("header", "", {AUDIT: "# @package _global_.hydra.job_logging\n" + HANDLER}),
        Hostile(
            "defaults", "", {AUDIT: f"defaults: [{{{LOGS}: logs}}]", "schema/logs.yaml": HANDLER}
        ),
        Hostile("folder", "", {AUDIT: "# @package _global_.hydra.run\ndir: LOOT/run\n"}),
        Hostile("tag", "", {AUDIT: "seed: !!python/object/apply:os.system ['touch LOOT/x']" + BODY}),
    ],
    ids=lambda one: one.name,
)  # fmt: skip
def test_a_hostile_spec_is_refused_by_the_command(attempt: Hostile, loot: Path) -> None:
    """The same from a shell."""
    words = laid(attempt, loot)
    for command in COMMANDS:
        made = subprocess.run(
            [sys.executable, "-m", "frtaudit", *command, *words], capture_output=True, text=True, check=False
        )
        assert (made.returncode, made.stdout) == (2, "")
        assert made.stderr.count("\n") == 1
    assert not any(loot.iterdir())
    assert not any((loot.parent / "work").iterdir())
