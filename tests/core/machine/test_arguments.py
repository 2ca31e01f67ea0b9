"""Tests of frtaudit.core.machine.arguments; test_door has the functions that use it."""

import errno
from pathlib import Path

import pytest

from frtaudit.core.machine.arguments import at_path, listed, path_of, text_of
from frtaudit.errors import DataError, SpecError


@pytest.mark.parametrize("given", ["", "a\0b", None, 5, b"x", ["a"]])
def test_what_is_no_path_is_one_line(given: object) -> None:
    """It names the argument and what was found; text and Path are taken."""
    with pytest.raises(DataError, match=r"^folder: found .*; accepted: a path, as text or Path$"):
        path_of("folder", given)
    assert path_of("folder", "a/b") == path_of("folder", Path("a/b")) == Path("a/b")


def test_a_list_is_no_text_and_no_number() -> None:
    """One text is named as a list of it; a generator is taken once."""
    with pytest.raises(SpecError, match=r"accepted: a list: \['seed=1'\]"):
        listed("overrides", "seed=1")
    with pytest.raises(SpecError, match="overrides: found 5; accepted: a list"):
        listed("overrides", 5)  # type: ignore[arg-type]
    assert listed("overrides", (text for text in "ab")) == ["a", "b"]
    with pytest.raises(SpecError, match="table: found None; accepted: text"):
        text_of("table", None)


def test_faults_at_a_path_name_the_path_and_keys_the_argument() -> None:
    """An error of the file system is one line; one of the spec's key names the argument; another stays."""
    place = Path("x")
    with pytest.raises(DataError, match="^x: the name is too long"), at_path(place):
        raise OSError(errno.ENAMETOOLONG, "", "x")
    for where, named in (("hydra.run.dir", "folder"), ("seed", "seed")):
        with pytest.raises(SpecError, match=f"^{named}: found"), at_path(place, "hydra.run.dir", "folder"):
            raise SpecError(where, "found")
