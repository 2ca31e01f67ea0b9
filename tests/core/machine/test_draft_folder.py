"""Tests of frtaudit.core.machine.draft_folder."""

import os
from pathlib import Path

import pytest

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
