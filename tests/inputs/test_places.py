"""Tests of frtaudit.inputs.places: one rule for every path to data."""

from pathlib import Path

import pytest

from frtaudit.errors import DataError
from frtaudit.inputs.places import MAX_NAMED, need_file, paths_below, place_of


@pytest.fixture(autouse=True)
def working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder with ``here.csv`` and ``both.csv``; below ``root`` are ``there.csv`` and ``both.csv``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "root").mkdir()
    for name in ("here.csv", "both.csv", "root/there.csv", "root/both.csv"):
        Path(name).write_text("a\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("here.csv", "here.csv"),
        ("there.csv", "root/there.csv"),
        ("root/there.csv", "root/there.csv"),
        ("x", None),
    ],
)
def test_a_path_is_looked_for_in_both_folders(name: str, place: str | None) -> None:
    """A file of the working folder and one below the root are found by the same name."""
    assert place_of("cohort.pairs", name, Path("root")) == (None if place is None else Path(place))


def test_what_two_files_have_as_name_is_refused_and_the_advice_works() -> None:
    """Each path that the message offers leads to its file, from any folder."""
    with pytest.raises(DataError, match=r"^cohort.pairs: 'both.csv' is both in") as refused:
        place_of("cohort.pairs", "both.csv", Path("root"))
    offered = [text.strip("'") for text in refused.value.accepted.split(" or ")]
    found = [place_of("cohort.pairs", name, Path("root")) for name in offered]
    assert found == [Path("both.csv").absolute(), Path("root/both.csv").absolute()]


def test_the_root_may_be_the_working_folder() -> None:
    """One file that both folders hold, because they are one, is no doubt."""
    assert need_file("cohort.pairs", "here.csv", Path()) == Path("here.csv")


def test_what_is_not_there_is_answered_with_what_is() -> None:
    """The message names the nearest file, few others, and no hidden one."""
    Path("root/.hidden").touch()
    with pytest.raises(
        DataError, match=r"no file 'thre.csv' .*did you mean 'there.csv'\?\): both.csv, there.csv$"
    ):
        need_file("cohort.pairs", "thre.csv", Path("root"))
    for number in range(MAX_NAMED):
        Path(f"root/a{number}").touch()
    with pytest.raises(DataError, match=r"a7 and 2 more$"):
        need_file("cohort.pairs", "x", Path("root"))
    Path("empty").mkdir()
    with pytest.raises(DataError, match="; the folder is empty$"):
        need_file("cohort.pairs", "x", Path("empty"))
    with pytest.raises(DataError, match="accepted: a file that is there$"):
        need_file("cohort.pairs", "x", Path("nowhere"))


def test_a_root_that_leads_nowhere_is_a_link() -> None:
    """It is there, so it is called what it is."""
    Path("loop").symlink_to("loop")
    with pytest.raises(DataError, match="^cohort.root: is a symbolic link"):
        paths_below(Path("loop"), (), ())


def test_a_link_is_refused() -> None:
    """What lies at a path is a regular file."""
    Path("root/link.csv").symlink_to(Path("here.csv").absolute())
    with pytest.raises(DataError, match=r"^link.csv: is a symbolic link"):
        need_file("cohort.pairs", "link.csv", Path("root"))
