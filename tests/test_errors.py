import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.errors import (
    ClusterError,
    DataError,
    FrtauditError,
    ProviderError,
    SpecError,
    VerificationError,
    column_names,
    excerpt,
    printable,
)
from frtaudit.signing.verification import Verification, note, ok

FORGED = (
    "x\nok             result.json: signed\rrun: valid and trusted (exit 0)\x1b[1A\x1b[2K\u202e\u2028\x9b2J"
)


def test_one_line_with_place_value_and_alternatives() -> None:
    """An error reads as one line: where, what was found, what is accepted."""
    error = SpecError("bootstrap.B", "found\n  7", "39 or\tmore")
    assert str(error) == "bootstrap.B: found 7; accepted: 39 or more"
    assert (error.where, error.found, error.accepted) == ("bootstrap.B", "found\n  7", "39 or\tmore")


def test_alternatives_may_be_missing() -> None:
    """Without alternatives the line ends with what was found."""
    assert str(DataError("x.csv", "is empty")) == "x.csv: is empty"


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (FrtauditError, 1),
        (SpecError, 2),
        (DataError, 1),
        (ProviderError, 1),
        (ClusterError, 1),
        (VerificationError, 2),
    ],
)
def test_exit_codes(kind: type[FrtauditError], code: int) -> None:
    """Usage and broken signatures exit with 2, everything else that stops an audit with 1; all share one base."""
    assert issubclass(kind, FrtauditError)
    assert kind("here", "this").exit_code == code


def test_the_parts_survive_pickling() -> None:
    """An error that crosses a process keeps its parts (sweeps run jobs in other processes)."""
    import pickle

    again = pickle.loads(pickle.dumps(SpecError("a", "b", "c")))
    assert (again.where, again.found, again.accepted, str(again)) == ("a", "b", "c", "a: b; accepted: c")


@given(st.text())
def test_printed_text_is_one_line_without_commands(text: str) -> None:
    """Whatever the text, no control character, separator, direction mark or broken UTF-8 is left of it."""
    shown = printable(text)
    assert len(shown.splitlines()) <= 1
    assert not {"Cc", "Cf", "Cs", "Zl", "Zp"} & {unicodedata.category(mark) for mark in shown}
    shown.encode()


@given(st.text(alphabet=st.characters(categories=["L", "M", "N", "P", "S"])))
def test_words_of_any_script_stay(text: str) -> None:
    """Letters, marks, digits, punctuation and symbols of every script are printed as they are."""
    assert printable(text) == text


def test_a_file_name_forges_no_line_of_verify() -> None:
    """A name with line ends and terminal commands stays on its line, in text and in JSON; errors too."""
    found = Verification(
        path=f"run{FORGED}", checks=(ok("result.json", "is as recorded"), note(FORGED, FORGED))
    )
    assert len(str(found).splitlines()) == 3
    for text in (str(found), str(found.to_json()), str(DataError(FORGED, FORGED, FORGED))):
        assert not {"\x1b", "\r", "\u202e", "\u2028", "\x9b"} & {*text}
    assert len(str(DataError(FORGED, FORGED, FORGED)).splitlines()) == 1


SECRET = "AWS_SECRET_ACCESS_KEY=k3yk3yk3yk3yk3yk3y"


def test_of_what_a_file_holds_a_few_characters_are_shown() -> None:
    """A value, or a column that no one would call so, is named by its first characters and its length."""
    assert excerpt("twenty") == "'twenty'"
    assert excerpt(SECRET) == f"'AWS_SECR'... ({len(SECRET)} characters)"
    assert column_names(["image_id", "Geschlecht (m)", SECRET]) == (
        f"image_id, 'Geschlecht (m)', 'AWS_SECR'... ({len(SECRET)} characters)"
    )
    assert column_names(["image_id", "größe"]) == "image_id, größe"
