"""Names that look alike and are not one."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.inputs.twins import SHOWN, class_notes, looks_of, twin_notes, twins

ALIKE = [
    ("Zo\u00eb", unicodedata.normalize("NFD", "Zo\u00eb")),
    ("anna", "\u0430nn\u0430"),
    ("ANNA", "\u0391NN\u0410"),
    ("a\u200bb", "ab"),
    ("fi", "\ufb01"),
    ("anna", "Anna"),
    ("7", "007"),
    ("10", "10.0"),
    ("0", "00"),
    ("B", "\u0432".upper()),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_alike_ids_are_told(one: str, other: str) -> None:
    """Two Unicode forms, letters of two scripts, a mark without width, a ligature, case, zeros: each is found."""
    assert twins([one, "x", other]) == [(0, 2)]
    assert len(twin_notes([one, other], "subject")) == 1


@pytest.mark.parametrize(
    "names",
    [
        ("a", "b"),
        ("0", "O"),
        ("7", "70"),
        ("a07", "a7"),
        ("1.0", "10"),
        ("\u65e5", "\u672c"),
        ("\u0436", "x"),
    ],
)
def test_different_ids_are_not(names: tuple[str, str]) -> None:
    """Digits and letters that nobody takes for each other are different names."""
    assert twin_notes(names, "subject") == ()


@given(st.lists(st.text(max_size=6), unique=True, max_size=12))
def test_every_pair_is_of_one_look(names: list[str]) -> None:
    """What is found differs and looks alike; as many as there are names beyond the first of each look."""
    found = twins(names)
    assert all(names[a] != names[b] and looks_of(names[a]) == looks_of(names[b]) for a, b in found)
    assert len(found) == len(names) - len({looks_of(name) for name in names})


def test_the_sentence_counts_and_names_nobody() -> None:
    """Some places are shown, the rest counted, and no id stands in the sentence."""
    names = [f"p{n}{letter}" for n in range(SHOWN + 2) for letter in ("a", "\u0430")]
    (said,) = twin_notes(names, "sample")
    assert said.startswith(f"{SHOWN + 2} sample ids look like others")
    assert "places 1 and 2; 3 and 4; 5 and 6, and 2 more of the sorted ids" in said
    assert not any(name in said for name in names)


def test_classes_that_look_alike_are_named() -> None:
    """Spellings split a class: each with the first of its look, no more than are shown."""
    assert class_notes("sex", ["Female", "Male", "f"]) == ()
    first, second = class_notes("sex", ["Female", "Male", "female", "male"])
    assert "'Female' and 'female' look alike" in first
    assert "'Male' and 'male'" in second
    assert len(class_notes("sex", [f"{k}{letter}" for k in range(9) for letter in "aA"])) == SHOWN
