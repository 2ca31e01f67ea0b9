"""Tests of frtaudit.core.machine.lock: one holder at a time, also where the holder removes the file."""

import os
import shutil
import threading
from pathlib import Path

import pytest

from frtaudit.core.machine.lock import lock


def test_a_second_holder_is_refused_until_the_first_ends(tmp_path: Path) -> None:
    """Closing the file frees the lock; its folder is made."""
    path = tmp_path / "a" / "lock"
    first = lock(path, wait=False)
    with pytest.raises(BlockingIOError):
        lock(path, wait=False)
    os.close(first)
    os.close(lock(path, wait=False))


def test_who_waited_for_a_removed_lock_holds_the_one_that_is_there(tmp_path: Path) -> None:
    """The holder removes the folder and ends: who waited makes it anew, and a third is refused."""
    path = tmp_path / "a" / "lock"
    first, got = lock(path, wait=False), []
    waiting = threading.Thread(target=lambda: got.append(lock(path, wait=True)))
    waiting.start()
    waiting.join(0.2)
    shutil.rmtree(path.parent)
    os.close(first)
    waiting.join(20)
    with pytest.raises(BlockingIOError):
        lock(path, wait=False)
    os.close(got[0])


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    """Nothing is made where it points."""
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic links"):
        lock(tmp_path / "lock", wait=False)
    assert not (tmp_path / "elsewhere").exists()
