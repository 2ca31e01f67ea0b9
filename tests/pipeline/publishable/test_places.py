"""Tests of frtaudit.pipeline.publishable.places."""

from pathlib import Path

import pytest

from frtaudit.errors import DataError
from frtaudit.pipeline.publishable.places import refuse_occupied, refuse_unverified


def test_a_run_that_is_not_there_is_not_published(tmp_path: Path) -> None:
    """In the words of frtaudit verify."""
    with pytest.raises(DataError, match="none: there is no such file or folder; accepted: a signed run that"):
        refuse_unverified(tmp_path / "none")
    (tmp_path / "mailed.pdf").touch()
    with pytest.raises(DataError, match=r"mailed.pdf: is a file; accepted: the folder of a signed run"):
        refuse_unverified(tmp_path / "mailed.pdf")
    (tmp_path / "swept").mkdir()
    (tmp_path / "swept" / "sweep.json").touch()
    with pytest.raises(
        DataError, match="swept: is the folder of a sweep; accepted: the folder of one of its jobs"
    ):
        refuse_unverified(tmp_path / "swept")


def test_nothing_is_written_beside_other_files(tmp_path: Path) -> None:
    """An empty folder, a new one, and what an ended run left are taken; another file is not."""
    refuse_occupied(tmp_path / "new")
    (tmp_path / ".draft").mkdir()
    refuse_occupied(tmp_path)
    (tmp_path / "x").touch()
    with pytest.raises(DataError, match="is not empty; accepted: a new or empty folder"):
        refuse_occupied(tmp_path)
