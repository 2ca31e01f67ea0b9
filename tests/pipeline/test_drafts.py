"""Tests of frtaudit.pipeline.drafts."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from frtaudit.core.machine import signals
from frtaudit.core.machine.output import OutputFolder
from frtaudit.errors import DataError, SpecError
from frtaudit.pipeline.drafts import FILES, MOVING, draft
from frtaudit.report.files import DRAFT


def write_files(folder: Path, *names: str) -> None:
    """A whole run of files of one line."""
    with draft(folder, last="result.json") as files:
        for name in names:
            (files / name).mkdir() if name.endswith("/") else (files / name).write_text(name)


def test_files_come_together_the_last_one_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They stand in a folder of their own until the end of the block; then they move, and nothing else is left."""
    moved: list[str] = []
    rename = os.rename

    def noted(name: str, target: Path, **more: int) -> None:
        moved.append(target.name)
        rename(name, target, **more)

    monkeypatch.setattr(os, "rename", noted)
    with draft(tmp_path, last="result.json") as files:
        for name in ("verdict.json", "result.json", "a.html"):
            (files / name).write_text("")
        assert [path.name for path in tmp_path.iterdir()] == [DRAFT]
    assert moved == ["a.html", "verdict.json", "result.json"]
    assert {path.name for path in tmp_path.iterdir()} == set(moved)


def test_a_failed_run_leaves_nothing(tmp_path: Path) -> None:
    """An error in the block, in the move, or a signal: the folder is as it was."""
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(ZeroDivisionError), draft(tmp_path, last="result.json"):
        raise ZeroDivisionError
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "mine").write_text("mine")
    with pytest.raises(DataError, match="others appeared in the folder during the run"):
        write_files(tmp_path, "report.html", "result.json", "others/")
    with signals.listening():
        os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(signals.Stopped), draft(tmp_path, last="result.json"):
            pytest.fail("the block must not begin")
    with pytest.raises(ZeroDivisionError), draft(tmp_path / "new" / "run", last="result.json"):
        raise ZeroDivisionError
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "others"]
    assert (tmp_path / "others" / "mine").read_text() == "mine"


@pytest.mark.parametrize(
    "name", ["report.json", "tables/mine", "statement.dsse.json", "approval.2.dsse.json", "mine"]
)
def test_a_run_that_would_not_verify_is_not_begun(tmp_path: Path, name: str) -> None:
    """A link anywhere, or a file that has the name of a run's: one line before anything is done, and it stays."""
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).symlink_to("elsewhere")
    with pytest.raises(
        DataError, match=rf"^hydra.run.dir: {name} is a symbolic link; accepted: a new folder"
    ):
        write_files(tmp_path, "result.json")
    (tmp_path / name).unlink()
    (tmp_path / name).write_text("mine")
    if name != "mine":
        with pytest.raises(
            DataError, match=f"^hydra.run.dir: {name} is there, which has the name of a run's"
        ):
            write_files(tmp_path, "result.json")
        assert not (tmp_path / "result.json").exists()
    assert (tmp_path / name).read_text() == "mine"


@pytest.mark.parametrize("name", ["report.pdf", "tables", "lists/mine", "report.html/mine"])
def test_a_folder_in_the_place_of_a_runs_file_is_told_before(tmp_path: Path, name: str) -> None:
    """A run that could not move its files into place is not begun; a folder of another name is in nobody's way."""
    (tmp_path / "notes").mkdir()
    (tmp_path / name).mkdir(parents=True)
    with pytest.raises(DataError, match=f"^hydra.run.dir: {name} is there, which has the name of a run's"):
        write_files(tmp_path, "result.json")
    (tmp_path / name).rename(tmp_path / "notes" / "mine")
    with suppress(FileNotFoundError):
        (tmp_path / name.partition("/")[0]).rmdir()
    write_files(tmp_path, "result.json")
    assert {path.name for path in tmp_path.iterdir()} == {"notes", "result.json"}


@pytest.mark.parametrize("name", ["report.html", "checklists.csv", "lists/", "result.json"])
def test_what_comes_into_the_folder_meanwhile_is_kept(tmp_path: Path, name: str) -> None:
    """A file or a folder, empty or not, that somebody else writes during the run: the run ends, and it stays."""

    def run() -> None:
        with draft(tmp_path, last="result.json") as files:
            for own in ("a.html", "checklists.csv", "report.html", "result.json"):
                (files / own).write_text("the run's")
            (files / "lists").mkdir()
            (tmp_path / name).mkdir() if name.endswith("/") else (tmp_path / name).write_text("mine")

    with pytest.raises(DataError, match=f"{name.rstrip('/')} .*; accepted: a folder"):
        run()
    assert [path.name for path in tmp_path.iterdir()] == [name.rstrip("/")]
    assert name.endswith("/") or (tmp_path / name).read_text() == "mine"


def test_a_link_put_into_the_draft_is_not_moved_into_place(tmp_path: Path) -> None:
    """Whoever swaps a file of the draft for a link gets no run: what verify would find invalid is not written."""

    def swapped() -> None:
        with draft(tmp_path, last="result.json") as files:
            (files / "result.json").write_text("")
            (files / "lists").symlink_to(tmp_path)

    with pytest.raises(DataError, match=r"\.draft was replaced during the run"):
        swapped()
    assert not [*tmp_path.iterdir()]


def test_two_runs_at_once_are_refused(tmp_path: Path) -> None:
    """The second one says so and touches nothing; a finished folder is refused too."""
    with draft(tmp_path, last="result.json") as files:
        (files / "result.json").write_text("first")
        with pytest.raises(
            DataError, match=r"^hydra.run.dir: another run writes into .*; accepted: wait for it"
        ):
            write_files(tmp_path, "result.json")
    with pytest.raises(SpecError, match=r"already contains a result.json"):
        write_files(tmp_path, "result.json")
    assert (tmp_path / "result.json").read_text() == "first"


KILLED = """
import os, signal, sys
from pathlib import Path
from frtaudit.pipeline import drafts
move = os.rename
def killed(name, target, **more):
    move(name, target, **more)
    if target.name == "b":
        os.kill(os.getpid(), signal.SIGKILL)
os.rename = killed
with drafts.draft(Path(sys.argv[1]), last="result.json") as files:
    for name in ("a", "b", "result.json"):
        (files / name).write_text("killed")
"""


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path: Path) -> None:
    """Killed in the middle of its move: what was moved goes, files of others stay, and the folder is free."""
    (tmp_path / "mine").write_text("mine")
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert {path.name for path in tmp_path.iterdir()} == {"mine", "a", "b", DRAFT}
    write_files(tmp_path, "c", "result.json")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "mine": "mine", "c": "c", "result.json": "result.json"
    }  # fmt: skip


def test_a_forged_note_of_a_move_reaches_nothing_outside(tmp_path: Path) -> None:
    """Names that lead out of the folder, and broken notes, remove nothing."""
    (tmp_path / "keys").write_text("mine")
    for note in (json.dumps(["../keys", "/etc/hostname", 3, None]), "[", '{"a": 1}'):
        place = tmp_path / "run" / DRAFT
        (place / FILES).mkdir(parents=True)
        (place / MOVING).write_text(note)
        with pytest.raises(ZeroDivisionError), draft(tmp_path / "run", last="result.json"):
            raise ZeroDivisionError
    assert (tmp_path / "keys").read_text() == "mine"


@pytest.mark.parametrize("above", ["..", ".", ""])
def test_a_forged_note_that_names_the_folder_above_removes_nothing(tmp_path: Path, above: str) -> None:
    """Also before the draft has a folder for its files."""
    (tmp_path / "keys").write_text("mine")
    (tmp_path / "run" / DRAFT).mkdir(parents=True)
    (tmp_path / "run" / DRAFT / MOVING).write_text(json.dumps([above]))
    write_files(tmp_path / "run", "result.json")
    assert (tmp_path / "keys").read_text() == "mine"
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["result.json"]


@pytest.mark.parametrize("name", [DRAFT, f"{DRAFT}/lock", f"{DRAFT}/{FILES}", f"{DRAFT}/{MOVING}"])
@pytest.mark.parametrize("target", [".", "files"])
def test_a_link_in_place_of_the_draft_is_not_followed(tmp_path: Path, name: str, target: str) -> None:
    """Whatever of a draft is a link: where it leads, nothing is made, changed or removed."""
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / FILES / "mine").mkdir(parents=True)
    (elsewhere / "lock").write_text("mine")
    link = tmp_path / "run" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(elsewhere / ("lock" if "lock" in name or "." in name[1:] else target))
    with suppress(DataError, OSError):
        write_files(tmp_path / "run", "result.json")
    kept = {str(path.relative_to(elsewhere)) for path in elsewhere.rglob("*")}
    assert kept == {FILES, f"{FILES}/mine", "lock"}
    assert (elsewhere / "lock").read_text() == "mine"


def test_a_lock_in_a_folder_that_was_just_removed_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who waits for the lock's file while its holder removes it gets a new one."""
    place, calls = tmp_path / DRAFT, [0]
    flock = fcntl.flock

    def removed_meanwhile(number: int, how: int) -> None:
        calls[0] += 1
        if calls[0] == 1:
            (place / "lock").unlink()
        flock(number, how)

    monkeypatch.setattr(fcntl, "flock", removed_meanwhile)
    write_files(tmp_path, "result.json")
    assert calls == [2]
    assert (tmp_path / "result.json").exists()


@pytest.mark.parametrize("replaced", [DRAFT, f"{DRAFT}/{FILES}", f"{DRAFT}/{FILES}/lists"])
def test_a_folder_replaced_by_a_link_while_a_run_writes_leads_nowhere(tmp_path: Path, replaced: str) -> None:
    """What stands where the link leads stays as it is, and the run ends with one line, its folder as it was."""
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / FILES).mkdir(parents=True)
    (elsewhere / "lock").write_text("mine")

    def replacing() -> None:
        with draft(tmp_path / "run", "result.json") as files:
            OutputFolder(files).write("lists/a.csv", b"a")
            (tmp_path / "run" / replaced).rename(tmp_path / "aside")
            (tmp_path / "run" / replaced).symlink_to(elsewhere)
            OutputFolder(files).write("lists/b.csv", b"b")

    with pytest.raises(DataError, match="is a link|was replaced"):
        replacing()
    assert {path.name for path in elsewhere.rglob("*")} == {FILES, "lock"}
    assert not [path.name for path in (tmp_path / "run").glob("*.json")]


def test_nothing_is_left_where_too_many_files_are_open(tmp_path: Path) -> None:
    """An error that keeps files open, as the frames of a library's do, up to the limit: the draft goes too."""
    code = (
        "import os, resource, sys\n"
        "from pathlib import Path\n"
        "from frtaudit.pipeline.drafts import draft\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))\n"
        "opened = []\n"
        "with draft(Path(sys.argv[1]), last='result.json') as files:\n"
        "    (files / 'lists' / 'a' / 'b').mkdir(parents=True)\n"
        "    (files / 'lists' / 'a' / 'b' / 'c.csv').write_text('x')\n"
        "    while True:\n"
        "        opened.append(os.open('/dev/null', os.O_RDONLY))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "run")], capture_output=True, check=False
    )
    assert b"Too many open files" in done.stderr
    assert not (tmp_path / "run" / DRAFT).exists()


def test_nothing_is_left_where_no_memory_is_left_to_list_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that fails before its first file leaves no lock, even where folders cannot be listed."""
    monkeypatch.setattr(shutil, "rmtree", lambda *_, **__: None)
    with pytest.raises(MemoryError), draft(tmp_path / "run", last="result.json"):
        raise MemoryError
    assert not (tmp_path / "run" / ".draft").exists()
