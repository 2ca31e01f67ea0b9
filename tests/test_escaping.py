"""Text of the data where it is printed: a terminal obeys none of it, a spreadsheet calculates none of it."""

import csv
import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.errors import DataError
from frtaudit.escaping import cell, printable
from frtaudit.inputs.review import as_csv
from frtaudit.signing.verification import Verification, note, ok

FORGED = (
    "x\nok             result.json: signed\rrun: valid and trusted (exit 0)\x1b[1A\x1b[2K\u202e\u2028\x9b2J"
)


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


@pytest.mark.parametrize(
    "text", ["=1+1", "+1+1", "-1+cmd", "@SUM(1)", "\t=1", "\r=1", "\n=1", "  =1", "-", "=", "+x"]
)
def test_a_formula_becomes_text(text: str) -> None:
    """What a spreadsheet would calculate gets an apostrophe, in the header too."""
    shown = "'" + text.replace("\r", "\\r")
    assert cell(text) == shown
    rows = list(csv.reader(io.StringIO(as_csv((text,), [(text,)]).decode(), newline="")))
    assert rows == [[shown], [shown]]


def test_a_carriage_return_begins_no_row() -> None:
    """A name cannot end its row and begin another with a formula in it."""
    assert b"\r" not in as_csv(("a",), [("x\r=1+1",)])


@pytest.mark.parametrize("value", ["-1", "+0.5", "-1e-05", "1", "a", "", "a=b", -1.5, 3, None])
def test_numbers_and_words_stay(value: object) -> None:
    """Numbers, also written as text, and text that begins otherwise are as they were."""
    assert cell(value) == value
