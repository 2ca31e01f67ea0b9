"""Lists of people to search for."""

import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.collection.clients.people import near_people, people_of
from frtaudit.errors import DataError, FrtauditError, SpecError

BOTH = "{name} {country}"


def listed(folder: Path, text: str) -> str:
    path = folder / "names.csv"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_words_of_a_search_and_the_columns_beside_it(tmp_path: Path) -> None:
    """The template is filled; the name is in no column and in no text of the value."""
    found = people_of(
        listed(tmp_path, "name,country,group\nAda Lovelace,England,f\nAlan Turing,England,m\n"), BOTH
    )
    assert [one.words for one in found] == ["Ada Lovelace England", "Alan Turing England"]
    assert found[1].columns == {"country": "England", "group": "m"}
    assert "Alan" not in repr(found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "name,country\nAda Lovelace,England\nB C,D\nada  LOVELACE,England\n",
            "names.csv line 4: the person of line 2",
        ),
        ("name,country\nJosé Díaz,Spain\nDiaz Jose,spain\n", "names.csv line 3: the person of line 2"),
        ("name,country\n,England\n", "names.csv line 2: no name"),
        ("name,country\nAda Lovelace,\n", "names.csv line 2: no country"),
        ("name,country\n...,England\n", "names.csv line 2: a name without a letter"),
        ("who,country\nAda Lovelace,England\n", "names.csv: no column name"),
    ],
)
def test_a_list_that_cannot_be_searched(tmp_path: Path, text: str, said: str) -> None:
    """Twice the same (in case, accents, order), an empty field, no such column: one line with lines and no name."""
    with pytest.raises(DataError) as caught:
        people_of(listed(tmp_path, text), BOTH)
    assert str(caught.value).startswith(said)
    assert "ovelace" not in str(caught.value).lower()


@pytest.mark.parametrize("template", ["{country}", "{name} {town}", "{name.__class__}"])
def test_a_template_of_other_fields(tmp_path: Path, template: str) -> None:
    """Names the columns that there are; nothing else can be reached by it."""
    with pytest.raises(SpecError, match="source.template: .*name"):
        people_of(listed(tmp_path, "name,country\nAda Lovelace,England\n"), template)


def test_people_who_may_be_one_are_told_by_their_lines(tmp_path: Path) -> None:
    """More words, another order, a letter's difference, another country; people who share a word are not near."""
    names = [
        "Barack Obama",
        "Barack Hussein Obama",
        "Jon Smith",
        "John Smith",
        "Kim Yuna",
        "Kim Minji",
        "Will Smith",
    ]
    path = listed(tmp_path, "name\n" + "\n".join(names) + "\n")
    said = near_people(people_of(path, "{name}"))
    assert [line.split(": ")[0] for line in said] == [
        "names.csv line 3 is near names.csv line 2",
        "names.csv line 5 is near names.csv line 4",
    ]
    path = listed(tmp_path, "name,country\nKim Minji,Korea\nKim Minji,USA\n")
    assert len(near_people(people_of(path, BOTH))) == 1


def test_thousands_are_compared_in_seconds(tmp_path: Path) -> None:
    """2,755 names, as in the paper, of 60 family names."""
    letters = string.ascii_lowercase
    names = [f"{letters[n % 26]}{letters[n // 26 % 26]}{n}x Family{n % 60}" for n in range(2755)]
    people = people_of(listed(tmp_path, "name\n" + "\n".join(names) + "\n"), "{name}")
    assert isinstance(near_people(people), tuple)


@given(
    st.lists(st.sampled_from(["Zyx Wvut", "zyx wvut", "Wvut Zyx", "Zyx Q Wvut", ""]), min_size=1, max_size=5)
)
def test_no_error_and_no_caution_holds_a_name(
    tmp_path_factory: pytest.TempPathFactory, names: list[str]
) -> None:
    """Whatever the list holds."""
    path = listed(tmp_path_factory.mktemp("list"), "name,group\n" + "".join(f"{one},g\n" for one in names))
    try:
        said = " ".join(near_people(people_of(path, "{name}")))
    except FrtauditError as error:
        said = str(error)
    assert "wvut" not in said.lower()
