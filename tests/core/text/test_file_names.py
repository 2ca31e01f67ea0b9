"""File names made of names in the data: safe on every file system, never shared, ordinary names unchanged."""

import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.text.file_names import DIGITS, LONGEST, RESERVED, file_name, is_safe, name_of

ANY = st.one_of(
    st.text(max_size=200),
    st.text(alphabet="aAbB./\\-_:~ \n\0\u202e\u0301é", max_size=80),
    st.sampled_from([*RESERVED, "..", ".", "", "/", "~", "a/../b", "NUL.txt", "com1 ", "x" * 200]),
)
ORDINARY = st.text(alphabet=string.ascii_lowercase + string.digits, min_size=1, max_size=60).filter(is_safe)


@given(ANY)
def test_a_file_name_is_safe_everywhere(name: str) -> None:
    """No separator, no control character, no leading dot or dash, no device of Windows, a bounded length."""
    made = file_name(name)
    assert set(made) <= set(string.ascii_letters + string.digits + "._-")
    assert made[0] not in ".-"
    assert made[-1] != "."
    assert made.partition(".")[0].lower() not in RESERVED
    assert 0 < len(made) <= LONGEST
    assert Path("root", made).resolve().parent == Path("root").resolve()


@given(ANY, ANY)
def test_two_names_never_share_a_file(one: str, other: str) -> None:
    """Different names have different file names, also where the file system ignores case."""
    assert one == other or file_name(one).casefold() != file_name(other).casefold()


PARTS = st.lists(
    st.one_of(ANY.filter(bool), st.sampled_from(["a", "a-", "a-b", "b", "b-a"])), min_size=2, max_size=2
)


@given(PARTS, PARTS)
def test_names_of_other_parts_are_others(one: list[str], other: list[str]) -> None:
    """Of a figure or table, also as a file, and where parts have the sign that stands between them."""
    made, beside = name_of("fnmr", *one), name_of("fnmr", *other)
    assert one == other or file_name(made).casefold() != file_name(beside).casefold()
    assert set(made) <= set(string.ascii_lowercase + string.digits + "._-")
    assert len(made) > LONGEST or file_name(made) == made


def test_a_name_that_a_part_could_have_been_made_from_is_another() -> None:
    """A system that is named as another's part has a name of its own."""
    part = name_of("det", "Ünal").removeprefix("det-")
    assert name_of("det", part) != name_of("det", "Ünal")


@given(ORDINARY)
def test_an_ordinary_name_stays_as_it_is(name: str) -> None:
    """Lower-case letters and digits are their own file name, with dots, dashes and underscores between them too."""
    assert file_name(name) == name
    assert is_safe("demo_2.1-b")


@given(ANY)
def test_a_made_name_cannot_be_taken_by_another(name: str) -> None:
    """A name that looks like one with a digest gets a digest of its own."""
    made = file_name(name)
    assert made == name or file_name(made) != made


@pytest.mark.parametrize(
    "name", ["Demo", "a b", "nul", "con.csv", "x-" + "0" * DIGITS, "é", ".a", "a.", "-a"]
)
def test_what_could_bite_is_changed(name: str) -> None:
    """Upper case, spaces, devices, accents, hidden names and options get a digest."""
    assert not is_safe(name)
    assert file_name(name).casefold() != name.casefold()
