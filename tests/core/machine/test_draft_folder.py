"""Tests of frtaudit.core.machine.draft_folder."""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from frtaudit.core.machine import draft_folder as module
from frtaudit.core.machine.draft_folder import draft_folder


def test_what_was_made_for_a_draft_goes_again_where_it_is_empty(tmp_path: Path) -> None:
    """A block that fails leaves no folder; one that put something there leaves that; folders that were there stay."""
    for above in (tmp_path / "a" / "b", tmp_path):
        with pytest.raises(FileNotFoundError), draft_folder(above, ".d-") as (draft, _, _):
            (draft / "x" / "y").touch()
    assert list(tmp_path.iterdir()) == []
    with draft_folder(tmp_path / "a", ".d-") as (_, held, home):
        os.mkdir("kept", dir_fd=held)
        os.rename("kept", "kept", src_dir_fd=held, dst_dir_fd=home)
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")] == ["a", "a/kept"]


def test_what_a_killed_process_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    """A draft that a process has locked stays, so does a link of its name, and what has another name."""
    left, link, other = tmp_path / ".d-left", tmp_path / ".d-link", tmp_path / "other"
    other.mkdir()
    (left / "files").mkdir(parents=True)
    link.symlink_to(other)
    with draft_folder(tmp_path, ".d-") as (first, _, _), draft_folder(tmp_path, ".d-") as (second, _, _):
        assert {*tmp_path.iterdir()} == {first, second, link, other}
    assert {*tmp_path.iterdir()} == {link, other}


@pytest.mark.parametrize(
    "taken", [Path.rmdir, module._locked, lambda path: (module._locked(path), shutil.rmtree(path))]
)
def test_a_new_draft_that_another_process_removes_is_made_again(
    taken: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between a folder and its lock a process that begins may take it for one that was left behind."""
    make, held = tempfile.mkdtemp, []

    def made(**asked: str) -> str:
        path = make(prefix=asked["prefix"], dir=asked["dir"])
        if not held:
            held.append(taken(Path(path)))
        return path

    monkeypatch.setattr(tempfile, "mkdtemp", made)
    with draft_folder(tmp_path, ".d-") as (draft, _, _):
        (draft / "file").touch()
    assert [path.name for path in tmp_path.iterdir()] == []
